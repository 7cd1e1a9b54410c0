package risk

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/sipc-ml/sipc/runtime/learn"
)

// setLoss is C (log Σ_Y exp f(x, Y) − f(x, Y_i)) over the sets Y of labels that rows have. f(x, Y) is the sum of the
// scores of the set's labels. Its conjugate at g = C(μ − y) is the least C Σ p log p over probabilities p of sets
// under which μ are the labels' probabilities. p ∝ exp f at some scores attains it.
type setLoss struct {
	*learn.Sets
	of     []int
	weight float64
	// rows has the weight of each row, which C is multiplied by; nil means ones.
	rows []float64
	// elimination is that of Prox, made by eliminate.
	elimination *elimination
	// conjugate is that of each row, at g as Clip left it, and off its error as Conjugate returns it.
	conjugate []float64
	off       []float64
}

// newSetLoss returns the loss over the sets of the rows that count; held-out rows add no sets.
func newSetLoss(t *learn.Targets, rows []bool, weight float64) *setLoss {
	sets, of := learn.NewSets(t.Multi, rows)
	return &setLoss{Sets: sets, of: of, weight: weight, rows: t.Weight, conjugate: make([]float64, len(of)), off: make([]float64, len(of))}
}

// at returns C of a row, times its weight.
func (l *setLoss) at(i int) float64 {
	if l.rows == nil {
		return l.weight
	}
	return l.weight * l.rows[i]
}

// eliminate prepares for Prox. It fails if sets have too much in common.
func (l *setLoss) eliminate() (err error) {
	l.elimination, err = newElimination(l.Labels, l.Each)
	return err
}

// Slope returns C/4 of the heaviest row, as for a softmax over classes.
func (l *setLoss) Slope() float64 {
	if l.rows == nil {
		return l.weight / 4
	}
	return l.weight * slices.Max(l.rows) / 4
}

// Value returns loss_i(s).
func (l *setLoss) Value(i int, s []float64) float64 {
	sums := make([]float64, len(l.Each))
	l.Sum(sums, s)
	return l.at(i) * (logSum(sums) - sums[l.of[i]])
}

// Most adds twice the possible error of the sums f(x, Y): once for logSum and once for f(x, Y_i).
func (l *setLoss) Most(i int, s, e []float64, size float64) float64 {
	sums := make([]float64, len(l.Each))
	l.Sum(sums, s)
	total, all, off := logSum(sums), 0.0, 0.0
	for y, v := range s {
		all, off = all+math.Abs(v), off+e[y]
	}
	rough := gamma(len(s)+len(sums)) * (1 + 6*all + math.Abs(total))
	return l.at(i) * (max(0, total-sums[l.of[i]]) + rough + 2*size*off) * (1 + gamma(len(s)))
}

// Gradient sets C(μ − y).
func (l *setLoss) Gradient(i int, g, s []float64) {
	p := make([]float64, len(l.Each))
	l.probabilities(p, s)
	l.gradient(i, g, p)
}

// gradient sets C(μ − y) from the sets' probabilities.
func (l *setLoss) gradient(i int, g, p []float64) {
	l.Spread(g, p)
	for _, y := range l.Each[l.of[i]] {
		g[y]--
	}
	for y := range g {
		g[y] *= l.at(i)
	}
}

// probabilities sets p to those of the sets.
func (l *setLoss) probabilities(p, s []float64) {
	l.Sum(p, s)
	total := logSum(p)
	for k, v := range p {
		p[k] = math.Exp(v - total)
	}
}

// Prox applies Newton's method to h(s) = ½‖s − u‖² + τ·loss(s). With k = τC its Hessian is M − kμμᵀ, M = I + k Σ_Y
// p_Y 1_Y 1_Yᵀ, which is sparse if sets are paths of a tree.
func (l *setLoss) Prox(i int, u []float64, tau float64) {
	m := l.Labels
	h := &nearSet{setLoss: l, i: i, u: slices.Clone(u), k: tau * l.at(i), p: make([]float64, len(l.Each))}
	h.entries = make([]float64, l.elimination.start[m])
	rooms := make([]float64, 4*m)
	h.mu, h.bent, h.slope, h.room = rooms[:m], rooms[m:2*m], rooms[2*m:3*m], rooms[3*m:]
	descend(h, u, make([]float64, len(u)), make([]float64, len(u)))
}

// A nearSet is the objective h.
type nearSet struct {
	*setLoss
	i int
	u []float64
	k float64

	p, mu, bent, slope, entries, room []float64
}

// value returns h(s).
func (h *nearSet) value(s []float64) float64 {
	h.Sum(h.p, s)
	return h.k*(logSum(h.p)-h.p[h.of[h.i]]) + squaredDistance(s, h.u)/2
}

// direction sets d to Newton's direction, by the formula of Sherman and Morrison.
func (h *nearSet) direction(d, s []float64) float64 {
	h.probabilities(h.p, s)
	h.Spread(h.mu, h.p)
	for y, v := range s {
		h.slope[y] = v - h.u[y] + h.k*h.mu[y]
	}
	for _, y := range h.Each[h.of[h.i]] {
		h.slope[y] -= h.k
	}
	h.elimination.factor(h.entries, h.p, h.k)
	h.elimination.solve(d, h.slope, h.entries, h.room)
	h.elimination.solve(h.bent, h.mu, h.entries, h.room)
	along, bend := h.k*dot(h.mu, d), 1-h.k*dot(h.mu, h.bent)
	blas64.Axpy(along/bend, vector(h.bent), vector(d))
	return dot(h.slope, d)
}

// dot returns the inner product.
func dot(x, y []float64) float64 { return blas64.Dot(vector(x), vector(y)) }

// vector returns x for blas64, in the same memory.
func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// Clip replaces g by the gradient at s, and keeps what Conjugate will return.
func (l *setLoss) Clip(i int, g, s []float64) {
	p := make([]float64, len(l.Each))
	l.probabilities(p, s)
	l.gradient(i, g, p)
	l.conjugate[i], l.off[i] = negentropy(p, l.at(i))
}

// Conjugate returns what Clip has kept.
func (l *setLoss) Conjugate(i int, _ []float64) (most, off float64) { return l.conjugate[i], l.off[i] }

// negentropy returns at least C Σ p′ log p′ of the probabilities p′ = p/Σp. C times any sum of p′ is within off of
// that of p.
func negentropy(p []float64, weight float64) (most, off float64) {
	sum, all := 0.0, 0.0
	for _, v := range p {
		sum += entropy(v)
		all += v
	}
	n := len(p)
	apart := 2*math.Abs(all-1) + 4*gamma(n)
	return weight * (sum + apart*(2+math.Log(float64(n)))), weight * apart * (1 + gamma(0))
}
