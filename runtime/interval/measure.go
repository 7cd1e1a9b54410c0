package interval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

const (
	measuredCurves  = 256 // of each invariance, whose error of interpolation is measured: the hardest half and a draw
	measuredAtOnce  = 8
	probes          = 8 // random functions that tell which curves are hard
	streamIntervals = 0x696e74657276
)

// interpolations returns the errors of all curves, each at all of its functionals. They are proved where they can be,
// else measured half way between the nodes.
func (k *Knowledge) interpolations(ctx context.Context, runs []curve.Run) ([]float64, error) {
	errs, open := k.proofs(k.Regularizer.Nodes)
	k.measured = open
	if !slices.Contains(open, true) {
		return errs, ctx.Err()
	}
	between, err := k.Ground(ctx, k.Regularizer.Nodes, true)
	if err != nil {
		return nil, err
	}
	scores, err := k.hardness(ctx, runs)
	if err != nil {
		return nil, err
	}
	for i := range k.Regularizer.Invariances {
		// Scores are in the order of runs, which are those of the invariances one after the other.
		count := curve.Count(k.Regularizer.Invariances[i].Curves)
		if open[i] {
			if err := k.interpolation(ctx, errs, &k.Regularizer.Invariances[i], between, i, scores[:count]); err != nil {
				return nil, err
			}
		}
		scores = scores[count:]
	}
	k.known = errs
	return errs, nil
}

// hardness estimates for every curve the size of its last two coefficients, by random functions. For a standard
// normal v, E⟨c_m, v⟩² = ‖c_m‖². The last coefficients tell how fast the series decays, and so how much of it the
// nodes miss. With n = N − 1 and the ends halved,
//
//	n c_n = Σ_j x_j (−1)^j,    n c_{n−1} = 2 Σ_j x_j (−1)^j cos(πj/n).
func (k *Knowledge) hardness(ctx context.Context, runs []curve.Run) ([]float64, error) {
	functionals, dim := k.Operator.Dims()
	rng := rand.New(rand.NewPCG(k.Seed, streamIntervals))
	v, t := mat.NewDense(probes, dim, nil), mat.NewDense(probes, functionals, nil)
	raw := v.RawMatrix().Data
	for i := range raw {
		raw[i] = rng.NormFloat64()
	}
	k.Operator.Apply(t, v)
	var out []float64
	for _, r := range runs {
		for i := range r.Count {
			sum := 0.0
			for p := range probes {
				row := t.RawRowView(p)
				last, other := 0.0, 0.0
				for j := range r.Nodes {
					x := row[r.Leaf(i, j)]
					if j%2 == 1 {
						x = -x
					}
					if j == 0 || j == r.Nodes-1 {
						x /= 2
					}
					last += x
					other += 2 * x * math.Cos(math.Pi*float64(j)/float64(r.Nodes-1))
				}
				sum += last*last + other*other
			}
			out = append(out, sum)
		}
	}
	return out, ctx.Err()
}

// interpolation sets the errors of the curves of an invariance. Curves that are measured get their own error, and the
// others the largest of these. So the errors are estimates, and certificates by them are called measured.
func (k *Knowledge) interpolation(ctx context.Context, errs []float64, inv *regularizer.Invariance, between *regularizer.Regularizer, which int, scores []float64) error {
	if len(between.Invariances) != len(k.Regularizer.Invariances) {
		return fmt.Errorf("interval: %d invariances at the nodes, %d between them", len(k.Regularizer.Invariances), len(between.Invariances))
	}
	// Both groundings list the same elements in the same order, so that curves match by number.
	other := &between.Invariances[which]
	at, mid := leavesOf(inv), leavesOf(other)
	if len(at) != len(mid) {
		return fmt.Errorf("interval: %s has %d curves at the nodes, %d between them", inv.Name, len(at), len(mid))
	}
	m := newMeasurer(k, inv.First, other.First, between.Functionals, len(at[0]))
	sample := k.sample(scores)
	most := 0.0
	bounds := make([]float64, len(sample))
	for lo := 0; lo < len(sample); lo += measuredAtOnce {
		hi := min(lo+measuredAtOnce, len(sample))
		if err := m.measure(ctx, bounds[lo:hi], sample[lo:hi], at, mid); err != nil {
			return err
		}
		most = max(most, slices.Max(bounds[lo:hi]))
	}
	for i := range at {
		setAll(errs, inv.First, at[i], most)
	}
	for j, i := range sample {
		setAll(errs, inv.First, at[i], bounds[j])
	}
	return nil
}

// sample draws the curves that are measured: all where they are few, else the hardest and others by the seed. The
// draw guards against curves that look easy to the random functions.
func (k *Knowledge) sample(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	if len(order) <= measuredCurves {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	rest := order[measuredCurves/2:]
	rng := rand.New(rand.NewPCG(k.Seed, streamIntervals+1))
	rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	order = order[:measuredCurves]
	slices.Sort(order)
	return order
}

// A measurer measures errors of interpolation in feature space.
type measurer struct {
	on              *Knowledge
	first, firstMid int
	mid             *plugins.Block
	remainder       *curve.Remainder
	halfway         blas64.General
}

// newMeasurer prepares for curves of that many nodes. Their functionals begin at first, and at firstMid in the block
// mid of the places between.
func newMeasurer(on *Knowledge, first, firstMid int, mid *plugins.Block, nodes int) *measurer {
	r := curve.NewRemainder(nodes)
	return &measurer{on: on, first: first, firstMid: firstMid, mid: mid, remainder: r, halfway: r.Halfway()}
}

// measure bounds the errors of some curves: at and mid are the leaves of all of them, at the nodes and between. The
// Gram matrix of the errors E_k = g(λ_k) − p(λ_k) half way between nodes is all that [curve.Remainder] needs.
func (m *measurer) measure(ctx context.Context, bounds []float64, which []int, at, mid [][]int) error {
	b := newBlend()
	degree := m.halfway.Rows
	for _, i := range which {
		if len(mid[i]) != degree || len(at[i]) != degree+1 {
			return fmt.Errorf("interval: a curve of %d nodes has %d places between them", len(at[i]), len(mid[i]))
		}
		for k := range degree {
			b.add(m.mid, m.firstMid+mid[i][k], 1)
			for j, leaf := range at[i] {
				b.add(m.on.Regularizer.Functionals, m.first+leaf, -m.halfway.Data[k*m.halfway.Stride+j])
			}
			b.out.End()
		}
	}
	rows, err := b.rows(ctx, m.on.X, m.on.Features, m.on.Labels)
	if err != nil {
		return err
	}
	gram := blas64.General{Rows: degree, Cols: degree, Stride: degree, Data: make([]float64, degree*degree)}
	for k := range which {
		part := rows
		part.Rows, part.Data = degree, rows.Data[k*degree*rows.Stride:(k+1)*degree*rows.Stride]
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, part, part, 0, gram)
		bounds[k] = m.remainder.Bound(gram)
	}
	return nil
}
