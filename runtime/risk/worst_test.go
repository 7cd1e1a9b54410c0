package risk

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// drawWorst draws the largest loss of a row and its copies, with so many scores in all.
func drawWorst(t *rapid.T) (l Loss, base scalable, copies, m int) {
	of, m := drawLoss(t)
	base, ok := of.(scalable)
	if !ok {
		t.Skip("label sets")
	}
	copies = rapid.IntRange(1, 6).Draw(t, "copies")
	l, err := newWorst(of, 1, copies, m)
	if err != nil {
		t.Fatal(err)
	}
	return l, base, copies, m
}

// The proximal point s of u attains the dual of the largest loss: a difference of the two sides of Fenchel and Young's inequality is
// zero there, and nowhere negative.
func TestProximalPointsOfWorstLosses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, base, copies, m := drawWorst(t)
		tau := math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "log tau"))
		u := rapid.SliceOfN(rapid.Float64Range(-30, 30), copies*m, copies*m).Draw(t, "u")
		if rapid.Bool().Draw(t, "alike") {
			for k := m; k < len(u); k++ {
				u[k] = u[k-m] + u[k]*1e-3
			}
		}
		other := rapid.SliceOfN(rapid.Float64Range(-30, 30), copies*m, copies*m).Draw(t, "other")
		s, g := slices.Clone(u), make([]float64, len(u))
		l.Prox(0, s, tau)
		for y := range g {
			g[y] = (u[y] - s[y]) / tau
		}
		worst := 0.0
		for k := range copies {
			worst = max(worst, base.Value(0, s[k*m:(k+1)*m]))
		}
		if v := l.Value(0, s); v != worst {
			t.Fatalf("the largest loss is %v, want %v", v, worst)
		}
		raw := slices.Clone(g)
		l.Clip(0, g, s)
		dual, off := l.Conjugate(0, g)
		if off > 1e-9*(l.Slope()+floats.Norm(g, 1)) {
			t.Fatalf("multipliers lie beside the domain by %v", off)
		}
		size := 1 + math.Abs(dual) + l.Value(0, u) + floats.Norm(g, 1)*floats.Norm(s, math.Inf(1)) + floats.Norm(u, 2)/tau
		if moved := floats.Distance(raw, g, 1); moved > 1e-6*size {
			t.Fatalf("the domain is %v away from the multipliers %v of %v", moved, raw, s)
		}
		if gap := worst + dual - floats.Dot(s, g); math.Abs(gap) > 1e-6*size {
			t.Fatalf("at the proximal point %v of %v the loss is %v, its conjugate %v, and they differ by %v", s, u, worst, dual, gap)
		}
		if gap := l.Value(0, other) + dual - floats.Dot(other, g); gap < -1e-9*(size+floats.Norm(g, 1)*30) {
			t.Fatalf("the conjugate at %v is too small by %v for %v", g, gap, other)
		}
	})
}

// The bound of any multipliers holds for all scores, wherever they come from.
func TestConjugatesOfWorstLossesBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, base, copies, m := drawWorst(t)
		draw := func(name string) []float64 {
			return rapid.SliceOfN(rapid.Float64Range(-20, 20), copies*m, copies*m).Draw(t, name)
		}
		g, at, s := draw("g"), draw("at"), draw("s")
		floats.Scale(l.Slope(), g)
		l.Clip(0, g, at)
		if _, classes := bare(base).(*softmax); !classes { // which has no bias that would change them
			floats.Scale(rapid.Float64Range(0, 1).Draw(t, "settled"), g)
		}
		dual, off := l.Conjugate(0, g)
		size := 1 + math.Abs(dual) + floats.Norm(g, 1)*20
		if gap := l.Value(0, s) + dual - floats.Dot(s, g) + off*floats.Norm(s, 1); gap < -1e-12*size {
			t.Fatalf("the conjugate at %v is too small by %v", g, gap)
		}
	})
}

// Copies that are equal have the loss of their row.
func TestOneCopyIsTheLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, base, copies, m := drawWorst(t)
		tau := math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "log tau"))
		u := rapid.SliceOfN(rapid.Float64Range(-30, 30), m, m).Draw(t, "u")
		all := slices.Repeat(u, copies)
		l.Prox(0, all, tau)
		// Each of as many equal copies moves by its share of the step.
		base.Prox(0, u, tau/float64(copies))
		for k, v := range all {
			if math.Abs(v-u[k%m]) > 1e-6*(1+floats.Norm(u, math.Inf(1))) {
				t.Fatalf("equal copies go to %v, want %v each", all, u)
			}
		}
	})
}

// The derivative of the proximal map is what finite differences say, away from kinks.
func TestWorstScoresBend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, base, copies, _ := drawWorst(t)
		loss, ok := l.(bending)
		if !ok {
			t.Skip("several labels")
		}
		// Pieces are wider than the differences taken.
		tau := math.Pow(10, rapid.Float64Range(-2, 3).Draw(t, "log step")) / l.Slope()
		u := rapid.SliceOfN(rapid.Float64Range(-5, 5), copies, copies).Draw(t, "u")
		at := func(y int, h float64) []float64 {
			s := slices.Clone(u)
			s[y] += h
			l.Prox(0, s, tau)
			return s
		}
		s, d, r := at(0, 0), make([]float64, copies), make([]float64, copies)
		if slices.Equal(s, u) {
			if _, hinges := bare(base.(Loss)).(*hinge); !hinges {
				return // at the targets, where nothing moves but what is near does
			}
		}
		loss.Bend(0, d, r, u, s, tau)
		const h = 1e-5
		for y := range u {
			up, down, near := at(y, h), at(y, -h), at(y, -h/2)
			for k := range u {
				want := -(up[k] - down[k]) / (2 * h)
				if math.Abs(want+(s[k]-down[k])/h) > 1e-5 || math.Abs(want+2*(s[k]-near[k])/h) > 1e-5 {
					continue // between the pieces
				}
				got := -r[k] * r[y]
				if k == y {
					want, got = want+1, got+d[y]
				}
				if math.Abs(got-want) > 1e-4 {
					t.Fatalf("∂(u − prox u)_%d/∂u_%d is %v, and by differences %v, at %v of %v", k, y, got, want, s, u)
				}
			}
		}
	})
}

// worstProblem is one of random rows, each with copies near it.
func worstProblem(t *testing.T, task setting.Task, n, copies, m, d int, apart, bias float64) Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, uint64(n*copies+m)))
	width := d
	if bias > 0 {
		width++
	}
	a := mat.NewDense(n*copies*m, m*width, nil)
	targets := &learn.Targets{Task: task}
	if task == setting.Multilabel {
		targets.Multi = mat.NewDense(n, m, nil)
	}
	for i := range n {
		x := make([]float64, d)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		switch noisy := x[0] + 0.5*rng.NormFloat64(); task {
		case setting.Real:
			targets.Real = append(targets.Real, noisy)
		case setting.Quantiles:
			targets.Real, targets.Levels = append(targets.Real, noisy), []float64{0.1, 0.4, 0.9}[:m]
		case setting.Counts:
			targets.Real = append(targets.Real, math.Floor(math.Exp(noisy)))
		case setting.Binary:
			targets.Class = append(targets.Class, rng.IntN(2))
		case setting.Class:
			targets.Class = append(targets.Class, rng.IntN(m))
		case setting.Multilabel:
			for y := range m {
				targets.Multi.Set(i, y, float64(rng.IntN(2)))
			}
		}
		for k := range copies {
			own := slices.Clone(x)
			for j := range own {
				if k > 0 {
					own[j] += apart * rng.NormFloat64()
				}
			}
			for y := range m {
				row := a.RawRowView((i*copies+k)*m + y)
				copy(row[y*width:], own)
				if bias > 0 {
					row[y*width+d] = bias
				}
			}
		}
	}
	op, err := polar.NewDense(a)
	if err != nil {
		t.Fatal(err)
	}
	return Problem{Alpha: 1, A: op, Targets: targets, Copies: copies - 1, Labels: m, Bias: bias}
}

func solveWorst(t *testing.T, p Problem, gap float64, l setting.Learner) *Result {
	t.Helper()
	s, err := New(p, Settings{Gap: gap})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(t.Context(), Request{Learner: l})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Converged {
		t.Errorf("%s, %d labels: the gap is %v after %d iterations", l, p.Labels, r.Gap, r.Iterations)
	}
	return r
}

// lossOf is the loss of scores by its definition.
func lossOf(l setting.Learner, p *Problem, i int, s []float64) float64 {
	target, sum := numbers(p.Targets), 0.0
	if l.Kind == setting.Softmax {
		all := 0.0
		for _, v := range s {
			all += math.Exp(v)
		}
		return l.Strength * (math.Log(all) - s[p.Targets.Class[i]])
	}
	for y, v := range s {
		switch t := target(i, y); l.Kind {
		case setting.SVM:
			sum += l.Strength * max(0, 1-t*v)
		case setting.SquaredSVM:
			sum += l.Strength * max(0, 1-t*v) * max(0, 1-t*v)
		case setting.Logistic:
			sum += l.Strength * math.Log1p(math.Exp(-t*v))
		case setting.Quantile:
			q := p.Targets.Levels[y]
			sum += l.Strength * p.Targets.Spread() * max(q*(t-v), (q-1)*(t-v))
		case setting.Poisson:
			sum += l.Strength * (math.Exp(v) - t*v + t*math.Log(math.Max(t, 1)) - t)
		default:
			sum += (v - t) * (v - t) / (2 * l.Strength)
		}
	}
	return sum
}

// riskOf is P by its definition.
func riskOf(l setting.Learner, p *Problem, v []float64) float64 {
	var s mat.VecDense
	s.MulVec(p.A.(*polar.Dense).Matrix(), mat.NewVecDense(len(v), v))
	sum, m, copies := floats.Dot(v, v)/2, p.Labels, 1+p.Copies
	for i := range p.Targets.Len() {
		most := 0.0
		for k := range copies {
			at := (i*copies + k) * m
			most = max(most, lossOf(l, p, i, s.RawVector().Data[at:at+m]))
		}
		sum += most
	}
	return sum
}

var worstLearners = []struct {
	task   setting.Task
	kind   setting.LearnerKind
	labels int
}{
	{setting.Binary, setting.SVM, 1},
	{setting.Binary, setting.SquaredSVM, 1},
	{setting.Binary, setting.Logistic, 1},
	{setting.Real, setting.Ridge, 1},
	{setting.Counts, setting.Poisson, 1},
	{setting.Quantiles, setting.Quantile, 3},
	{setting.Binary, setting.Ridge, 1},
	{setting.Class, setting.Softmax, 3},
	{setting.Class, setting.SVM, 3},
	{setting.Multilabel, setting.Logistic, 3},
	{setting.Multilabel, setting.SVM, 2},
	{setting.Multilabel, setting.SquaredSVM, 2},
}

// The bounds are those of the definition: P at V, and below it the least of P over V of any weights of the copies. No other V has a
// smaller P than the lower bound.
func TestWorstRiskIsThatOfTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range worstLearners {
		for _, bias := range []float64{0, 50} {
			if bias > 0 && c.kind == setting.Softmax {
				continue // which has no bias
			}
			p := worstProblem(t, c.task, 12, 4, c.labels, 3, 0.7, bias)
			l := setting.Learner{Kind: c.kind, Strength: 0.7}
			r := solveWorst(t, p, 1e-7, l)
			if value := riskOf(l, &p, r.V); math.Abs(value-r.Upper) > 1e-9*value {
				t.Errorf("%s, %d labels: the risk is %v, by definition %v", c.kind, c.labels, r.Upper, value)
			}
			for range 200 {
				near := slices.Clone(r.V)
				size := math.Pow(10, -6*rng.Float64())
				for j := range near {
					near[j] += size * rng.NormFloat64()
				}
				if value := riskOf(l, &p, near); value < r.Lower {
					t.Fatalf("%s: %v lies below the bound %v", c.kind, value, r.Lower)
				}
			}
			if got := dualOf(t, l, &p, r); math.Abs(got-r.Lower) > 1e-8*r.Upper {
				t.Errorf("%s, %d labels: the lower bound is %v, by definition %v", c.kind, c.labels, r.Lower, got)
			}
		}
	}
}

// dualOf is D at the multipliers and weights of a result, by its definition: −‖Eᵀg‖²/2 − Σ_t λ_t loss*(g_t/λ_t).
func dualOf(t *testing.T, l setting.Learner, p *Problem, r *Result) float64 {
	t.Helper()
	var q mat.VecDense
	q.MulVec(p.A.(*polar.Dense).Matrix().T(), mat.NewVecDense(len(r.Slopes), r.Slopes))
	sum, m, copies := mat.Dot(&q, &q)/2, p.Labels, 1+p.Copies
	target := numbers(p.Targets)
	for i := range p.Targets.Len() {
		total := 0.0
		for k := range copies {
			share := r.Shares[i*copies+k]
			if total += share; share < 0 {
				t.Fatalf("a weight is %v", share)
			}
			all := 0.0
			for y := range m {
				g := r.Slopes[(i*copies+k)*m+y]
				if share == 0 && g != 0 {
					t.Fatalf("a multiplier of %v without a weight", g)
				}
				if share == 0 {
					continue
				}
				h := g / share / l.Strength
				switch z := target(i, y); l.Kind {
				case setting.SVM:
					if sum += g * z; z*h > 1e-12 || z*h < -1-1e-12 {
						t.Fatalf("%v is no multiplier of the hinge loss", z*h)
					}
				case setting.SquaredSVM:
					if sum += g*z + g*h/4; z*h > 1e-12 {
						t.Fatalf("%v is no multiplier of the squared hinge", z*h)
					}
				case setting.Logistic:
					sum += share * l.Strength * (entropy(-z*h) + entropy(1+z*h))
				case setting.Softmax:
					if p.Targets.Class[i] == y {
						h++
					}
					all += h
					sum += share * l.Strength * entropy(h)
				case setting.Quantile:
					q, unit := p.Targets.Levels[y], p.Targets.Spread()
					if sum += g * z; h/unit < -q-1e-12 || h/unit > 1-q+1e-12 {
						t.Fatalf("%v is no multiplier at the level %v", h/unit, q)
					}
				case setting.Poisson:
					if z+h < -1e-12 {
						t.Fatalf("%v is no multiplier of the count %v", h, z)
					}
					sum += share * l.Strength * (entropy(z+h) - (z + h) - entropy(z) + z)
				default:
					sum += g*g/share*l.Strength/2 + z*g
				}
			}
			if l.Kind == setting.Softmax && share > 0 && math.Abs(all-1) > 1e-9 {
				t.Fatalf("probabilities sum to %v", all)
			}
		}
		if math.Abs(total-1) > 1e-12 {
			t.Fatalf("weights sum to %v", total)
		}
	}
	return -sum
}

// The worst loss of svm is a quadratic program: min ½‖V‖² + C Σξ_i, ξ_i ≥ 1 − t_i f(x_it). Its dual has α_it ≥ 0, Σ_t α_it ≤ C, and is
// solved by projected gradients here.
func TestWorstHingeIsAQuadraticProgram(t *testing.T) {
	const n, copies, d = 14, 5, 4
	for _, strength := range []float64{0.05, 1, 20} {
		p := worstProblem(t, setting.Binary, n, copies, 1, d, 0.5, 0)
		r := solveWorst(t, p, 1e-9, setting.Learner{Kind: setting.SVM, Strength: strength})
		a := p.A.(*polar.Dense).Matrix()
		target := numbers(p.Targets)
		v := hingeByDual(a, func(i int) float64 { return target(i, 0) }, n, copies, strength)
		if off := floats.Distance(v, r.V, math.Inf(1)); off > 1e-4*(1+floats.Norm(v, 2)) {
			t.Errorf("C = %v: V is %v, by the dual program %v", strength, r.V, v)
		}
	}
}

// hingeByDual returns V = Σ α_it t_i x_it of the best α, by accelerated projected gradients.
func hingeByDual(a mat.Matrix, target func(int) float64, n, copies int, most float64) []float64 {
	_, d := a.Dims()
	alpha, ahead, before := make([]float64, n*copies), make([]float64, n*copies), make([]float64, n*copies)
	step, v := 1/math.Pow(mat.Norm(a, 2), 2), make([]float64, d)
	signed := mat.NewVecDense(n*copies, nil)
	weights := func(alpha []float64) {
		for k, w := range alpha {
			signed.SetVec(k, w*target(k/copies))
		}
		out := mat.NewVecDense(d, v)
		out.MulVec(a.T(), signed)
	}
	for k := range 200000 {
		weights(ahead)
		var s mat.VecDense
		s.MulVec(a, mat.NewVecDense(d, v))
		copy(before, alpha)
		for j := range alpha {
			alpha[j] = ahead[j] + step*(1-target(j/copies)*s.AtVec(j))
		}
		for i := range n {
			ontoSimplex(alpha[i*copies:(i+1)*copies], most)
		}
		momentum := float64(k) / float64(k+3)
		for j := range alpha {
			ahead[j] = alpha[j] + momentum*(alpha[j]-before[j])
		}
	}
	weights(alpha)
	return v
}

// ontoSimplex moves x to the nearest point with x ≥ 0 and Σx ≤ most.
func ontoSimplex(x []float64, most float64) {
	over := func(level float64) (sum float64) {
		for _, v := range x {
			sum += max(0, v-level)
		}
		return sum
	}
	low, high := 0.0, 0.0
	if over(0) > most {
		high = slices.Max(x)
		for range 100 {
			if mid := (low + high) / 2; over(mid) > most {
				low = mid
			} else {
				high = mid
			}
		}
	}
	for k, v := range x {
		x[k] = max(0, v-high)
	}
}

// More copies make no row's loss smaller, and so the minimum no smaller. Copies that are their row change nothing.
func TestWorstRiskRisesWithTheSet(t *testing.T) {
	for _, c := range worstLearners {
		l := setting.Learner{Kind: c.kind, Strength: 0.7}
		p := worstProblem(t, c.task, 12, 4, c.labels, 3, 0.7, 0)
		still := worstProblem(t, c.task, 12, 4, c.labels, 3, 0, 0)
		a := p.A.(*polar.Dense).Matrix()
		last := 0.0
		for copies := 1; copies <= 4; copies++ {
			own := first(t, p, a, copies)
			r := solveWorst(t, own, 1e-8, l)
			if r.Upper < last {
				t.Errorf("%s: with %d copies the minimum is %v, and with fewer at least %v", c.kind, copies-1, r.Upper, last)
			}
			last = r.Lower
		}
		alike := solveWorst(t, still, 1e-9, l)
		alone := solveWorst(t, first(t, still, still.A.(*polar.Dense).Matrix(), 1), 1e-9, l)
		if math.Abs(alike.Upper-alone.Upper) > 2e-9*alone.Upper || floats.Distance(alike.V, alone.V, math.Inf(1)) > 1e-3 {
			t.Errorf("%s: copies that are their row give %v, and the rows alone %v", c.kind, alike.Upper, alone.Upper)
		}
	}
}

// first returns a problem with the first copies of each row alone.
func first(t *testing.T, p Problem, a *mat.Dense, copies int) Problem {
	t.Helper()
	all, m := 1+p.Copies, p.Labels
	_, cols := a.Dims()
	rows := mat.NewDense(p.Targets.Len()*copies*m, cols, nil)
	for k := range rows.RawMatrix().Rows {
		i, rest := k/(copies*m), k%(copies*m)
		rows.SetRow(k, a.RawRowView(i*all*m+rest))
	}
	op, err := polar.NewDense(rows)
	if err != nil {
		t.Fatal(err)
	}
	p.A, p.Copies = op, copies-1
	return p
}

// What worst losses hold of the bias is held, as for losses of rows alone.
func TestAnchorsOfWorstLossesHold(t *testing.T) {
	const bias = 300
	for k, c := range slices.Repeat(worstLearners, 2) {
		if c.kind == setting.Softmax {
			continue // which has no bias
		}
		p := worstProblem(t, c.task, 20, 3, c.labels, 3, 0.5, bias)
		if k >= len(worstLearners) {
			p.Targets.Weight = slices.Repeat([]float64{0.5, 1, 3, 1}, 5)
		}
		l := setting.Learner{Kind: c.kind, Strength: 2}
		exact := solveWorst(t, p, 1e-9, l)
		a := p.A.(*polar.Dense).Matrix()
		var want mat.VecDense
		want.MulVec(a, mat.NewVecDense(len(exact.V), exact.V))
		for _, gap := range []float64{0.1, 1e-2, 1e-4} {
			r := solveWorst(t, p, gap, l)
			var s mat.VecDense
			s.MulVec(a, mat.NewVecDense(len(r.V), r.V))
			for y := range c.labels {
				weights, within := Anchor(l, p.Targets, y, c.labels, r)
				if weights == nil {
					continue
				}
				if math.Abs(floats.Sum(weights)-1) > 1e-12 {
					t.Fatalf("%s: weights sum to %v", c.kind, floats.Sum(weights))
				}
				apart := 0.0
				for k, w := range weights {
					apart += w * (s.AtVec(k*c.labels+y) - want.AtVec(k*c.labels+y))
				}
				if math.Abs(apart) > within*(1+1e-6)+1e-4 {
					t.Errorf("%s at gap %g: label %d is %v off, more than %v", c.kind, gap, y, apart, within)
				}
			}
		}
	}
}

// The loss of label sets has no largest one of copies.
func TestWorstLabelSetsAreRefused(t *testing.T) {
	p := worstProblem(t, setting.Multilabel, 4, 2, 2, 2, 0.5, 0)
	s, err := New(p, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Solve(t.Context(), Request{Learner: setting.Learner{Kind: setting.Softmax, Strength: 1}}); err == nil {
		t.Error("label sets were learned")
	}
}
