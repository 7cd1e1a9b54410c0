package compiler

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/plugins"
)

// benchData are n rows of p features with m labels, one for each row.
func benchData(n, p, m int) *plugins.Data {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &plugins.Data{Rows: plugins.Matrix{Rows: n, Cols: p, Data: make([]float64, n*p)}}
	for i := range d.Rows.Data {
		d.Rows.Data[i] = rng.NormFloat64()
	}
	for j := range p {
		d.Columns = append(d.Columns, fmt.Sprint("p", j))
	}
	for c := range m {
		d.LabelNames = append(d.LabelNames, fmt.Sprint("l", c))
	}
	for i := range n {
		d.Labels = append(d.Labels, plugins.Label{Index: []int32{int32(i % m)}, Value: []float64{1}})
	}
	return d
}

func benchmarkGround(b *testing.B, src string, opts names.Options, data *plugins.Data) {
	b.Helper()
	plan := accepted(b, src, opts)
	b.ReportAllocs()
	for b.Loop() {
		r, err := plan.At(nil).Ground(b.Context(), &ground.Data{Data: data, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(r.Functionals.Len()), "functionals")
	}
}

// 4000 pairs at 11 nodes of 784 features.
func BenchmarkGroundMixup(b *testing.B) {
	benchmarkGround(b, `data { target digit : class }
kernel gaussian(width = median)
features nystrom(landmarks = all)
invariance mixup = rms over pairs(count = 4n) of max over λ in [0, 1] of |d/dλ f|`, testOptions(nil), benchData(1000, 784, 10))
}

// 200 rows of 85 labels, 84 edges and 3486 pairs of siblings.
func BenchmarkGroundTree(b *testing.B) {
	var tree strings.Builder
	tree.WriteString("child,parent\n")
	for c := 1; c < 85; c++ {
		fmt.Fprintf(&tree, "l%d,l0\n", c)
	}
	benchmarkGround(b, `data { target columns("l*") : multilabel }
let topics = taxonomy("tree.csv")
kernel gaussian(width = median)
features nystrom(landmarks = all)
invariance logic = rms over x of hypot(
    max over (child, parent) in edges(topics)  of implies(child, parent),
    max over (a, b)          in siblings(topics) of excludes(a, b))`, testOptions(map[string]string{"tree.csv": tree.String()}), benchData(200, 100, 85))
}
