package risk

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Passing are rows that pass by, as their features are more than may be held. A pass at V gives the losses, their slopes g and q = Eᵀg, and
// curvatures h. With G_y = Σ_i h_iy e_ie_iᵀ + δI = L_yL_yᵀ,
//
//	½(α‖U‖² + ρ(AU)²) + ½ Σ_y ‖L_yᵀu_y − τ_y‖²,   τ_y = L_yᵀv_y − L_y⁻¹q_y,
//
// has the slope of P at V, and d rows of squares in place of all. Its minimum is the V of the next pass, a proximal Newton step with R as it is (Lee,
// Sun and Saunders 2014). Its multipliers of R are c. Where P does not fall, the step is shortened.
//
// Labels that R couples, and many ones, have one G in common, of the largest h_iy of each row.
//
// Bounds ask nothing of G. The losses of P(V) are those of all rows, and D(c, g) has the g and q of the pass at V.
//
// As a bias is nearly free, D is near P only where the slopes of a label all but sum to 0. Positive or negative ones are scaled for that, and the pass
// keeps q in these two parts.
type Passing struct {
	Rows polar.Rows
	// Sample are those rows of Index, which stand for all in the first steps; nil where rows are few.
	Sample polar.Rows
	Index  []int
}

// passed is what a pass told of a V.
type passed struct {
	learner        setting.Learner
	rows           []bool // that count; nil means all
	loss           bending
	gap            float64 // the least up to here, 0 before any is known
	made           int     // how many steps there were before
	tight          int     // how many steps came out short, as their minima were far off
	coupled        bool    // the loss couples scores
	soft           softening
	open           float64 // what it leaves open
	v              []float64
	scores, slopes []float64 // n×m
	value, most    float64   // the losses, and at least those
	sizes          []float64 // at least ‖e_i‖
	// sums are Σ g_iy e_i of the positive slopes, label by label, of the negative ones, and of what holds each score. The first two are off by at most
	// share of Σ|g|‖e‖.
	sums  blas64.General
	share float64
	roots []blas64.Triangular // L, of each label or one of all
	// alpha and bias are those of the problem.
	alpha, bias float64
}

// counts reports whether a row counts.
func (p *passed) counts(i int) bool { return len(p.rows) == 0 || p.rows[i] }

// sum returns a row of the sums.
func (p *passed) sum(k int) []float64 {
	return p.sums.Data[k*p.sums.Stride : k*p.sums.Stride+p.sums.Cols]
}

// join adds Eᵀg to q = Aᵀc. It returns at least the conjugates at g, and at least by how much the sum is off. Kept are the scales of each label's slopes, the
// smaller of both signs. Roundings of q count by Σ|g|‖e‖, as norms of sums are at most the sums of norms. Those of conjugates move g, and so q.
func (p *passed) join(q, v []float64) (conjugates, off float64, kept []float64) {
	n := len(p.sizes)
	m := len(p.slopes) / n
	d := len(q) / m
	off = gamma(len(q)) * floats.Norm(q, 2) // of the additions below
	keep := make([][2]float64, m)
	for y := range m {
		own, of := q[y*d:(y+1)*d], [2][]float64{p.sum(y), p.sum(m + y)}
		keep[y] = [2]float64{1, 1}
		if p.bias > 0 {
			// The slopes' sum should be less by this, in units of the bias.
			excess, sign := own[d-1]+of[0][d-1]+of[1][d-1]+p.alpha*v[(y+1)*d-1], 0
			if excess < 0 {
				sign = 1
			}
			if heavy := of[sign][d-1]; heavy != 0 {
				keep[y][sign] = max(0, 1-excess/heavy)
			}
		}
		floats.AddScaled(own, keep[y][0], of[0])
		floats.AddScaled(own, keep[y][1], of[1])
		kept = append(kept, min(keep[y][0], keep[y][1]))
	}
	most, moved := make([]float64, n), make([]float64, n)
	parallel.For(n, rowsAtOnce, func(lo, hi int) {
		g := make([]float64, m)
		for i := lo; i < hi; i++ {
			sum := 0.0
			for y, v := range p.slopes[i*m : (i+1)*m] {
				sign := 0
				if v < 0 {
					sign = 1
				}
				g[y] = keep[y][sign] * v
				sum += math.Abs(v)
			}
			var far float64
			if !p.counts(i) {
				continue
			}
			most[i], far = p.loss.Conjugate(i, g)
			moved[i] = (p.share*sum + far*float64(m)) * p.sizes[i]
		}
	})
	return SumUp(most), off + SumUp(moved)*(1+gamma(m)), kept
}
