package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

var specs = []setting.Kernel{
	{Kind: setting.Gaussian, Width: 1.7},
	{Kind: setting.Laplacian, Width: 2.3},
	{Kind: setting.Matern32, Width: 1.9},
	{Kind: setting.Matern52, Width: 2.1},
	{Kind: setting.Linear},
	{Kind: setting.Polynomial, Degree: 1, Offset: 0.5},
	{Kind: setting.Polynomial, Degree: 2, Offset: 0},
	{Kind: setting.Polynomial, Degree: 3, Offset: 1},
}

func must(tb testing.TB, s setting.Kernel) *kernel.Function {
	tb.Helper()
	k, err := kernel.New(s)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

func random(rng *rand.Rand, n, p int) *mat.Dense {
	m := mat.NewDense(n, p, nil)
	for i := range n {
		for j := range p {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m
}

// naive is k(x, z) straight from its definition.
func naive(s setting.Kernel, x, z []float64) float64 {
	var square, inner float64
	for i := range x {
		square += (x[i] - z[i]) * (x[i] - z[i])
		inner += x[i] * z[i]
	}
	switch s.Kind {
	case setting.Gaussian:
		return math.Exp(-square / (2 * s.Width * s.Width))
	case setting.Laplacian:
		return math.Exp(-math.Sqrt(square) / s.Width)
	case setting.Matern32:
		r := math.Sqrt(3*square) / s.Width
		return (1 + r) * math.Exp(-r)
	case setting.Matern52:
		r := math.Sqrt(5*square) / s.Width
		return (1 + r + r*r/3) * math.Exp(-r)
	case setting.Linear:
		return inner
	}
	return math.Pow(inner+s.Offset, float64(s.Degree))
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s: got %.17g, want %.17g", what, got, want)
	}
}

func TestMatrixIsTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, z := random(rng, 600, 5), random(rng, 37, 5)
	z.SetRow(3, x.RawRowView(590)) // a coincidence
	for _, s := range specs {
		k := must(t, s)
		got := mat.NewDense(600, 37, nil)
		k.Matrix(got, x, z)
		for i := range 600 {
			for j := range 37 {
				near(t, s.String(), got.At(i, j), naive(s, x.RawRowView(i), z.RawRowView(j)), 1e-12)
			}
		}
		diag := make([]float64, 600)
		k.Diag(diag, x)
		for i := range diag {
			near(t, s.String(), diag[i], naive(s, x.RawRowView(i), x.RawRowView(i)), 1e-12)
		}
	}
}

func TestDistancesFarFromTheOrigin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := random(rng, 40, 3)
	for i := range 40 {
		for j := range 3 {
			x.Set(i, j, 1e6+x.At(i, j)*math.Pow(10, float64(-i%9)))
		}
	}
	x.SetRow(7, x.RawRowView(8))
	for _, s := range specs[:4] {
		got := mat.NewDense(40, 40, nil)
		must(t, s).Matrix(got, x, x)
		for i := range 40 {
			for j := range 40 {
				near(t, s.String(), got.At(i, j), naive(s, x.RawRowView(i), x.RawRowView(j)), 1e-9)
			}
		}
		if got.At(7, 8) != 1 || got.At(5, 5) != 1 {
			t.Errorf("%s: k(x, x) is %.17g and %.17g", s, got.At(7, 8), got.At(5, 5))
		}
	}
}

// Wide points stay where they are if that makes norms little larger, and are moved where it makes them far larger.
func TestDistancesOfWidePoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, off := range []float64{0, 0.1, 10} {
		x, z := random(rng, 30, 300), random(rng, 20, 300)
		shift := func(_, _ int, v float64) float64 { return off + v/10 }
		x.Apply(shift, x)
		z.Apply(shift, z)
		z.SetRow(3, x.RawRowView(8))
		for _, s := range specs[:4] {
			got := mat.NewDense(30, 20, nil)
			must(t, s).Matrix(got, x, z)
			for i := range 30 {
				for j := range 20 {
					near(t, s.String(), got.At(i, j), naive(s, x.RawRowView(i), z.RawRowView(j)), 1e-12)
				}
			}
		}
	}
}

// along is x + h·v, row by row.
func along(x, v *mat.Dense, h float64) *mat.Dense {
	var out mat.Dense
	out.Scale(h, v)
	out.Add(x, &out)
	return &out
}

// by is points derived so often along tangents.
func by(x, xdot *mat.Dense, order int) kernel.Argument {
	return kernel.Argument{Points: x, Along: xdot, Order: order}
}

// orders are those in which a kernel is derived in its two arguments.
func orders() (all [][2]int) {
	for x := range kernel.MostOrder + 1 {
		for z := range kernel.MostOrder + 1 {
			all = append(all, [2]int{x, z})
		}
	}
	return all
}

// Every derivative is the limit of differences of one that is lower by an order.
func TestDerivativesAreLimitsOfDifferences(t *testing.T) {
	const h = 1e-5
	rng := rand.New(rand.NewPCG(1, 3))
	n, m, p := 9, 7, 4
	x, xdot, z, zdot := random(rng, n, p), random(rng, n, p), random(rng, m, p), random(rng, m, p)
	for _, s := range specs {
		k := must(t, s)
		derived := func(hx, hz float64, order [2]int) *mat.Dense {
			out := mat.NewDense(n, m, nil)
			k.Derived(out, by(along(x, xdot, hx), xdot, order[0]), by(along(z, zdot, hz), zdot, order[1]))
			return out
		}
		for _, order := range orders() {
			for side, step := range [][2]float64{{h, 0}, {0, h}} {
				lower := order
				if lower[side]--; lower[side] < 0 {
					continue
				}
				got, up, down := derived(0, 0, order), derived(step[0], step[1], lower), derived(-step[0], -step[1], lower)
				for i := range n {
					for j := range m {
						near(t, fmt.Sprintf("%s %v", s, order), got.At(i, j), (up.At(i, j)-down.At(i, j))/(2*h), 1e-5)
					}
				}
			}
		}
	}
}

func TestLaplacianDerivativeAtCoincidence(t *testing.T) {
	k := must(t, setting.Kernel{Kind: setting.Laplacian, Width: 1})
	if k.Differentiable() {
		t.Error("the laplacian kernel calls itself differentiable")
	}
	x := mat.NewDense(1, 2, []float64{1, 2})
	v := mat.NewDense(1, 2, []float64{3, 4})
	out := mat.NewDense(1, 1, nil)
	if k.Derived(out, by(x, v, 1), kernel.At(x)); out.At(0, 0) != 0 {
		t.Errorf("D₁k is %v", out.At(0, 0))
	}
	if k.Derived(out, by(x, v, 1), by(x, v, 1)); !math.IsInf(out.At(0, 0), 1) {
		t.Errorf("D₁D₂k is %v", out.At(0, 0))
	}
}

// The Gram matrix of values, first and second derivatives together is positive semidefinite: it is one of inner products.
func TestGramMatricesArePositiveSemidefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	n, p := 12, 3
	x, v := random(rng, n, p), random(rng, n, p)
	for _, s := range specs {
		k := must(t, s)
		kinds := 1 + k.Derivatives()
		gram := mat.NewSymDense(kinds*n, nil)
		block := mat.NewDense(n, n, nil)
		for _, order := range orders() {
			if max(order[0], order[1]) >= kinds {
				continue
			}
			k.Derived(block, by(x, v, order[0]), by(x, v, order[1]))
			for i := range n {
				for j := range n {
					gram.SetSym(order[0]*n+i, order[1]*n+j, block.At(i, j))
				}
			}
		}
		var eig mat.EigenSym
		if !eig.Factorize(gram, false) {
			t.Fatalf("%s: no eigendecomposition", s)
		}
		if low, high := slices.Min(eig.Values(nil)), slices.Max(eig.Values(nil)); low < -1e-12*high {
			t.Errorf("%s: eigenvalues from %g to %g", s, low, high)
		}
	}
}

func TestNewRefusesWhatIsNoKernel(t *testing.T) {
	for _, s := range []setting.Kernel{
		{},
		{Kind: "cauchy"},
		{Kind: setting.Gaussian},
		{Kind: setting.Laplacian, Width: math.NaN()},
		{Kind: setting.Gaussian, Width: math.Inf(1)},
		{Kind: setting.Polynomial},
		{Kind: setting.Polynomial, Degree: 2, Offset: -1},
	} {
		if k, err := kernel.New(s); err == nil {
			t.Errorf("%+v became %v", s, k)
		}
	}
}

func TestMedianDistance(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{0, 0, 1, 3, 7}) // distances 1 1 3 3 7 7 2 6 4 without the zero
	got, err := kernel.MedianDistance(x, 1)
	if err != nil || got != 3 {
		t.Errorf("got %v, %v; want 3", got, err)
	}
	rng := rand.New(rand.NewPCG(1, 6))
	many := random(rng, 2600, 4)
	a, err := kernel.MedianDistance(many, 5)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := kernel.MedianDistance(many, 5)
	all, _ := kernel.MedianDistance(mat.DenseCopyOf(many.Slice(0, 2000, 0, 4)), 5)
	if a != b || math.Abs(a/all-1) > 0.03 {
		t.Errorf("samples give %v and %v, another sample %v", a, b, all)
	}
	for _, none := range []*mat.Dense{mat.NewDense(1, 2, nil), mat.NewDense(4, 2, nil)} {
		if v, err := kernel.MedianDistance(none, 1); err == nil {
			t.Errorf("rows without distances have the median %v", v)
		}
	}
}

func TestSameBitsForAnyNumberOfProcessors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	x, v, z, w := random(rng, 700, 9), random(rng, 700, 9), random(rng, 130, 9), random(rng, 130, 9)
	for _, s := range specs {
		k := must(t, s)
		compute := func(procs int) []float64 {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			var out []float64
			for _, order := range orders() {
				m := mat.NewDense(700, 130, nil)
				k.Derived(m, by(x, v, order[0]), by(z, w, order[1]))
				out = append(out, m.RawMatrix().Data...)
			}
			return out
		}
		if !slices.Equal(compute(1), compute(2)) {
			t.Errorf("%s: one and two processors differ", s)
		}
	}
}
