package compiler

import (
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// The reasons for a method that name no invariance.
const (
	named        = "the spec names it"
	noInvariance = "there is no invariance"
	allSeminorms = "every invariance is a seminorm"
	worstLosses  = "learn under a set is about f itself"
	// statesRequired is that of specs that require statements.
	statesRequired = "statements are required, which it keeps"
	// searchesWorst is that of maxima over orbits.
	searchesWorst = "the worst moves of an orbit are searched at the function that predicts"
)

// settle fixes the method where the spec names none. R must bound the function that predicts, which
// it does under method embed for seminorms and under method risk always. An invariance that is
// one-sided for some choice of the grids counts as one-sided for all of them.
//
// Embed is the default for seminorms, since one embedding serves every learner of a grid. Under
// risk each learner needs a solution by itself. The worst loss under a set has a certificate under
// methods risk and plain alone. Plain is the default where regularize names nothing, for any choice
// of the grids: it takes more landmarks, as these cost less.
func (in *Instance) settle(oneSided []string) {
	if in.Method != "" {
		in.Reason = named
		return
	}
	switch {
	case len(in.Required) > 0:
		in.Method, in.Reason = setting.Risk, statesRequired
	case len(in.Regularized) == 0:
		in.Method, in.Reason = setting.Plain, noInvariance
	case len(in.Worst) > 0:
		in.Method, in.Reason = setting.Risk, worstLosses
	case len(oneSided) > 0:
		in.Method, in.Reason = setting.Risk, areOneSided(oneSided)
	case slices.ContainsFunc(in.Regularized, func(t *tree.Term) bool { return t.Inv.Searched() }): // for any weight
		in.Method, in.Reason = setting.Risk, searchesWorst
	case slices.ContainsFunc(in.Regularized, (*tree.Term).Counts):
		in.Method, in.Reason = setting.Embed, allSeminorms
	default:
		in.Method, in.Reason = setting.Embed, noInvariance
	}
}

// FreeMethod reports whether the method is embed for no other reason than that R is a seminorm. Method risk suits it as well then.
func (in *Instance) FreeMethod() bool { return in.Method == setting.Embed && in.Reason == allSeminorms }

// OneSided returns the names of the invariances in R that are sublinear and no seminorms: e(−f) ≠
// e(f) for some f.
func (in *Instance) OneSided() []string {
	var out []string
	for _, t := range in.Regularized {
		if t.Counts() && t.Inv.Root.Kind == tree.Sublinear {
			out = append(out, t.Inv.Name)
		}
	}
	return out
}

// areOneSided returns the words that invariances are one-sided, for one name and for several.
func areOneSided(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0] + " is one-sided"
	}
	return strings.Join(names[:last], ", ") + " and " + names[last] + " are one-sided"
}

// DoubtEmbed returns the warning that an instance has one-sided invariances and its caller takes
// method embed. Nil means that it has none. The warning stands where the first of them counts.
func (in *Instance) DoubtEmbed() *diag.Diagnostic {
	names := in.OneSided()
	if len(names) == 0 {
		return nil
	}
	first := slices.IndexFunc(in.Regularized, func(t *tree.Term) bool { return t.Inv.Name == names[0] })
	return embedsOneSided(names, in.Regularized[first].Place)
}

// embedsOneSided returns the warning that under method embed R bounds representations, and not the
// score.
func embedsOneSided(names []string, at diag.Span) *diag.Diagnostic {
	return &diag.Diagnostic{
		Code: codes.EmbedOneSided, Severity: diag.Warning, Subject: at,
		Summary: areOneSided(names) + ": under method embed R does not bound the score",
		Detail: "R bounds the representation of each row. The score is a sum of representations with weights of both signs, " +
			"and what is one-sided of each of them need not be so of the sum.",
		Mend: "Write method risk, whose R bounds the score itself.",
	}
}

// note takes down which invariances are one-sided in an instance. The method is one for all choices
// of the grids, so that it must suit each of them.
func note(c *names.Spec, in *Instance) {
	for _, name := range in.OneSided() {
		if !slices.Contains(c.OneSided, name) {
			c.OneSided = append(c.OneSided, name)
		}
	}
}

// settleFirst fixes the method once every choice of the grids has been judged. It warns of a named
// method embed under which one-sided invariances may not reach the score.
func settleFirst(c *names.Spec, first *Instance) {
	first.settle(c.OneSided)
	if first.Reason != named || first.Method != setting.Embed || len(c.OneSided) == 0 {
		return
	}
	at := c.Decls.Settings["method"].Value.Span()
	d := embedsOneSided(c.OneSided, at)
	d.Fixes = []diag.Fix{{Title: "take method risk", Edits: []diag.Edit{{Span: at, New: string(setting.Risk)}}}}
	c.Diags.Add(d)
}
