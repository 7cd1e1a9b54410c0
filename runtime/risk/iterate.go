package risk

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/polar"
)

const (
	// relaxation is the factor of the residual in a step, between 0 and 2.
	relaxation = 1.8
	firstLook  = 5
	// lookShare of the iterations made pass until the next look.
	lookShare = 0.15
	// The step is balanced from this iteration on, again after half as many iterations more, and from slowFrom on at every doubling.
	firstBalance = 8
	// Curvatures are balanced that differ by the factor unbalanced, and from slowFrom on residuals by unbalancedSlow.
	unbalanced     = 2.5
	slowFrom       = 200
	unbalancedSlow = 3
	// mostLevel bounds β, in half decades, and mostFactors the factors that are kept.
	mostLevel   = 12
	mostFactors = 6
	// Steps that differ by sameStep of themselves or less have one factor. Those of two strengths C differ by rounding where the root of their ratio is
	// a number of half decades.
	sameStep = 1e-12
)

// beta returns βW for a functional with W = 1.
func (w *work) beta() float64 { return w.weight * math.Pow(10, float64(w.level)/2) }

// lossBeta returns βW of scores. Of squares of the slope w it is w at every β. Their proximal map at a step of 1/w makes
//
//	2u − z = t
//
// of every z. So the linear system has the loss as it is, and the steps are those of R alone.
func lossBeta(w *work) float64 {
	if w.squares {
		return w.loss.Slope()
	}
	return w.beta()
}

// functionalsAtOnce is how many functionals a goroutine takes at a time.
const functionalsAtOnce = 1 << 15

// each calls body with runs of functionals and their β, on all processors.
func each(w *work, body func(lo, hi int, beta float64)) {
	own := w.beta()
	run := func(from, to int, beta float64) {
		parallel.For(to-from, functionalsAtOnce, func(lo, hi int) { body(from+lo, from+hi, beta) })
	}
	run(0, w.solver.r, own)
	run(w.solver.r, w.end, lossBeta(w))
	run(w.end, len(w.z), own)
}

// run iterates until the gap is reached.
func (w *work) run(ctx context.Context) error { return w.iterate(ctx, &finish{work: w}) }

// harden minimizes, and again as long as multipliers of cuts reach their penalties.
func harden(ctx context.Context, w *work) error {
	for range mostHarder {
		// Multipliers that are still on their way say nothing of the penalties.
		if err := w.minimize(ctx); err != nil || w.contradicted || !w.out.Converged || !w.aiming.raise(w.out.Multipliers) || limits.Over(ctx) || w.spent.over() {
			return err
		}
		w.out.Upper, w.out.Lower, w.out.Floor, w.out.Gap, w.out.Converged = math.Inf(1), math.Inf(-1), math.Inf(-1), math.Inf(1), false
	}
	return w.minimize(ctx)
}

// iterate runs the alternating directions, with tries to finish at the looks.
func (w *work) iterate(ctx context.Context, f *finish) error {
	nextLook, nextBalance, jumped := firstLook, firstBalance, false
	for k := 1; k <= w.request.Limit; k++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		copy(w.last, w.u)
		if k == slowFrom {
			w.products.single = false // rounding may be what is slow
		}
		w.proximal(w.u, w.z, 1/w.beta(), 1/lossBeta(w))
		if k >= nextBalance && !jumped {
			w.balance(k >= slowFrom)
			if nextBalance = k + k/2; k >= slowFrom {
				nextBalance = 2 * k
			}
		}
		jumped = false
		if err := w.solve(ctx); err != nil {
			return err
		}
		w.out.Iterations = k
		w.spent.made += w.spent.iteration
		if k >= nextLook || ends(ctx, w, k) {
			w.look()
			w.tell(k)
			if w.over(ctx) {
				break
			}
			steps, arrived, err := f.try(ctx, k)
			if err != nil {
				return err
			}
			k += steps
			w.out.Iterations = k
			if w.over(ctx) {
				break
			}
			nextLook = k + min(w.products.betweenLooks()*max(firstLook, int(lookShare*float64(k))), max(2, int(math.Ceil(f.remaining(k)))))
			if arrived {
				jumped = true
				continue
			}
		}
		advance(w, k)
	}
	keep(w)
	return nil
}

// advance moves z by the step of iteration k.
func advance(w *work, k int) {
	hastened := 0
	if w.past != nil && k >= hastenFrom {
		hastened = len(w.past.metric) // all, or those of R
	}
	each(w, func(lo, hi int, _ float64) {
		for j, t := range w.u[lo:hi] {
			w.room[lo+j] = relaxation * (w.values[lo+j] - t)
		}
		if lo >= hastened {
			floats.Add(w.z[lo:hi], w.room[lo:hi])
		}
	})
	if hastened == 0 {
		return
	}
	if w.past.level != w.level {
		w.past.forget()
		w.past.level = w.level
	}
	w.past.next(w.z[:hastened], w.room[:hastened])
}

// tell reports the gap after so many iterations to the caller.
func (w *work) tell(iterations int) {
	if w.request.Progress != nil {
		w.request.Progress(iterations, w.out.Gap)
	}
}

// ends reports whether iteration k is the last, for want of iterations, work or time.
func ends(ctx context.Context, w *work, k int) bool {
	return k == w.request.Limit || w.spent.over() || limits.Past(ctx)
}

// over reports whether there is nothing more to do, or no time for it.
func (w *work) over(ctx context.Context) bool {
	return w.out.Converged || math.IsNaN(w.out.Gap) || w.spent.over() || limits.Over(ctx)
}

// keep stores where a later request may go on.
func keep(w *work) {
	if w.out.z, w.out.level = w.z, w.level; w.request.Carried {
		w.proximal(w.u, w.z, 1/w.beta(), 1/lossBeta(w))
		w.multipliers()
		w.out.c = slices.Clone(w.room[:w.end])
	}
}

// proximal sets u to the proximal point of z, with the given steps of ½ρ² and of the losses. Searches begin at the last one.
func (w *work) proximal(u, z []float64, step, tau float64) {
	if w.solver.r > 0 {
		w.solver.prox.Square(u[:w.solver.r], z[:w.solver.r], step)
	}
	scores := u[w.solver.r:]
	copy(scores, z[w.solver.r:])
	w.eachRow(scores, func(i int, s []float64) {
		at := w.solver.r + i*w.solver.width
		proxFrom(w.loss, i, s, w.last[at:at+w.solver.width], tau)
	})
	w.aiming.lift(u[w.end:], tau)
}

// A stepFactor is the factor of the linear system at a step β, and at that of losses.
type stepFactor struct {
	beta, loss float64
	factor     polar.Factor
}

// factorAt returns the factor at a step: one that is kept, or a new one in place of that which was used longest ago.
func factorAt(ctx context.Context, w *work) (polar.Factor, error) {
	s, beta, loss := w.solver, w.beta(), lossBeta(w)
	same := func(f stepFactor) bool {
		return math.Abs(f.beta-beta) <= sameStep*beta && math.Abs(f.loss-loss) <= sameStep*loss
	}
	if k := slices.IndexFunc(s.factors, same); k >= 0 {
		f := s.factors[k]
		s.factors = append(slices.Delete(s.factors, k, k+1), f)
		return f.factor, nil
	}
	if len(s.factors) == mostFactors {
		s.factors = slices.Delete(s.factors, 0, 1)
	}
	weights := make([]float64, len(s.metric))
	each(w, func(lo, hi int, beta float64) { floats.ScaleTo(weights[lo:hi], beta, s.metric[lo:hi]) })
	f, err := s.problem.A.Factor(ctx, s.problem.Alpha, weights)
	if err != nil {
		return nil, err
	}
	w.spent.made += w.spent.factor
	s.factors = append(s.factors, stepFactor{beta, loss, f})
	return f, nil
}

// solve sets V to the solution of the linear system, and values to ÃV.
func (w *work) solve(ctx context.Context) error {
	f, err := factorAt(ctx, w)
	if err != nil {
		return err
	}
	each(w, func(lo, hi int, beta float64) {
		for j, t := range w.u[lo:hi] {
			w.room[lo+j] = beta * w.solver.metric[lo+j] * (2*t - w.z[lo+j])
		}
	})
	w.products.applyT(w.q, w.room)
	if err := f.Solve(ctx, row(w.v), row(w.q)); err != nil {
		return err
	}
	w.products.apply(w.values, w.v)
	return nil
}

// look computes both bounds at the iteration's V and multipliers.
func (w *work) look() {
	if w.products.single {
		w.solver.problem.A.Apply(row(w.values), row(w.v))
	}
	w.multipliers()
	w.take()
}

// take computes both bounds at V and the multipliers in the room, and keeps the best V.
func (w *work) take() {
	out := w.out
	if upper := w.upper(w.v, w.values); upper < out.Upper {
		out.Upper = upper
		copy(out.V, w.v)
		keepScores(w)
		out.Values = append(out.Values[:0], w.values[w.end:]...)
	}
	out.Lower = max(out.Lower, w.dual(w.u[w.solver.r:]))
	out.Gap = Gap(out.Lower, out.Upper)
	out.Converged = out.Gap <= w.request.Gap
}

// primal returns P(V) without regard to rounding, where values are ÃV.
func (w *work) primal(v, values []float64) float64 {
	return regular(w, v, values) + w.sumRows(values[w.solver.r:], w.loss.Value)
}

// regular returns P(V) without the losses, and what cuts add to it.
func regular(w *work, v, values []float64) float64 {
	sum := w.solver.problem.Alpha * dot(v, v)
	if w.solver.r > 0 {
		rho := w.solver.problem.Gauge.Value(values[:w.solver.r])
		sum += rho * rho
	}
	return sum/2 + w.aiming.short(values[w.end:])
}

// multipliers sets the room to βW(z − u), the multipliers of z and its proximal point.
func (w *work) multipliers() {
	each(w, func(lo, hi int, beta float64) {
		for j, t := range w.u[lo:hi] {
			w.room[lo+j] = beta * w.solver.metric[lo+j] * (w.z[lo+j] - t)
		}
	})
}

// dual returns D(c, g) at the multipliers in the room. It moves those of losses into their domains; s are scores for
// this.
func (w *work) dual(s []float64) float64 {
	c, polar := w.room, 0.0
	if w.solver.r > 0 {
		w.solver.problem.Gauge.Repair(c[:w.solver.r])
		if polar = w.solver.measure.Polar(c[:w.solver.r]); math.IsInf(polar, 0) || math.IsNaN(polar) {
			return math.Inf(-1)
		}
	}
	w.aiming.clip(c[w.end:])
	scores := c[w.solver.r:w.end]
	m := w.solver.width
	for i := range w.solver.n {
		if !w.counts(i) {
			clear(scores[i*m : (i+1)*m])
		}
	}
	if w.passed == nil { // what stands for rows that passed by has multipliers of 0
		w.eachRow(scores, func(i int, g []float64) { w.loss.Clip(i, g, s[i*m:(i+1)*m]) })
	}
	w.solver.problem.A.ApplyT(row(w.q), row(c))
	if w.solver.problem.Bias > 0 && w.passed == nil {
		w.settle()
	}
	conjugates, moved := w.conjugates(scores)
	aims, leasts := w.aiming.conjugates(c[w.end:])
	own := conjugates + leasts
	conjugates += aims
	lower := w.bound(w.q, w.solver.measure.Slack(c)+moved, polar, conjugates)
	higher := false
	if floor := w.bound(w.q, w.solver.measure.Slack(c)+moved, polar, own); floor > w.out.Floor {
		higher = true
		w.out.Floor, w.out.Multipliers = floor, append(w.out.Multipliers[:0], c[w.end:]...)
	}
	better := lower > w.out.Lower
	if better {
		w.lost = w.bound(w.q, 0, polar, conjugates) - lower
	}
	if w.solver.problem.Curves.Integrals() {
		better = w.density(conjugates, moved)
	}
	if len(c) > w.end {
		better = higher // what is said of scores counts from the bound without margins
	}
	if better {
		if w.request.Carried {
			w.out.best = append(w.out.best[:0], w.room...)
		}
		w.out.passed, w.out.kept = w.passed, w.kept
		w.out.Slopes = append(w.out.Slopes[:0], scores...)
		if shared, ok := w.loss.(interface{ weights() []float64 }); ok {
			w.out.Shares = append(w.out.Shares[:0], shared.weights()...)
		}
	}
	return lower
}

// bound returns at most D, where q is Ãᵀ(c, g) up to off. With α less what squares may be off, it bounds the P that is meant.
func (w *work) bound(q []float64, off, polar, conjugates float64) float64 {
	less, base := offOf(w)
	alpha := w.solver.problem.Alpha - less
	if !(alpha > 0) {
		return math.Inf(-1)
	}
	return Dual(alpha, w.solver.measure.Size(q)+off, polar, conjugates+base)
}

// density bounds the minimum for intervals by the multipliers that dual has left in the room. It reports whether that
// is the best bound.
func (w *work) density(conjugates, moved float64) bool {
	rows, c := slices.Clone(w.room), slices.Clone(w.room[:w.solver.r])
	off := w.solver.problem.Curves.Densities(rows[:w.solver.r], c)
	polar := w.solver.measure.Polar(c)
	q := make([]float64, w.solver.dim)
	w.solver.problem.A.ApplyT(row(q), row(rows))
	if w.passed != nil {
		conjugates, moved, w.kept = w.passed.join(q, w.v)
	}
	lower := w.bound(q, off+w.solver.measure.Slack(rows)+moved, polar, conjugates)
	better := lower > w.lower
	w.lower = max(w.lower, lower)
	return better
}

// settle changes the multipliers' sums to those that belong to the biases at hand: a difference counts by the square
// of a large constant. It shrinks the multipliers of the sign that is too heavy in proportion, which stays in every
// domain.
func (w *work) settle() {
	m := w.solver.problem.Labels
	d := w.solver.dim / m
	scores := w.room[w.solver.r:w.end]
	changed := false
	for y := range m {
		at := (y+1)*d - 1
		// Σ_i g_iy should be less by this.
		excess := (w.q[at] + w.solver.problem.Alpha*w.v[at]) / w.solver.problem.Bias
		heavy := 0.0
		for i := y; i < len(scores); i += m {
			if scores[i]*excess > 0 {
				heavy += scores[i]
			}
		}
		if excess == 0 || heavy == 0 {
			continue
		}
		keep := max(0, 1-excess/heavy)
		for i := y; i < len(scores); i += m {
			if scores[i]*excess > 0 {
				scores[i] *= keep
				changed = true
			}
		}
	}
	if changed {
		w.solver.problem.A.ApplyT(row(w.q), row(w.room))
	}
}

// upper returns at least P(V), where values are the computed ÃV.
func (w *work) upper(v, values []float64) float64 {
	size, m := w.solver.measure.Size(v), w.solver.width
	rho := 0.0
	if w.solver.r > 0 {
		rho = w.solver.measure.Rho(values[:w.solver.r], size)
	}
	errs := w.solver.measure.Values()[w.solver.r:w.end]
	off, base := offOf(w)
	if w.passed != nil {
		base += w.passed.most
	} else {
		w.sumRows(values[w.solver.r:], func(i int, s []float64) float64 { return w.loss.Most(i, s, errs[i*m:(i+1)*m], size) })
		base += SumUp(w.part)
	}
	return Primal(w.solver.problem.Alpha+off, size, rho, base+w.aiming.most(values[w.end:], size))
}

// offOf returns what P may differ by from the one that is meant: ½off‖V‖² + base.
func offOf(w *work) (off, base float64) {
	off = w.solver.problem.Off
	if sq := w.solver.problem.Squares; sq != nil {
		weight := w.loss.Slope()
		off, base = off+weight*sq.Off, weight*sq.Base/2
	}
	return off, base
}

// conjugates returns at least the losses' conjugates at some g′ near g. Eᵀg′ is within moved of Eᵀg. The g of rows that passed by is added to q.
func (w *work) conjugates(g []float64) (most, moved float64) {
	if w.passed != nil {
		most, moved, w.kept = w.passed.join(w.q, w.v)
		return most, moved
	}
	clear(w.part)
	clear(w.moved)
	m, sizes := w.solver.width, w.solver.measure.Sizes()[w.solver.r:w.end]
	w.eachRow(g, func(i int, g []float64) {
		var off float64
		if w.part[i], off = w.loss.Conjugate(i, g); off > 0 {
			w.moved[i] = off * floats.Sum(sizes[i*m:(i+1)*m])
		}
	})
	return SumUp(w.part), SumUp(w.moved) * (1 + gamma(m))
}

// balance changes β between the proximal map and the solution of the linear system. The step of z, 1.8(ÃV − u) if not hastened, has just moved u by Δu. Where
// the losses and R have the curvature h along it, Δu is β/(β + h) of the step. In a direction of the curvature h and of α‖V‖²'s, h′, iterations
// are slow if β is far above both or far below. So the slow directions, which soon are all that moves, say whether β is too large:
// h is far from β there. The estimate of h + β is that of Barzilai and Borwein (1988).
//
// Late moves may turn rather than fall. Then the residuals ÃV − u and Δu are balanced, as shares of values and multipliers (Boyd et al. 2011,
// section 3.4.1; Wohlberg 2017).
// Squared losses take no part in it.
func (w *work) balance(late bool) {
	apart, along, moved, values, multipliers, stepped := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	over := w.u
	if w.squares {
		over = over[:w.solver.r]
	}
	for j, t := range over {
		m, r, s, c := w.solver.metric[j], w.values[j]-w.last[j], t-w.last[j], w.z[j]-t
		step := relaxation * r
		if w.past != nil && w.past.hastened {
			step = w.z[j] - w.past.last[j]
		}
		apart += m * r * r
		stepped += m * step * step
		along += m * step * s
		moved += m * s * s
		values += m * t * t
		multipliers += m * c * c
	}
	ratio, most := stepped/along-1, unbalanced
	if late {
		ratio, most = math.Sqrt(apart*multipliers/(moved*values)), unbalancedSlow
	}
	if !(along > 0 && ratio > 0) || math.IsInf(ratio, 1) || ratio < most && ratio > 1/most {
		return
	}
	before := w.beta()
	move := min(max(int(math.Round(math.Log10(ratio))), -2), 2)
	if move == 0 {
		move = 1
		if ratio < 1 {
			move = -1
		}
	}
	w.level = min(max(w.level+move, -mostLevel), mostLevel)
	share := before / w.beta()
	for j, t := range over {
		w.z[j] = t + (w.z[j]-t)*share
	}
}
