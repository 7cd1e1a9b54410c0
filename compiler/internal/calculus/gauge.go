package calculus

import (
	"fmt"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// maxPieces bounds the linear pieces of which a positive part may be the maximum.
const maxPieces = 64

// FormOf returns the gauge of a judged, nonnegative expression. Nil means that there is none, which
// has been reported then. The form is the expression itself, down to its linear parts l:
//
//	|l| ↦ |l|      [e]₊ ↦ positive(e)      c·e ↦ c·ρ(e)
//	Σ eᵢ ↦ Σ ρ(eᵢ)      ‖e‖ₚ ↦ ‖ρ(e)‖ₚ      max eᵢ ↦ max positive(eᵢ)
//
// In a maximum some part is nonnegative, so that the others count where they are positive alone. A
// linear part by itself is never nonnegative, unless it is zero, and has no gauge.
func (j *Judge) FormOf(n *tree.Node) *tree.Form {
	switch n.Op {
	case tree.OpAbs:
		if n.Kids[0].Kind == tree.Linear && !n.Kids[0].AtLeastZero() {
			return &tree.Form{Op: gauge.Abs, Linear: n.Kids[0], From: n.From}
		}
		return j.FormOf(n.Kids[0])
	case tree.OpPos:
		return j.positive(n.Kids[0])
	case tree.OpScale:
		if f := j.FormOf(n.Kids[0]); f != nil {
			return f.Times(n)
		}
		return nil
	case tree.OpAdd:
		return j.combined(n, &tree.Form{Op: gauge.Sum}, j.FormOf)
	case tree.OpSum:
		return j.combined(n, &tree.Form{Op: gauge.Sum}, j.FormOf)
	case tree.OpMean:
		return j.combined(n, &tree.Form{Op: gauge.Sum, Mean: true}, j.FormOf)
	case tree.OpTop:
		return j.combined(n, &tree.Form{Op: gauge.Top, K: n.K}, j.FormOf)
	case tree.OpNorm:
		f := &tree.Form{Op: gauge.Norm, P: n.P, Mean: n.Mean}
		if n.P == 1 {
			f.Op = gauge.Sum
		}
		return j.combined(n, f, j.FormOf)
	case tree.OpMax:
		// Some part is nonnegative, so that the others count where they are positive alone.
		return j.combined(n, &tree.Form{Op: gauge.Max}, j.positive)
	}
	j.noGauge(n)
	return nil
}

// combined fills in the kids of a form. Parts that are zero are left out, as a leaf of the gauge
// owns a functional.
func (j *Judge) combined(n *tree.Node, f *tree.Form, of func(*tree.Node) *tree.Form) *tree.Form {
	f.Quant, f.From = n.Quant, n.From
	for _, k := range n.Kids {
		if k.Zero() {
			continue
		}
		kid := of(k)
		if kid == nil {
			return nil
		}
		f.Kids = append(f.Kids, kid)
	}
	if f.Mean && f.Quant == nil {
		f.Mean = false
		f.Weights = make([]float64, len(f.Kids))
		for i := range f.Weights {
			f.Weights[i] = tree.Measured(f, 1/float64(len(n.Kids)))
		}
	}
	return f
}

// positive returns the gauge of [e]₊. Of a nonnegative e that is the gauge of e.
func (j *Judge) positive(n *tree.Node) *tree.Form {
	if n.Sign == tree.Nonnegative {
		return j.FormOf(n)
	}
	pieces := 0
	m := j.maximum(n, &pieces)
	if m == nil {
		return nil
	}
	return j.positivePieces(m)
}

// positivePieces returns the gauge of [max of linear pieces]₊: the maximum of their positive parts.
// It holds since [·]₊ is monotone.
func (j *Judge) positivePieces(n *tree.Node) *tree.Form {
	if n.Op != tree.OpMax {
		return &tree.Form{Op: gauge.Pos, Linear: n, From: n.From}
	}
	f := &tree.Form{Op: gauge.Max, Quant: n.Quant, From: n.From}
	for _, k := range n.Kids {
		if k.Op == tree.OpConst {
			continue // [0]₊
		}
		if kid := j.positivePieces(k); kid.Linear != nil || len(kid.Kids) > 0 {
			f.Kids = append(f.Kids, kid)
		}
	}
	if len(f.Kids) == 1 && f.Quant == nil {
		return f.Kids[0]
	}
	return f
}

// maximum writes an expression as a maximum of linear ones, literally or over index sets:
//
//	|l| = max {l, −l}      [e]₊ = max {e, 0}      max aᵢ + max bⱼ = max over (i, j) of aᵢ + bⱼ
//
// It reports what has too many pieces, or is round, as norm(2) is.
func (j *Judge) maximum(n *tree.Node, pieces *int) *tree.Node {
	if n.Kind == tree.Linear {
		if *pieces++; *pieces > maxPieces {
			j.noGauge(n)
			return nil
		}
		if n.Zero() {
			return &tree.Node{Op: tree.OpConst, From: n.From}
		}
		return n
	}
	switch n.Op {
	case tree.OpAbs:
		if n.Kids[0].Kind != tree.Linear {
			return j.maximum(n.Kids[0], pieces)
		}
		*pieces += 2
		return &tree.Node{Op: tree.OpMax, Kids: []*tree.Node{n.Kids[0], tree.Scale(-1, n.Kids[0])}, From: n.From}
	case tree.OpPos:
		return j.maximumOf(n, pieces, &tree.Node{Op: tree.OpConst, From: n.From})
	case tree.OpMax:
		return j.maximumOf(n, pieces)
	case tree.OpScale:
		return mapPieces(j.maximum(n.Kids[0], pieces), n.Multiple)
	case tree.OpAdd, tree.OpSum, tree.OpMean:
		if n.Quant == nil {
			return j.sumOfMaxima(n, pieces)
		}
	}
	j.noGauge(n)
	return nil
}

// maximumOf writes the maximum of several parts as one of linear pieces. An index set may be empty
// for some elements around it, and the maximum is zero there. A second part says so, over one
// element that exists only then.
func (j *Judge) maximumOf(n *tree.Node, pieces *int, more ...*tree.Node) *tree.Node {
	out := &tree.Node{Op: tree.OpMax, Quant: n.Quant, From: n.From}
	for _, k := range n.Kids {
		m := j.maximum(k, pieces)
		if m == nil {
			return nil
		}
		out.Kids = append(out.Kids, m)
	}
	out.Kids = append(out.Kids, more...)
	if n.Quant == nil || !n.Quant.Varies() {
		return out
	}
	// A maximum over nothing is zero.
	none := &tree.Node{Op: tree.OpMax, Quant: &tree.Quantifier{Unless: n.Quant}, Kids: []*tree.Node{{Op: tree.OpConst, From: n.From}}, From: n.From}
	return &tree.Node{Op: tree.OpMax, Kids: []*tree.Node{out, none}, From: n.From}
}

// sumOfMaxima writes a sum of maxima as a maximum: max aᵢ + max bⱼ = max over (i, j) of aᵢ + bⱼ.
func (j *Judge) sumOfMaxima(n *tree.Node, pieces *int) *tree.Node {
	factor := 1.0
	if n.Op == tree.OpMean {
		factor = 1 / float64(len(n.Kids))
	}
	var total *tree.Node
	for _, k := range n.Kids {
		m := j.maximum(k, pieces)
		if m == nil {
			return nil
		}
		if factor != 1 {
			m = mapPieces(m, func(l *tree.Node) *tree.Node { return tree.Scale(factor, l) })
		}
		if total == nil {
			total = m
			continue
		}
		total = addMaxima(total, m)
		if countPieces(total) > maxPieces {
			j.noGauge(n)
			return nil
		}
	}
	return total
}

// addMaxima returns the maximum over all sums of a piece of a and a piece of b. It has as many
// pieces as both have together, multiplied.
func addMaxima(a, b *tree.Node) *tree.Node {
	switch {
	case a.Op == tree.OpMax:
		return mapPieces(a, func(l *tree.Node) *tree.Node { return addMaxima(l, b) })
	case b.Op == tree.OpMax:
		return mapPieces(b, func(l *tree.Node) *tree.Node { return addMaxima(a, l) })
	}
	from := a.From
	from.Syntax = nil // the sum stands nowhere in the spec
	return &tree.Node{Op: tree.OpAdd, Kids: []*tree.Node{a, b}, From: from, Judged: tree.Judged{Kind: tree.Linear}}
}

// mapPieces applies f to the linear pieces of a maximum.
func mapPieces(n *tree.Node, f func(*tree.Node) *tree.Node) *tree.Node {
	if n == nil {
		return nil
	}
	if n.Op != tree.OpMax {
		return f(n)
	}
	out := *n
	out.Kids = tree.Each(n.Kids, func(k *tree.Node) *tree.Node { return mapPieces(k, f) })
	return &out
}

// countPieces returns how many linear pieces a maximum has. They multiply in sums, so that a bound
// is needed.
func countPieces(n *tree.Node) int {
	if n.Op != tree.OpMax {
		return 1
	}
	total := 0
	for _, k := range n.Kids {
		total += countPieces(k)
	}
	return total
}

// noGauge reports an expression that is convex but has no gauge (codes.NoGauge). The rules prove
// more than the runtime can compute with.
func (j *Judge) noGauge(n *tree.Node) {
	if j.Affine {
		j.unsplit(n)
		return
	}
	j.Found = append(j.Found, Finding{At: n.From, Diagnostic: &diag.Diagnostic{
		Code: codes.NoGauge, Summary: fmt.Sprintf("%s stands under a positive part or beside a larger one, where no gauge is known for it", tree.Text(n.From.Syntax)),
		Detail: fmt.Sprintf("The expression is convex. But a positive part is computed for maxima of linear parts alone, at most %d of them beside index sets, and this is a norm, a sum over an index set of absolute values, or has more.", maxPieces),
		Mend:   "Take positive parts of linear expressions, and combine those.",
	}})
}
