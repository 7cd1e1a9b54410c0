package polar

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

func gaussian(rng *rand.Rand, r, c int) *mat.Dense {
	m := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m
}

func operator(t *testing.T, a *mat.Dense) *Dense {
	t.Helper()
	d, err := NewDense(a)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func solve(t *testing.T, p Problem, s Settings, a *mat.Dense) *Result {
	t.Helper()
	solver, err := New(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	res, err := solver.Solve(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

var (
	abs = gauge.Leaf(gauge.Abs)
	pos = gauge.Leaf(gauge.Pos)
)

// nested are gauges of 24 functionals.
func nested() map[string]*gauge.Node {
	half := gauge.Repeat(12, gauge.MaxOf(abs))
	return map[string]*gauge.Node{
		"max of rms":    gauge.Repeat(4, gauge.MaxOf(gauge.Repeat(6, gauge.Hypot(abs)))),
		"rms of max":    gauge.Repeat(6, gauge.Hypot(gauge.Repeat(4, gauge.MaxOf(abs)))),
		"one-sided":     gauge.Repeat(6, gauge.Hypot(gauge.Repeat(4, gauge.MaxOf(pos)))),
		"hypot of max":  gauge.Hypot(half, gauge.Repeat(12, gauge.MaxOf(pos))),
		"sum of max":    gauge.Weighted(gauge.SumOf(half, gauge.Repeat(12, gauge.MaxOf(pos))), 0.3, 0.4),
		"norm 3":        gauge.Repeat(24, gauge.NormOf(3, abs)),
		"norm 1.5":      gauge.Repeat(24, gauge.NormOf(1.5, pos)),
		"top 5":         gauge.Repeat(24, gauge.TopOf(5, abs)),
		"max":           gauge.Repeat(24, gauge.MaxOf(abs)),
		"sum":           gauge.Repeat(24, gauge.SumOf(abs)),
		"max of norm 3": gauge.Repeat(4, gauge.MaxOf(gauge.Repeat(6, gauge.NormOf(3, abs)))),
		"norm 4 of max": gauge.Repeat(6, gauge.NormOf(4, gauge.Repeat(4, gauge.MaxOf(pos)))),
		"top 2 of rms":  gauge.Repeat(6, gauge.TopOf(2, gauge.Repeat(4, gauge.Hypot(abs)))),
		"sum of everything": gauge.Hypot(
			gauge.Scaled(gauge.Repeat(4, gauge.NormOf(3, abs)), 0.5), gauge.Repeat(4, gauge.TopOf(2, pos)),
			gauge.SumOf(gauge.Repeat(4, gauge.MaxOf(abs)), abs, pos, gauge.Repeat(6, gauge.NormOf(1.5, abs))),
			gauge.Scaled(gauge.Repeat(4, gauge.Hypot(pos)), 3)),
	}
}

// Nested gauges against an optimality condition that shares no code with the solver's way: the subgradient inclusion
// αι + Aᵀc = a with ρ°(c) = ρ(Aι), ⟨c, Aι⟩ = ρ(Aι)².
func TestNestedGaugesAreSolved(t *testing.T) {
	for name, g := range nested() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(len(name))))
			for _, dim := range []int{5, 40} {
				a, rhs := gaussian(rng, 24, dim), gaussian(rng, 9, dim)
				p := Problem{Alpha: 0.05, A: operator(t, a), Gauge: g}
				res := solve(t, p, Settings{Gap: 1e-10, Multipliers: true}, rhs)
				lower, upper := Certify(p, rhs, res.Iota, res.Multipliers)
				for i := range lower {
					if gap := upper[i]/lower[i] - 1; !(gap <= 1.1e-10) || res.Gap[i] > 1e-10 {
						t.Errorf("dimension %d: gap %.1e after %d iterations and %d Newton steps, %v", dim, gap, res.Iterations[i], res.Newton[i], res.Status[i])
					}
					checkOptimal(t, p, a, rhs.RowView(i), res.Iota.RowView(i), res.Multipliers.RowView(i))
				}
				t.Logf("dimension %d: at most %d iterations, %d Newton steps", dim, slices.Max(res.Iterations), slices.Max(res.Newton))
			}
		})
	}
}

// With α so small that the alternating directions crawl, the finish takes over.
func TestSmallAlpha(t *testing.T) {
	for name, g := range nested() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(len(name))))
			for _, alpha := range []float64{1e-4, 1e-6} {
				for _, dim := range []int{12, 40} { // both ways to solve for a Newton step
					p := Problem{Alpha: alpha, A: operator(t, gaussian(rng, 24, dim)), Gauge: g}
					res := solve(t, p, Settings{Gap: 1e-9}, gaussian(rng, 15, dim))
					if gap := res.MaxGap(); !(gap <= 1e-9) {
						t.Errorf("alpha %g, dimension %d: gap %.1e after at most %d iterations, %d Newton steps", alpha, dim, gap, slices.Max(res.Iterations), slices.Max(res.Newton))
					}
				}
			}
		})
	}
}

func checkOptimal(t *testing.T, p Problem, a *mat.Dense, rhs, embedding, c mat.Vector) {
	t.Helper()
	var values, rest, ac mat.VecDense
	values.MulVec(a, embedding)
	ac.MulVec(a.T(), c)
	rest.ScaleVec(p.Alpha, embedding)
	rest.AddVec(&rest, &ac)
	rest.SubVec(&rest, rhs)
	norm := mat.Norm(rhs, 2)
	if e := rest.Norm(2) / norm; e > 1e-4 {
		t.Errorf("αι + Aᵀc − a is %.1e", e)
	}
	rho, polar := p.Gauge.Value(values.RawVector().Data), p.Gauge.Polar(mat.Col(nil, 0, c))
	if math.Abs(rho-polar) > 1e-4*norm {
		t.Errorf("ρ(Aι) = %v, ρ°(c) = %v", rho, polar)
	}
	if along := mat.Dot(c, &values); math.Abs(along-rho*rho) > 1e-4*norm*norm {
		t.Errorf("⟨c, Aι⟩ = %v, ρ² = %v", along, rho*rho)
	}
}

func TestSimpleCases(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rhs := gaussian(rng, 3, 6)
	rhs.SetRow(1, make([]float64, 6))
	t.Run("no regularizer", func(t *testing.T) {
		res := solve(t, Problem{Alpha: 0.5}, Settings{}, rhs)
		if got, want := res.Iota.At(0, 2), rhs.At(0, 2)/0.5; math.Abs(got-want) > 1e-15*math.Abs(want) || res.MaxGap() > 1e-13 {
			t.Errorf("ι = %v, want %v, gaps %v", got, want, res.Gap)
		}
	})
	t.Run("zero right-hand side", func(t *testing.T) {
		res := solve(t, Problem{Alpha: 0.5, A: operator(t, gaussian(rng, 4, 6)), Gauge: gauge.Repeat(4, gauge.MaxOf(abs))}, Settings{}, rhs)
		if mat.Norm(res.Iota.RowView(1), 2) != 0 || res.Gap[1] != 0 || res.Norm2[1] != 0 || !math.IsInf(res.Value[1], 1) {
			t.Errorf("ι %v, gap %v, norm² %v, P* %v", res.Iota.RawRowView(1), res.Gap[1], res.Norm2[1], res.Value[1])
		}
		if !(res.Gap[0] <= 1e-6 && res.Norm2[0] > 0) {
			t.Errorf("its neighbour has gap %v, norm² %v", res.Gap[0], res.Norm2[0])
		}
	})
	t.Run("zero operator", func(t *testing.T) {
		res := solve(t, Problem{Alpha: 2, A: operator(t, mat.NewDense(4, 6, nil)), Gauge: gauge.Repeat(4, gauge.MaxOf(pos))}, Settings{}, rhs)
		if got, want := res.Iota.At(2, 0), rhs.At(2, 0)/2; math.Abs(got-want) > 1e-14 {
			t.Errorf("ι = %v, want %v", got, want)
		}
	})
	t.Run("inactive", func(t *testing.T) { // every one-sided functional is negative at a/α
		a := mat.NewDense(2, 6, nil)
		for j := range 6 {
			a.Set(0, j, -rhs.At(0, j))
			a.Set(1, j, -2*rhs.At(0, j))
		}
		res := solve(t, Problem{Alpha: 2, A: operator(t, a), Gauge: gauge.MaxOf(pos, pos)}, Settings{Gap: 1e-12}, rhs.Slice(0, 1, 0, 6).(*mat.Dense))
		if got, want := res.Iota.At(0, 0), rhs.At(0, 0)/2; math.Abs(got-want) > 1e-8 {
			t.Errorf("ι = %v, want %v", got, want)
		}
	})
}

// The embedding under a quadratic gauge is the closed form, and that is eq. (1) of the paper: with Z the weighted rows,
// ⟨φ, M⁻¹φ′⟩ = (⟨φ, φ′⟩ − φᵀZᵀ(αI + ZZᵀ)⁻¹Zφ′)/α.
func TestWarp(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, r := range []int{4, 30} { // both ways to factor
		a, rhs := gaussian(rng, r, 12), gaussian(rng, 5, 12)
		g := gauge.Scaled(gauge.Repeat(r, gauge.Hypot(abs)), 0.7)
		p := Problem{Alpha: 0.1, A: operator(t, a), Gauge: g}
		weights, ok := g.Quadratic()
		if !ok {
			t.Fatal("the gauge is not quadratic")
		}
		f, err := p.A.Factor(t.Context(), p.Alpha, weights)
		if err != nil {
			t.Fatal(err)
		}
		closed := mat.NewDense(5, 12, nil)
		if err := f.Solve(t.Context(), closed, rhs); err != nil {
			t.Fatal(err)
		}

		var z, inner, zr, solved, correction, want, got mat.Dense
		z.Scale(0.7, a)
		inner.Mul(&z, z.T())
		for i := range r {
			inner.Set(i, i, inner.At(i, i)+p.Alpha)
		}
		zr.Mul(&z, rhs.T())
		if err := solved.Solve(&inner, &zr); err != nil {
			t.Fatal(err)
		}
		correction.Mul(zr.T(), &solved)
		want.Mul(rhs, rhs.T())
		want.Sub(&want, &correction)
		want.Scale(1/p.Alpha, &want)
		got.Mul(rhs, closed.T())
		if !mat.EqualApprox(&got, &want, 1e-10) {
			t.Errorf("warped kernel\n%v, want\n%v", mat.Formatted(&got), mat.Formatted(&want))
		}
		if res := solve(t, p, Settings{}, rhs); !mat.EqualApprox(res.Iota, closed, 1e-10) {
			t.Errorf("%d rows: the embedding is not the closed form", r)
		}
	}
}

func TestSameBitsForAnyNumberOfProcessors(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	a, rhs := gaussian(rng, 60, 20), gaussian(rng, 37, 20)
	p := Problem{Alpha: 0.02, A: operator(t, a), Gauge: gauge.Repeat(10, gauge.Hypot(gauge.Repeat(6, gauge.MaxOf(abs))))}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := solve(t, p, Settings{Block: 16}, rhs)
	runtime.GOMAXPROCS(4)
	four := solve(t, p, Settings{Block: 16}, rhs)
	if !slices.Equal(one.Iota.RawMatrix().Data, four.Iota.RawMatrix().Data) || !slices.Equal(one.Gap, four.Gap) {
		t.Error("embeddings differ")
	}
}

func TestSolveToStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	a, rhs := gaussian(rng, 12, 7), gaussian(rng, 10, 7)
	p := Problem{Alpha: 0.1, A: operator(t, a), Gauge: gauge.Repeat(12, gauge.MaxOf(abs))}
	whole := solve(t, p, Settings{Block: 4}, rhs)
	s, err := New(t.Context(), p, Settings{Block: 4})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	err = s.SolveTo(t.Context(), 10, 7, func(lo, hi int) (*mat.Dense, error) {
		return rhs.Slice(lo, hi, 0, 7).(*mat.Dense), nil
	}, func(lo int, part *Result) error {
		if lo != seen {
			t.Errorf("block at %d, want %d", lo, seen)
		}
		for i := range part.Gap {
			if !slices.Equal(part.Iota.RawRowView(i), whole.Iota.RawRowView(lo+i)) {
				t.Errorf("row %d differs", lo+i)
			}
		}
		seen += len(part.Gap)
		return nil
	})
	if err != nil || seen != 10 {
		t.Errorf("%d rows, error %v", seen, err)
	}
}

func TestLimitsAreReported(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	p := Problem{Alpha: 0.01, A: operator(t, gaussian(rng, 40, 20)), Gauge: gauge.Repeat(40, gauge.MaxOf(abs))}
	res := solve(t, p, Settings{MaxIterations: 2, NoFinish: true, Gap: 1e-9}, gaussian(rng, 3, 20))
	for i, s := range res.Status {
		if s != IterationLimit || !(res.Gap[i] > 1e-9) || math.IsInf(res.Gap[i], 0) {
			t.Errorf("status %v, gap %v", s, res.Gap[i])
		}
	}
	res = solve(t, p, Settings{Gap: 1e-300}, gaussian(rng, 3, 20))
	for i, s := range res.Status {
		if s != Precision && res.Gap[i] > 0 || res.Gap[i] > 1e-12 {
			t.Errorf("status %v, gap %v after %d iterations", s, res.Gap[i], res.Iterations[i])
		}
	}
}

// Where sweeps and searches of a deep gauge both run out of work the status says so, and nothing that is not proved is claimed.
func TestSearchesThatRunOutAreReported(t *testing.T) {
	n := gauge.Weighted(gauge.NormOf(1.1, gauge.NormOf(3, abs, abs), abs), 1000, 1)
	n = gauge.Weighted(gauge.NormOf(1.5, n, abs), 1000, 1)
	n = gauge.Weighted(gauge.NormOf(4, n, abs), 100, 1)
	n = gauge.Weighted(gauge.NormOf(40, n, abs), 0.01, 1)
	n = gauge.Weighted(gauge.TopOf(2, n, abs, abs), 100, 1, 1)
	rng := rand.New(rand.NewPCG(14, 15))
	p := Problem{Alpha: 0.1, A: operator(t, gaussian(rng, n.Size(), 4)), Gauge: n}
	res := solve(t, p, Settings{MaxIterations: 20, NoFinish: true, Gap: 1e-9}, gaussian(rng, 8, 4))
	count := map[Status]int{}
	for i, s := range res.Status {
		if count[s]++; (s == Converged) != (res.Gap[i] <= 1e-9) {
			t.Errorf("status %v, gap %v", s, res.Gap[i])
		}
	}
	if count[SearchLimit] == 0 {
		t.Errorf("they end by %v", count)
	}
}

// A right-hand side ends where it has had the work that is allowed, or its gap hardly falls.
func TestVainIterationsEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 13))
	steep := gauge.TopOf(2, gauge.NormOf(40, abs, abs), gauge.NormOf(1.1, abs, abs), gauge.NormOf(7, abs, abs))
	p := Problem{Alpha: 1e-3, A: operator(t, gaussian(rng, 60, 20)), Gauge: gauge.Repeat(10, gauge.NormOf(3, steep))}
	a := gaussian(rng, 3, 20)
	few := solve(t, p, Settings{Gap: 1e-9, NoFinish: true, MaxWork: p.Work(15)}, a)
	all := solve(t, p, Settings{Gap: 1e-9, NoFinish: true, MaxIterations: 20000}, a)
	for i := range few.Gap {
		if few.Status[i] != IterationLimit || few.Iterations[i] > all.Iterations[i]/3 || !(few.Gap[i] > all.Gap[i]) || math.IsInf(few.Gap[i], 0) {
			t.Errorf("%v after %d iterations with gap %v, %d without a limit", few.Status[i], few.Iterations[i], few.Gap[i], all.Iterations[i])
		}
	}
	fast := p
	fast.A = newDense32(operator(t, gaussian(rng, 60, 20)))
	some := solve(t, fast, Settings{Gap: 1e-6, NoFinish: true, MaxWork: p.Work(15)}, a)
	more := solve(t, fast, Settings{Gap: 1e-6, NoFinish: true, MaxIterations: 20000}, a)
	for i := range some.Gap {
		if some.Status[i] != IterationLimit || some.Iterations[i] > more.Iterations[i]/2 {
			t.Errorf("in float32: %v after %d iterations, %d without a limit", some.Status[i], some.Iterations[i], more.Iterations[i])
		}
	}
	s := &Solver{settings: Settings{Gap: 1e-3, MaxIterations: 2000}}
	for decay, want := range map[float64]bool{1e-6: true, 0.01: false} {
		task := &task{watch: newWatch(), iterations: patience}
		for k := 0; k <= patience; k += 20 {
			task.watch.saw(k, math.Exp(-decay*float64(k)), 1e-3)
		}
		if got := s.inVain(task); got != want {
			t.Errorf("a gap that falls by %v an iteration: in vain %v", decay, got)
		}
		if task.restart(); s.inVain(task) {
			t.Error("a task that begins anew is in vain")
		}
	}
}

func TestErrors(t *testing.T) {
	a := operator(t, mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}))
	g := gauge.MaxOf(abs, abs)
	for name, p := range map[string]Problem{
		"alpha zero":     {A: a, Gauge: g},
		"alpha NaN":      {Alpha: math.NaN(), A: a, Gauge: g},
		"sizes differ":   {Alpha: 1, A: a, Gauge: gauge.MaxOf(abs)},
		"no operator":    {Alpha: 1, Gauge: g},
		"broken gauge":   {Alpha: 1, A: a, Gauge: gauge.MaxOf()},
		"infinite alpha": {Alpha: math.Inf(1), A: a, Gauge: g},
	} {
		if _, err := New(t.Context(), p, Settings{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s, err := New(t.Context(), Problem{Alpha: 1, A: a, Gauge: g}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Solve(t.Context(), mat.NewDense(1, 2, nil)); err == nil {
		t.Error("no error for a right-hand side of the wrong dimension")
	}
	if _, err := s.Solve(t.Context(), mat.NewDense(1, 3, []float64{1, math.NaN(), 0})); err == nil {
		t.Error("no error for NaN")
	}
	if _, err := NewDense(mat.NewDense(1, 1, []float64{math.Inf(1)})); err == nil {
		t.Error("no error for an infinite functional")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Solve(ctx, mat.NewDense(1, 3, []float64{1, 2, 3})); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after cancelling", err)
	}
}

// Where the last right-hand side reaches its gap as the time ends, nothing is said to have been left.
func TestTimeThatWasEnough(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	p, rhs := Problem{Alpha: 0.05, A: operator(t, gaussian(rng, 24, 40)), Gauge: gauge.Repeat(24, gauge.MaxOf(abs))}, gaussian(rng, 2, 40)
	exact := solve(t, p, Settings{Gap: 1e-3, Block: 2}, rhs)
	asked, left := 0, slices.Max(exact.Iterations)
	ctx := limits.WithClock(t.Context(), time.Hour, func() time.Time {
		asked++
		return time.Unix(int64(asked/left)*3600, 0) // the last step asks when the hour is over
	})
	solver, err := New(ctx, p, Settings{Gap: 1e-3, Block: 2})
	if err != nil {
		t.Fatal(err)
	}
	res, err := solver.Solve(ctx, rhs)
	if err != nil {
		t.Fatal(err)
	}
	if asked < left || slices.Contains(res.Status, TimeLimit) || limits.Ended(ctx) != "" {
		t.Errorf("asked %d times for the time in %d steps: %v, %q", asked, left, res.Status, limits.Ended(ctx))
	}
}

// When the time is over, each right-hand side has what it has come to, with bounds that hold.
func TestTimeEndsSolving(t *testing.T) {
	for name, g := range nested() {
		rng := rand.New(rand.NewPCG(7, uint64(len(name))))
		p, rhs := Problem{Alpha: 0.05, A: operator(t, gaussian(rng, 24, 40)), Gauge: g}, gaussian(rng, 9, 40)
		exact := solve(t, p, Settings{Gap: 1e-9}, rhs)
		for _, looks := range []int{3, 8, 30} {
			asked := 0
			ctx := limits.WithClock(t.Context(), time.Duration(looks)*time.Hour, func() time.Time {
				asked++
				return time.Unix(int64(asked)*3600, 0)
			})
			solver, err := New(ctx, p, Settings{Gap: 1e-12, Block: 4})
			if err != nil {
				t.Fatal(err)
			}
			solver.descends = looks != 8
			res, err := solver.Solve(ctx, rhs)
			if err != nil {
				t.Fatal(err)
			}
			for i, norm := range exact.Norm2 {
				if res.Norm2[i] > norm*(1+1e-8) || res.Norm2[i]*(1+res.Gap[i]) < norm*(1-1e-8) {
					t.Errorf("%s: %g is not between %g and a gap of %g above it", name, norm, res.Norm2[i], res.Gap[i])
				}
			}
			if !slices.Contains(res.Status, TimeLimit) || limits.Ended(ctx) == "" {
				t.Errorf("%s: after %d looks at the clock the right-hand sides end with %v", name, looks, res.Status)
			}
		}
	}
}
