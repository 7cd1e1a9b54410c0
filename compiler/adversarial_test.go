package compiler

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// hostileSettings complete the specs of testdata/adversarial.txt.
var hostileSettings = map[string]string{
	"r": "data { target price : real }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = rows)\nlet w = 0.3 - 0.1 - 0.2\nlet tiny = 1e-310\n",
	"m": "data { target animal, cat, dog, bird, fish : multilabel }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = rows)\n",
}

// hostileData are rows of the columns that the specs name.
func hostileData(labels []string) *ground.Data {
	v := 0.0
	next := func() float64 { v += 0.71; return math.Mod(v, 2) - 1 }
	data := &plugins.Data{Columns: []string{"age", "income"}, Offset: []float64{40, 50}, Scale: []float64{20, 30}, LabelNames: labels}
	for i := range 6 {
		data.Rows.Append([]float64{next(), next()})
		if len(labels) > 0 {
			data.Labels = append(data.Labels, plugins.Label{Index: []int32{int32(i % len(labels))}, Value: []float64{1}})
		}
	}
	return &ground.Data{Data: data, Column: func(name string) ([]float64, []string, bool) {
		j := slices.Index(append(slices.Clone(data.Columns), "price"), name)
		if j < 0 {
			return nil, nil, false
		}
		out := make([]float64, data.N())
		for i := range out {
			out[i] = 100 * float64(i)
			if j < len(data.Columns) {
				out[i] = data.Offset[j] + data.Scale[j]*data.Rows.Row(i)[j]
			}
		}
		return out, nil, true
	}}
}

// hostile is what becomes of a spec: accept, or the code of its first error, of the spec alone or with data.
func hostile(t *testing.T, source, target string) string {
	t.Helper()
	settings := hostileSettings[target]
	if !strings.Contains(source, "neg(") {
		settings += "let neg = -1\n"
	}
	first := func(list diag.List) string {
		i := slices.IndexFunc(list, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error })
		if i < 0 {
			return "accept"
		}
		return string(list[i].Code)
	}
	file, list := dsl.Parse("test.inv", []byte(settings+source))
	if list.HasErrors() {
		return first(list)
	}
	plan, list := Check(t.Context(), file, testOptions(testFiles))
	if plan == nil {
		return first(list)
	}
	defer plan.Close()
	var labels []string
	if target == "m" {
		labels = []string{"animal", "cat", "dog", "bird", "fish"}
	}
	r, err := plan.At(nil).Ground(t.Context(), hostileData(labels))
	if errors.As(err, &list) {
		return first(list)
	}
	if err != nil || r.Functionals.Len() == 0 {
		t.Fatalf("%v: %s", err, source)
	}
	return "accept"
}

// TestHostileExpressions has each expression that is meant to break the proof judged as mathematics judges it.
func TestHostileExpressions(t *testing.T) {
	text, err := os.ReadFile("testdata/adversarial.txt")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "\n== ")[1:]
	for _, block := range blocks {
		head, source, _ := strings.Cut(block, "\n")
		words := strings.Fields(head)
		if got := hostile(t, source, words[1]); got != words[2] {
			t.Errorf("%s: %s, want %s\n%s", words[0], got, words[2], source)
		}
	}
	if len(blocks) != 106 {
		t.Errorf("%d expressions", len(blocks))
	}
}

// What R squares stays a number that floating point has: nothing overflows, and no invariance vanishes.
func TestFactorsAreBounded(t *testing.T) {
	for source, want := range map[string]string{
		"rms over x of 1e100 * |f|":                                  "accept",
		"rms over x of 1e101 * |f|":                                  "E304",
		"rms over x of 1e-100 * (|f| / 1e51)":                        "E304",
		"rms over x of |1e100 * (f - 1e100 * d/d(age) f)|":           "E304",
		"rms over x of |f|\nregularize 1e-170 * i":                   "E304",
		"rms over x of |f|\nregularize 1e100 * (1e100 * i)":          "E304",
		"rms over x of |f|\nregularize 1e100 * (1e-100 * i)":         "accept",
		"rms over x of (|f| + 0 * |d/d(age) f|)\nregularize 1e3 * i": "accept",
		"rms over x of 1e99 * |f|\nregularize 1e-99 * i":             "accept",
		"rms over x of |f|\nlearn ridge(lambda = 1e-300)":            "E304",
		"rms over x of |f|\nlearn ridge(lambda = 1e101)":             "E304",
	} {
		if got := hostile(t, "invariance i = "+source+"\n", "r"); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}

// A weight and the factors that it multiplies leave the range together, which no data are needed to see.
func TestWeightsAreFolded(t *testing.T) {
	for _, numbers := range []string{"1e99", "1e-99"} {
		_, list := check(t, hostileSettings["r"]+"let neg = -1\ninvariance i = rms over x of "+numbers+" * |f|\nregularize "+numbers+" * i\n", testOptions(nil))
		if i := slices.IndexFunc(list, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error }); i < 0 || list[i].Code != "E304" || list[i].Subject.Start.Line != 7 || len(list[i].Related) != 1 {
			t.Errorf("%s: %v", numbers, list)
		}
	}
}
