package ground

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// failed wraps a family's error: the first line says what is wrong, what follows it stands below the place. An error in the
// family's own words is one that the user can mend; where its process failed, or its answer is not what the contract allows,
// its author must.
func (g *grounder) failed(o tree.Origin, fam *tree.Family, err error) error {
	var list diag.List
	if ctxErr := g.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if errors.As(err, &list) {
		return err
	}
	mend, fault := "", false
	var process interface{ Mend() string } // see package host
	var answer *plugins.AnswerError
	if errors.As(err, &process) || errors.As(err, &answer) {
		mend, fault = fam.FaultMend(), true
	}
	var late interface{ Advice() string } // likewise
	if errors.As(err, &late) && late.Advice() != "" {
		mend += " " + late.Advice()
	}
	what, more, _ := strings.Cut(err.Error(), "\n")
	summary := fmt.Sprintf("the family %s failed: %s", fam.Name, what)
	if strings.HasPrefix(what, "family "+fam.Name+" ") {
		summary = "the " + what // of a process, whose error names it, its path and what it was doing
	}
	d := tree.AtOrigin(o, &diag.Diagnostic{Code: codes.FamilyFailed, Summary: summary, Mend: mend})
	d.FamilyFault = fault
	for line := range strings.Lines(more) {
		d.Values = append(d.Values, strings.TrimSpace(line))
	}
	return diag.List{d}
}

// SchemaMend says what to do about a schema that is wrong.
const SchemaMend = "This is a fault of the family, and not of the spec: tell its author. sipc plugin verify, on its program, says what is wrong."

// joint tells whether f is a function of points and labels.
func (g *grounder) joint() bool { return len(g.data.Labels) > 0 }

// bare tells whether a functional of a block has no label, though f is a function of points and labels.
func (g *grounder) bare(b *plugins.Block) bool {
	return g.joint() && slices.Contains(b.Label, plugins.NoLabel)
}

// labelled refuses f at points that have no label, where f is a function of points and labels and the leaf names none.
func (g *grounder) labelled(gl *groundLeaf, n *tree.Node) error {
	if gl.label != ownLabelMode || !g.joint() {
		return nil
	}
	for _, s := range gl.sources {
		if s.bareOf == nil {
			continue
		}
		err := g.failed(n.From, s.bareOf, &plugins.AnswerError{Err: errors.New(s.bareWhy)})
		var list diag.List
		if errors.As(err, &list) {
			list[0].Mend += " Until it is mended, name a label: f(a, label)."
		}
		return err
	}
	return nil
}

// KeepsLabels is what is wrong with a family whose map answers without labels where f is a function of points and labels.
const KeepsLabels = "it answers without labels, though f is a function of points and labels; a map keeps the label of each term"
