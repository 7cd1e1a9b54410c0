package model

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// features sets up φ. It takes a map in the options as it is. Otherwise it fixes a kernel width that the rows
// decide, and makes the features that the options ask for.
func (f *fitter) features() (err error) {
	if f.o.Augment != nil {
		if f.learnt, err = f.o.Augment(f.ctx, f.train); err != nil {
			return err
		}
	}
	if want := f.train.Len() * (1 + f.o.Learner.Copies); f.o.Learner.Copies > 0 && f.learnt.Len() != want {
		return fmt.Errorf("model: %d rows with copies, and the learner takes the worst of %d", f.learnt.Len(), want)
	}
	f.out.Learnt = f.learnt.Len()
	features := f.o.Map
	if features == nil {
		fixed, err := kernel.Fixed(f.o.Kernel, f.train.Groups, f.train.X, f.o.Seed)
		if err != nil {
			return err
		}
		k, err := kernel.New(fixed)
		if err != nil {
			return err
		}
		chosen := f.o.Features.Fixed(f.seen.Len(), f.o.Seed)
		if err := checkFeatures(f, chosen); err != nil {
			return err
		}
		of := ingredients{kernel: fixed, features: chosen, labels: coupling(f), rows: f.seen.X}
		if of.block, err = withCopies(f); err != nil {
			return err
		}
		features, err = f.o.Shelf.mapOf(&of, func() (embed.Map, error) { return embed.ForLabels(f.ctx, k, chosen, of.labels, of.rows, of.block) })
		if err != nil {
			return err
		}
	}
	f.rep = newRepresenter(f, features)
	f.announce()
	return nil
}

// coupling counts labels, and says whether they are coupled. They are where a functional compares some, and under methods that embed, which
// have a vector of all labels.
func coupling(f *fitter) embed.Labels {
	m := labels(f.train)
	out := embed.Labels{Count: m, Coupled: 1}
	if b := f.reg.Functionals; b != nil && m > 1 && (!f.o.Method.Direct() || compares(b)) {
		out.Coupled = m
	}
	return out
}

// compares reports whether a functional of a block looks at several labels.
func compares(b *plugins.Block) bool {
	at := func(t int32) int32 {
		if y := &b.Labels[b.Label[t]]; len(y.Index) == 1 {
			return y.Index[0]
		}
		return -1
	}
	for i := range b.Len() {
		for t := b.Start[i]; t < b.Start[i+1]; t++ {
			if b.Label[t] == plugins.NoLabel || at(t) < 0 || at(t) != at(b.Start[i]) {
				return true
			}
		}
	}
	return false
}

// newRepresenter returns the representer of features, before there is an operator.
func newRepresenter(f *fitter, features embed.Map) *represent.Representer {
	return &represent.Representer{
		Method: f.o.Method, Features: features, Labels: labels(f.train), Scale: 1, Gap: f.o.Gap, MaxIterations: f.o.MaxIterations, Cache: f.o.Cache, Brief: f.o.Compared > 0,
	}
}

// withCopies returns the block of R's functionals, or of some where R comes in parts. The copies of rows are behind it, each looked at by one functional. Landmarks
// are drawn among all that a block looks at.
func withCopies(f *fitter) (*plugins.Block, error) {
	own, err := drawnFromParts(f)
	all, p := f.learnt.X.Dims()
	if all == f.train.Len() || err != nil {
		return own, err
	}
	copies := f.learnt.X.Slice(f.train.Len(), all, 0, p).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
	order := make([]int, all-f.train.Len())
	for k := range order {
		order[k] = k
	}
	return withScores(cmp.Or(own, &plugins.Block{}), 0, copies, order, 1), nil
}

// Of an R in parts, landmarks are drawn among what about functionalsDrawn functionals look at, of partsDrawn parts at most.
const functionalsDrawn, partsDrawn = 20000, 16

// drawnFromParts returns functionals of an R in parts, drawn evenly from parts that lie evenly among all. It returns those at hand where R is whole, and where landmarks
// are rows.
func drawnFromParts(f *fitter) (*plugins.Block, error) {
	parts := f.reg.Parts
	if o := &f.o.Features; parts == nil || o.Landmarks == setting.RowLandmarks || o.Kind != setting.Nystrom && o.Kind != "" {
		return f.reg.Functionals, nil
	}
	count, out := min(parts.Count, partsDrawn), &plugins.Block{Start: []int32{0}}
	progress := f.stage("draw points of R")
	for k := range count {
		at := k * parts.Count / count
		reg, _, err := parts.Make(f.ctx, at)
		if err != nil {
			return nil, err
		}
		// Functionals are drawn, and not points: some derive f at rows, and directions may become landmarks, too.
		b := reg.Functionals
		draw := rand.New(rand.NewPCG(f.o.Seed, uint64(at))) //nolint:gosec // equal seeds must give equal landmarks
		few := b.Select(func(int) bool { return draw.Float64()*float64(count*b.Len()) < functionalsDrawn })
		few.MoveRows(at * parts.Held)
		out.Join(few)
		if progress != nil {
			progress(k+1, count)
		}
	}
	return out, nil
}

// announce says how much is to be done before the first embedding is there: factors come first, of a whole
// operator at once.
func (f *fitter) announce() {
	if f.o.Progress == nil || f.reg.Gauge() == nil || f.o.Method == setting.Plain {
		return
	}
	work := fmt.Sprintf("factor %d features", f.rep.Features.Dim())
	if f.rep.Labels > 1 {
		work += fmt.Sprintf(" × %d labels", f.rep.Labels)
	}
	if !f.o.Method.Direct() {
		work += fmt.Sprintf(" for %d embeddings", f.learnt.Len()*f.rep.PerRow())
	}
	f.o.Progress(fmt.Sprintf("%s, %d functionals", work, f.reg.Gauge().Size()), 0, 0)
}

// build makes A of the regularizer at hand. It does so twice if the first operator is too far off for the gap. How
// near it has to be is known from the first one's error.
func (f *fitter) build() (err error) {
	options := tolerance(f.o.Method, f.o.Gap, f.reg.Gauge())
	if f.op, err = f.operatorOf(options); err == nil && tighten(&options, f.op, f.reg.Gauge(), f.o.Gap) {
		f.op, err = f.operatorOf(options)
	}
	if err != nil {
		return err
	}
	f.rep.Operator, f.rep.Gauge = f.op, gaugeOf(f.reg, f.op)
	if f.rep.Regularized() {
		f.rep.MaxWork = mostEach(f)
	}
	return nil
}

// finerWork is how many times the work at the first nodes embeddings may take at more nodes.
const finerWork = 2

// mostEach returns how many multiplications an embedding may take.
func mostEach(f *fitter) float64 {
	problem, count := f.rep.Problem(), float64(f.learnt.Len()*f.rep.PerRow())
	if f.o.Compared > 0 {
		return mostWork(f, problem.Work(2*represent.BriefIterations), limits.ComparedWork/(count*float64(f.o.Compared)))
	}
	usual := problem.Work(cmp.Or(f.o.MaxIterations, polar.DefaultIterations))
	if f.rep.MaxWork == 0 {
		f.usual = usual
	}
	return mostWork(f, min(usual, finerWork*f.usual), limits.FitWork/count)
}

// mostWork returns how many multiplications part of a fit may take, given its part of those that are allowed in any case. Its solver's
// iterations usually take as many as usual says.
func mostWork(f *fitter, usual, allowed float64) float64 {
	if f.o.MaxIterations > 0 {
		return usual
	}
	rows := float64(f.learnt.Len() * f.rep.Labels)
	return max(allowed, limits.WorkShare*min(1, rows/limits.WorkRows)*usual)
}

// operatorOf builds A as near as the options ask, or what stands for it.
func (f *fitter) operatorOf(o operator.Options) (*operator.Operator, error) {
	o.MostBytes = mostRows(f)
	if few, err := squared(f, o); few != nil || err != nil {
		return few, err
	}
	return operator.BuildWith(f.ctx, f.reg.Functionals, f.seen.X, f.rep.Features, f.rep.Labels, o)
}
