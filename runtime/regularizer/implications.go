package regularizer

import (
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// An Implication says that label If implies label Then.
type Implication struct {
	If   int32 `json:"if"`
	Then int32 `json:"then"`
}

// Implications returns the implications behind one-sided functionals f(x, a) − f(x, b), each once, in their order.
func (r *Regularizer) Implications() []Implication {
	var out []Implication
	seen := map[Implication]bool{}
	for k := range r.Invariances {
		for _, i := range r.ImplicationsOf(k) {
			if !seen[i] {
				seen[i] = true
				out = append(out, i)
			}
		}
	}
	return out
}

// ImplicationsOf returns the implications of the k-th invariance, each once, in their order.
func (r *Regularizer) ImplicationsOf(k int) []Implication {
	var out []Implication
	seen := map[Implication]bool{}
	at := r.Invariances[k].First
	r.Invariances[k].Gauge.Leaves(func(op gauge.Op) {
		if i, ok := implication(r.Functionals, at); ok && op == gauge.Pos && !seen[i] {
			seen[i] = true
			out = append(out, i)
		}
		at++
	})
	return out
}

// implication reads a functional as c·(f(x, a) − f(x, b)), c > 0, and reports whether it has that form. [ℓ]₊ = 0 then
// says f(x, a) ≤ f(x, b): whatever a says, b says at least as much.
func implication(b *plugins.Block, functional int) (i Implication, ok bool) {
	i = Implication{If: -1, Then: -1}
	from, to := b.Start[functional], b.Start[functional+1]
	sum := 0.0
	for t := from; t < to; t++ {
		if b.Tangent[t] != plugins.Evaluation || b.Label[t] == plugins.NoLabel || b.Point[t] != b.Point[from] {
			return i, false
		}
		y := b.Labels[b.Label[t]]
		for k, c := range y.Index {
			v := b.Coef[t] * y.Value[k]
			sum += v
			switch {
			case v > 0 && i.If < 0:
				i.If = c
			case v < 0 && i.Then < 0:
				i.Then = c
			case v != 0:
				return i, false
			}
		}
	}
	return i, min(i.If, i.Then) >= 0 && i.If != i.Then && sum == 0
}
