// Package probe examines families from outside. It has a smooth function f(x, y) with its gradient, on which blocks of
// functionals are evaluated as the contract says. So they can be compared with the formulas that they should compute,
// and derivatives with finite differences. It also has data to ask families about.
package probe

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sipc-ml/sipc/plugins"
)

// A Function is a smooth random function f(x, y) = Σ_c y_c Σ_k a_ck sin(⟨w_k, x⟩ + b_k). Without a label it is that of
// y = (1, 0, …).
type Function struct {
	waves  [][]float64
	phases []float64
	heads  [][]float64
}

// NewFunction draws a function of p features and m labels. It varies by about one over a distance of one.
func NewFunction(p, m int, seed uint64) *Function {
	rng := rand.New(rand.NewPCG(seed, 1))
	f := &Function{}
	const waves = 5
	for range waves {
		f.waves = append(f.waves, normal(rng, p, 1/math.Sqrt(float64(max(1, p)))))
		f.phases = append(f.phases, 2*math.Pi*rng.Float64())
	}
	for range max(1, m) {
		f.heads = append(f.heads, normal(rng, waves, 1))
	}
	return f
}

func normal(rng *rand.Rand, n int, scale float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = scale * rng.NormFloat64()
	}
	return x
}

// At returns f(x, y); a nil y means no label.
func (f *Function) At(x []float64, y *plugins.Label) float64 {
	return f.sum(y, func(k int) float64 { return math.Sin(dot(f.waves[k], x) + f.phases[k]) })
}

// Along returns Df(x, y)[v], the derivative in x along v.
func (f *Function) Along(x []float64, y *plugins.Label, v []float64) float64 {
	return f.sum(y, func(k int) float64 { return math.Cos(dot(f.waves[k], x)+f.phases[k]) * dot(f.waves[k], v) })
}

func (f *Function) sum(y *plugins.Label, wave func(int) float64) float64 {
	w := make([]float64, len(f.waves))
	for k := range w {
		w[k] = wave(k)
	}
	if y == nil {
		return dot(f.heads[0], w)
	}
	sum := 0.0
	for k, c := range y.Index {
		sum += y.Value[k] * dot(f.heads[c], w)
	}
	return sum
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// Values returns the value of every functional of b at f.
func (f *Function) Values(b *plugins.Block, data *plugins.Data) []float64 {
	out := make([]float64, b.Len())
	for i := range out {
		for k := b.Start[i]; k < b.Start[i+1]; k++ {
			var y *plugins.Label
			if l := b.Label[k]; l != plugins.NoLabel {
				y = &b.Labels[l]
			}
			x := Point(b, data, int(k))
			if t := b.Tangent[k]; t != plugins.Evaluation {
				out[i] += b.Coef[k] * f.Along(x, y, b.Tangents.Row(int(t)))
			} else {
				out[i] += b.Coef[k] * f.At(x, y)
			}
		}
	}
	return out
}

// Point returns the point of term k.
func Point(b *plugins.Block, data *plugins.Data, k int) []float64 {
	if i := int(b.Point[k]); i >= 0 {
		return data.Rows.Row(i)
	}
	return b.Points.Row(int(^b.Point[k]))
}

// Table draws data: n rows of p standard normal features, and, where m > 0, one of m classes each.
func Table(n, p, m int, seed uint64) *plugins.Data {
	rng := rand.New(rand.NewPCG(seed, 2))
	d := &plugins.Data{Rows: plugins.Matrix{Rows: n, Cols: p, Data: normal(rng, n*p, 1)}}
	for j := range p {
		d.Columns = append(d.Columns, fmt.Sprint("x", j))
	}
	for c := range m {
		d.LabelNames = append(d.LabelNames, fmt.Sprint("class", c))
	}
	for range n {
		if m > 0 {
			d.Labels = append(d.Labels, plugins.Label{Index: []int32{int32(rng.IntN(m))}, Value: []float64{1}})
		}
	}
	return d
}

// Evaluations returns the block of f(x, y), one functional for each row of data.
func Evaluations(data *plugins.Data) *plugins.Block {
	b := &plugins.Block{Labels: data.Labels}
	for i := range data.N() {
		label := int32(plugins.NoLabel)
		if len(data.Labels) > 0 {
			label = int32(i)
		}
		b.Term(1, int32(i), plugins.Evaluation, label)
		b.End()
	}
	return b
}
