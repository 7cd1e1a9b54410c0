package sipc_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/rival"
)

const open = `
data { target side : class; split train = 40, test = 20 }
kernel gaussian(width = grid(0.5 * median, 2 * median))
features nystrom(landmarks = rows)
learn softmax(C = grid(0.1, 10))
invariance steady = rms over x, t in {move(u, 0.5)} of |f(t(x)) - f(x)|
regularize auto * steady
`

// What tune and nested cross-validation come to does not depend on the labels of the test rows.
func TestTuneLooksAtNoTestRow(t *testing.T) {
	spec, data := load(t, open), toss(t, 60)
	p, err := sipc.Prepare(t.Context(), spec, sipc.RunOptions{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	classes := map[string]string{}
	for _, i := range p.Train.Rows {
		class := lines[1+i][strings.LastIndexByte(lines[1+i], ',')+1:]
		classes[class] = ""
	}
	if len(classes) != 2 {
		t.Fatalf("classes %v", classes)
	}
	for class := range classes {
		for other := range classes {
			if class != other {
				classes[class] = other
			}
		}
	}
	o := sipc.RunOptions{Data: data, Rivals: []sipc.RivalOptions{{Name: rival.SVM}}}
	outcome := func() string {
		out, source, err := sipc.Tune(t.Context(), spec, o)
		if err != nil {
			t.Fatal(err)
		}
		if out.Nested, err = sipc.RunFolds(t.Context(), spec, o, 3); err != nil {
			t.Fatal(err)
		}
		out.DataSHA256, out.Nested.DataSHA256 = "", ""
		text, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + string(source)
	}
	before := outcome()
	for _, i := range p.Test.Rows {
		cut := strings.LastIndexByte(lines[1+i], ',') + 1
		lines[1+i] = lines[1+i][:cut] + classes[lines[1+i][cut:]]
	}
	if err := os.WriteFile(data, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if after := outcome(); after != before {
		t.Errorf("with other labels of the test rows:\n%s\nbefore:\n%s", after, before)
	}
}
