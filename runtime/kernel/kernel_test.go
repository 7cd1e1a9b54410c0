package kernel_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
)

var specs = []kernel.Spec{
	{Kind: kernel.Gaussian, Width: 1.7},
	{Kind: kernel.Laplacian, Width: 2.3},
	{Kind: kernel.Linear},
	{Kind: kernel.Polynomial, Degree: 1, Offset: 0.5},
	{Kind: kernel.Polynomial, Degree: 2, Offset: 0},
	{Kind: kernel.Polynomial, Degree: 3, Offset: 1},
}

func must(tb testing.TB, s kernel.Spec) kernel.Kernel {
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
func naive(s kernel.Spec, x, z []float64) float64 {
	var square, inner float64
	for i := range x {
		square += (x[i] - z[i]) * (x[i] - z[i])
		inner += x[i] * z[i]
	}
	switch s.Kind {
	case kernel.Gaussian:
		return math.Exp(-square / (2 * s.Width * s.Width))
	case kernel.Laplacian:
		return math.Exp(-math.Sqrt(square) / s.Width)
	case kernel.Linear:
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
	for _, s := range specs[:2] {
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

// along is x + h·v, row by row.
func along(x, v *mat.Dense, h float64) *mat.Dense {
	var out mat.Dense
	out.Scale(h, v)
	out.Add(x, &out)
	return &out
}

func TestDerivativesAreLimitsOfDifferences(t *testing.T) {
	const small, h = 1e-5, 1e-4
	rng := rand.New(rand.NewPCG(1, 3))
	n, m, p := 9, 7, 4
	x, xdot, z, zdot := random(rng, n, p), random(rng, n, p), random(rng, m, p), random(rng, m, p)
	for _, s := range specs {
		k := must(t, s)
		at := func(hx, hz float64) *mat.Dense {
			out := mat.NewDense(n, m, nil)
			k.Matrix(out, along(x, xdot, hx), along(z, zdot, hz))
			return out
		}
		first, mixed := mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
		k.Directional(first, x, xdot, z)
		k.Mixed(mixed, x, xdot, z, zdot)
		up, down := at(small, 0), at(-small, 0)
		pp, pm, mp, mm := at(h, h), at(h, -h), at(-h, h), at(-h, -h)
		for i := range n {
			for j := range m {
				near(t, s.String()+" D₁", first.At(i, j), (up.At(i, j)-down.At(i, j))/(2*small), 1e-6)
				near(t, s.String()+" D₁D₂", mixed.At(i, j), (pp.At(i, j)-pm.At(i, j)-mp.At(i, j)+mm.At(i, j))/(4*h*h), 1e-5)
			}
		}
	}
}

func TestPairsAreTheDiagonalsOfTheMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	n, p := 11, 6
	x, xdot, z, zdot := random(rng, n, p), random(rng, n, p), random(rng, n, p), random(rng, n, p)
	for _, s := range specs {
		k := must(t, s)
		full, back := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		got := make([]float64, n)
		check := func(what string, m mat.Matrix) {
			for i := range n {
				near(t, s.String()+what, got[i], m.At(i, i), 1e-12)
			}
		}
		k.Matrix(full, x, z)
		k.Pairs(got, x, nil, z, nil)
		check(" value", full)
		k.Directional(full, x, xdot, z)
		k.Pairs(got, x, xdot, z, nil)
		check(" D₁", full)
		k.Directional(back, z, zdot, x)
		k.Pairs(got, x, nil, z, zdot)
		check(" D₂", back)
		k.Mixed(full, x, xdot, z, zdot)
		k.Pairs(got, x, xdot, z, zdot)
		check(" D₁D₂", full)
	}
}

func TestLaplacianDerivativeAtCoincidence(t *testing.T) {
	k := must(t, kernel.Spec{Kind: kernel.Laplacian, Width: 1})
	if k.Differentiable() {
		t.Error("the laplacian kernel calls itself differentiable")
	}
	x := mat.NewDense(1, 2, []float64{1, 2})
	v := mat.NewDense(1, 2, []float64{3, 4})
	out := mat.NewDense(1, 1, nil)
	if k.Directional(out, x, v, x); out.At(0, 0) != 0 {
		t.Errorf("Directional is %v", out.At(0, 0))
	}
	if k.Mixed(out, x, v, x, v); !math.IsInf(out.At(0, 0), 1) {
		t.Errorf("Mixed is %v", out.At(0, 0))
	}
}

// The Gram matrix of values and derivatives together is positive semidefinite: it is one of inner products.
func TestGramMatricesArePositiveSemidefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	n, p := 12, 3
	x, v := random(rng, n, p), random(rng, n, p)
	for _, s := range specs {
		k := must(t, s)
		values, first, mixed := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		k.Matrix(values, x, x)
		k.Directional(first, x, v, x)
		k.Mixed(mixed, x, v, x, v)
		size := n
		if k.Differentiable() {
			size = 2 * n
		}
		gram := mat.NewSymDense(size, nil)
		for i := range size {
			for j := i; j < size; j++ {
				switch {
				case j < n:
					gram.SetSym(i, j, values.At(i, j))
				case i < n:
					gram.SetSym(i, j, first.At(j-n, i))
				default:
					gram.SetSym(i, j, mixed.At(i-n, j-n))
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
	for _, s := range []kernel.Spec{
		{},
		{Kind: "cauchy"},
		{Kind: kernel.Gaussian},
		{Kind: kernel.Laplacian, Width: math.NaN()},
		{Kind: kernel.Gaussian, Width: math.Inf(1)},
		{Kind: kernel.Polynomial},
		{Kind: kernel.Polynomial, Degree: 2, Offset: -1},
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
			for kind := range 3 {
				m := mat.NewDense(700, 130, nil)
				switch kind {
				case 0:
					k.Matrix(m, x, z)
				case 1:
					k.Directional(m, x, v, z)
				case 2:
					k.Mixed(m, x, v, z, w)
				}
				out = append(out, m.RawMatrix().Data...)
			}
			return out
		}
		if !slices.Equal(compute(1), compute(2)) {
			t.Errorf("%s: one and two processors differ", s)
		}
	}
}
