package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/creachadair/jrpc2/channel"

	"github.com/sipc-ml/sipc/internal/limits"
)

// A frame reads messages of a bounded length, where those of the library take any length for granted. It writes as the
// library does.
type frame struct {
	channel.Channel
	in *bufio.Reader
}

// framed returns the channel of a client.
func framed(in io.Reader, out io.WriteCloser) *frame {
	return &frame{channel.LSP(in, out), bufio.NewReaderSize(in, limits.EditorHeader)}
}

// Recv reads one message.
func (f *frame) Recv() ([]byte, error) {
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
		return 0, fmt.Errorf("the client announced a message of length %.60q, which is no number of bytes", text)
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
