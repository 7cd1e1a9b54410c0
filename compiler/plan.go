package compiler

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// A Plan is a spec that was checked. It holds the processes of its plugins until it is closed.
type Plan struct {
	Data    Data
	Seed    uint64      // of the spec; see HasSeed
	HasSeed bool        // the spec gives a seed
	Grid    []GridParam // numbers that are chosen from several; At fixes them

	checker *checker
	first   *Instance
}

// A GridParam is a number that is chosen from several.
type GridParam struct {
	Name        string // where it stands: "svm.C", or the name of a let or invariance
	Values      []float64
	Texts       []string // the values as a reader sees them: "0.5 * median"
	Place       diag.Span
	Auto        bool // it is `auto`: the largest that is nearly as good as the best is to be taken
	LearnerOnly bool // only the learner depends on it, so that the embedding need not be found anew
}

// Sorted returns the values as a reader sees them, the smallest first.
func (g *GridParam) Sorted() []string {
	order := make([]int, len(g.Values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(g.Values[a], g.Values[b]) })
	out := make([]string, len(order))
	for i, k := range order {
		out[i] = g.Texts[k]
	}
	return out
}

// At fixes the numbers that are chosen from several: choice holds an index into Values for each of Grid. A nil choice
// takes the first of each. It may be called from several goroutines.
func (p *Plan) At(choice []int) *Instance {
	if len(choice) == 0 {
		return p.first
	}
	pass := p.checker.pass(append([]int(nil), choice...))
	pass.diags = &diag.List{} // Check has reported what there is to say
	in := pass.run()
	in.faults = slices.DeleteFunc(*pass.diags, func(d *diag.Diagnostic) bool { return d.Severity != diag.Error })
	in.settle(p.checker.oneSided)
	return in
}

// Learners are what the learner of an instance may be: one for each combination of the grids that it alone depends on, equal
// ones once. Without such a grid it is the instance's own.
func (p *Plan) Learners(in *Instance) []Learn {
	choices := [][]int{make([]int, len(p.Grid))}
	copy(choices[0], in.choice)
	for i := range p.Grid {
		if !p.Grid[i].LearnerOnly {
			continue
		}
		var all [][]int
		for _, c := range choices {
			for v := range p.Grid[i].Values {
				next := slices.Clone(c)
				next[i] = v
				all = append(all, next)
			}
		}
		choices = all
	}
	var learners []Learn
	for _, c := range choices {
		if in := p.At(c); len(in.faults) == 0 && !slices.Contains(learners, in.Learn) {
			learners = append(learners, in.Learn)
		}
	}
	return learners
}

// Close ends the plugins.
func (p *Plan) Close() error {
	if p == nil || p.checker == nil {
		return nil
	}
	var errs []error
	for _, c := range p.checker.closers {
		errs = append(errs, c())
	}
	p.checker.closers = nil
	return errors.Join(errs...)
}

// An Instance is a plan in which every number is fixed.
type Instance struct {
	Data     Data
	Kernel   Kernel
	Features Features
	Method   Method
	Reason   string // why it has this method, as a reader is told
	Decode   Decoding
	Learn    Learn
	Seed     uint64
	HasSeed  bool

	checker     *checker
	choice      []int
	axes        int // how many index sets there are
	invariances []*invariance
	regularized []*term
	transforms  []*mapping
	faults      diag.List // what is wrong with it; Ground refuses it then
}

// Only is the instance with one invariance of its R alone.
func (in *Instance) Only(name string) *Instance {
	out := *in
	out.regularized = slices.DeleteFunc(slices.Clone(in.regularized), func(t *term) bool { return t.inv.name != name })
	return &out
}

// Weights returns those of the invariances in regularize, in its order.
func (in *Instance) Weights() []float64 {
	var out []float64
	for _, t := range in.regularized {
		out = append(out, t.weight)
	}
	return out
}

// An invariance is a declared one, compiled.
type invariance struct {
	name  string
	decl  *dsl.Invariance
	tried *node // the body, whether or not it was proved convex
	root  *node // the body, proved convex; nil where it is not
	form  *form
	grids gridSet // that it is made of
}

// text is the invariance as the spec writes it.
func (inv *invariance) text() string { return text(inv.decl.Body) }

// A term is a weighted invariance in regularize.
type term struct {
	weight float64
	auto   bool // the weight has the factor auto
	inv    *invariance
	place  diag.Span
}

// A Transform is what `evaluate under` does to the rows before the metrics are taken.
type Transform struct {
	Text string // as the spec writes it: "rotate(15deg)"
	// Apply is the prepared features of the rows, transformed: n×p.
	Apply func(ctx context.Context, data *plugins.Data) (plugins.Matrix, error)
}
