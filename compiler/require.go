package compiler

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/elaborate"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// Require returns the statements that an instance requires, in the prepared coordinates of the data:
// g(x) ≥ 0 on a region. Its errors are diagnostics at the place in the spec (diag.List), or the
// context's. A spec without `require` has none.
func Require(ctx context.Context, in *Instance, data *ground.Data) ([]statement.Statement, error) {
	if len(in.faults) > 0 {
		return nil, in.faults
	}
	for _, r := range in.Required {
		if !r.Proved() {
			return nil, fmt.Errorf("the statement %s was not proved", r.Name)
		}
	}
	if len(in.Required) == 0 {
		return nil, nil
	}
	return in.problem().Require(ctx, data, in.Required)
}

// requirements compiles what the spec requires, and refuses settings under which no fit keeps it.
func requirements(p *names.Pass) { kept(p, stated(p)) }

// stated compiles statements `require`, each with a budget for counterexamples of its own. It returns true if it refuses derivatives in
// them, as functions of the kernel have none.
func stated(p *names.Pass) (kinks bool) {
	p.Section = tree.RequireWord
	for _, decl := range p.Decls.Requires {
		p.Budget.Next()
		p.Place, p.Inlined, p.Decl, p.NoPoint = decl.Name.Name, nil, decl.Span(), nil
		before := len(p.Derives)
		values.Jointly(p, func() {
			if r := requirement(p, decl); r != nil {
				p.Out.Required = append(p.Out.Required, r)
			}
		})
		if kinked(p, p.Derives[before:]) {
			kinks = true
			p.Derives = p.Derives[:before] // a warning would repeat it
		}
		p.Mendings = nil // edits are tried of invariances alone
	}
	return kinks
}

// requirement compiles one: syntax to trees, trees to half-spaces. Nil means that it is faulty,
// which is reported. The functions that keep it are then known to form a convex set, whatever the
// data are:
//
//	{f : e(f)(x) ≤ 0 for all x ∈ B}     with e affine in f, or a maximum of affine parts
func requirement(p *names.Pass, decl *dsl.Require) *tree.Requirement {
	r := elaborate.Require(p, decl)
	if r == nil {
		return nil
	}
	for _, c := range r.Parts {
		j := elaborate.Judge(p)
		j.Halfspaces(c)
		elaborate.Tell(p, j.Found)
	}
	if !r.Proved() {
		return nil
	}
	if !countable(p, r) || !possible(p, r) {
		return nil
	}
	idle(p, r)
	return r
}

// countable refuses an equation where the box names an interval, and returns false then. Intervals
// that it does not name, the data show.
func countable(p *names.Pass, r *tree.Requirement) bool {
	i := slices.IndexFunc(r.Parts, func(c *tree.Comparison) bool { return c.Equal })
	a := r.Region.Box()
	if i < 0 || a == nil {
		return true
	}
	for _, s := range a.Box.Sides {
		if s.Low < s.High && !s.Whole {
			p.ReportAt(r.Parts[i].From, ground.Continuum(s.Column.Text))
			return false
		}
	}
	return true
}

// possible refuses comparisons that no function keeps, as one of their constant bounds is beyond the other, and returns false then:
//
//	100 <= f(x) <= 0,     |f(x)| <= -1
//
// Statements that contradict each other are found by a fit.
func possible(p *names.Pass, r *tree.Requirement) bool {
	least, most := math.Inf(-1), math.Inf(1)
	for i, c := range r.Parts {
		lower, upper := boundsOf(c.Smaller).Lo, boundsOf(c.Larger).Hi
		if i > 0 && r.Decl.Holds.Ops[0].Op == ">=" {
			upper = min(upper, most)
		} else if i > 0 {
			lower = max(lower, least)
		}
		if least, most = lower, upper; least <= most {
			continue
		}
		p.ReportAt(tree.Origin{Span: r.Parts[0].From.Span.To(c.From.Span)}, &diag.Diagnostic{
			Code: codes.AlwaysZero, Summary: fmt.Sprintf("%s never holds: nothing is at least %g and at most %g", r.Name, least, most),
			Mend: "Write the smaller bound on the smaller side.",
		})
		return false
	}
	return true
}

// boundsOf returns what the spec alone says of the values of a side. A number has bounds, and a part that holds f may have a sign.
func boundsOf(n *tree.Node) tree.Bounds {
	b := tree.Bounds{Lo: math.Inf(-1), Hi: math.Inf(1)}
	switch {
	case n.Number():
		return n.Bounds((*tree.Datum).Known)
	case n.Sign == tree.Nonnegative:
		b.Lo = 0
	case n.Sign == tree.Nonpositive:
		b.Hi = 0
	}
	return b
}

// idle warns of index sets of a region that nothing depends on (codes.NoEffect).
func idle(p *names.Pass, r *tree.Requirement) {
	for i, a := range r.Region.Axes {
		uses := func(c *tree.Comparison) bool { return c.Excess.DependsOn([]*tree.Axis{a}) }
		if slices.ContainsFunc(r.Parts, uses) || r.Region.Where != nil {
			continue
		}
		p.Warn(&diag.Diagnostic{
			Code: codes.NoEffect, Subject: r.Decl.Holds.Over[i].Span(), Summary: fmt.Sprintf("nothing in %s depends on %s", r.Name, tree.Text(r.Decl.Holds.Over[i].In)), Mend: "Leave it out, or write the variable where it is meant.",
		})
	}
}

// kinked refuses derivatives in a requirement under a kernel whose functions have none, and returns
// true then. No statement about them can be kept.
func kinked(p *names.Pass, derives []tree.Origin) bool {
	if len(derives) == 0 || p.Out.Kernel.Kind != setting.Laplacian {
		return false
	}
	d := p.ReportAt(derives[0], &diag.Diagnostic{
		Code: codes.NotKept, Summary: "functions of the laplacian kernel have no derivatives, and no statement about these can be kept", Mend: "Take the gaussian kernel, or compare values: f(move(area, 1)(x)) >= f(x).",
	})
	if id := settingWord(p.Decls.Settings["kernel"]); id != nil {
		p.Offer(d, "take the gaussian kernel", id.Span(), "gaussian")
	}
	return true
}

// A refusal reports that a setting keeps no statement, and offers another value of it; empty where it offers none.
type refusal func(keyword, summary, detail, mend, take string)

// kept refuses settings under which no fit keeps statements (codes.NotKept), with the reason. The kernel is not refused twice, where
// kinks are reported of it.
func kept(p *names.Pass, kinks bool) {
	if len(p.Decls.Requires) == 0 {
		return
	}
	refuse := func(keyword, summary, detail, mend, take string) {
		set := p.Decls.Settings[keyword]
		d := p.Report(&diag.Diagnostic{
			Code: codes.NotKept, Subject: set.Value.Span(), Summary: summary, Detail: detail, Mend: mend,
			Related: []diag.Related{{Span: p.Decls.Requires[0].Name.Span(), Message: "a statement is required here"}},
		})
		if take != "" {
			p.Offer(d, "write "+take, set.Value.Span(), take)
		}
	}
	if !kinks {
		keptByKernel(p, refuse)
	}
	switch m := p.Out.Method; m {
	case setting.Embed, setting.Warp:
		refuse("method", fmt.Sprintf("method %s keeps no statements", m), "It bounds the representation ι of each row, and not the score.", "Write method risk, or leave method out.", string(setting.Risk))
	case setting.Dual:
		refuse("method", "method dual keeps no statements", "Its problem is not convex, and has no certificate for them.", "Write method risk, or leave method out.", string(setting.Risk))
	case setting.Plain:
		refuse("method", "method plain keeps no statements", "It leaves out R, and all that is required.", "Write method risk, or leave method out; run --baseline plain compares with plain.", string(setting.Risk))
	case setting.Risk, "":
	}
	keptByScores(p, refuse)
}

// keptBesides refuses R with a maximum or an integral over an interval, or with a maximum over an orbit, where statements are required. Its nodes or members are
// chosen while the risk is minimized, and the cuts of statements as well; no certificate covers both.
func keptBesides(p *names.Pass) {
	if len(p.Decls.Requires) == 0 {
		return
	}
	for _, t := range p.Out.Regularized {
		what := "a maximum or an integral over an interval"
		switch {
		case t.Searched():
			what = "a maximum over an orbit"
		case t.Inv.Form == nil || len(t.Inv.Form.Intervals()) == 0:
			continue
		}
		p.Report(&diag.Diagnostic{
			Code: codes.NotKept, Subject: t.Place, Summary: fmt.Sprintf("no statement is kept beside %s, %s", t.Inv.Name, what),
			Mend:    "Leave it out of regularize; measure tells what it comes to.",
			Related: []diag.Related{{Span: p.Decls.Requires[0].Name.Span(), Message: "a statement is required here"}},
		})
	}
}

// keptByScores refuses features that are no sums of the kernel, and scores that are not f.
func keptByScores(p *names.Pass, refuse refusal) {
	switch f := p.Out.Features.Kind; f {
	case setting.Fourier, setting.Hashing:
		refuse("features", fmt.Sprintf("%s features keep no statements", f), "They approximate the kernel at random, and f as they have it is not a sum of few functions with known bounds.", "Take landmarks.", "nystrom(landmarks = all)")
	case setting.Nystrom, setting.Exact, "":
	}
	if learnsSets(p.Out) {
		refuse("learn", "softmax on labels keeps no statements", "It learns sets of labels, and f at a label is what the label adds to a set, and not its score.", "Take svm, logistic or ridge.", svm)
	}
	if p.Out.Decode == setting.Closure {
		refuse("decode", "decode closure keeps no statements", "It lends a label the score of another one, and what predicts is then not the f of the statements.", "Leave decode out.", "")
	}
}

// keptByKernel refuses kernels that proofs do not know.
func keptByKernel(p *names.Pass, refuse refusal) {
	switch k := p.Out.Kernel.Kind; k {
	case setting.Gaussian, setting.Additive, setting.Pairwise, "":
	default:
		refuse(kernelWord, fmt.Sprintf("the %s kernel of whole rows keeps no statements", k), "Proofs know the gaussian kernel of whole rows, and kernels that are sums over columns.", "Take gaussian, additive or pairwise.", "")
	}
	if b := tooNarrow(p.Out); b != nil {
		refuse(kernelWord, fmt.Sprintf("%s is too narrow to keep statements", b), "Proofs ask for a width of more than a thousandth of the period.", "Take a larger width.", "")
	}
}

// tooNarrow returns a periodic kernel of a column whose width is too small a share of its period for proofs. Nil means that none is, or that the data decide.
// A multiple of a median is one of chords, which are at most period/π. A width in standard deviations only the data tell.
func tooNarrow(in *names.Settled) *setting.Base {
	scale := cmp.Or(math.Abs(in.Data.Scale), 1)
	for _, b := range basesOf(&in.Kernel) {
		switch most := setting.LeastOfPeriod * b.Period; {
		case b.Kind != setting.Periodic:
		case b.OfMedian && b.Width/math.Pi <= setting.LeastOfPeriod, !b.OfMedian && !in.Data.Standardize && b.Width <= most/scale:
			return &b
		}
	}
	return nil
}
