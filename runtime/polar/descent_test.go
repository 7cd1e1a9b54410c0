package polar

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// descending solves with descents or without, whatever they cost.
func descending(t *testing.T, p Problem, s Settings, a *mat.Dense, descents bool) *Result {
	t.Helper()
	solver, err := New(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	solver.descends = descents
	res, err := solver.Solve(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Descents, and what goes on from them, come to the embeddings of the alternating directions alone, in both precisions. Where the
// alternating directions do not go on at all, V and c come from a descent.
func TestDescentsComeToTheEmbeddings(t *testing.T) {
	for name, g := range nested() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(17, uint64(len(name))))
			d := newDense32(operator(t, gaussian(rng, 24, 17)))
			rhs := gaussian(rng, 21, 17)
			for _, gap := range []float64{1e-3, 1e-9} {
				for _, double := range []bool{false, true} {
					p, s := Problem{Alpha: 0.05, A: d, Gauge: g}, Settings{Gap: gap, Multipliers: true, Double: double, Block: 5}
					got, want := descending(t, p, s, rhs, true), descending(t, p, s, rhs, false)
					lower, upper := Certify(p, rhs, got.Iota, got.Multipliers)
					for i := range lower {
						if proved := upper[i]/lower[i] - 1; !(proved <= 1.01*gap+1e-13) || !(got.Gap[i] <= gap) || got.Status[i] != Converged {
							t.Errorf("gap %g, double %v: %.2e, said to be %.2e, %v", gap, double, proved, got.Gap[i], got.Status[i])
						}
						// ‖V − ι‖² ≤ (gap/α)⟨a, ι⟩ of either.
						var apart mat.VecDense
						apart.SubVec(got.Iota.RowView(i), want.Iota.RowView(i))
						if most := 2 * math.Sqrt(1.1*gap/p.Alpha*upper[i]); !(apart.Norm(2) <= most) {
							t.Errorf("gap %g, double %v: embeddings are %g apart, at most %g is possible", gap, double, apart.Norm(2), most)
						}
					}
				}
			}
		})
	}
}

// steady is the norm of a mean over groups of six, in a space so large that right-hand sides descend.
func steady(t *testing.T, rng *rand.Rand, groups int) Problem {
	t.Helper()
	const dim = 421
	a := gaussian(rng, 6*groups, dim)
	a.Scale(1/math.Sqrt(float64(groups)), a)
	return Problem{Alpha: 0.2, A: newDense32(operator(t, a)), Gauge: gauge.Repeat(groups, gauge.Hypot(gauge.Repeat(6, gauge.MaxOf(abs))))}
}

// A mean over many more groups than there are dimensions takes less than half the iterations by descents.
func TestDescentsTakeFewIterations(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	const groups, dim = 1200, 30
	a := gaussian(rng, 6*groups, dim)
	for j := range dim {
		for i := range 6 * groups {
			a.Set(i, j, 10*a.At(i, j)/float64(j+1)/math.Sqrt(groups))
		}
	}
	p := Problem{Alpha: 0.2, A: newDense32(operator(t, a)), Gauge: gauge.Repeat(groups, gauge.Hypot(gauge.Repeat(6, gauge.MaxOf(abs))))}
	rhs := gaussian(rng, 20, dim)
	got, want := descending(t, p, Settings{Gap: 1e-3}, rhs, true), descending(t, p, Settings{Gap: 1e-3}, rhs, false)
	if got.MaxGap() > 1e-3 || 2*slices.Max(got.Iterations) >= slices.Max(want.Iterations) {
		t.Errorf("gap %g after %d iterations, %d without descents", got.MaxGap(), slices.Max(got.Iterations), slices.Max(want.Iterations))
	}
	t.Logf("%d iterations, %d without descents", slices.Max(got.Iterations), slices.Max(want.Iterations))
}

// Where few functionals bear ρ, right-hand sides go the way of the alternating directions from the start, to the same bits.
func TestMaximaAreNotDescended(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	const functionals, dim = 6000, 12
	p := Problem{Alpha: 0.2, A: operator(t, gaussian(rng, functionals, dim)), Gauge: gauge.Repeat(functionals, gauge.MaxOf(abs))}
	rhs := gaussian(rng, 5, dim)
	got, want := descending(t, p, Settings{}, rhs, true), descending(t, p, Settings{}, rhs, false)
	if !mat.Equal(got.Iota, want.Iota) || !slices.Equal(got.Iterations, want.Iterations) {
		t.Errorf("%v iterations, %v without descents", got.Iterations, want.Iterations)
	}
	small := Problem{Alpha: 0.2, A: operator(t, gaussian(rng, 24, 17)), Gauge: nested()["rms of max"]}
	if s, err := New(t.Context(), small, Settings{}); err != nil || s.descends {
		t.Errorf("descents where the gauge takes most of the time: %v, %v", s.descends, err)
	}
}

// Where ρ is 0 at the closed form, it says nothing of M_κ, and there is no descent. The embedding is a/α.
func TestNothingToDescend(t *testing.T) {
	a := mat.NewDense(8, 1, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	p := Problem{Alpha: 0.5, A: newDense32(operator(t, a)), Gauge: gauge.Repeat(4, gauge.Hypot(gauge.Repeat(2, gauge.MaxOf(pos))))}
	for _, double := range []bool{false, true} {
		res := descending(t, p, Settings{Double: double}, mat.NewDense(1, 1, []float64{-3}), true)
		if got := res.Iota.At(0, 0); res.Status[0] != Converged || math.Abs(got+6) > 1e-2 {
			t.Errorf("double %v: %v, ι = %v", double, res.Status[0], got)
		}
	}
}

// A descent's bits depend neither on the others in its batch nor on the number of threads.
func TestBitsOfDescents(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	p, rhs := steady(t, rng, 281), gaussian(rng, 7, 421)
	want := solve(t, p, Settings{Gap: 1e-2}, rhs)
	if slices.Equal(want.Iterations, descending(t, p, Settings{Gap: 1e-2}, rhs, false).Iterations) {
		t.Error("no descents")
	}
	for _, block := range []int{3, 64} {
		for _, procs := range []int{1, 3} {
			before := runtime.GOMAXPROCS(procs)
			got := solve(t, p, Settings{Gap: 1e-2, Block: block}, rhs)
			runtime.GOMAXPROCS(before)
			if !mat.Equal(got.Iota, want.Iota) || !slices.Equal(got.Gap, want.Gap) || !slices.Equal(got.Iterations, want.Iterations) {
				t.Errorf("blocks of %d on %d threads give other bits", block, procs)
			}
		}
	}
}

// A descent that is cut off tells so, with the gap that it has.
func TestDescentsThatAreCutOff(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 9))
	p, rhs := steady(t, rng, 281), gaussian(rng, 3, 421)
	for _, double := range []bool{false, true} {
		s := Settings{Gap: 1e-6, MaxIterations: 5, NoFinish: true, Multipliers: true, Double: double}
		res := solve(t, p, s, rhs)
		if slices.Equal(res.Gap, descending(t, p, s, rhs, false).Gap) {
			t.Error("no descents")
		}
		lower, upper := Certify(p, rhs, res.Iota, res.Multipliers)
		for i, status := range res.Status {
			if proved := upper[i]/lower[i] - 1; status != IterationLimit || res.Iterations[i] != 5 || !(proved <= 1.001*res.Gap[i]) || !(res.Gap[i] < 10) {
				t.Errorf("double %v: %v after %d iterations with gap %g, said to be %g", double, status, res.Iterations[i], proved, res.Gap[i])
			}
		}
	}
}
