package lsp

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/creachadair/jrpc2"
)

// What a client announces is bounded before memory is taken for it, and the error says what is wrong.
func TestFramesAreBounded(t *testing.T) {
	for text, want := range map[string]string{
		"Content-Length: 99999999999999\r\n\r\n{}":       "announced a message of 99999999999999 bytes, and at most 67108864 are read",
		"Content-Length: 99999999999999999999\r\n\r\n{}": "announced a message of 99999999999999999999 bytes",
		"Content-Length: -4\r\n\r\n{}":                   `"-4", which is not a number of bytes`,
		"Content-Length: two\r\n\r\n{}":                  `"two", which is not a number of bytes`,
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
		if got, err := f.message(); err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if _, err := f.Recv(); err != io.EOF { //nolint:errorlint // jrpc2 compares it so
		t.Errorf("%v at the end", err)
	}
}

// The frame itself answers what is not a request: the library panics where it would answer a client that has left.
func TestFramesAnswerWhatIsNoRequest(t *testing.T) {
	var in strings.Builder
	for _, text := range []string{"{", "[]", `{"method": "exit"}`, `{"id": 7, "method": "exit"}`, `{"jsonrpc": "2.0", "method": "exit"}`} {
		fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	out := &kept{}
	got, err := framed(strings.NewReader(in.String()), out).Recv()
	if err != nil || !strings.Contains(string(got), "2.0") || !strings.Contains(string(got), "exit") {
		t.Errorf("%q, %v", got, err)
	}
	if n := strings.Count(out.String(), `"error"`); n != 4 || !strings.Contains(out.String(), `"id":7`) || strings.Count(out.String(), `"id":null`) != 3 {
		t.Errorf("%d answers: %s", n, out)
	}
}

// The server ends at exit, whether or not the client closes its end.
func TestExitEndsTheServer(t *testing.T) {
	in, client := io.Pipe()
	answers, out := io.Pipe()
	defer func() { _ = client.Close() }()
	ended := make(chan error)
	go func() { ended <- Serve(t.Context(), in, out, Options{}) }()
	reader := framed(answers, nil)
	for _, text := range []string{`"id": 1, "method": "initialize", "params": {}`, `"id": 2, "method": "shutdown"`, `"method": "exit"`} {
		text = `{"jsonrpc": "2.0", ` + text + "}"
		if _, err := fmt.Fprintf(client, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, `"id"`) { // which is answered
			if _, err := reader.message(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// kept keeps what is written.
type kept struct{ strings.Builder }

func (*kept) Close() error { return nil }

// A notification gets no answer, though it comes after the shutdown.
func TestNotificationsGetNoAnswer(t *testing.T) {
	s := newSession(t.Context(), Options{})
	s.shutDown.Store(true)
	for id, refused := range map[string]bool{"": false, `"id": 1,`: true} {
		parsed, err := jrpc2.ParseRequests([]byte(`{"jsonrpc": "2.0", ` + id + ` "method": "textDocument/didClose", "params": {}}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Assign(t.Context(), "textDocument/didClose")(t.Context(), parsed[0].ToRequest()); (err != nil) != refused {
			t.Errorf("with %q the answer is %v", id, err)
		}
	}
}
