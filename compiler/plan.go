package compiler

import (
	"context"
	"errors"

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
	Place       diag.Span
	LearnerOnly bool // only the learner depends on it, so that the embedding need not be found anew
}

// At fixes the numbers that are chosen from several: choice holds an index into Values for each of Grid. A nil choice
// takes the first of each. It may be called from several goroutines.
func (p *Plan) At(choice []int) *Instance {
	if len(choice) == 0 {
		return p.first
	}
	pass := p.checker.pass(append([]int(nil), choice...))
	pass.diags = &diag.List{} // Check has reported what there is to say
	return pass.run()
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
	Learn    Learn
	Seed     uint64
	HasSeed  bool

	checker     *checker
	choice      []int
	axes        int // how many index sets there are
	invariances []*invariance
	regularized []*term
	transforms  []*mapping
}

// An invariance is a declared one, compiled.
type invariance struct {
	name string
	decl *dsl.Invariance
	text string
	root *node
	form *form
}

// A term is a weighted invariance in regularize.
type term struct {
	weight float64
	inv    *invariance
	place  diag.Span
}

// A Transform is what `evaluate under` does to the rows before the metrics are taken.
type Transform struct {
	Text string // as the spec writes it: "rotate(15deg)"
	// Apply is the prepared features of the rows, transformed: n×p.
	Apply func(ctx context.Context, data *plugins.Data) (plugins.Matrix, error)
}
