package calculus

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// Halfspaces proves that the functions that keep a comparison form a convex set, cut out by half-spaces. It fills in Excess and
// Pieces, or notes what is wrong. With e = smaller − larger,
//
//	smaller ≤ larger  ⟺  max_i gᵢ(f) ≤ 0,      smaller = larger  ⟺  e(f) ≤ 0 and −e(f) ≤ 0 for an affine e,
//
// where each gᵢ is affine in f. The rules are those of the calculus with one difference: constants may stand beside f. A sum of a
// constant and a linear part counts as linear. Convexity never depends on homogeneity.
func (j *Judge) Halfspaces(c *tree.Comparison) {
	j.Affine = true
	okSmaller, okLarger := j.Proves(c.Smaller), j.Proves(c.Larger)
	if !okSmaller || !okLarger {
		return
	}
	minus := tree.Operation(&tree.Node{Op: tree.OpNeg, From: c.Larger.From}, c.Larger)
	e := tree.Operation(&tree.Node{Op: tree.OpAdd, From: c.From}, c.Smaller, minus)
	switch {
	case c.Larger.Kind != tree.Linear:
		j.notConvexSet(c, e, c.Larger)
		return
	case c.Equal && c.Smaller.Kind != tree.Linear:
		j.notConvexSet(c, e, c.Smaller)
		return
	}
	if !e.Number() && (!minus.Number() && !j.Rules.Prove(minus) || minus.Number() && judged(minus) || !j.Rules.Prove(e)) {
		return
	}
	if e.Number() || e.Zero() {
		j.Found = append(j.Found, Finding{At: c.From, Diagnostic: &diag.Diagnostic{
			Code: codes.AlwaysZero, Summary: c.Text + " says nothing of f", Detail: "It does not hold f, or its parts cancel.", Mend: "Leave it out, or compare f with f elsewhere.",
		}})
		return
	}
	if !j.Representable(e, 1) {
		return
	}
	pieces := 0
	if m := j.maximum(e, &pieces); m != nil {
		c.Excess, c.Pieces = e, m
	}
}

// judged judges a number, and returns false.
func judged(n *tree.Node) bool {
	tree.JudgeNumber(n)
	return false
}

// notConvexSet notes a side that is convex and not linear where only what is linear may stand (codes.NotConvexSet).
func (j *Judge) notConvexSet(c *tree.Comparison, e, side *tree.Node) {
	text := tree.Text(side.From.Syntax)
	d := &diag.Diagnostic{
		Code: codes.NotConvexSet, Summary: fmt.Sprintf("%s is the larger side, and convex but not linear", text),
		Detail: "Functions that keep the statement do not form a convex set.", Mend: "Write what is linear on the larger side, as in |f| <= 1.",
	}
	if c.Equal {
		d.Summary, d.Mend = text+" stands beside ==, and is convex but not linear", "Compare by <=, with the convex part on the smaller side."
	}
	j.Found = append(j.Found, Finding{At: side.From, Diagnostic: d, Values: func() []string {
		if values := apart(e, c.Equal); values != nil {
			return values
		}
		return []string{NoneFound}
	}})
}

// required changes a refusal to what helps in a requirement. Nothing there is squared or homogeneous, and a part may change sides.
func required(d *diag.Diagnostic, n *tree.Node) {
	switch d.Code {
	case codes.Product:
		d.Detail, d.Mend = "The functions of which a product of two parts is bounded do not form a convex set.", "Bound each part: |f| <= 1."
		if tree.Text(n.Kids[0].From.Syntax) == tree.Text(n.Kids[1].From.Syntax) {
			d.Mend = "For a square write |…|, with the root of the bound on the other side."
		}
	case codes.NegatedConvex:
		d.Mend = "Bring the part to the other side of the comparison, without the sign; or take the difference inside, |a - b|."
	case codes.Minimum:
		d.Mend = "Require each part by a statement of its own."
	}
}

// apart shows two functions that keep e(f) ≤ 0, or e(f) = 0, between which it does not hold. It is nil where none were met.
func apart(e *tree.Node, equal bool) []string {
	m := ModelOf(e, 2)
	q := len(m.Order)
	if q == 0 || q > maxFunctionals || m.elements.unclear {
		return nil
	}
	keeps := func(v float64) bool { return finite(v) && v <= 1e-9 && (!equal || v >= -1e-9) }
	rng, scale := rand.New(rand.NewPCG(3, uint64(q))), size(e)
	u, v, mid := make([]float64, q), make([]float64, q), make([]float64, q)
	for range searches {
		for i := range q {
			u[i], v[i] = scale*float64(rng.IntN(5)-2), scale*float64(rng.IntN(5)-2)
			mid[i] = (u[i] + v[i]) / 2
		}
		if middle := m.At(e, mid); keeps(m.At(e, u)) && keeps(m.At(e, v)) && finite(middle) && !keeps(middle) {
			return []string{
				"f₁:      " + m.show(u) + "; the statement holds",
				"f₂:      " + m.show(v) + "; the statement holds",
				"halfway: " + m.show(mid) + "; it does not hold",
			}
		}
	}
	return nil
}

// size returns the largest constant of an expression, or 1 where it has none: functions of that size show what it says.
func size(e *tree.Node) float64 {
	most := 0.0
	for n := range e.All() {
		if n.Op == tree.OpConst {
			most = max(most, math.Abs(n.Num))
		}
	}
	if most == 0 {
		return 1
	}
	return most
}

// unsplit notes a convex side that is not a maximum of few affine parts (codes.NoGauge).
func (j *Judge) unsplit(n *tree.Node) {
	j.Found = append(j.Found, Finding{At: n.From, Diagnostic: &diag.Diagnostic{
		Code: codes.NoGauge, Summary: tree.Text(n.From.Syntax) + " is convex, but not a maximum of affine parts that are few",
		Detail: fmt.Sprintf("A statement is proved of affine parts, one by one: |a| is a and -a, and a sum of absolute values one part for each choice of signs, at most %d.", maxPieces),
		Mend:   "Require maxima, |…|, pos(…) and listed sums of linear parts, or bind the elements by the region: over x in box, y in labels.",
	}})
}

// AffineIn reports whether a proved comparison is affine in f, so that it is one member.
func AffineIn(c *tree.Comparison) bool {
	return c.Excess != nil && c.Excess.Kind == tree.Linear
}
