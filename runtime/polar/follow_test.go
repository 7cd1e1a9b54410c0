package polar

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// follow embeds a path of right-hand sides, and hands each point to see.
func follow(t *testing.T, p Problem, gap float64, path []*mat.Dense, see func(f *Follower, a []float64, at *Point)) *Follower {
	t.Helper()
	f, err := NewFollower(t.Context(), p, gap, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range path {
		at, err := f.Embed(t.Context(), a.RawRowView(0))
		if err != nil {
			t.Fatal(err)
		}
		see(f, a.RawRowView(0), at)
	}
	return f
}

// walk is a path of right-hand sides.
func walk(rng *rand.Rand, dim, steps int) []*mat.Dense {
	at := gaussian(rng, 1, dim)
	var path []*mat.Dense
	for range steps {
		step := gaussian(rng, 1, dim)
		step.Scale(0.2, step)
		at.Add(at, step)
		path = append(path, mat.DenseCopyOf(at))
	}
	return path
}

func TestFollowersReachTheGap(t *testing.T) {
	for name, root := range nested() {
		rng := rand.New(rand.NewPCG(5, uint64(len(name))))
		p := Problem{Alpha: 0.3, A: operator(t, gaussian(rng, root.Size(), 9)), Gauge: root}
		f := follow(t, p, 1e-9, walk(rng, 9, 12), func(_ *Follower, a []float64, at *Point) {
			if gap := at.Gap(); gap > 1e-9 {
				t.Errorf("%s: the gap is %v", name, gap)
			}
			s, err := New(t.Context(), p, Settings{Gap: 1e-10})
			if err != nil {
				t.Fatal(err)
			}
			want, err := s.Solve(t.Context(), mat.NewDense(1, len(a), a))
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range want.Iota.RawRowView(0) {
				if math.Abs(v-at.Iota[i]) > 1e-3*(1+math.Sqrt(at.Lower)) {
					t.Errorf("%s: ι[%d] = %v, by the solver %v", name, i, at.Iota[i], v)
				}
			}
		})
		t.Logf("%s: %d Newton steps, %d of 12 anew", name, f.Steps, f.Anew)
		if f.Anew > 6 {
			t.Errorf("%s: began anew %d times of 12", name, f.Anew)
		}
	}
}

// The derivative is what differences say where the embedding has no kink nearby, symmetric, and ι itself along a.
func TestDerivativesAreThose(t *testing.T) {
	const dim, h = 7, 1e-5
	compared := 0
	for name, root := range nested() {
		rng := rand.New(rand.NewPCG(8, uint64(len(name))))
		p := Problem{Alpha: 0.5, A: operator(t, gaussian(rng, root.Size(), dim)), Gauge: root}
		follow(t, p, 1e-13, walk(rng, dim, 2), func(f *Follower, a []float64, at *Point) {
			derivative := derivativeAt(t, f, dim)
			along := mat.NewDense(1, dim, nil)
			along.Mul(mat.NewDense(1, dim, slices.Clone(a)), derivative)
			for i, v := range at.Iota {
				if got := along.At(0, i); math.Abs(got-v) > 1e-4*(1+math.Abs(v)) {
					t.Errorf("%s: along a the derivative is %v, and ι is %v", name, got, v)
				}
			}
			for i := range dim {
				for j := range i {
					if x, y := derivative.At(i, j), derivative.At(j, i); math.Abs(x-y) > 1e-8 {
						t.Errorf("%s: the derivative is not symmetric: %v and %v", name, x, y)
					}
				}
				compared += compareColumn(t, name, p, a, i, h, derivative.RowView(i))
			}
		})
	}
	if compared < 60 {
		t.Errorf("only %d columns were compared", compared)
	}
}

func derivativeAt(t *testing.T, f *Follower, dim int) *mat.Dense {
	t.Helper()
	unit, out := mat.NewDense(dim, dim, nil), mat.NewDense(dim, dim, nil)
	for i := range dim {
		unit.Set(i, i, 1)
	}
	if err := f.Differentiate(t.Context(), out, unit); err != nil {
		t.Fatal(err)
	}
	return out
}

// compareColumn compares with central differences, unless those of both sides differ. It says how many columns it compared.
func compareColumn(t *testing.T, name string, p Problem, a []float64, i int, h float64, want mat.Vector) int {
	t.Helper()
	var near [3][]float64
	for k := range near {
		b := slices.Clone(a)
		b[i] += h * float64(k-1)
		g, err := NewFollower(t.Context(), p, 1e-13, 0)
		if err != nil {
			t.Fatal(err)
		}
		at, err := g.Embed(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		near[k] = at.Iota
	}
	worst, kink := 0.0, 0.0
	for j := range want.Len() {
		left, right := (near[1][j]-near[0][j])/h, (near[2][j]-near[1][j])/h
		kink = max(kink, math.Abs(left-right))
		worst = max(worst, math.Abs((left+right)/2-want.AtVec(j)))
	}
	if kink > 1e-3 {
		return 0
	}
	if worst > 5e-3 {
		t.Errorf("%s: along dimension %d the derivative differs from differences by %v", name, i, worst)
	}
	return 1
}

// For R² = Σ_g w_g max t² the derivative is the top left block of the inverse of the corrected matrix of the paper's appendix,
// [[αI, 0, Zᵀ], [0, diag 1/w, −1ᵀ], [Z, −1, 0]] over the active rows, with their signs.
func TestDerivativeIsTheBlockOfThePaper(t *testing.T) {
	const groups, each, dim, alpha = 4, 3, 8, 0.7
	weights := []float64{1, 2, 0.5, 1.5}
	members := make([]*gauge.Node, groups)
	for g := range members {
		members[g] = gauge.Scaled(gauge.Repeat(each, gauge.MaxOf(gauge.Leaf(gauge.Abs))), weights[g])
	}
	rng := rand.New(rand.NewPCG(3, 3))
	a := gaussian(rng, groups*each, dim)
	p := Problem{Alpha: alpha, A: operator(t, a), Gauge: gauge.Hypot(members...)}
	ties := 0
	follow(t, p, 1e-13, walk(rng, dim, 20), func(f *Follower, _ []float64, at *Point) {
		var rows []int
		var sign []float64
		for j, c := range at.Multipliers {
			if math.Abs(c) > 1e-7 {
				rows, sign = append(rows, j), append(sign, math.Copysign(1, c))
			}
		}
		size := dim + groups + len(rows)
		system := mat.NewDense(size, size, nil)
		for i := range dim {
			system.Set(i, i, alpha)
		}
		for g := range groups {
			system.Set(dim+g, dim+g, weights[g]*weights[g])
		}
		ties += len(rows) - groups
		for k, j := range rows {
			for i := range dim {
				system.Set(dim+groups+k, i, sign[k]*a.At(j, i))
				system.Set(i, dim+groups+k, sign[k]*a.At(j, i))
			}
			system.Set(dim+groups+k, dim+j/each, -1)
			system.Set(dim+j/each, dim+groups+k, -1)
		}
		var inverse mat.Dense
		if err := inverse.Inverse(system); err != nil {
			t.Fatal(err)
		}
		derivative := derivativeAt(t, f, dim)
		for i := range dim {
			for j := range dim {
				if x, y := derivative.At(i, j), inverse.At(i, j); math.Abs(x-y) > 1e-7 {
					t.Fatalf("the derivative has %v at (%d, %d), the paper's block %v", x, i, j, y)
				}
			}
		}
	})
	if ties < 10 {
		t.Errorf("only %d maxima were tied: nothing was seen of kinks", ties)
	}
}

// All ways to solve the derivative's system agree: by rows, by columns, and by conjugate gradients.
func TestWaysToDifferentiateAgree(t *testing.T) {
	root := gauge.Repeat(30, gauge.Hypot(gauge.Repeat(2, gauge.MaxOf(gauge.Leaf(gauge.Abs)))))
	rng := rand.New(rand.NewPCG(4, 4))
	const dim = 40
	p := Problem{Alpha: 1, A: operator(t, gaussian(rng, 60, dim)), Gauge: root}
	follow(t, p, 1e-12, walk(rng, dim, 1), func(f *Follower, _ []float64, _ *Point) {
		da := gaussian(rng, 3, dim)
		want, got := mat.NewDense(3, dim, nil), mat.NewDense(3, dim, nil)
		if err := f.Differentiate(t.Context(), want, da); err != nil {
			t.Fatal(err)
		}
		n := f.newton
		defer n.borrow()()
		for _, beta := range []float64{tangentLoose, 1e3, 1e6} {
			n.beta = beta
			n.value(n.av.RawRowView(0))
			n.active = n.terms.Active(n.active[:0])
			factor, err := n.solver.factor(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := (&tangent{newton: n, before: factor}).solve(t.Context(), got, da, tangentSteps); err != nil {
				t.Fatal(err)
			}
			got.Sub(got, want)
			if d := mat.Norm(got, 2); d > 1e-5*mat.Norm(want, 2) {
				t.Errorf("with β = %v conjugate gradients differ by %v of %v", beta, d, mat.Norm(want, 2))
			}
		}
	})
}

func TestFollowersWithoutGauge(t *testing.T) {
	path := walk(rand.New(rand.NewPCG(1, 1)), 4, 2)
	follow(t, Problem{Alpha: 2}, 0, path, func(f *Follower, a []float64, at *Point) {
		if at.Gap() > 1e-15 || at.Iota[0] != a[0]/2 {
			t.Errorf("ι is %v of %v, with a gap of %v", at.Iota, a, at.Gap())
		}
		if d := derivativeAt(t, f, 4); d.At(1, 1) != 0.5 || d.At(0, 1) != 0 {
			t.Errorf("the derivative is %v", mat.Formatted(d))
		}
	})
}

func TestFollowersStopAndRefuse(t *testing.T) {
	p := Problem{Alpha: 1, A: operator(t, gaussian(rand.New(rand.NewPCG(1, 1)), 2, 3)), Gauge: gauge.MaxOf(gauge.Leaf(gauge.Abs), gauge.Leaf(gauge.Abs))}
	f, err := NewFollower(t.Context(), p, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if at, err := f.Embed(t.Context(), make([]float64, 3)); err != nil || at.Gap() != 0 || at.Lower != 0 {
		t.Errorf("zero is embedded as %v, %v", at, err)
	}
	for _, a := range [][]float64{{1, 2}, {1, 2, math.NaN()}} {
		if _, err := f.Embed(t.Context(), a); err == nil {
			t.Errorf("%v is not refused", a)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Embed(ctx, []float64{1, 2, 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// A softened ρ has embeddings that satisfy their first-order condition, under a norm that is a little smaller and homogeneous, and
// derivatives as differences say.
func TestSoftenedFollowers(t *testing.T) {
	const dim, h = 7, 1e-5
	for name, root := range nested() {
		rng := rand.New(rand.NewPCG(9, uint64(len(name))))
		p := Problem{Alpha: 0.5, A: operator(t, gaussian(rng, root.Size(), dim)), Gauge: root}
		f, err := NewFollower(t.Context(), p, 1e-10, 0)
		if err != nil {
			t.Fatal(err)
		}
		embed := func(a []float64, beta float64) *Point {
			f.Soften(beta, nil)
			at, err := f.Embed(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			if at.Gap() > 1e-8 {
				t.Errorf("%s: the gap is %v", name, at.Gap())
			}
			return at
		}
		a := gaussian(rng, 1, dim).RawRowView(0)
		hard, last := embed(a, 0), math.Inf(1)
		for _, beta := range []float64{1, 100, 1e5} {
			soft := embed(a, beta)
			if soft.Lower < hard.Lower*(1-1e-8) || soft.Lower > last*(1+1e-8) {
				t.Errorf("%s: with β = %v ‖a‖² is %v, before %v, and in the limit %v", name, beta, soft.Lower, last, hard.Lower)
			}
			last = soft.Lower
			derivative := derivativeAt(t, f, dim)
			b := slices.Clone(a)
			b[2] += h
			near := embed(b, beta)
			for j, v := range soft.Iota {
				if got := (near.Iota[j] - v) / h; math.Abs(got-derivative.At(2, j)) > 1e-2 {
					t.Errorf("%s: with β = %v the derivative is %v, by differences %v", name, beta, derivative.At(2, j), got)
				}
			}
		}
		if last > hard.Lower*(1+1e-3) {
			t.Errorf("%s: with β = 1e5 ‖a‖² is %v, and should be near %v", name, last, hard.Lower)
		}
	}
}
