// Package interval tells what functionals along a path do between the nodes that stand for its interval.
//
// An invariance may take a maximum or an integral over λ in an interval, of |ℓ_λ f| say. The runtime looks at N Lobatto nodes. Along a path the
// functionals, as vectors of feature space, are a smooth curve λ ↦ g(λ). Its polynomial p of degree N − 1 through the nodes is known exactly, and
// the error of interpolation
//
//	e ≥ max over λ of ‖g(λ) − p(λ)‖
//
// bounds the rest: |ℓ_λ f − p_f(λ)| ≤ e‖f‖. So a certificate for the interval needs e alone. It is proved from the kernel where paths are straight
// (proof.go), else measured half way between the nodes (measure.go). Where it costs too much of the gap, [Knowledge.Finer] says at how many nodes
// it would not.
package interval

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// A Grounder makes the regularizer anew with the same elements of its index sets, at another number of nodes. Halfway asks for the places
// between the nodes of its maxima and norms over intervals instead.
type Grounder func(ctx context.Context, nodes int, halfway bool) (*regularizer.Regularizer, error)

// A Setup is a regularizer over training rows, with its functionals in feature space.
type Setup struct {
	Regularizer *regularizer.Regularizer
	Ground      Grounder   // nil means that certificates are for the nodes alone
	X           *mat.Dense // n×p, the training rows
	Features    embed.Map
	Labels      int                // m
	Operator    *operator.Operator // its first rows are the functionals
	Seed        uint64
	// NoIntegrals says that integrals are certified at their nodes alone, and with them all of the regularizer.
	NoIntegrals bool
}

// Knowledge holds bounds of a regularizer between its nodes.
type Knowledge struct {
	Setup
	Curves *polar.Curves     // nil where R takes no maximum or integral, or nothing is known
	Paths  []Path            // of each invariance
	Least  represent.Between // the least that is known of any

	measured []bool    // invariances whose errors are measured, as no proof bounds them
	known    []float64 // errors of their functionals, for these
}

// A Path says of an invariance what is known between its nodes.
type Path struct {
	Between represent.Between
	// Widths is the length of its longest straight path, in widths of the kernel; 0 where none is known.
	Widths float64
}

// Know bounds the errors of interpolation of all curves of a regularizer. It grounds the regularizer half way between
// the nodes if some error cannot be proved.
//
// With e_i the error of functional i, the triangle inequality for the gauge gives
//
//	R(V) over the interval ≤ ρ of the polynomials of AV + ρ(e)‖V‖.
//
// So ρ(e) is the slack of the curves that it returns.
func Know(ctx context.Context, s Setup) (*Knowledge, error) {
	k := &Knowledge{Setup: s, measured: make([]bool, len(s.Regularizer.Invariances))}
	if runs := s.Regularizer.Curves(); len(runs) > 0 && s.Ground != nil {
		errs, err := k.interpolations(ctx, runs)
		if err != nil {
			return nil, err
		}
		if k.Curves, err = polar.NewCurves(len(errs), runs, s.Regularizer.Gauge().Value(errs), drift(runs, errs)); err != nil {
			return nil, err
		}
		// A problem keeps all of its curves or none.
		if s.NoIntegrals && k.Curves.Integrals() {
			k.Curves = nil
		}
	}
	for i := range s.Regularizer.Invariances {
		p := k.path(&s.Regularizer.Invariances[i], k.measured[i])
		k.Paths = append(k.Paths, p)
		if p.Between.Weaker(k.Least) {
			k.Least = p.Between
		}
	}
	return k, nil
}

// path returns what is known of an invariance. Its Widths are the most over all terms of its functionals.
func (k *Knowledge) path(inv *regularizer.Invariance, measured bool) Path {
	switch {
	// Without an interval there is nothing between nodes.
	case len(inv.Curves) == 0 && !inv.NodesOnly:
		return Path{}
	case inv.NodesOnly || k.Curves == nil:
		return Path{Between: represent.AtNodes}
	}
	p := Path{Between: represent.Proved}
	if measured {
		p.Between = represent.Measured
	}
	for _, one := range curvesOf(inv) {
		terms, ok := k.stretches(inv.First, one)
		for i := range terms {
			if ok {
				p.Widths = max(p.Widths, embed.Widths(k.Features, terms[i].Half))
			}
		}
	}
	return p
}

// drift returns the largest error of a curve under an integral. With a density γ over the interval,
//
//	|∫ γ ⟨g − p, V⟩ dλ| ≤ drift · ∫|γ| dλ · ‖V‖.
func drift(runs []curve.Run, errs []float64) float64 {
	most := 0.0
	for i := range runs {
		if r := &runs[i]; r.Integral() {
			for k := range r.Count {
				most = max(most, errs[r.Leaf(k, 0)])
			}
		}
	}
	return most
}
