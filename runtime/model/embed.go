package model

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// mostDouble is how many numbers of a joint design are kept in double precision; larger designs are kept in single.
const mostDouble = 64 << 20

// cutOff says why a gap was missed where searches within R ended it.
const cutOff = "searches within R ran out of work: let fewer maxima, norms and sums stand within one another, or let their weights lie nearer together"

// embed finds the representations of the training rows and their common scale. It returns an error if they would
// need more memory than there may be.
//
// The scale makes the mean of ‖ι‖² over all n·PerRow embeddings 1. It belongs to the model, so that new rows are
// scaled by the same number.
func (f *fitter) embed() error {
	// Once is enough: R may get more functionals later, and rows stay as they are.
	f.held = f.held || outnumbered(f)
	if summable(f) {
		return addUp(f)
	}
	if problems := represent.Apart(f.rep); problems > 0 {
		if err := checkApart(f, problems); err != nil {
			return err
		}
	}
	if found, err := f.rep.EmbedBySupport(f.ctx, f.learnt.X, f.learnt.Weight, f.stage("embed training rows")); found != nil || err != nil {
		if err != nil {
			return err
		}
		return f.keepSupported(found)
	}
	count, dim := f.learnt.Len()*f.rep.PerRow(), f.rep.Dim()
	free := f.o.Free && f.rep.Joint()
	// The forecast of what is not done is told to nobody.
	if free && float64(count)*float64(dim) > limits.Embedded {
		return minimizeInstead(f)
	}
	if err := checkEmbeddings(f); free && err != nil {
		return minimizeInstead(f)
	} else if err != nil {
		return err
	}
	return embedAll(f, count, dim)
}

// addUp adds up the rows in the features at hand, and sets the scale. It does nothing where that is done.
func addUp(f *fitter) (err error) {
	if f.summed != nil && f.summed.of == f.rep.Features {
		return nil
	}
	if err := checkSums(f); err != nil {
		return err
	}
	rows := operator.Rows{Labels: f.rep.Labels}
	if f.seen == f.train && f.reg.Parts == nil { // R looks at no further rows, and is whole
		rows.Functionals = f.reg.Functionals
	}
	if rows.Part, rows.Parts, err = foldsOf(f); err != nil {
		return err
	}
	if rows.Keeping, err = keepingOf(f, f.rep.Features, 0); err != nil {
		return err
	}
	first := f.summed == nil // where landmarks are added later, strengths mean what they meant
	if f.summed, err = newSummed(f.ctx, rows, f.learnt, f.rep.Features, f.stage("add up rows")); err == nil && first {
		f.rep.Scale = f.summed.scale()
	}
	return err
}

// embedAll embeds every row at every label.
func embedAll(f *fitter, count, dim int) error {
	kept := newKept(count, dim, f.rep.Joint() && count*dim > mostDouble)
	var norms, work float64
	cut := 0
	stage := "embed training rows"
	if f.rep.Method.Direct() {
		stage = "compute features of training rows"
	}
	err := f.rep.Each(f.ctx, f.learnt.X, f.stage(stage), func(p represent.Batch) error {
		for i := range p.Gap {
			row := p.Iota.RawRowView(i)
			norms += weightOf(f.learnt, (p.First+i)/f.rep.PerRow()) * blas64.Dot(vector(row), vector(row))
			kept.set(p.First+i, row)
		}
		f.out.Gaps, f.norm2 = append(f.out.Gaps, p.Gap...), append(f.norm2, p.Norm2...)
		work += floats.Sum(p.Work)
		for _, s := range p.Status {
			if s == polar.SearchLimit {
				cut++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if cut > 0 {
		f.out.Left = append(f.out.Left, fmt.Sprintf("at %d embeddings of the training rows %s", cut, cutOff))
	}
	if scale := math.Sqrt(f.learnt.Total() * float64(f.rep.PerRow()) / norms); norms > 0 && !math.IsInf(scale, 1) { // else embeddings all but vanish
		f.rep.Scale = scale
	}
	kept.scale(f.rep.Scale)
	f.out.Iota, f.out.allowance = kept.appendRow, newAllowance(work, count, len(f.reg.Invariances))
	f.design, err = f.newDesign(kept)
	return err
}

// minimizeInstead goes on by method risk, which needs the features of the rows alone and makes its own operator.
func minimizeInstead(f *fitter) error {
	f.o.Method, f.o.Free = setting.Risk, false
	f.rep = newRepresenter(f, f.rep.Features)
	f.rep.Nodes, f.op = nodesOf(f.reg), nil
	return f.embed()
}

// weightOf returns the weight of a row of a set.
func weightOf(s *dataset.Set, row int) float64 {
	if s.Weight == nil {
		return 1
	}
	return s.Weight[row]
}

// keepSupported keeps representations that were found by their supports. Their scale is the representer's already.
func (f *fitter) keepSupported(s *represent.Supported) (err error) {
	f.out.Gaps, f.norm2, f.out.Iota = s.Gaps, s.Norm2, s.Append
	blocks := &learn.Blocks{Support: s.Support, Shape: s.Shape, Rows: s.Rows, Dim: f.rep.Features.Dim()}
	f.design, err = blocks.Joint()
	return err
}

// newDesign hands the representations to the learner. All labels share a row's if it has one, else each label has
// its own.
func (f *fitter) newDesign(k *kept) (*learn.Design, error) {
	n, m := f.learnt.Len(), f.rep.Labels
	switch {
	case !f.rep.Joint():
		return learn.Shared(mat.NewDense(n, k.dim, k.double), m)
	case k.double != nil:
		return learn.Joint(k.double, n, m, k.dim)
	}
	return learn.Joint32(k.single, n, m, k.dim)
}

// A kept holds representations row by row, in double or in single precision.
type kept struct {
	dim    int
	double []float64 // nil where they are single
	single []float32
}

// newKept makes room for so many representations.
func newKept(count, dim int, single bool) *kept {
	if single {
		return &kept{dim: dim, single: make([]float32, count*dim)}
	}
	return &kept{dim: dim, double: make([]float64, count*dim)}
}

// set keeps a representation as the i-th.
func (k *kept) set(i int, row []float64) {
	at := i * k.dim
	if k.double != nil {
		copy(k.double[at:], row)
		return
	}
	for j, v := range row {
		k.single[at+j] = float32(v)
	}
}

// scale multiplies all representations by a number.
func (k *kept) scale(by float64) {
	for i := range k.double {
		k.double[i] *= by
	}
	for i := range k.single {
		k.single[i] *= float32(by)
	}
}

// appendRow appends row i to dst.
func (k *kept) appendRow(dst []float64, i int) []float64 {
	if k.double != nil {
		return append(dst, k.double[i*k.dim:(i+1)*k.dim]...)
	}
	for _, v := range k.single[i*k.dim : (i+1)*k.dim] {
		dst = append(dst, float64(v))
	}
	return dst
}
