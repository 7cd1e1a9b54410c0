package lsp

import (
	"io"
	"strings"
	"testing"
)

// What a client announces is bounded before memory is taken for it, and the error says what is wrong.
func TestFramesAreBounded(t *testing.T) {
	for text, want := range map[string]string{
		"Content-Length: 99999999999999\r\n\r\n{}":       "announced a message of 99999999999999 bytes, and at most 67108864 are read",
		"Content-Length: 99999999999999999999\r\n\r\n{}": "announced a message of 99999999999999999999 bytes",
		"Content-Length: -4\r\n\r\n{}":                   `"-4", which is no number of bytes`,
		"Content-Length: two\r\n\r\n{}":                  `"two", which is no number of bytes`,
		"Content-Type: text\r\n\r\n{}":                   "no header Content-Length",
		"GET / HTTP/1.1\r\n\r\n":                         `"GET / HTTP/1.1" where a header`,
		strings.Repeat("a", 1<<20):                       "more than 16384 bytes",
		"Content-Length: 60000000\r\n\r\n{}":             "EOF",
	} {
		_, err := framed(strings.NewReader(text), nil).Recv()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	f := framed(strings.NewReader("content-length: 2\r\nContent-Type: any\r\n\r\n{}Content-Length:3\r\n\r\n[1]"), nil)
	for _, want := range []string{"{}", "[1]"} {
		if got, err := f.Recv(); err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if _, err := f.Recv(); err != io.EOF { //nolint:errorlint // jrpc2 compares it so
		t.Errorf("%v at the end", err)
	}
}
