package polar

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A stood is an embedding without an envelope, with a follower that stands there under a sharp one.
type stood struct {
	*Follower
	iota, multipliers []float64
}

// standAt embeds a right-hand side.
func standAt(t *testing.T, p Problem, a []float64) *stood {
	t.Helper()
	s, err := New(t.Context(), p, Settings{Gap: 1e-13, Double: true, Multipliers: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(t.Context(), mat.NewDense(1, len(a), slices.Clone(a)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFollower(t.Context(), p, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := &stood{Follower: f, iota: r.Iota.RawRowView(0)}
	if r.Multipliers != nil {
		out.multipliers = r.Multipliers.RawRowView(0)
	}
	f.Place(t.Context(), out.iota)
	f.Soften(1e8, out.multipliers)
	return out
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

// The derivative is what differences say where the embedding has no kink nearby, symmetric, and ι itself along a.
func TestDerivativesAreThose(t *testing.T) {
	const dim, h = 7, 1e-5
	compared := 0
	for name, root := range nested() {
		rng := rand.New(rand.NewPCG(8, uint64(len(name))))
		p := Problem{Alpha: 0.5, A: operator(t, gaussian(rng, root.Size(), dim)), Gauge: root}
		for _, step := range walk(rng, dim, 2) {
			a := step.RawRowView(0)
			at := standAt(t, p, a)
			derivative := derivativeAt(t, at.Follower, dim)
			along := mat.NewDense(1, dim, nil)
			along.Mul(mat.NewDense(1, dim, slices.Clone(a)), derivative)
			for i, v := range at.iota {
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
		}
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
		near[k] = standAt(t, p, b).iota
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
	for _, step := range walk(rng, dim, 20) {
		at := standAt(t, p, step.RawRowView(0))
		var rows []int
		var sign []float64
		for j, c := range at.multipliers {
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
		derivative := derivativeAt(t, at.Follower, dim)
		for i := range dim {
			for j := range dim {
				if x, y := derivative.At(i, j), inverse.At(i, j); math.Abs(x-y) > 1e-7 {
					t.Fatalf("the derivative has %v at (%d, %d), the paper's block %v", x, i, j, y)
				}
			}
		}
	}
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
	at := standAt(t, p, gaussian(rng, 1, dim).RawRowView(0))
	for _, beta := range []float64{10, 1e3, 1e6} {
		at.Soften(beta, at.multipliers)
		da := gaussian(rng, 3, dim)
		want, got := mat.NewDense(3, dim, nil), mat.NewDense(3, dim, nil)
		if err := at.Differentiate(t.Context(), want, da); err != nil {
			t.Fatal(err)
		}
		n := at.newton
		back := n.borrow()
		n.value(n.av.RawRowView(0))
		got.Copy(da)
		if !n.solve(got) {
			t.Fatal("the system is too large")
		}
		for k := range 3 {
			for name, product := range map[string]func(dst, x []float64){"rows": n.byRows(n.activeRows()), "operator": n.byOperator} {
				v, ok := conjugate(da.RawRowView(k), looseEnd, looseIterations, func([]float64) {}, product)
				if floats.Sub(v, want.RawRowView(k)); !ok || floats.Norm(v, 2) > 1e-5*mat.Norm(want, 2) {
					t.Errorf("with β = %v conjugate gradients by %s differ by %v", beta, name, floats.Norm(v, 2))
				}
			}
		}
		back()
		if got.Sub(got, want); mat.Norm(got, 2) > 1e-8*mat.Norm(want, 2) {
			t.Errorf("with β = %v rows and columns differ by %v", beta, mat.Norm(got, 2))
		}
	}
}

func TestFollowersWithoutGauge(t *testing.T) {
	f, err := NewFollower(t.Context(), Problem{Alpha: 2}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if at, err := f.Embed(t.Context(), []float64{3, 4}); err != nil || at.Iota[0] != 1.5 || at.Value != 25.0/4 {
		t.Errorf("ι is %v, %v", at, err)
	}
	if d := derivativeAt(t, f, 4); d.At(1, 1) != 0.5 || d.At(0, 1) != 0 {
		t.Errorf("the derivative is %v", mat.Formatted(d))
	}
}

func TestFollowersStopAndRefuse(t *testing.T) {
	p := Problem{Alpha: 1, A: operator(t, gaussian(rand.New(rand.NewPCG(1, 1)), 2, 3)), Gauge: gauge.MaxOf(gauge.Leaf(gauge.Abs), gauge.Leaf(gauge.Abs))}
	f, err := NewFollower(t.Context(), p, 0)
	if err != nil {
		t.Fatal(err)
	}
	if at, err := f.Embed(t.Context(), make([]float64, 3)); err != nil || at.Value != 0 {
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
		f, err := NewFollower(t.Context(), p, 0)
		if err != nil {
			t.Fatal(err)
		}
		embed := func(a []float64, beta float64) *Point {
			f.Soften(beta, nil)
			at, err := f.Embed(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
		a := gaussian(rng, 1, dim).RawRowView(0)
		hard, last := dot(a, standAt(t, p, a).iota), math.Inf(1)
		for _, beta := range []float64{1, 100, 1e5} {
			soft := embed(a, beta)
			size := dot(a, soft.Iota)
			if size < hard*(1-1e-8) || size > last*(1+1e-8) {
				t.Errorf("%s: with β = %v ‖a‖² is %v, before %v, and in the limit %v", name, beta, size, last, hard)
			}
			last = size
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
		if last > hard*(1+1e-3) {
			t.Errorf("%s: with β = 1e5 ‖a‖² is %v, and should be near %v", name, last, hard)
		}
	}
}
