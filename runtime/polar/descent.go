package polar

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A descent brings one right-hand side near its embedding, by quasi-Newton steps on the augmented Lagrangian ψ of
// [newton]. ψ is smooth in V. Where ρ² is a sum over many groups, its Hessian differs little from that of a quadratic,
//
//	∇²ψ ≈ M_κ = αI + κAᵀWA,   κ = ρ(AV)²/Σ W(AV)².
//
// So steps of the limited memory BFGS method that begin with M_κ⁻¹ need few products with A (Liu and Nocedal 1989). The
// multipliers c move at each of them from the second on. With y = βW(u − prox u), u = AV + c/(βW), the gradient is
// αV + Aᵀy − a. V and y also bound the gap, and every product for that is at hand.
//
// In the batch, row z holds c, row t holds AV, and row y holds y, and then A times the step.
type descent struct {
	v, grad, d []float64 // D: V, ∇ψ(V), and the step that follows
	level      int       // of the β of ψ
	square     float64   // ρ(prox u)²
	pairs      []pair    // the last ones, oldest first
	// fromV and fromGrad are V and ∇ψ before the last step.
	fromV, fromGrad []float64

	best   float64 // the gap when it last halved
	bestAt int     // and the iteration
	claims bool    // the gap seems to be reached, or no iteration is left
	ends   bool    // the alternating directions go on from here
}

// A pair has the moves of V and of the gradient in a step.
type pair struct {
	s, y []float64
	// rho is 1/⟨s, y⟩, and along what the first half of a step took of y.
	rho, along float64
}

const (
	// pairsKept counts the steps that the method remembers.
	pairsKept = 6
	// settled is the iteration from which multipliers move.
	settled = 2
	// descentPatience is the number of iterations within which a gap must halve.
	descentPatience = 6
	// productsEach counts the multiplications of products that there must be for each of the gauge.
	productsEach = 20
	// leafWork counts the multiplications of a gauge for each functional, at least.
	leafWork = 40
	// functionalsEach counts the functionals that there must be for each dimension.
	functionalsEach = 4
	// descentVectors counts the vectors of V's length that a descent holds.
	descentVectors = 2*pairsKept + 5
	// mostKappa and its inverse bound the κ of a descent. Beyond them no quadratic is near, as few functionals bear ρ, or none.
	mostKappa = 10.0
	// roughness is the multiple of the gap to be reached from which a rough one is not refined.
	roughness = 3
	// Lengths of steps lie between these. Those within stepOff of 1 are 1, which saves a proximal map.
	leastStep, mostStep, stepOff = 0.1, 3, 0.05
	// leastCurvature is the least cosine of a pair that is remembered.
	leastCurvature = 1e-8
)

// descends reports whether right-hand sides may begin with a descent. Its steps take three proximal maps, where the
// alternating directions take one, and so pay only where products take most of the time. With few functionals for each
// dimension, kinks do not average out.
func descends(functionals, stored, dim int, work float64) bool {
	return functionals >= functionalsEach*dim && WorkOf(stored, dim, 0).Iteration >= productsEach*work
}

// storedRows counts the rows that an operator is made of, at most.
func storedRows(a Operator) int {
	r, _ := a.Dims()
	if l, ok := a.(listed); ok {
		return min(r, l.StoredRows())
	}
	return r
}

// open begins the descent of task i, with the closed form in v and its values in z, if a quadratic is near. It reports false
// if none is.
func (f *batch[T]) open(i int, p *gauge.Prox) bool {
	s, t, av, c := f.solver, f.tasks[i], f.t.row(i), f.z.row(i)
	copy(av, c)
	rho, tt := wideRho(s, av), 0.0
	for j, w := range s.metric {
		tt += w * float64(av[j]) * float64(av[j])
	}
	kappa := rho * rho / tt
	if !(kappa >= 1/mostKappa && kappa <= mostKappa) {
		return false
	}
	dim := s.dim
	buf := make([]float64, 5*dim)
	d := &descent{
		v: buf[:dim], grad: buf[dim : 2*dim], d: buf[2*dim : 3*dim], fromV: buf[3*dim : 4*dim], fromGrad: buf[4*dim:],
		best: math.Inf(1), bestAt: t.iterations,
	}
	convert(d.v, f.v.row(i))
	// The best multiple of the closed form.
	if by := dot(t.a, d.v) / (s.problem.Alpha*dot(d.v, d.v) + rho*rho); by > 0 && !math.IsInf(by, 0) {
		floats.Scale(by, d.v)
		for j := range av {
			av[j] *= T(by)
		}
	}
	for j, w := range f.metric {
		c[j] = T(kappa) * w * av[j]
	}
	d.level = s.nearest(lean * strength(f, i, p, lean*kappa))
	t.descent, t.level = d, s.nearest(kappa)
	return true
}

// strength returns ‖c‖/‖AV‖ in the metric, for the c with which the largest values alone answer, under some β.
func strength[T precision](f *batch[T], i int, p *gauge.Prox, beta float64) float64 {
	av, y := f.t.row(i), f.y.row(i)
	f.arith.prox(p, y, av, 1/beta)
	cc, tt := 0.0, 0.0
	for j, w := range f.solver.metric {
		t, x := float64(av[j]), beta*float64(av[j]-y[j])
		cc, tt = cc+w*x*x, tt+w*t*t
	}
	return math.Sqrt(cc / tt)
}

// descend moves task i along its step, and its multipliers, and sets row y to the next y.
func (f *batch[T]) descend(i int, p *gauge.Prox) {
	t, d, c, y := f.tasks[i], f.tasks[i].descent, f.z.row(i), f.y.row(i)
	room, ok := f.spares.Get().(*matrix[T])
	if !ok {
		own := newMatrix[T](2, f.solver.r)
		room = &own
	}
	defer f.spares.Put(room)
	if !t.fresh {
		f.move(i, p, *room)
	}
	t.fresh = false
	d.square = f.respond(p, y, room.row(0), f.t.row(i), c, step(d.level))
}

// respond sets y to βW(u − prox u), u = AV + c/(βW), and returns ρ(prox u)². It overwrites u.
func (f *batch[T]) respond(p *gauge.Prox, y, u, av, c []T, beta float64) (square float64) {
	b, w := T(beta), f.metric
	for j, x := range av {
		u[j] = x + c[j]/(b*w[j])
	}
	f.arith.prox(p, y, u, 1/beta)
	for j, x := range u {
		t := y[j]
		y[j] = b * w[j] * (x - t)
		square += float64(t * y[j]) // y is a subgradient of ½ρ² at t
	}
	return square
}

// wideRho returns ρ of values in either precision.
func wideRho[T precision](s *Solver, values []T) float64 {
	wide := make([]float64, len(values))
	convert(wide, values)
	return s.problem.Gauge.Value(wide)
}

// nearest returns the level of the step nearest to β.
func (s *Solver) nearest(beta float64) int {
	if !(beta > 0) || math.IsInf(beta, 0) {
		return 0
	}
	stride := 1.0
	if s.dim >= coarseDim {
		stride = 2
	}
	return int(min(max(stride*math.Round(2*math.Log10(beta)/stride), -maxLevel), maxLevel))
}

// move goes along the step to where the slope of ψ seems to vanish, judged by both ends of it. It then moves the
// multipliers.
func (f *batch[T]) move(i int, p *gauge.Prox, own matrix[T]) {
	t, d := f.tasks[i], f.tasks[i].descent
	c, av, ad := f.z.row(i), f.t.row(i), f.y.row(i)
	y, u, beta := own.row(0), own.row(1), step(d.level)
	for j, x := range ad {
		av[j] += x
	}
	f.respond(p, y, u, av, c, beta)
	by := length(f, i, y)
	for j, x := range ad {
		av[j] += T(by-1) * x
	}
	copy(d.fromV, d.v)
	copy(d.fromGrad, d.grad)
	floats.AddScaled(d.v, by, d.d)
	if t.iterations < settled {
		return
	}
	if by != 1 {
		f.respond(p, y, u, av, c, beta)
	}
	copy(c, y)
}

// length returns where along the step of task i the slope of ψ seems to vanish, given y at its end.
func length[T precision](f *batch[T], i int, y []T) float64 {
	t, d, alpha := f.tasks[i], f.tasks[i].descent, f.solver.problem.Alpha
	before, after := dot(d.grad, d.d), 0.0
	for j, x := range d.d {
		after += (alpha*(d.v[j]+x) - t.a[j]) * x
	}
	for j, x := range f.y.row(i) {
		after += float64(x) * float64(y[j])
	}
	if fall := after - before; fall > 0 {
		if by := min(max(-before/fall, leastStep), mostStep); math.Abs(by-1) > stepOff {
			return by
		}
	}
	return 1
}

// turn assesses task i, given Aᵀy in q, and replaces q by what M_κ⁻¹ makes the next step of.
func (f *batch[T]) turn(i int) {
	t, d, q := f.tasks[i], f.tasks[i].descent, f.q.row(i)
	assess(f, i)
	if t.rests() {
		copy(f.z.row(i), f.y.row(i))
		clear(d.d)
		clear(q)
		return
	}
	for j, x := range q {
		d.grad[j] = f.solver.problem.Alpha*d.v[j] + float64(x) - t.a[j]
	}
	if t.iterations > 0 {
		d.remember()
	}
	copy(d.d, d.grad)
	for k := len(d.pairs) - 1; k >= 0; k-- {
		e := &d.pairs[k]
		e.along = e.rho * dot(e.s, d.d)
		floats.AddScaled(d.d, -e.along, e.y)
	}
	convert(q, d.d)
}

// assess estimates the gap of V and y, and decides whether the descent of task i goes on.
func assess[T precision](f *batch[T], i int) {
	t, d, s, q := f.tasks[i], f.tasks[i].descent, f.solver, f.q.row(i)
	gap := roughly(d, t.a, q, s.problem.Alpha)
	if !(gap > roughness*s.settings.Gap) {
		gap = guess(s, t, d.v, f.t.row(i), q, f.y.row(i))
	}
	t.watch.saw(t.iterations+1, gap, s.settings.Gap)
	if gap < d.best/2 {
		d.best, d.bestAt = gap, t.iterations
	}
	d.claims = gap <= s.settings.Gap || t.iterations+1 >= s.settings.MaxIterations
	t.leaves = !d.claims && f.floor > 0 && !(gap >= f.floor)
	d.ends = !d.claims && (math.IsNaN(gap) || t.iterations-d.bestAt >= descentPatience)
}

// roughly returns the gap with ρ(prox u)² for both ρ(AV)² and ρ°(y)². The second it is, as y is a subgradient there.
func roughly[T precision](d *descent, a []float64, q []T, alpha float64) float64 {
	var av, aq, qq float64
	for j, x := range q {
		av, aq, qq = av+a[j]*d.v[j], aq+a[j]*float64(x), qq+float64(x)*float64(x)
	}
	f, rest := max(aq/(qq+alpha*d.square), 0), 0.0
	for j, x := range q {
		e := a[j] - f*float64(x)
		rest += e * e
	}
	return (rest/alpha+f*f*d.square)*(alpha*dot(d.v, d.v)+d.square)/(av*av) - 1
}

// remember keeps the pair of the last step, if ψ is curved along it.
func (d *descent) remember() {
	var sy, ss, yy float64
	for j, v := range d.v {
		s, y := v-d.fromV[j], d.grad[j]-d.fromGrad[j]
		sy, ss, yy = sy+s*y, ss+s*s, yy+y*y
	}
	if !(sy > leastCurvature*math.Sqrt(ss*yy)) {
		return
	}
	if len(d.pairs) < pairsKept {
		d.pairs = append(d.pairs, pair{s: make([]float64, len(d.v)), y: make([]float64, len(d.v))})
	} else {
		oldest := d.pairs[0]
		copy(d.pairs, d.pairs[1:])
		d.pairs[pairsKept-1] = oldest
	}
	last := &d.pairs[len(d.pairs)-1]
	floats.SubTo(last.s, d.v, d.fromV)
	floats.SubTo(last.y, d.grad, d.fromGrad)
	last.rho = 1 / sy
}

// aim makes the step of task i of what M_κ⁻¹ has left in row v.
func (f *batch[T]) aim(i int) {
	d, v := f.tasks[i].descent, f.v.row(i)
	if f.tasks[i].rests() {
		return
	}
	convert(d.d, v)
	for k := range d.pairs {
		e := &d.pairs[k]
		floats.AddScaled(d.d, e.along-e.rho*dot(e.y, d.d), e.s)
	}
	floats.Scale(-1, d.d)
	convert(v, d.d)
}

// rests reports whether a descent makes no further step for now.
func (t *task) rests() bool { return t.descent.claims || t.descent.ends || t.leaves }

// settle ends the descent of task i, and lets the alternating directions go on from its V and c: z = AV + c/(βW). They begin
// at 0 if these are not finite.
func (f *batch[T]) settle(i int) {
	t, z, av := f.tasks[i], f.z.row(i), f.t.row(i)
	level, size := t.descent.level, 0.0
	b := T(step(level))
	for j, w := range f.metric {
		z[j] = av[j] + z[j]/(b*w)
		size += float64(z[j]) * float64(z[j])
	}
	if math.IsNaN(size) || math.IsInf(size, 0) {
		clear(z)
	}
	t.descent, t.level, t.moved, t.fresh = nil, level, t.iterations, true
	t.watch.next = t.iterations + soonest
}
