package risk

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// rising is a problem that asks f to rise along every column, by weight·Σ_k rms_i [−∂_k f(x_i)]₊, though the targets wave. f is a sum of
// waves whose coefficients have the spectrum of a Gaussian kernel.
func rising(t *testing.T, rows, columns, waves int, weight float64) Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, uint64(rows)))
	draw := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = rng.NormFloat64()
		}
		return out
	}
	x, phases := mat.NewDense(rows, columns, draw(rows*columns)), draw(waves)
	frequencies := mat.NewDense(waves, columns, draw(waves*columns))
	a := mat.NewDense((columns+1)*rows, waves, nil)
	targets := &learn.Targets{Task: setting.Real, Real: draw(rows)}
	for i := range rows {
		for j := range waves {
			at := phases[j] + dot(x.RawRowView(i), frequencies.RawRowView(j))
			size := math.Sqrt(2 / float64(waves))
			a.Set(columns*rows+i, j, size*math.Cos(at))
			for k := range columns {
				a.Set(k*rows+i, j, size*frequencies.At(j, k)*math.Sin(at)) // −∂_k
			}
		}
		targets.Real[i] += floats.Sum(x.RawRowView(i))
	}
	op, err := polar.NewDense(a)
	if err != nil {
		t.Fatal(err)
	}
	each := gauge.Scaled(gauge.Repeat(rows, gauge.Hypot(gauge.Leaf(gauge.Pos))), weight)
	return Problem{Alpha: 1, A: op, Gauge: gauge.Repeat(columns, gauge.SumOf(each)), Targets: targets, Labels: 1}
}

// Under large weights a one-sided R is nearly a constraint. Whatever the weight, the gap is reached in a hundred or so iterations.
func TestNearlyHardConstraints(t *testing.T) {
	for _, weight := range []float64{0.1, 1, 10, 100, 1000, 1e4} {
		s, err := New(rising(t, 40, 4, 120, weight), Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for _, lambda := range []float64{0.01, 0.1, 1} {
			r, err := s.Solve(t.Context(), Request{Learner: setting.Learner{Kind: setting.Ridge, Strength: lambda}})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Converged || r.Iterations > 300 {
				t.Errorf("at weight %v and λ = %v the gap is %.2g after %d iterations, want 1e-3", weight, lambda, r.Gap, r.Iterations)
			}
		}
	}
}

// A finish takes no more steps than iterations are left, and none where even the usual number would be more work than these: what a similar
// request was finished by does not change that.
func TestFinishKeepsToTheLimit(t *testing.T) {
	s, err := New(rising(t, 40, 4, 120, 1000), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	q := Request{Learner: setting.Learner{Kind: setting.Ridge, Strength: 0.1}}
	first, err := s.Solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if !first.finished {
		t.Fatalf("the finish did not reach the gap: %v after %d iterations", first.Gap, first.Iterations)
	}
	for _, start := range []*Result{nil, first} {
		for _, limit := range []int{1, 6, 25, 60, 200, 400, 1000} {
			loss, err := NewLoss(q.Learner, s.problem.Targets, nil, q.Learner.Strength)
			if err != nil {
				t.Fatal(err)
			}
			w := newWork(s, loss, &Request{Learner: q.Learner, Start: start, Gap: 1e-9, Limit: limit})
			f := &finish{work: w}
			if err := w.iterate(t.Context(), f); err != nil {
				t.Fatal(err)
			}
			if w.out.Iterations > limit {
				t.Errorf("%d iterations of %d, start %v", w.out.Iterations, limit, start != nil)
			}
			if f.newton == nil {
				continue
			}
			work := polar.WorkOf(len(s.metric), s.dim, 0) // at the very least
			if steps := float64(f.newton.Steps()); steps*work.Vectors > float64(limit)*work.Iteration {
				t.Errorf("%v steps where %d iterations were allowed, start %v", steps, limit, start != nil)
			}
			if limit <= 60 {
				t.Errorf("a try where %d iterations were allowed, start %v", limit, start != nil)
			}
		}
	}
}

// A finish tells of each minimum, and ends with its context.
func TestFinishTellsAndIsCancelled(t *testing.T) {
	s, err := New(rising(t, 40, 4, 120, 1000), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	q := Request{Learner: setting.Learner{Kind: setting.Ridge, Strength: 0.1}}
	if q.Start, err = s.Solve(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var told []int
	q.Gap = 1e-9
	q.Progress = func(iterations int, _ float64) {
		if told = append(told, iterations); len(told) == 3 {
			cancel()
		}
	}
	if _, err := s.Solve(ctx, q); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled, the finish gives %v", err)
	}
	if len(told) != 3 || !slices.IsSorted(told) || told[0] != firstLook || told[2] > firstLook+2*mostSteps {
		t.Fatalf("looks at iterations %v, want one before the finish and two within", told)
	}
}

// stubborn hides from the finish how a loss bends.
type stubborn struct{ Loss }

// The finish comes to the minimum of the alternating directions, or to what they have bounded so far, for gauges, losses, rows and biases of
// all kinds.
func TestBothWaysAgree(t *testing.T) {
	drawn, finished := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n, m, d := rapid.IntRange(2, 6).Draw(t, "rows"), rapid.IntRange(2, 3).Draw(t, "labels"), rapid.IntRange(1, 4).Draw(t, "dimensions")
		p, q := drawProblem(t, n, m, d)
		s, err := New(p, Settings{Gap: 1e-6, MaxIterations: 3000})
		if err != nil {
			t.Fatal(err)
		}
		var found [2]*Result
		for way := range found {
			loss, err := NewLoss(q.Learner, p.Targets, q.Rows, q.Learner.Strength)
			if err != nil {
				t.Fatal(err)
			}
			own := q
			own.Gap, own.Limit = s.settings.Gap, s.settings.MaxIterations
			if own.Start = nil; way == 0 {
				loss = stubborn{loss}
			} else {
				own.Start = &Result{finished: true} // so that the finish is tried at once
			}
			w := newWork(s, loss, &own)
			if err := w.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			found[way] = w.out
		}
		slow, fast := found[0], found[1]
		if slow.finished || !fast.Converged {
			t.Fatalf("the gap is %v after %d iterations, and %v after %d with the finish", slow.Gap, slow.Iterations, fast.Gap, fast.Iterations)
		}
		if slow.Lower > fast.Upper || fast.Lower > slow.Upper {
			t.Fatalf("the minimum lies in [%v, %v] and in [%v, %v]", slow.Lower, slow.Upper, fast.Lower, fast.Upper)
		}
		within := math.Sqrt(2*slow.Excess()/p.Alpha) + math.Sqrt(2*fast.Excess()/p.Alpha)
		if apart := floats.Distance(slow.V, fast.V, 2); apart > within {
			t.Fatalf("V differ by %v, and by their gaps by %v at most", apart, within)
		}
		if drawn++; fast.finished {
			finished++
		}
	})
	if 2*finished < drawn {
		t.Errorf("the finish reached the gap of %d problems among %d", finished, drawn)
	}
}

// drawProblem draws a problem of n rows, and what is asked of it.
func drawProblem(t *rapid.T, n, m, d int) (Problem, Request) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 11))
	abs, pos := gauge.Leaf(gauge.Abs), gauge.Leaf(gauge.Pos)
	root := rapid.SampledFrom([]*gauge.Node{
		gauge.MaxOf(abs, pos, abs),
		gauge.Repeat(2, gauge.SumOf(gauge.Repeat(3, gauge.Hypot(pos)))),
		gauge.Repeat(3, gauge.Hypot(gauge.Repeat(2, gauge.MaxOf(pos)))),
		gauge.Hypot(gauge.NormOf(3, abs, pos)),
		gauge.TopOf(2, abs, abs, pos),
	}).Draw(t, "gauge")
	root = gauge.Scaled(root, math.Pow(10, rapid.Float64Range(-1, 3).Draw(t, "log weight")))
	width, bias := d, 0.0
	if rapid.Bool().Draw(t, "biased") {
		width, bias = d+1, 30
	}
	rows := mat.NewDense(root.Size()+n*m, m*width, nil)
	rows.Apply(func(i, j int, _ float64) float64 {
		at := i - root.Size()
		switch {
		case at >= 0 && j/width != at%m:
			return 0
		case bias > 0 && j%width == d:
			return bias * float64(min(max(at+1, 0), 1))
		}
		return rng.NormFloat64()
	}, rows)
	for i := range n { // the features of a row are those of all its labels
		at := root.Size() + i*m
		for y := 1; y < m; y++ {
			copy(rows.RawRowView(at + y)[y*width:(y+1)*width], rows.RawRowView(at)[:width])
		}
	}
	op, err := polar.NewDense(rows)
	if err != nil {
		t.Fatal(err)
	}
	kind := rapid.SampledFrom([]setting.LearnerKind{setting.SVM, setting.SquaredSVM, setting.Logistic, setting.Ridge, setting.Softmax}).Draw(t, "kind")
	targets := &learn.Targets{Task: setting.Multilabel, Multi: mat.NewDense(n, m, nil)}
	targets.Multi.Apply(func(_, _ int, _ float64) float64 { return float64(rng.IntN(2)) }, targets.Multi)
	if kind == setting.Softmax {
		targets = &learn.Targets{Task: setting.Class}
		for range n {
			targets.Class = append(targets.Class, rng.IntN(m))
		}
	}
	q := Request{Learner: setting.Learner{Kind: kind, Strength: math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log strength"))}}
	for i := range n {
		q.Rows = append(q.Rows, i == 0 || rng.IntN(4) > 0)
	}
	return Problem{Alpha: 1, A: op, Gauge: root, Targets: targets, Labels: m, Bias: bias}, q
}

// What losses say of the derivative of their proximal maps is what finite differences say, away from kinks.
func TestBends(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, m := drawLoss(t)
		loss, ok := l.(bending)
		if !ok {
			t.Skip("label sets")
		}
		tau := math.Pow(10, rapid.Float64Range(-3, 1).Draw(t, "log tau")) // products of 1e8 round to some 1e-8
		u := rapid.SliceOfN(rapid.Float64Range(-5, 5), m, m).Draw(t, "u")
		at := func(y int, h float64) []float64 {
			s := slices.Clone(u)
			s[y] += h
			l.Prox(0, s, tau)
			return s
		}
		s, d, r := at(0, 0), make([]float64, m), make([]float64, m)
		loss.Bend(0, d, r, u, s, tau)
		const h = 1e-4
		for y := range u {
			up, down := at(y, h), at(y, -h)
			if kinks(l) && math.Abs((up[y]-down[y])/(2*h)-0.5) < 0.5-1e-6 {
				continue // between the pieces
			}
			if p, ok := bare(l).(*pinball); ok && math.Abs(u[y]-p.target[0]) < 2*h {
				continue // the piece may be narrower than the differences
			}
			if q, ok := bare(l).(*squaredHinge); ok && math.Abs(q.target(0, y)*u[y]-1) < 2*h {
				continue // it bends there
			}
			for k := range u {
				want := -(up[k] - down[k]) / (2 * h)
				got := -r[k] * r[y]
				if k == y {
					want, got = want+1, got+d[y]
				}
				if math.Abs(got-want) > 1e-4 {
					t.Fatalf("∂(u − prox u)_%d/∂u_%d is %v, and by differences %v", k, y, got, want)
				}
			}
		}
	})
}

// implying is a problem of labels that imply the first one, under a weight, on random features.
func implying(t *testing.T, rows, labels, dim int, weight float64) Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, uint64(rows)))
	x := mat.NewDense(rows, dim, nil)
	for i := range rows {
		for j := range dim {
			x.Set(i, j, rng.NormFloat64()/math.Sqrt(float64(dim)))
		}
	}
	own := labels - 1
	a, multi := mat.NewDense(rows*(own+labels), labels*dim, nil), mat.NewDense(rows, labels, nil)
	for i := range rows {
		multi.Set(i, 0, 1)
		multi.Set(i, 1+rng.IntN(own), 1)
		for y := range labels {
			copy(a.RawRowView(rows*own + i*labels + y)[y*dim:], x.RawRowView(i))
			if y > 0 { // f(child) − f(parent)
				copy(a.RawRowView(i*own + y - 1)[y*dim:], x.RawRowView(i))
				floats.SubTo(a.RawRowView(i*own + y - 1)[:dim], make([]float64, dim), x.RawRowView(i))
			}
		}
	}
	op, err := polar.NewDense(a)
	if err != nil {
		t.Fatal(err)
	}
	each := gauge.Scaled(gauge.Repeat(own, gauge.MaxOf(gauge.Leaf(gauge.Pos))), weight/math.Sqrt(float64(rows)))
	return Problem{
		Alpha: 1, A: op, Gauge: gauge.Repeat(rows, gauge.Hypot(each)), Labels: labels,
		Targets: &learn.Targets{Task: setting.Multilabel, Multi: multi},
	}
}

// Where β is far off, the values and the multipliers both hardly move. The alternating directions, which go on alone where the finish is
// too large, find a better one.
func TestFarOffSteps(t *testing.T) {
	s, err := New(implying(t, 30, 8, 30, 100), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, strength := range []float64{1, 1e3, 1e6} {
		q := Request{Learner: setting.Learner{Kind: setting.SVM, Strength: strength}, Gap: 1e-3, Limit: 5000}
		loss, err := NewLoss(q.Learner, s.problem.Targets, nil, strength)
		if err != nil {
			t.Fatal(err)
		}
		w := newWork(s, stubborn{loss}, &q)
		if err := w.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !w.out.Converged {
			t.Errorf("at C = %v the gap is %.2g after %d iterations", strength, w.out.Gap, w.out.Iterations)
		}
	}
}

// However small a gap is asked for, rounding leaves its share: what is reached lies above it, and not far.
func TestRoundingIsTheFloor(t *testing.T) {
	for _, weight := range []float64{1, 100} {
		s, err := New(rising(t, 40, 4, 120, weight), Settings{Gap: 1e-300, MaxIterations: 1000})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(t.Context(), Request{Learner: setting.Learner{Kind: setting.Ridge, Strength: 0.1}})
		if err != nil {
			t.Fatal(err)
		}
		if !(r.Rounding > 0) || r.Gap < r.Rounding*(1-1e-9) || r.Gap > 2*r.Rounding {
			t.Errorf("at weight %v the gap is %v, and rounding leaves %v", weight, r.Gap, r.Rounding)
		}
	}
}

// Where a request has had its multiplications, of proximal maps among them, it ends there.
func TestRequestsKeepToTheirWork(t *testing.T) {
	p := rising(t, 40, 4, 120, 1)
	pair := gauge.TopOf(2, gauge.NormOf(40, gauge.Leaf(gauge.Pos), gauge.Leaf(gauge.Abs)), gauge.NormOf(1.1, gauge.Leaf(gauge.Abs), gauge.Leaf(gauge.Pos)), gauge.Leaf(gauge.Pos))
	p.Gauge = gauge.Repeat(32, gauge.TopOf(7, gauge.NormOf(30, pair)))
	s, err := New(p, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	loss, err := NewLoss(setting.Learner{Kind: setting.Ridge, Strength: 0.1}, s.problem.Targets, nil, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	ends := func(work float64) int {
		w := newWork(s, loss, &Request{Gap: 1e-9, Limit: 60, MaxWork: work})
		if err := w.iterate(t.Context(), &finish{work: w}); err != nil {
			t.Fatal(err)
		}
		if w.out.Converged || math.IsInf(w.out.Gap, 0) {
			t.Errorf("with %v multiplications the gap is %v", work, w.out.Gap)
		}
		return w.out.Iterations
	}
	if one, few, all := ends(1), ends(s.Work(6)), ends(s.Work(1000)); one != 1 || few <= one || few >= all {
		t.Errorf("it ends after %d, %d and %d iterations", one, few, all)
	}
}
