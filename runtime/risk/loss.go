package risk

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Loss is the loss of rows of m scores, with its weight. It is convex and nonnegative. Methods may be called for
// any row, in any order and by several goroutines.
type Loss interface {
	// Slope returns how much the loss's derivative changes, at most, along scores that change by 1. It sets the
	// natural size of steps.
	Slope() float64
	// Value returns loss_i(s).
	Value(i int, s []float64) float64
	// Gradient sets g to the gradient of loss_i at s, or to a subgradient at a kink.
	Gradient(i int, g, s []float64)
	// Prox replaces u by argmin_s ½‖s − u‖² + τ·loss_i(s).
	Prox(i int, u []float64, tau float64)
	// Clip moves g into the domain of the conjugate. The gradient at s lies there already, up to rounding; in the
	// dual of a proximal point s that is g. Losses that can test the domain look at g alone.
	Clip(i int, g, s []float64)
	// Most returns at least loss_i(s′) for every s′ with |s′_y − s_y| ≤ size·e_y, rounding errors counted.
	Most(i int, s, e []float64, size float64) float64
	// Conjugate returns at least loss_i*(g′), rounding errors counted, for some g′ near g. No number of g′ is more
	// than off from that of g, so g may lie outside the domain by this. g must be as the last Clip of the row left
	// it, or changed within the domain by biases.
	Conjugate(i int, g []float64) (most, off float64)
}

// rowsAtOnce is how many rows of scores a goroutine takes at a time.
const rowsAtOnce = 64

// A bending loss knows the derivative of its proximal map.
type bending interface {
	Loss
	// Bend sets d and r so that diag(d) − rrᵀ is ∂(u − prox u)/∂u, s being the proximal point of u.
	Bend(i int, d, r, u, s []float64, tau float64)
}

// NewLoss returns the loss of a learner of some strength. rows says which rows of the targets count; nil means all.
// It fails if the learner does not suit the targets, or is svr.
func NewLoss(l setting.Learner, t *learn.Targets, rows []bool, strength float64) (Loss, error) {
	if err := l.Suits(t.Task); err != nil {
		return nil, err
	}
	if l.LearnsSets(t.Task) {
		return newSetLoss(t, rows, strength), nil
	}
	var loss single
	switch {
	case l.Kind == setting.SVR:
		return nil, errors.New("risk: the loss of svr is not one of those that the risk minimizes; use ridge")
	case l.Kind == setting.Ridge:
		loss = &square{target: numbers(t), weight: 1 / strength}
	case l.Kind == setting.Quantile:
		loss = &pinball{target: t.Real, levels: t.Levels, weight: strength * t.Spread()}
	case l.Kind == setting.Poisson:
		loss = newPoisson(numbers(t), t.Len(), strength)
	case l.Kind == setting.SVM:
		loss = &hinge{target: numbers(t), weight: strength}
	case l.Kind == setting.SquaredSVM:
		loss = &squaredHinge{square{target: numbers(t), weight: 2 * strength}}
	case t.Task == setting.Class:
		loss = &softmax{class: t.Class, weight: strength}
	default:
		loss = &logistic{target: numbers(t), weight: strength}
	}
	if t.Weight != nil {
		return &weighted{loss, t.Weight}, nil
	}
	return loss, nil
}

// Numbers returns the targets of row i and label y as squared losses take them: ±1 for a label, or the number itself.
func Numbers(t *learn.Targets) func(i, y int) float64 { return numbers(t) }

// numbers returns the targets as learners take them: ±1 for a label, or the number itself.
func numbers(t *learn.Targets) func(i, y int) float64 {
	sign := func(has bool) float64 {
		if has {
			return 1
		}
		return -1
	}
	switch t.Task {
	case setting.Real, setting.Counts, setting.Quantiles:
		return func(i, _ int) float64 { return t.Real[i] }
	case setting.Binary:
		return func(i, _ int) float64 { return sign(t.Class[i] == 1) }
	case setting.Class:
		return func(i, y int) float64 { return sign(t.Class[i] == y) }
	case setting.Multilabel:
	}
	return func(i, y int) float64 { return sign(t.Multi.At(i, y) > 0) }
}

// hinge is C Σ max(0, 1 − ts). Its conjugate is Σ tg on −C ≤ tg ≤ 0.
type hinge struct {
	target func(i, y int) float64
	weight float64
}

// Slope returns C, the change of the derivative at the kink.
func (l *hinge) Slope() float64 { return l.weight }

// Value returns loss_i(s).
func (l *hinge) Value(i int, s []float64) float64 {
	sum := 0.0
	for y, v := range s {
		sum += math.Max(0, 1-l.target(i, y)*v)
	}
	return l.weight * sum
}

// Most adds C for each unit that a score may be off by.
func (l *hinge) Most(i int, s, e []float64, size float64) float64 {
	sum := 0.0
	for y, v := range s {
		sum += math.Max(0, 1-l.target(i, y)*v) + size*e[y]
	}
	return l.weight * sum * (1 + gamma(len(s)))
}

// Gradient sets the slope of the side of the kink on which scores are large enough.
func (l *hinge) Gradient(i int, g, s []float64) {
	for y, v := range s {
		t := l.target(i, y)
		if g[y] = 0; t*v < 1 {
			g[y] = -l.weight * t
		}
	}
}

// Prox moves every score towards 1 by at most τC.
func (l *hinge) Prox(i int, u []float64, tau float64) {
	step := tau * l.weight
	for y, v := range u {
		t := l.target(i, y)
		u[y] = v + t*min(max(1-t*v, 0), step)
	}
}

// Bend implements bending. The proximal point either stays at the kink, or differs from u by a constant.
func (l *hinge) Bend(i int, d, _, u, _ []float64, tau float64) {
	for y, v := range u {
		d[y] = 0
		if far := 1 - l.target(i, y)*v; far > 0 && far < tau*l.weight {
			d[y] = 1
		}
	}
}

// Clip moves tg into [−C, 0].
func (l *hinge) Clip(i int, g, _ []float64) {
	for y, v := range g {
		t := l.target(i, y)
		g[y] = t * min(max(t*v, -l.weight), 0)
	}
}

// Conjugate returns Σ tg.
func (l *hinge) Conjugate(i int, g []float64) (most, off float64) {
	for y, v := range g {
		most += l.target(i, y) * v
	}
	return most + gamma(len(g))*math.Abs(most), 0
}

// square is Σ w(s − t)²/2. Its conjugate is Σ g²/2w + tg.
type square struct {
	target func(i, y int) float64
	weight float64
}

// Slope returns w.
func (l *square) Slope() float64 { return l.weight }

// Value returns loss_i(s).
func (l *square) Value(i int, s []float64) float64 {
	sum := 0.0
	for y, v := range s {
		d := v - l.target(i, y)
		sum += d * d
	}
	return l.weight * sum / 2
}

// Most takes the largest distances.
func (l *square) Most(i int, s, e []float64, size float64) float64 {
	sum := 0.0
	for y, v := range s {
		d := math.Abs(v-l.target(i, y)) + size*e[y]
		sum += d * d
	}
	return l.weight * sum / 2 * (1 + gamma(len(s)))
}

// Gradient sets w(s − t).
func (l *square) Gradient(i int, g, s []float64) {
	for y, v := range s {
		g[y] = l.weight * (v - l.target(i, y))
	}
}

// Prox moves scores towards the targets: (u + τwt)/(1 + τw).
func (l *square) Prox(i int, u []float64, tau float64) {
	step := tau * l.weight
	for y, v := range u {
		u[y] = (v + step*l.target(i, y)) / (1 + step)
	}
}

// Bend implements bending.
func (l *square) Bend(_ int, d, _, _, _ []float64, tau float64) {
	for y := range d {
		d[y] = tau * l.weight / (1 + tau*l.weight)
	}
}

// Clip does nothing: the domain is everything.
func (*square) Clip(int, []float64, []float64) {}

// Conjugate returns Σ g²/2w + tg.
func (l *square) Conjugate(i int, g []float64) (most, off float64) {
	size := 0.0
	for y, v := range g {
		most += v * (v/(2*l.weight) + l.target(i, y))
		size += math.Abs(v) * (math.Abs(v)/(2*l.weight) + math.Abs(l.target(i, y)))
	}
	return most + gamma(len(g))*size, 0
}

// logistic is C Σ log(1 + exp(−ts)). Its conjugate is C Σ (p log p + (1 − p) log(1 − p)), p = −tg/C in [0, 1].
type logistic struct {
	target func(i, y int) float64
	weight float64
}

// Slope returns C/4, the largest second derivative.
func (l *logistic) Slope() float64 { return l.weight / 4 }

// Value returns loss_i(s).
func (l *logistic) Value(i int, s []float64) float64 {
	sum := 0.0
	for y, v := range s {
		sum += softplus(-l.target(i, y) * v)
	}
	return l.weight * sum
}

// Most adds C for each unit that a score may be off by.
func (l *logistic) Most(i int, s, e []float64, size float64) float64 {
	sum := 0.0
	for y, v := range s {
		sum += softplus(-l.target(i, y)*v) + size*e[y]
	}
	return l.weight * sum * (1 + gamma(len(s)))
}

// Gradient sets −Ct/(1 + exp(ts)).
func (l *logistic) Gradient(i int, g, s []float64) {
	for y, v := range s {
		t := l.target(i, y)
		g[y] = -l.weight * t * sigmoid(-t*v)
	}
}

// Prox solves for each score alone.
func (l *logistic) Prox(i int, u []float64, tau float64) {
	step := tau * l.weight
	for y, v := range u {
		t := l.target(i, y)
		u[y] = t * logisticProx(t*v, step)
	}
}

// logisticProx returns the root y of y − v − step·σ(−y). This rises by between 1 and 1 + step/4 for each unit of y,
// so Newton's method, kept between v and v + step, finds it. Where a step does not halve the residual, which could go back and forth
// for long, the next one halves the interval.
func logisticProx(v, step float64) float64 {
	low, high := v, v+step
	y, last := v+step*sigmoid(-v)/(1+step/4), math.Inf(1)
	for range 100 {
		p := sigmoid(-y)
		r := y - v - step*p
		if r > 0 {
			high = y
		} else {
			low = y
		}
		next := y - r/(1+step*p*(1-p))
		if math.Abs(next-y) <= 1e-13*(1+math.Abs(y)) {
			return next
		}
		if !(next > low && next < high) || math.Abs(r) > last/2 {
			next = (low + high) / 2
		}
		y, last = next, math.Abs(r)
	}
	return y
}

// Bend implements bending: with h the second derivative of τ·loss it is h/(1 + h).
func (l *logistic) Bend(_ int, d, _, _, s []float64, tau float64) {
	for y, v := range s {
		p := sigmoid(v)
		h := tau * l.weight * p * (1 - p)
		d[y] = h / (1 + h)
	}
}

// Clip moves tg into [−C, 0].
func (l *logistic) Clip(i int, g, _ []float64) {
	for y, v := range g {
		t := l.target(i, y)
		g[y] = t * min(max(t*v, -l.weight), 0)
	}
}

// Conjugate returns C Σ (p log p + (1 − p) log(1 − p)). It allows for an error δ = 6u of 1 − p, and so of δ log 1/δ <
// 210u in (1 − p) log(1 − p).
func (l *logistic) Conjugate(i int, g []float64) (most, off float64) {
	const subtraction = 210
	sum := 0.0
	for y, v := range g {
		p := -l.target(i, y) * v / l.weight
		sum += entropy(p) + entropy(1-p)
	}
	return l.weight * (sum + float64(len(g))*gamma(len(g)+subtraction)), 0
}

// softmax is C (log Σ exp s − s_y). Its conjugate is C Σ p log p at g = C(p − e_y), p in the simplex.
type softmax struct {
	class  []int
	weight float64
	rooms  sync.Pool // *[]float64, of proximal points
}

// Slope returns C/4, as for the logistic loss.
func (l *softmax) Slope() float64 { return l.weight / 4 }

// Value returns loss_i(s).
func (l *softmax) Value(i int, s []float64) float64 {
	return l.weight * (logSum(s) - s[l.class[i]])
}

// Most adds twice C for each unit that scores may be off by, and what rounding does to log Σ exp s and to the
// difference.
func (l *softmax) Most(i int, s, e []float64, size float64) float64 {
	total, top, off := logSum(s), 0.0, 0.0
	for y, v := range s {
		top, off = max(top, math.Abs(v)), max(off, e[y])
	}
	rough := gamma(len(s)) * (1 + 3*top + math.Abs(total))
	return l.weight * (max(0, total-s[l.class[i]]) + rough + 2*size*off) * (1 + gamma(0))
}

// Gradient sets C(p − e_y), where p are the probabilities.
func (l *softmax) Gradient(i int, g, s []float64) {
	total := logSum(s)
	for y, v := range s {
		g[y] = l.weight * math.Exp(v-total)
	}
	g[l.class[i]] -= l.weight
}

// logSum returns log Σ exp s, without overflow.
func logSum(s []float64) float64 {
	top, sum := math.Inf(-1), 0.0
	for _, v := range s {
		top = max(top, v)
	}
	for _, v := range s {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// Prox applies Newton's method to h(s) = ½‖s − u‖² + τ·loss(s). Its Hessian I + k(diag(p) − ppᵀ), k = τC, is inverted
// in closed form.
func (l *softmax) Prox(i int, u []float64, tau float64) { l.proxFrom(i, u, u, tau) }

// proxFrom does what Prox does, from a start.
func (l *softmax) proxFrom(i int, u, start []float64, tau float64) {
	m := len(u)
	room, ok := l.rooms.Get().(*[]float64)
	if !ok || len(*room) != nearRooms*m {
		fresh := make([]float64, nearRooms*m)
		room = &fresh
	}
	defer l.rooms.Put(room)
	part := func(k int) []float64 { return (*room)[k*m : (k+1)*m] }
	h := &nearClass{u: part(0), k: tau * l.weight, y: l.class[i], p: part(1)}
	copy(h.u, u)
	copy(u, start)
	descend(h, u, part(2), part(3))
}

// nearRooms is how many vectors a proximal point takes.
const nearRooms = 4

// proxFrom replaces u by the proximal point of a loss. The search begins at a start, where the loss has a search.
func proxFrom(l Loss, i int, u, start []float64, tau float64) {
	switch l := l.(type) {
	case *softmax:
		l.proxFrom(i, u, start, tau)
	case *weighted:
		proxFrom(l.single, i, u, start, tau*l.weight[i])
	default:
		l.Prox(i, u, tau)
	}
}

// A nearClass is the objective h(s) = ½‖s − u‖² + k (log Σ exp s − s_y).
type nearClass struct {
	u []float64
	k float64
	y int
	// p are the probabilities of the last direction.
	p []float64
}

// value returns h(s).
func (h *nearClass) value(s []float64) float64 {
	return h.k*(logSum(s)-s[h.y]) + squaredDistance(s, h.u)/2
}

// direction sets d to Newton's direction.
func (h *nearClass) direction(d, s []float64) (slope float64) {
	probabilities(h.p, s)
	newton(d, s, h.u, h.p, h.k, h.y)
	for j := range s {
		slope += d[j] * gradientAt(j, s, h.u, h.p, h.k, h.y)
	}
	return slope
}

// probabilities sets p to exp s / Σ exp s, without overflow.
func probabilities(p, s []float64) {
	top, sum := floats.Max(s), 0.0
	for j, v := range s {
		p[j] = v - top
	}
	blas.Exp(p, p)
	for _, v := range p {
		sum += v
	}
	for j := range p {
		p[j] /= sum
	}
}

// gradientAt returns element j of the gradient of h.
func gradientAt(j int, s, u, p []float64, k float64, y int) float64 {
	g := s[j] - u[j] + k*p[j]
	if j == y {
		g -= k
	}
	return g
}

// newton sets d to Newton's direction, by the formula of Sherman and Morrison for a diagonal matrix less kppᵀ.
func newton(d, s, u, p []float64, k float64, y int) {
	along, bend := 0.0, 1.0
	for j := range s {
		diagonal := 1 + k*p[j]
		d[j] = gradientAt(j, s, u, p, k, y) / diagonal
		along += p[j] * d[j]
		bend -= k * p[j] * p[j] / diagonal
	}
	for j := range s {
		d[j] += k * along / bend * p[j] / (1 + k*p[j])
	}
}

// Bend implements bending: I − (I + H)⁻¹ of the Hessian H = k(diag(p) − ppᵀ), by the formula of Sherman and Morrison.
func (l *softmax) Bend(_ int, d, r, _, s []float64, tau float64) {
	total, k, bend := logSum(s), tau*l.weight, 0.0
	for y, v := range s {
		p := math.Exp(v - total)
		d[y] = k * p / (1 + k*p)
		r[y] = p / (1 + k*p)
		bend += r[y] // 1 − Σ p·d, as Σ p = 1
	}
	for y := range r {
		r[y] *= math.Sqrt(k / bend)
	}
}

// Clip moves p = g/C + e_y into the simplex: negative numbers become 0, and the rest is divided by the sum. If nothing is left, p is e_y.
func (l *softmax) Clip(i int, g, _ []float64) {
	y, total := l.class[i], 0.0
	for j := range g {
		g[j] /= l.weight
		if j == y {
			g[j]++
		}
		g[j] = max(g[j], 0)
		total += g[j]
	}
	if total == 0 {
		return // of zeros: the multipliers of p = e_y
	}
	for j := range g {
		g[j] *= l.weight / total
	}
	g[y] -= l.weight
}

// Conjugate returns C Σ p log p.
func (l *softmax) Conjugate(i int, g []float64) (most, off float64) {
	p := make([]float64, len(g))
	for j, v := range g {
		p[j] = v / l.weight
		if j == l.class[i] {
			p[j]++
		}
		p[j] = max(0, p[j])
	}
	return negentropy(p, l.weight)
}

// CheckTargets returns an error if targets do not suit n rows and m scores each.
func CheckTargets(t *learn.Targets, n, m int) error {
	if t.Len() != n {
		return fmt.Errorf("risk: %d targets for %d rows", t.Len(), n)
	}
	if t.Task == setting.Multilabel {
		if _, labels := t.Multi.Dims(); labels != m {
			return fmt.Errorf("risk: targets of %d labels for scores of %d", labels, m)
		}
	}
	if t.Task == setting.Quantiles && len(t.Levels) != m {
		return fmt.Errorf("risk: targets of %d levels for scores of %d", len(t.Levels), m)
	}
	if !t.Task.Joint() && m != 1 {
		return fmt.Errorf("risk: a %s target for scores of %d labels", t.Task, m)
	}
	if t.Task == setting.Counts && len(t.Real) > 0 && slices.Min(t.Real) < 0 {
		return errors.New("risk: a count is negative")
	}
	for i, c := range t.Class {
		if t.Task == setting.Class && (c < 0 || c >= m) {
			return fmt.Errorf("risk: row %d is of class %d, outside 0 … %d", i, c, m-1)
		}
	}
	return nil
}
