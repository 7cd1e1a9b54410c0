package compiler

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/explain"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// sights returns what the families from elsewhere see, in the order of their use. Users read it
// before they trust a program with their data.
func (in *Instance) sights() []explain.Sight {
	var out []explain.Sight
	for _, fam := range in.checker.Families {
		if fam.Place.IsZero() {
			continue
		}
		asked := in.problem()
		asked.Terms = append(asked.Terms, in.measures()...)
		calls, needs := asked.Asked(fam)
		out = append(out, explain.NewSight(fam, calls, needs))
	}
	return out
}

// Transforms returns what `evaluate under` lists, in its order.
func (in *Instance) Transforms() []Transform { return in.transforms(in.Under) }

// Augmentations returns what `augment` lists, in its order.
func (in *Instance) Augmentations() []Transform { return in.transforms(in.Augment) }

// LearnUnder returns what `learn under` lists, in its order.
func (in *Instance) LearnUnder() []Transform { return in.transforms(in.Worst) }

// transforms returns what transformations do to rows.
func (in *Instance) transforms(maps []*tree.Mapping) []Transform {
	out := make([]Transform, len(maps))
	for i, m := range maps {
		out[i] = Transform{Text: m.Text, Orbit: orbitIn(maps[i : i+1]), Apply: func(ctx context.Context, data *plugins.Data, seed uint64) (plugins.Matrix, error) {
			return in.problem().Move(ctx, m, data, seed)
		}}
	}
	return out
}

// An Instance is a plan in which every number is fixed. It holds trees and settings, and neither
// data nor processes: several may be grounded at the same time. Cross-validation makes one for each
// combination of the grids.
type Instance struct {
	names.Settled

	checker *names.Spec
	choice  []int
	faults  diag.List // what is wrong with it; Ground refuses it then
	// leavesOut says that other values of the grids leave statements out, as a factor of 0 does.
	leavesOut bool
}

// Ground asks the families for functionals and unrolls the gauges. Its errors are diagnostics at
// the place in the spec (diag.List), or the context's. With method plain, or without invariances,
// the regularizer is zero. Data whose labels do not fit the target are the caller's mistake, and no
// diagnostic.
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

// Apart reports whether R² of an instance is a sum over the rows, whose parts may be grounded one after another.
func Apart(in *Instance) bool { return ground.Apart(in.problem().Terms) }

// judged reports what is wrong with the instance. Nothing is left out of R that the spec states: a
// regularizer that lacks an invariance would be a wrong answer without an error.
func (in *Instance) judged() error {
	if len(in.faults) > 0 {
		return in.faults
	}
	for _, t := range in.Regularized {
		if t.Inv.Form == nil {
			return fmt.Errorf("the invariance %s was not proved convex", t.Inv.Name)
		}
	}
	return nil
}

// problem returns what of the instance is grounded. Terms that do not count, and all of them under
// method plain, are left out here: no family is asked for their functionals.
func (in *Instance) problem() *ground.Problem {
	c := in.checker
	p := &ground.Problem{Transforms: slices.Concat(in.Under, in.Augment, in.Worst), Families: c.Families, Axes: in.Axes, File: c.File.Name}
	p.Declared = func(name string) bool { return c.Decls.Names[name] != (diag.Span{}) }
	for _, t := range in.Regularized {
		if t.Counts() && in.Method != setting.Plain {
			p.Terms = append(p.Terms, t)
		}
	}
	return p
}

// Explain explains the regularizer; with a grounded one, it counts functionals too. Nil means that
// there is none yet.
func (in *Instance) Explain(r *regularizer.Regularizer) *explain.Explanation {
	ex := explain.Terms(in.Regularized, in.choice == nil, r)
	ex.Measure(in.measures(), r)
	ex.Require(in.Required)
	ex.Method, ex.Reason, ex.Learner, ex.Sights = string(in.Method), in.Reason, in.Learn.Alone().String(), in.sights()
	if in.Learn.Kind == setting.Quantile || in.choice == nil && slices.ContainsFunc(in.checker.Grids, func(g *names.GridParam) bool { return g.Sections["learn"] }) {
		// The first of many is not what is learnt with, and levels are in the target.
		ex.Learner = tree.Text(in.checker.Decls.Settings["learn"].Value)
	}
	switch levels := setting.LevelNames(in.Data.Target.Levels); in.Data.Target.Task {
	case setting.Counts:
		ex.Score = "the logarithm of the rate that is predicted"
	case setting.Quantiles:
		ex.Score = "a quantile at each level: " + strings.Join(levels, ", ")
	}
	if in.leavesOut {
		ex.Theory += "; a statement whose factor is chosen to be 0 is left out"
	}
	ex.Under, ex.Worst, ex.Augment = tree.NamedMaps(in.Under), tree.NamedMaps(in.Worst), tree.NamedMaps(in.Augment)
	return ex
}

// Plain returns an instance under method plain, as if the spec named that: R is not grounded.
func Plain(in *Instance) *Instance {
	out := *in
	out.Method, out.Reason = setting.Plain, named
	return &out
}

// WithR returns an instance with all of its R grounded, which method plain leaves out.
func WithR(in *Instance) *Instance {
	if in.Method != setting.Plain {
		return in
	}
	out := *in
	out.Method = setting.Embed
	return &out
}

// Only returns the instance with one invariance of its R alone, or with one measure, whatever the
// method. So the value of each can be measured by itself.
func (in *Instance) Only(name string) *Instance {
	out := *WithR(in)
	out.Regularized = slices.DeleteFunc(slices.Clone(in.Regularized), func(t *tree.Term) bool { return t.Inv.Name != name })
	for _, t := range in.measures() {
		if t.Inv.Name == name {
			out.Regularized = []*tree.Term{t}
		}
	}
	return &out
}

// measures returns the measures as terms of weight 1. R = (Σ (w_k R_k)²)^½ does not hold them: a fit
// never asks a family for their functionals. Each is grounded by itself once f is found, and its gauge
// takes the values of its functionals at f. So a measure can neither change f nor what is proved of it.
func (in *Instance) measures() []*tree.Term {
	var out []*tree.Term
	for _, inv := range in.Invariances {
		if inv.Decl.Measures() && inv.Form != nil {
			out = append(out, &tree.Term{Weight: 1, Inv: inv, Place: inv.Decl.Span()})
		}
	}
	return out
}

// Measures returns the names of the measures, in the order of their statements. Faulty ones are left
// out, as they have no gauge that could take a value.
func (in *Instance) Measures() []string {
	return tree.Each(in.measures(), func(t *tree.Term) string { return t.Inv.Name })
}

// A Weight is that of an invariance in regularize.
type Weight struct {
	Of    string
	Value float64
}

// Weights returns those of the invariances in regularize, in its order.
func (in *Instance) Weights() []Weight {
	var out []Weight
	for _, t := range in.Regularized {
		out = append(out, Weight{t.Inv.Name, t.Weight})
	}
	return out
}

// Reweighed returns R as an instance of a plan has grounded it, with the weights of another instance. Nil says that this one has to be grounded: more than weights
// may differ, or a factor may be too large with others.
func Reweighed(in, of *Instance, r *regularizer.Regularizer) *regularizer.Regularizer {
	terms := in.problem().Terms
	if len(in.faults) > 0 || in.Method != of.Method || len(in.choice) != len(of.choice) || !ground.Apart(terms) || len(terms) != len(r.Invariances) || r.Parts != nil {
		return nil
	}
	for k, value := range in.choice {
		if g := in.checker.Grids[k]; value != of.choice[k] && (len(g.Sections) > 1 || !g.Sections["regularize"] && !g.Sections["learn"]) {
			return nil
		}
	}
	out := *r
	out.Invariances = slices.Clone(r.Invariances)
	for k, t := range terms {
		if t.Inv.Name != out.Invariances[k].Name {
			return nil
		}
		out.Invariances[k].Weight = t.Weight
	}
	return &out
}

// TooHeavy returns an error at the invariance with the largest weight. R is so large beside ‖f‖²
// that a linear system with both is not positive definite in floating point. Nil means that there
// is not an invariance.
func (in *Instance) TooHeavy() *diag.Diagnostic {
	if len(in.Regularized) == 0 {
		return nil
	}
	t := slices.MaxFunc(in.Regularized, func(a, b *tree.Term) int { return cmp.Compare(a.Weight, b.Weight) })
	return tree.AtOrigin(tree.Origin{Span: t.Place}, &diag.Diagnostic{
		Code: codes.OutOfRange, Summary: fmt.Sprintf("the weight %.3g of %s is too large for the arithmetic", t.Weight, t.Inv.Name),
		Detail: "A linear system of ‖f‖² and R is not positive definite to rounding.", Mend: "Write a smaller weight, or smaller factors in " + t.Inv.Name + ".",
	})
}

// AtSetting returns an error of a number in a setting that only a fit meets, at the setting's value. Nil
// means that the spec leaves the setting out.
func (in *Instance) AtSetting(keyword, summary, detail, mend string) *diag.Diagnostic {
	set := in.checker.Decls.Settings[keyword]
	if set == nil {
		return nil
	}
	return &diag.Diagnostic{Code: codes.OutOfRange, Severity: diag.Error, Subject: set.Value.Span(), Summary: summary, Detail: detail, Mend: mend}
}

// LearnsSets reports whether the learner is softmax on labels. It then learns the sets of labels
// that occur, and not each label by itself.
func (in *Instance) LearnsSets() bool { return learnsSets(&in.Settled) }

// learnsSets reports whether the learner is softmax on labels, which learns their sets. Method dual
// cannot, as it lacks the certificate.
func learnsSets(in *names.Settled) bool { return in.Learn.LearnsSets(in.Data.Target.Task) }

// A Transform is what `evaluate under` does to test rows, and `augment` and `learn under` to copies of training rows.
type Transform struct {
	Text string // as the spec writes it: "rotate(15deg)"
	// Orbit is the text of the orbit that it is one of the draws from; empty where it is the same for all rows.
	Orbit string
	// Apply returns the prepared features of the rows, transformed: n×p. What is drawn for each row follows from the seed.
	Apply func(ctx context.Context, data *plugins.Data, seed uint64) (plugins.Matrix, error)
}
