package frame_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

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
		if len(raw) > 1<<16 || bytes.Contains(raw, []byte(`"use`)) {
			t.Skip()
		}
		in, to := io.Pipe()
		var out bytes.Buffer
		done := make(chan error, 1)
		go func() { done <- frame.Serve(limits.WithMemory(context.Background(), 1<<30), in, &out) }()
		_, _ = to.Write(raw)
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
