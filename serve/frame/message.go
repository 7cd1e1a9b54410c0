package frame

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/sipc-ml/sipc/internal/limits"
)

// Version is the version of the protocol. It stands at the beginning of every header.
const Version = 1

// begin is what a header begins with.
const begin = `{"sipc"`

// A request is a message to the server.
type request struct {
	Version int             `json:"sipc"`
	ID      int64           `json:"id"`
	Op      string          `json:"op"`
	Args    json.RawMessage `json:"args"`
	Lengths []int64         `json:"buffers"`

	buffers [][]byte
}

// A reader reads requests.
type reader struct {
	in   *bufio.Reader
	most int64 // bytes of the buffers of a message
	lost bool  // what comes next may be no header
}

// newReader returns a reader of messages whose buffers have so many bytes at most.
func newReader(in io.Reader, most int64) *reader {
	return &reader{in: bufio.NewReaderSize(in, 1<<16), most: min(most, limits.FrameBytes)}
}

// next returns the next request. A message that cannot be used is a *Fault, and the reader goes on behind it. At the end of the input it
// returns io.EOF, and where that cuts a message off io.ErrUnexpectedEOF. The id of the request counts with a fault, too.
func (r *reader) next() (*request, error) {
	line, err := r.line()
	if err != nil {
		return &request{}, err
	}
	q := &request{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(q); err != nil {
		r.lost = true
		return &request{}, protocolFault("the header is not one of this protocol: %s", jsonProblem(err))
	}
	if rest := bytes.TrimSpace(line[d.InputOffset():]); len(rest) > 0 {
		r.lost = true
		return &request{}, protocolFault("more than one value is in the header: %s", cut(rest))
	}
	if q.Version != Version {
		r.lost = true
		return q, protocolFault("the header is of version %d of the protocol, and this program speaks version %d", q.Version, Version)
	}
	return q, r.fill(q)
}

// line returns the next header, without its line end.
func (r *reader) line() ([]byte, error) {
	for {
		line, err := r.upTo(limits.FrameHeader)
		switch {
		case err != nil && len(bytes.TrimSpace(line)) > 0 && !r.lost:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case line == nil && !r.lost:
			r.lost = true
			return nil, protocolFault("the header has more than %s", limits.Size(limits.FrameHeader))
		case line == nil || r.lost && !bytes.HasPrefix(line, []byte(begin)):
			continue
		case len(bytes.TrimSpace(line)) == 0:
			continue // lines between messages
		case !bytes.HasPrefix(line, []byte(begin)):
			r.lost = true
			return nil, protocolFault(`the header does not begin with %s: 1: it is %s`, begin, cut(line))
		}
		r.lost = false
		return line, nil
	}
}

// upTo returns a line without its end; nil stands for one of more bytes, which is skipped.
func (r *reader) upTo(most int) ([]byte, error) {
	line, over := []byte{}, false
	for {
		part, err := r.in.ReadSlice('\n')
		if over = over || len(line)+len(part) > most; over {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return line, err
		case over:
			return nil, nil
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

// fill reads the buffers of a request.
func (r *reader) fill(q *request) error {
	const farthest = int64(1) << 42 // what nobody sends, and nobody waits for
	var sum int64
	for _, n := range q.Lengths {
		if n < 0 || n > farthest || sum > farthest {
			r.lost = true
			return protocolFault("a buffer has %d bytes", n)
		}
		sum += n
	}
	if len(q.Lengths) > limits.FrameBuffers || sum > r.most {
		problem := protocolFault("the message has %d buffers of %s, and at most %d of %s are read", len(q.Lengths), limits.Size(sum), int(limits.FrameBuffers), limits.Size(r.most))
		if _, err := io.CopyN(io.Discard, r.in, sum); err != nil {
			return io.ErrUnexpectedEOF
		}
		return problem
	}
	for _, n := range q.Lengths {
		buffer, err := r.buffer(n)
		if err != nil {
			return err
		}
		q.buffers = append(q.buffers, buffer)
	}
	return nil
}

// buffer reads so many bytes. Memory grows with what comes, not with what the header claims.
func (r *reader) buffer(n int64) ([]byte, error) {
	const atOnce = 64 << 20
	buffer := make([]byte, 0, min(n, atOnce))
	for int64(len(buffer)) < n {
		if len(buffer) == cap(buffer) {
			more := make([]byte, len(buffer), min(n, 2*int64(cap(buffer))))
			copy(more, buffer)
			buffer = more
		}
		k, err := io.ReadFull(r.in, buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+k]
		if err != nil {
			return nil, io.ErrUnexpectedEOF
		}
	}
	return buffer, nil
}

// An array is a result in a buffer.
type array struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"` // f8, i8 or u1, little-endian
	Shape  []int  `json:"shape"`
	Buffer int    `json:"buffer"`
}

// An answer is a message of the server.
type answer struct {
	Version  int       `json:"sipc"`
	ID       int64     `json:"id"`
	Kind     string    `json:"kind"` // result, error, progress or warning
	Error    *Fault    `json:"error,omitempty"`
	Progress *progress `json:"progress,omitempty"`
	Warning  *warning  `json:"warning,omitempty"`
	Result   any       `json:"result,omitempty"`
	Seconds  float64   `json:"seconds,omitempty"` // that the work took, of a result
	Arrays   []array   `json:"arrays,omitempty"`
	Lengths  []int     `json:"buffers"`
}

// A progress says how far a request is. Total is 0 where nothing is counted.
type progress struct {
	Stage string `json:"stage"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
}

// A warning is worth saying. It has a code and a place if it is one of a spec.
type warning struct {
	Text     string `json:"text"`
	Code     string `json:"code,omitempty"`
	Rendered string `json:"rendered,omitempty"`
}

// writeAnswer writes a message and its buffers.
func writeAnswer(out *bufio.Writer, a *answer, buffers [][]byte) error {
	a.Version, a.Lengths = Version, []int{}
	for _, b := range buffers {
		a.Lengths = append(a.Lengths, len(b))
	}
	header, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if _, err := out.Write(append(header, '\n')); err != nil {
		return err
	}
	for _, b := range buffers {
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	return out.Flush()
}

// cut returns the beginning of what was read, as an error shows it.
func cut(text []byte) string {
	const most = 60
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
