package frame_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/serve/frame"
)

// Whatever comes in, the server answers in messages of the protocol and ends without a fault of its own.
func FuzzFrame(f *testing.F) {
	args, buffers := rows()
	seeds := [][]byte{
		message(1, "version", object{}), message(2, "fit", args, buffers...), message(3, "check", object{"spec": "kernel gaussian"}),
		append(message(1, "fit", args, buffers...), message(2, "cancel", object{"id": 1})...),
		message(4, "load", object{}, []byte("sipc model 9")), message(5, "predict", object{"model": "x", "table": args["table"]}, buffers[0]),
		[]byte("{\"sipc\": 1, \"id\": 5, \"op\": \"load\", \"buffers\": [3]}\nab"), []byte("junk\n{\"sipc\": 1, \"op\": \"version\"}\n"),
	}
	for _, h := range brokenHeaders() {
		seeds = append(seeds, h.raw)
	}
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 1<<16 || bytes.Contains(raw, []byte("use ")) {
			t.Skip()
		}
		in, to := io.Pipe()
		out := &watched{seen: make(chan struct{})}
		done := make(chan error, 1)
		go func() { done <- frame.Serve(limits.WithMemory(context.Background(), 1<<30), in, out) }()
		_, _ = to.Write(append(raw, "\n"+last...))
		select { // the end of the input cancels what is at work
		case <-out.seen:
		case <-time.After(100 * time.Millisecond): // the last request lies within a buffer, or waits for a fit
		}
		_ = to.Close()
		<-done
		for rest := out.Bytes(); len(rest) > 0; {
			line, after, found := bytes.Cut(rest, []byte("\n"))
			var a answer
			if err := json.Unmarshal(line, &a); err != nil || !found {
				t.Fatalf("an answer is %q: %v", line, err)
			}
			if a.Error != nil && strings.Contains(a.Error.Message, "the program has a fault") {
				t.Fatalf("%s\n%s", a.Error.Message, a.Error.Rendered)
			}
			for _, n := range a.Lengths {
				after = after[n:]
			}
			rest = after
		}
	})
}

// last is a request that comes behind all others.
const last = `{"sipc": 1, "id": 987654321, "op": "version"}` + "\n"

// A watched holds what a server answers, and tells when the last request is among that.
type watched struct {
	bytes.Buffer
	seen chan struct{}
	once sync.Once
}

func (w *watched) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(`"id":987654321`)) {
		w.once.Do(func() { close(w.seen) })
	}
	return w.Buffer.Write(p)
}
