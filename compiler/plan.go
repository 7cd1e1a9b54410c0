package compiler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/explain"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Plan is a spec that was checked. It holds the processes of its plugins until it is closed.
type Plan struct {
	Data    setting.Data
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
func (p *Plan) Learners(in *Instance) []setting.Learner {
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
	var learners []setting.Learner
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
	settled

	checker *checker
	choice  []int
	faults  diag.List // what is wrong with it; Ground refuses it then
}

// A settled spec has one value for each setting, and its invariances as trees.
type settled struct {
	Data     setting.Data
	Kernel   setting.Kernel
	Features setting.Features
	Method   setting.Method
	Reason   string // why it has this method, as a reader is told
	Decode   setting.Decoding
	Learn    setting.Learner
	Seed     uint64
	HasSeed  bool

	axes        int // how many index sets there are
	invariances []*tree.Invariance
	regularized []*tree.Term
	under       []*tree.Mapping
}

// Ground asks the families for functionals and unrolls the gauges. Its errors are diagnostics at the place in the spec
// (diag.List), or the context's. With method plain, or without invariances, the regularizer is zero.
func (in *Instance) Ground(ctx context.Context, data *ground.Data) (*regularizer.Regularizer, error) {
	if err := in.judged(); err != nil {
		return nil, err
	}
	n, labels := data.N(), len(data.LabelNames)
	switch {
	case len(data.Labels) != 0 && len(data.Labels) != n:
		return nil, fmt.Errorf("%d rows have %d labels", n, len(data.Labels))
	case in.Data.Target.Task.Joint() != (labels > 0):
		return nil, fmt.Errorf("a %s target has %d labels", in.Data.Target.Task, labels)
	}
	return in.problem().Ground(ctx, data)
}

// judged reports what is wrong with the instance. Nothing is left out of R that the spec states.
func (in *Instance) judged() error {
	if len(in.faults) > 0 {
		return in.faults
	}
	for _, t := range in.regularized {
		if t.Inv.Form == nil {
			return fmt.Errorf("the invariance %s was not proved convex", t.Inv.Name)
		}
	}
	return nil
}

// problem returns what of the instance is grounded.
func (in *Instance) problem() *ground.Problem {
	c := in.checker
	p := &ground.Problem{Transforms: in.under, Families: c.families, Axes: in.axes, File: c.file.Name}
	p.Declared = func(name string) bool { return c.decls.names[name] != (diag.Span{}) }
	for _, t := range in.regularized {
		if t.Counts() && in.Method != setting.Plain {
			p.Terms = append(p.Terms, t)
		}
	}
	return p
}

// Explain explains the plan's regularizer, each grid at its first value.
func (p *Plan) Explain() *explain.Explanation { return p.first.Explain(nil) }

// Explain explains the regularizer; with a grounded one, it counts functionals too.
func (in *Instance) Explain(r *regularizer.Regularizer) *explain.Explanation {
	ex := explain.Terms(in.regularized, in.Data.Target.Task.Joint(), in.choice == nil, r)
	ex.Method, ex.Reason, ex.Learner, ex.Sights = string(in.Method), in.Reason, in.Learn.String(), in.sights()
	for _, t := range in.under {
		ex.Under = append(ex.Under, t.Text)
	}
	return ex
}

// Only is the instance with one invariance of its R alone.
func (in *Instance) Only(name string) *Instance {
	out := *in
	out.regularized = slices.DeleteFunc(slices.Clone(in.regularized), func(t *tree.Term) bool { return t.Inv.Name != name })
	return &out
}

// A Weight is that of an invariance in regularize.
type Weight struct {
	Of    string
	Value float64
}

// Weights returns those of the invariances in regularize, in its order.
func (in *Instance) Weights() []Weight {
	var out []Weight
	for _, t := range in.regularized {
		out = append(out, Weight{t.Inv.Name, t.Weight})
	}
	return out
}

// A Transform is what `evaluate under` does to the rows before the metrics are taken.
type Transform struct {
	Text string // as the spec writes it: "rotate(15deg)"
	// Apply is the prepared features of the rows, transformed: n×p.
	Apply func(ctx context.Context, data *plugins.Data) (plugins.Matrix, error)
}
