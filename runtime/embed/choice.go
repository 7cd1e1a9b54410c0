package embed

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/kernel"
)

const (
	// tolerated is the share of rows, and of functionals, that All lets its landmarks lose if more of them are cheap.
	tolerated = 1e-3
	// mostOutside bounds the numbers of the factor that are looked at to tell what functionals lose.
	mostOutside = 1 << 16
)

// A Choice says how many landmarks a map has of many points, and why.
type Choice struct {
	Landmarks, Points int
	// Rows is the share of the training rows' squared norm, Σ k(x, x), that lies outside the landmarks' span.
	Rows float64
	// Functionals is that of Sampled functionals which evaluate f, and derive it nowhere: Σ ‖z − Tz‖² / Σ ‖z‖².
	Functionals float64
	Sampled     int
	// Costly says that more landmarks would lose less, and cost too much.
	Costly bool
}

// An outside tells how much of rows and functionals lies outside the span of the landmarks drawn so far.
type outside struct {
	rows  int     // the first candidates are rows
	whole float64 // Σ k(x, x) of candidates
	seen  float64 // and of rows
	parts []outsidePart
	norms float64 // Σ ‖z‖² of functionals
	count int     // functionals
}

// An outsidePart is what a functional takes of f at one label: a sum of values at candidates.
type outsidePart struct {
	places []int
	coefs  []float64
}

// newOutside looks at candidates, rows first, before any is drawn: at k(x, x) of each. It samples the functionals, but for those that derive f,
// and those that look at points which are no candidates.
func newOutside(k *kernel.Function, points *Points, canon *Canon, ids []int32, rows int, diagonal []float64, seed uint64) *outside {
	o := &outside{rows: rows, whole: floats.Sum(diagonal), seen: floats.Sum(diagonal[:rows])}
	b := points.Block
	place := make(map[int32]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	order := rand.New(rand.NewPCG(seed, streamSpan)).Perm(b.Len())
	left := mostOutside
	for _, i := range order[:min(b.Len(), spanSample)] {
		if terms := int(b.Start[i+1] - b.Start[i]); terms > 0 && terms <= left {
			if parts := partsOf(b, i, canon, place); parts != nil {
				o.parts, left, o.count = append(o.parts, parts...), left-terms, o.count+1
			}
		}
	}
	for i := range o.parts {
		o.norms += o.parts[i].norm(k, points, ids)
	}
	return o
}

// partsOf returns a functional label by label. It returns nil where the functional derives f, or looks elsewhere.
func partsOf(b *plugins.Block, functional int, canon *Canon, place map[int32]int) (out []outsidePart) {
	var labels []int32
	add := func(label int32, at int, coef float64) {
		k := slices.Index(labels, label)
		if k < 0 {
			k, labels, out = len(labels), append(labels, label), append(out, outsidePart{})
		}
		out[k].places, out[k].coefs = append(out[k].places, at), append(out[k].coefs, coef)
	}
	for t := b.Start[functional]; t < b.Start[functional+1]; t++ {
		at, ok := place[canon.Point(b.Point[t])]
		if !ok || b.Tangent[t] != plugins.Evaluation {
			return nil
		}
		if b.Label[t] == plugins.NoLabel {
			add(plugins.NoLabel, at, b.Coef[t])
			continue
		}
		for k, c := range b.Labels[b.Label[t]].Index {
			add(c, at, b.Coef[t]*b.Labels[b.Label[t]].Value[k])
		}
	}
	return out
}

// norm returns ‖z‖² of a part.
func (o *outsidePart) norm(k *kernel.Function, points *Points, ids []int32) float64 {
	own := make([]int32, len(o.places))
	for i, at := range o.places {
		own[i] = ids[at]
	}
	x, gram := points.Gather(own), mat.NewDense(len(own), len(own), nil)
	k.Matrix(gram, x, x)
	v := mat.NewVecDense(len(o.coefs), o.coefs)
	return mat.Inner(v, gram, v)
}

// shares returns what is lost of rows and of functionals, as a [Choice] has them, by the residuals of a draw and its factor.
func (o *outside) shares(residual []float64, factor blas64.General) (rows, functionals float64) {
	if o.seen > 0 {
		rows = floats.Sum(residual[:o.rows]) / o.seen
	}
	if o.norms <= 0 {
		return rows, 0
	}
	kept, sum := 0.0, make([]float64, factor.Cols)
	for i := range o.parts {
		clear(sum)
		for k, at := range o.parts[i].places {
			floats.AddScaled(sum, o.parts[i].coefs[k], factor.Data[at*factor.Stride:at*factor.Stride+len(sum)])
		}
		kept += floats.Dot(sum, sum)
	}
	return rows, max(0, 1-kept/o.norms)
}

// few reports whether little enough is lost that no more landmarks are worth their cost. Where no functional could be looked at, all
// candidates stand for what R looks at.
func (o *outside) few(residual []float64, factor blas64.General) bool {
	rows, functionals := o.shares(residual, factor)
	if o.count == 0 {
		functionals = floats.Sum(residual) / o.whole
	}
	return rows <= tolerated && functionals <= tolerated
}
