package reduce_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/hierarchy"
	"github.com/sipc-ml/sipc/runtime/reduce"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// ground makes the regularizer of a spec for a taxonomy of two groups of siblings, of five and of four labels.
func ground(t *testing.T, invariance string, rows int) (*regularizer.Regularizer, *plugins.Data) {
	t.Helper()
	src := "data { target columns(\"t*\") : multilabel }\nlet topics = taxonomy(\"topics.csv\")\nkernel linear\nfeatures exact\n" +
		"invariance logic = rms over x of " + invariance + "\n"
	var csv strings.Builder
	csv.WriteString("child,parent\n")
	data := &plugins.Data{Rows: plugins.Matrix{Rows: rows, Cols: 1, Data: make([]float64, rows)}, Columns: []string{"p"}}
	for i := range 11 {
		data.LabelNames = append(data.LabelNames, fmt.Sprint("t", i))
		if i >= 2 {
			fmt.Fprintf(&csv, "t%d,t%d\n", i, i/7)
		}
	}
	for range rows {
		data.Labels = append(data.Labels, plugins.Label{Index: []int32{0}, Value: []float64{1}})
	}
	file, list := dsl.Parse("spec.inv", []byte(src))
	if list.HasErrors() {
		t.Fatal(list)
	}
	plan, list := compiler.Check(t.Context(), file, compiler.Options{
		Families: map[string]plugins.Family{"hierarchy": hierarchy.New()},
		ReadFile: func(name string) ([]byte, error) {
			if name != "topics.csv" {
				return nil, os.ErrNotExist
			}
			return []byte(csv.String()), nil
		},
	})
	if list.HasErrors() {
		t.Fatal(list)
	}
	t.Cleanup(func() { _ = plan.Close() })
	r, err := plan.At(nil).Ground(t.Context(), &compiler.Ground{Data: data, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r, data
}

// values applies functionals to f(x, label) = f[x][label].
func values(b *plugins.Block, f [][]float64) []float64 {
	t := make([]float64, b.Len())
	for i := range t {
		for k := b.Start[i]; k < b.Start[i+1]; k++ {
			y := b.Labels[b.Label[k]]
			for n, c := range y.Index {
				t[i] += b.Coef[k] * y.Value[n] * f[b.Point[k]][c]
			}
		}
	}
	return t
}

// What the compiler makes of taxonomies is reduced, and R stays what it was.
func TestTaxonomiesOfSpecs(t *testing.T) {
	const rows = 3
	for _, c := range []struct {
		invariance    string
		before, after int // of a row
		text          string
	}{
		{"max over (a, b) in siblings(topics) of excludes(a, b)", 16, 9, "max(top₊[2](t ×5), top₊[2](t ×4)) ×3)"},
		{"hypot(max over (c, p) in edges(topics) of implies(c, p), max over (a, b) in siblings(topics) of excludes(a, b))", 25, 18, "hypot(max([·]₊ ×9), max(top₊[2](t ×5), top₊[2](t ×4))) ×3)"},
		{"max { max over (c, p) in edges(topics) of implies(c, p), max over (a, b) in siblings(topics) of 2 * excludes(a, b) }", 25, 18, "top₊[2](t ×5)"},
		{"max over (a, b) in siblings(topics) of max { excludes(a, b), excludes(b, a), pos(f(a) + f(b)) }", 48, 9, "top₊[2](t ×5)"},
		{"sum over (a, b) in siblings(topics) of excludes(a, b)", 16, 16, "sum"},
	} {
		r, _ := ground(t, c.invariance, rows)
		out := reduce.Reduce(r)
		if r.Functionals.Len() != c.before*rows || out.Functionals.Len() != c.after*rows {
			t.Errorf("%s: %d functionals become %d, want %d and %d", c.invariance, r.Functionals.Len(), out.Functionals.Len(), c.before*rows, c.after*rows)
		}
		if text := out.Gauge().String(); !strings.Contains(text, c.text) {
			t.Errorf("%s: %s, want %s in it", c.invariance, text, c.text)
		}
		rng := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // a test
		for range 20 {
			f := make([][]float64, rows)
			for i := range f {
				for range 11 {
					f[i] = append(f[i], rng.NormFloat64())
				}
			}
			want, got := r.Value(nil, values(r.Functionals, f)), out.Value(nil, values(out.Functionals, f))
			if math.Abs(want-got) > 1e-13*want {
				t.Errorf("%s: R = %v, reduced %v", c.invariance, want, got)
			}
		}
	}
}
