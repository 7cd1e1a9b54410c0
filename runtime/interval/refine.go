package interval

import (
	"context"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/represent"
)

const (
	mostNodes   = 81      // to which paths are refined
	mostProved  = 321     // where a proof needs them
	mostRefined = 1 << 28 // functionals × dimensions of their features to which they are
)

// TrialRows is how many right-hand sides there are by which it is judged whether to refine.
const TrialRows = 32

// An Excess is the part of a gap that arises between the nodes: Bent from polynomials there, Slack from errors of
// interpolation.
type Excess struct{ Bent, Slack float64 }

// Total returns all that is added.
func (e Excess) Total() float64 { return e.Bent + e.Slack }

// Finer returns the number of nodes at which the excess should cost no more than half of the gap. It returns the most
// nodes that are of use and fit where no number does.
//
// The part of polynomials falls as the square of the distance between nodes. Proved errors of interpolation are known
// for any number of nodes. Each step goes from N to 2N − 1 nodes, which halves the distance and keeps the places of
// the old ones.
func (k *Knowledge) Finer(ctx context.Context, e Excess, gap float64) (int, error) {
	functionals, _ := k.Operator.Dims()
	numbers, nodes := functionals*k.Features.Dim(), k.Regularizer.Nodes
	slack, err := k.slackAt(ctx, nodes)
	if err != nil {
		return 0, err
	}
	best, least := nodes, e.Total()
	for least > gap/2 && 2*numbers <= mostRefined && 2*nodes-1 <= mostProved {
		next, err := k.slackAt(ctx, 2*nodes-1)
		if err != nil {
			return 0, err
		}
		e = Excess{e.Bent / 4, fallen(e.Slack, next, slack)}
		// Beyond mostNodes more nodes serve proofs alone, whose errors fall faster than any power.
		if 2*nodes-1 > mostNodes && (slices.Contains(k.measured, true) || e.Bent > gap/4) {
			break
		}
		numbers, nodes, slack = 2*numbers, 2*nodes-1, next
		// More nodes are worth their work only if they halve the excess.
		if e.Total() < least/2 {
			best, least = nodes, e.Total()
		}
	}
	return best, nil
}

// fallen returns an excess by errors that fall from one size to another: it is proportional to them. An infinite
// error says nothing of how far it falls.
func fallen(excess, to, from float64) float64 {
	if to == 0 || excess == 0 {
		return 0
	}
	if math.IsInf(from, 1) {
		return math.Inf(1)
	}
	return excess * to / from
}

// slackAt returns the slack at another number of nodes. Where errors are proved, so is the slack. Measured errors are
// supposed to fall as the square of the distance between nodes, as with a kink in a derivative.
func (k *Knowledge) slackAt(ctx context.Context, nodes int) (float64, error) {
	errs, _ := k.proofs(nodes)
	for i, open := range k.measured {
		inv := &k.Regularizer.Invariances[i]
		for j := inv.First; open && j < inv.First+inv.Count; j++ {
			errs[j] = k.known[j] * math.Pow(float64(k.Regularizer.Nodes-1)/float64(nodes-1), 2)
		}
	}
	return k.Regularizer.Gauge().Value(errs), ctx.Err()
}

// Excess returns what the places between the nodes add to the gap of embeddings at the nodes alone. It takes the largest over the first
// right-hand sides of the training rows, so that few of the others have more.
func (k *Knowledge) Excess(ctx context.Context, r *represent.Representer, gap float64) (e Excess, err error) {
	rows, _ := k.X.Dims()
	count := min(TrialRows, rows*r.PerRow())
	a, err := r.RightHandSides(k.X)(0, count)
	if err != nil {
		return e, err
	}
	out, err := r.AtNodes(ctx, a, gap/2)
	if err != nil {
		return e, err
	}
	// The same solutions and multipliers are certified three times: at the nodes, for the polynomials through them,
	// and for the curves themselves.
	bent, all := r.Problem(), r.Problem()
	bent.Curves, all.Curves = k.Curves.Exact(), k.Curves
	low, high := polar.Certify(bent, a, out.Iota, out.Multipliers)
	lower, upper := polar.Certify(all, a, out.Iota, out.Multipliers)
	for i := range upper {
		if out.Norm2[i] > 0 {
			own := polar.Gap(low[i], high[i])
			e.Bent = max(e.Bent, own-out.Gap[i])
			e.Slack = max(e.Slack, polar.Gap(lower[i], upper[i])-own)
		}
	}
	return e, nil
}
