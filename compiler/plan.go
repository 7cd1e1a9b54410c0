package compiler

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/explain"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Plan is a spec that was checked. It holds the processes of its plugins until it is closed. Its
// first instance takes the first value of every grid; most specs have no grid, and need no other.
type Plan struct {
	Data    setting.Data
	Seed    uint64      // of the spec; see HasSeed
	HasSeed bool        // the spec gives a seed
	Grid    []GridParam // numbers that are chosen from several; At fixes them

	checker *names.Spec
	first   *Instance
}

// A GridParam is a number that is chosen from several.
type GridParam struct {
	Name        string // where it stands: "svm.C", or the name of a let or invariance
	Values      []float64
	Texts       []string // the values as a reader sees them: "0.5 * median"
	Written     []string // the values as a spec may have them in place of the grid
	Place       diag.Span
	Auto        bool // it is `auto`: the largest within one standard error of the best is to be taken
	LearnerOnly bool // only the learner depends on it, so that the embedding need not be found anew
}

// Sorted returns the values as a reader sees them, the smallest first. A spec may list them in any
// order.
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

// At fixes the numbers that are chosen from several: choice holds an index into Values for each of
// Grid. A nil choice takes the first of each. It compiles the spec again with these numbers, since
// a proof may depend on them. It may be called from several goroutines.
func (p *Plan) At(choice []int) *Instance {
	if len(choice) == 0 {
		return p.first
	}
	pass := p.checker.Pass(append([]int(nil), choice...))
	pass.Diags = &diag.List{} // Check has reported what there is to say
	in := run(pass)
	in.faults = slices.DeleteFunc(*pass.Diags, func(d *diag.Diagnostic) bool { return d.Severity != diag.Error })
	in.settle(p.checker.OneSided)
	return in
}

// Learners returns what the learner of an instance may be: one for each combination of the grids
// that it alone depends on, equal ones once. Without such a grid it is the instance's own. One
// embedding serves them all, which is why they are told apart: a grid of C with nine values costs
// one embedding and nine learners.
func (p *Plan) Learners(in *Instance) []setting.Learner {
	var learners []setting.Learner
	for _, c := range p.learnerChoices(in) {
		if in := p.At(c); len(in.faults) == 0 && !slices.Contains(learners, in.Learn) {
			learners = append(learners, in.Learn)
		}
	}
	return learners
}

// Choice returns the values of all grids at which the plan is an instance with that strength of its learner, as At takes them. It returns nil
// where there are none.
func (p *Plan) Choice(in *Instance, strength float64) []int {
	for _, c := range p.learnerChoices(in) {
		if at := p.At(c); len(at.faults) == 0 && at.Learn.Strength == strength {
			return c
		}
	}
	return nil
}

// learnerChoices returns the choices that differ from an instance's in nothing but the grids that the learner alone depends on.
func (p *Plan) learnerChoices(in *Instance) [][]int {
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
	return choices
}

// Requires returns the places of the names of what the spec requires, in its order.
func (p *Plan) Requires() []diag.Span {
	return tree.Each(p.checker.Decls.Requires, func(d *dsl.Require) diag.Span { return d.Name.Span() })
}

// Close ends the programs of families. It may be called twice, and on a nil plan.
func (p *Plan) Close() error {
	if p == nil || p.checker == nil {
		return nil
	}
	var errs []error
	for _, c := range p.checker.Closers {
		errs = append(errs, c())
	}
	p.checker.Closers = nil
	return errors.Join(errs...)
}

// Explain explains the plan's regularizer, as Shown has it, without data.
func (p *Plan) Explain() *explain.Explanation { return p.Shown().Explain(nil) }

// Shown returns the instance by which a plan is explained: each grid is at its first value that is not 0. A factor of 0 would leave out
// a statement that counts at the other values.
func (p *Plan) Shown() *Instance {
	choice, other := make([]int, len(p.Grid)), false
	for i := range p.Grid {
		if k := slices.IndexFunc(p.Grid[i].Values, func(v float64) bool { return v != 0 }); k > 0 {
			choice[i], other = k, true
		}
	}
	if !other {
		return p.first
	}
	in := p.At(choice)
	if len(in.faults) > 0 {
		return p.first
	}
	in.choice, in.leavesOut = nil, len(p.first.Explain(nil).Invariances) < len(in.Explain(nil).Invariances)
	return in
}

// export returns the grid as the plan shows it.
func export(g *names.GridParam) GridParam {
	out := GridParam{Name: g.Name, Place: g.Call.Span(), LearnerOnly: len(g.Sections) == 1 && g.Sections["learn"], Auto: values.Auto(g)}
	for _, q := range g.Values {
		text := q.String()
		if g.Within != nil { // the whole number is what counts: 2 * median, and not 2
			text = strings.Replace(tree.Text(g.Within), tree.Text(g.Call), text, 1)
		}
		written := q.String()
		if g.Within != nil && g.Within != g.Call && strings.Contains(written, " ") { // which a factor before the grid would tear apart
			written = "(" + written + ")"
		}
		// A number alone would not say what it weighs, which is refused. So it stands before each
		// invariance, and the spec that is written compiles to the same plan.
		if len(g.Each) > 0 {
			written = q.String() + " * " + strings.Join(g.Each, ", "+q.String()+" * ")
		}
		out.Values, out.Texts, out.Written = append(out.Values, q.Value), append(out.Texts, text), append(out.Written, written)
	}
	return out
}

// run compiles everything. What it cannot compile is reported and left out of the instance. The
// order matters: data decide the task, settings ask for it, and weights ask for the invariances and
// the method.
func run(p *names.Pass) *Instance {
	in := &Instance{checker: p.Spec, choice: p.Choice}
	p.Out = &in.Settled
	p.Out.Data = data(p)
	settings(p)
	invariances(p)
	requirements(p)
	unused(p)
	regularize(p)
	keptBesides(p)
	moves(p)
	expectations(p)
	afterthoughts(p)
	p.Out.Axes = p.Axes
	return in
}
