package represent_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// posed returns the problem of an example by method embed with a kernel of some width, and its rows.
func posed(b *testing.B, example, data, width string, atNodes bool) (*represent.Representer, *sipc.Prepared) {
	b.Helper()
	dir := filepath.Join("..", "..", "examples", example)
	path := filepath.Join(dir, example+".inv")
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	text = regexp.MustCompile(`width = [\w.]+`).ReplaceAll(text, []byte("width = "+width))
	spec := sipc.NewSpec(b.Context(), path, text, sipc.SpecOptions{})
	b.Cleanup(func() { _ = spec.Close() })
	rows, err := sipc.Prepare(b.Context(), spec, sipc.RunOptions{Data: filepath.Join(dir, data), Method: setting.Embed})
	if err != nil {
		b.Fatal(err)
	}
	reg, err := rows.Ground(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	options := rows.Options(spec.Plan.At(nil))
	if atNodes {
		options.Ground = nil
	}
	rep, _, err := model.Pose(b.Context(), rows.Train, reg, options)
	if err != nil {
		b.Fatal(err)
	}
	return rep, rows
}

// embed embeds the training rows, by supports if they serve, and returns the seconds.
func embed(b *testing.B, r *represent.Representer, rows *sipc.Prepared, bySupport bool) float64 {
	b.Helper()
	start := time.Now()
	if bySupport {
		if found, err := r.EmbedBySupport(b.Context(), rows.Train.X, nil, nil); err != nil || found == nil {
			b.Fatalf("supports do not serve: %v", err)
		}
		return time.Since(start).Seconds()
	}
	if err := r.Each(b.Context(), rows.Train.X, nil, func(represent.Batch) error { return nil }); err != nil {
		b.Fatal(err)
	}
	return time.Since(start).Seconds()
}

// undivided does what embed does without any reduction.
func undivided(b *testing.B, r *represent.Representer, rows *sipc.Prepared) float64 {
	b.Helper()
	start := time.Now()
	whole, err := represent.Undivided(b.Context(), r)
	if err != nil {
		b.Fatal(err)
	}
	embed(b, whole, rows, false)
	return time.Since(start).Seconds()
}

// BenchmarkReductions embeds the training rows of examples with a reduction and without it, in turn, and reports the seconds of both and their
// ratio.
func BenchmarkReductions(b *testing.B) {
	for _, tt := range []struct {
		name, example, data string
		bySupport           bool
	}{
		{"components", "mixup", "digits.csv.gz", false},
		{"support", "topics", "documents.csv", true},
	} {
		b.Run(tt.name, func(b *testing.B) {
			rep, rows := posed(b, tt.example, tt.data, "median", false)
			var with, without float64
			for b.Loop() {
				own := *rep
				with += embed(b, &own, rows, tt.bySupport)
				without += undivided(b, rep, rows)
			}
			b.ReportMetric(with/float64(b.N), "s-with")
			b.ReportMetric(without/float64(b.N), "s-without")
			b.ReportMetric(without/with, "times")
		})
	}
}

// BenchmarkNodes embeds the training rows of examples at 11 nodes of each path. It reports the largest gap that is certified at the nodes, and
// how far the same functions are from the optimum over whole paths.
func BenchmarkNodes(b *testing.B) {
	for _, tt := range [][3]string{
		{"mixup", "digits.csv.gz", "median"},
		{"mixup", "digits.csv.gz", "0.25 * median"},
		{"shifts", "load.csv", "0.2"},
		{"shifts", "load.csv", "0.005"},
	} {
		b.Run(tt[0]+" "+tt[2], func(b *testing.B) {
			at, rows := posed(b, tt[0], tt[1], tt[2], true)
			whole, _ := posed(b, tt[0], tt[1], tt[2], false)
			for b.Loop() {
				known, found := embeddings(b, at, rows)
				_, best := embeddings(b, whole, rows)
				a, err := whole.RightHandSides(rows.Train.X)(0, len(known))
				if err != nil {
					b.Fatal(err)
				}
				functionals, _ := whole.Operator.Dims()
				nothing := mat.NewDense(len(known), functionals, nil) // multipliers that bound nothing
				lower, _ := polar.Certify(whole.Problem(), a, found, nothing)
				optimum, _ := polar.Certify(whole.Problem(), a, best, nothing)
				worst := 0.0
				for i := range lower {
					worst = max(worst, optimum[i]/lower[i]-1)
				}
				b.ReportMetric(slices.Max(known), "gap-at-nodes")
				b.ReportMetric(worst, "gap-of-interval")
				b.ReportMetric(float64(whole.Nodes), "nodes-needed")
			}
		})
	}
}

// embeddings returns the certified gaps of the training rows and their embeddings, unscaled.
func embeddings(b *testing.B, r *represent.Representer, rows *sipc.Prepared) (gaps []float64, found *mat.Dense) {
	b.Helper()
	found = mat.NewDense(rows.Train.Len()*r.PerRow(), r.Dim(), nil)
	err := r.Each(b.Context(), rows.Train.X, nil, func(p represent.Batch) error {
		gaps = append(gaps, p.Gap...)
		for i := range p.Gap {
			found.SetRow(p.First+i, p.Iota.RawRowView(i))
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return gaps, found
}
