package compiler

import (
	"context"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/explain"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A Verdict says what the calculus proved of an expression.
type Verdict struct {
	Proof       *Step   // nil where the expression has a fault
	Value       float64 // of a number; NaN of an expression that holds f
	AtRow       bool    // no quantifier of its own binds a point: it was judged at a training row x
	Invariance  bool    // it may stand as an invariance: it is nonnegative, convex and depends on f
	Diagnostics diag.List
}

// Judge says what an expression, parsed by dsl.ParseExpression, is beside the declarations of a
// spec, faulty ones left out. It need not be an invariance. An f in it may be at no point. The
// expression is then judged within `mean over x of (e)`, which keeps every kind and sign. If an
// expression without a proof has no diagnostics, it calls what is faulty in the spec.
func Judge(ctx context.Context, spec, expression *dsl.File, opts names.Options) *Verdict {
	decl, ok := expression.Decls[0].(*dsl.Invariance)
	if !ok {
		return &Verdict{Value: math.NaN()}
	}
	j := judgeBeside(ctx, spec, expression, decl, opts, false)
	if !j.lacksPoint() {
		return j
	}
	at := judgeBeside(ctx, spec, expression, atRow(decl), opts, true)
	switch {
	case at.Proof != nil && len(at.Proof.Parts) == 1:
		at.Proof, at.AtRow = &at.Proof.Parts[0], true
		return at
	case at.Diagnostics.HasErrors() && !at.lacksPoint():
		return at // what else is wrong
	}
	return j
}

// lacksPoint reports whether an f in the expression is at no point.
func (j *Verdict) lacksPoint() bool {
	return slices.ContainsFunc(j.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code == codes.NoPoint })
}

// judgeBeside judges an expression as if it were an invariance of the spec. That it cannot stand as
// one is not a fault of an expression. It joins the declarations as a syntax tree, under a name that
// no text can have. So it hides nothing, and all places are those of its own text.
func judgeBeside(ctx context.Context, spec, expression *dsl.File, decl *dsl.Invariance, opts names.Options, row bool) *Verdict {
	with := *spec
	with.Decls = append(slices.Clone(spec.Decls), decl)
	c := names.NewSpec(ctx, &with, opts)
	c.Beside, c.AtRow = expression, row
	plan := compile(c)
	defer plan.Close() //nolint:errcheck // nothing is asked of the plugins any more
	c.Diags.Sort()
	j := &Verdict{Value: math.NaN()}
	all := plan.first.Invariances
	if i := slices.IndexFunc(all, func(inv *tree.Invariance) bool { return inv.Decl == decl }); i >= 0 {
		j.prove(all[i].Tried)
	}
	for _, d := range c.Diags {
		noInvariance := d.Code == codes.MayBeNegative || d.Code == codes.AlwaysZero
		switch {
		case !speaksOf(d, expression.Name) || d.Code == codes.UnusedInvariance:
		case noInvariance && j.Proof != nil:
			j.Invariance = false
		default:
			d.Fixes = nil // the mend says it; there is no file to change
			j.Diagnostics.Add(d)
		}
	}
	if j.Diagnostics.HasErrors() {
		j.Proof, j.Invariance, j.Value = nil, false, math.NaN()
	}
	return j
}

// prove takes what was proved of the expression's tree. Nil means that the expression has a fault,
// of which the diagnostics tell.
func (j *Verdict) prove(root *tree.Node) {
	if root == nil || root.Rule == "" {
		return
	}
	proof := explain.Proof(root, nil)
	j.Proof, j.Invariance = &proof, !root.Constant
	if root.Op == tree.OpConst {
		j.Value = calculus.NewModel().Value(root)
	}
}

// speaksOf reports whether a diagnostic is of a file, or of what is called in it.
func speaksOf(d *diag.Diagnostic, file string) bool {
	return d.Subject.File == file || slices.ContainsFunc(d.Related, func(r diag.Related) bool { return r.Span.File == file })
}

// atRow puts the body of an invariance at a training row: mean over x of (e). A mean keeps kind and
// sign, so that what is proved of it is proved of e. The quantifier has the place of the body,
// which the user wrote.
func atRow(decl *dsl.Invariance) *dsl.Invariance {
	at := dsl.At{Place: decl.Body.Span()}
	return &dsl.Invariance{At: decl.At, Keyword: decl.Keyword, Name: decl.Name, Body: &dsl.Quant{
		At: at, Op: &dsl.Agg{At: at, Name: tree.MeanWord}, Bind: &dsl.Binder{At: at, In: &dsl.Ident{At: at, Name: "x"}},
		Body: &dsl.Paren{At: at, X: decl.Body},
	}}
}
