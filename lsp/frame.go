package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"github.com/sipc-ml/sipc/internal/limits"
)

// A frame reads messages of a bounded length, where those of the library take any length for granted. It writes as the
// library does. It answers what is not a request itself, as the library panics at such a message of a client that leaves.
// It reads beside whoever waits for a message, so that Close ends the waiting: some clients keep their end open.
type frame struct {
	channel.Channel
	in      *bufio.Reader
	writing sync.Mutex
	reading sync.Once
	read    chan received
	closed  chan struct{}
	close   func()
}

// A received is a message, or the error in its place.
type received struct {
	message []byte
	err     error
}

// framed returns the channel of a client.
func framed(in io.Reader, out io.WriteCloser) *frame {
	closed := make(chan struct{})
	return &frame{
		Channel: channel.LSP(in, out), in: bufio.NewReaderSize(in, limits.EditorHeader),
		read: make(chan received), closed: closed, close: sync.OnceFunc(func() { close(closed) }),
	}
}

// Close ends what the client is sent, and the waiting for it. A reader that is blocked stays until the process ends.
func (f *frame) Close() error {
	f.close()
	return f.Channel.Close()
}

// receive reads messages until the client or the frame ends.
func (f *frame) receive() {
	for {
		message, err := f.message()
		select {
		case f.read <- received{message, err}:
		case <-f.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// next waits for a message. It returns io.EOF when the frame is closed.
func (f *frame) next() ([]byte, error) {
	f.reading.Do(func() { go f.receive() })
	select {
	case r := <-f.read:
		return r.message, r.err
	case <-f.closed:
		return nil, io.EOF
	}
}

// Send writes one message.
func (f *frame) Send(message []byte) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	return f.Channel.Send(message)
}

// Recv reads the next message that is a request or several.
func (f *frame) Recv() ([]byte, error) {
	for {
		message, err := f.next()
		if err != nil {
			return nil, err
		}
		id, fault := faultOf(message)
		if fault == nil {
			return message, nil
		}
		answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": fault})
		if err != nil {
			return nil, err
		}
		if err := f.Send(answer); err != nil {
			return nil, err
		}
	}
}

// faultOf returns what is wrong with a message, nil where nothing is, and the id of the request that is wrong.
func faultOf(message []byte) (id json.RawMessage, fault *jrpc2.Error) {
	id = json.RawMessage("null")
	requests, err := jrpc2.ParseRequests(message)
	switch {
	case err != nil:
		return id, &jrpc2.Error{Code: jrpc2.ParseError, Message: err.Error()}
	case len(requests) == 0:
		return id, &jrpc2.Error{Code: jrpc2.InvalidRequest, Message: "the message holds no request"}
	}
	for _, r := range requests {
		if r.Error == nil {
			continue
		}
		if r.ID != "" && json.Valid([]byte(r.ID)) {
			id = json.RawMessage(r.ID)
		}
		return id, r.Error
	}
	return nil, nil
}

// message reads one message, whatever it holds.
func (f *frame) message() ([]byte, error) {
	length := -1
	for {
		line, err := f.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("a header of the client has more than %d bytes; is it an editor that speaks the Language Server Protocol?", limits.EditorHeader)
		case err != nil:
			return nil, err
		}
		name, value, found := strings.Cut(strings.TrimRight(string(line), "\r\n"), ":")
		switch {
		case name == "" && !found && length >= 0:
			return f.body(length)
		case name == "" && !found:
			return nil, errors.New("a message of the client has no header Content-Length")
		case !found:
			return nil, fmt.Errorf("the client sent %.60q where a header such as Content-Length: 42 is wanted", name)
		case strings.EqualFold(name, "Content-Length"):
			if length, err = lengthOf(strings.TrimSpace(value)); err != nil {
				return nil, err
			}
		}
	}
}

// lengthOf returns the length that a header announces.
func lengthOf(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("the client announced a message of length %.60q, which is not a number of bytes", text)
	case err != nil || n > limits.EditorMessage:
		return 0, fmt.Errorf("the client announced a message of %.60s bytes, and at most %d are read", text, limits.EditorMessage)
	}
	return int(n), nil
}

// body reads a message as it arrives, so that no memory is taken for what is only announced.
func (f *frame) body(length int) ([]byte, error) {
	var b bytes.Buffer
	if _, err := io.CopyN(&b, f.in, int64(length)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
