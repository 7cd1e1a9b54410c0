package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	plain "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"
	"pgregory.net/rapid"
)

func TestGonumSuiteDsyev(t *testing.T) {
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		use(t, impl)
		testlapack.DsyevTest(t, NewLapack())
	})
}

// spectra make eigenvalues of all kinds of distribution.
var spectra = map[string]func(src *rand.Rand, i, n int) float64{
	"normal":    func(src *rand.Rand, _, _ int) float64 { return src.NormFloat64() },
	"repeated":  func(_ *rand.Rand, i, _ int) float64 { return float64(i % 3) },
	"one":       func(*rand.Rand, int, int) float64 { return 2.5 },
	"low rank":  func(_ *rand.Rand, i, n int) float64 { return max(0, float64(i-n+3)) },
	"geometric": func(_ *rand.Rand, i, n int) float64 { return math.Pow(10, -16*float64(i)/float64(n)) },
	"clustered": func(_ *rand.Rand, i, _ int) float64 { return float64(i/20) + 1e-14*float64(i%20) },
	"large":     func(src *rand.Rand, _, _ int) float64 { return 1e300 * src.NormFloat64() },
	"small":     func(src *rand.Rand, _, _ int) float64 { return 1e-300 * src.NormFloat64() },
}

// rotated is V diag(values) Vᵀ for a V made of reflections.
func rotated(src *rand.Rand, values []float64) []float64 {
	n := len(values)
	a := make([]float64, n*n)
	for i, v := range values {
		a[i*n+i] = v
	}
	for range 3 {
		v, norm := make([]float64, n), 0.0
		for i := range v {
			v[i] = src.NormFloat64()
			norm += v[i] * v[i]
		}
		for range 2 { // from the left, then, transposed, from the left again
			for j := range n {
				s := 0.0
				for i := range n {
					s += a[i*n+j] * v[i]
				}
				for i := range n {
					a[i*n+j] -= 2 * s / norm * v[i]
				}
			}
			for i := range n {
				for j := range i {
					a[i*n+j], a[j*n+i] = a[j*n+i], a[i*n+j]
				}
			}
		}
	}
	return a
}

// checkEigen checks A Q = Q Λ and QᵀQ = I, both to a small multiple of the
// rounding error of a product, and that Λ ascends.
func checkEigen(t rapid.TB, name string, n int, a, q, w []float64) {
	t.Helper()
	if n == 0 {
		return
	}
	norm := 0.0
	for _, v := range a {
		norm = max(norm, math.Abs(v))
	}
	if norm == 0 {
		norm = 1
	}
	scale := func(x []float64, f float64) []float64 {
		out := make([]float64, len(x))
		for i := range x {
			out[i] = x[i] * f
		}
		return out
	}
	a, w = scale(a, 1/norm), scale(w, 1/norm)
	most := 1.0 // |Λ| relative to the largest element
	for _, v := range w {
		most = max(most, math.Abs(v))
	}
	impl := Implementation{}
	residual, gram := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			residual[i*n+j] = q[i*n+j] * w[j]
		}
	}
	impl.Dgemm(nt, nt, n, n, n, 1, a, n, q, n, -1, residual, n)
	impl.Dgemm(tr, nt, n, n, n, 1, q, n, q, n, 0, gram, n)
	bound := 0x1p-52 * 4 * math.Sqrt(float64(n)+10)
	for i := range residual {
		if i%(n+1) == 0 {
			gram[i]--
		}
		if !(math.Abs(residual[i]) <= bound*most) || !(math.Abs(gram[i]) <= bound) {
			t.Fatalf("%s, n %d: [%d,%d]: residual %g of %g, inner product %g, bound %g", name, n, i/n, i%n, residual[i], most, gram[i], bound)
		}
	}
	if !slices.IsSorted(w) {
		t.Fatalf("%s, n %d: eigenvalues are not ascending", name, n)
	}
}

func syev(job lapack.EVJob, ul blas.Uplo, n int, a []float64) (w []float64, ok bool) {
	w, work := make([]float64, n), make([]float64, max(1, 66*n))
	return w, NewLapack().Dsyev(job, ul, n, a, max(1, n), w, work, len(work))
}

func TestEigenvectors(t *testing.T) {
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		use(t, impl)
		for name, spectrum := range spectra {
			for _, n := range []int{0, 1, 2, 3, 5, 32, 33, 65, 141} {
				src := rand.New(rand.NewPCG(uint64(n), 5))
				values := make([]float64, n)
				for i := range values {
					values[i] = spectrum(src, i, n)
				}
				a := rotated(src, values)
				for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
					q := slices.Clone(a)
					w, ok := syev(lapack.EVCompute, ul, n, q)
					if !ok {
						t.Fatalf("%s, n %d: no convergence", name, n)
					}
					for i := range n { // what the routine was given is the triangle
						for j := range i {
							if ul == blas.Upper {
								a[i*n+j] = a[j*n+i]
							} else {
								a[j*n+i] = a[i*n+j]
							}
						}
					}
					checkEigen(t, fmt.Sprintf("%s, %c", name, ul), n, a, q, w)
					alone, ok := syev(lapack.EVNone, ul, n, slices.Clone(a))
					for i := range alone {
						if most := max(math.Abs(w[0]), math.Abs(w[n-1])); !ok || !(math.Abs(alone[i]-w[i]) <= 1e-14*float64(n+10)*most) {
							t.Fatalf("%s, n %d: eigenvalue %d is %v without vectors, %v with them", name, n, i, alone[i], w[i])
						}
					}
				}
			}
		}
	})
}

// TestTridiagonalEigenvectors divides and conquers matrices that are hard to
// deflate, or all but decoupled.
func TestTridiagonalEigenvectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(33, 150).Draw(t, "n")
		src := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		kind := rapid.SampledFrom([]string{"second difference", "wilkinson", "glued", "random", "tiny coupling"}).Draw(t, "kind")
		a := make([]float64, n*n)
		for i := range n {
			d, e := 2.0, -1.0
			switch kind {
			case "wilkinson":
				d, e = math.Abs(float64(i)-float64(n-1)/2), 1
			case "glued":
				d, e = math.Abs(float64(i%21)-10), 1
				if i%21 == 20 {
					e = 1e-8
				}
			case "random":
				d, e = src.NormFloat64(), src.NormFloat64()
			case "tiny coupling":
				d, e = float64(i%4), math.Pow(10, -20*src.Float64())
			}
			a[i*n+i] = d
			if i < n-1 {
				a[i*n+i+1], a[(i+1)*n+i] = e, e
			}
		}
		q := slices.Clone(a)
		w, ok := syev(lapack.EVCompute, blas.Lower, n, q)
		if !ok {
			t.Fatalf("%s: no convergence", kind)
		}
		checkEigen(t, kind, n, a, q, w)
	})
}

func TestEigenBitsDoNotDependOnThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	must(t, Select(""))
	const n = 300
	src := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, n)
	for i := range values {
		values[i] = src.NormFloat64()
	}
	a := rotated(src, values)
	var firstQ, firstW []float64
	for _, threads := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(threads)
		q := slices.Clone(a)
		w, _ := syev(lapack.EVCompute, blas.Upper, n, q)
		if firstQ == nil {
			firstQ, firstW = q, w
		}
		if !slices.Equal(q, firstQ) || !slices.Equal(w, firstW) {
			t.Fatalf("on %d threads the bits are others than on one", threads)
		}
	}
}

func TestEigenRefusesWhatIsNotFinite(t *testing.T) {
	const n = 40
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		a := make([]float64, n*n)
		a[3*n+5] = bad
		if _, ok := syev(lapack.EVCompute, blas.Upper, n, slices.Clone(a)); ok {
			t.Errorf("decomposed a matrix with %v", bad)
		}
		if w, ok := syev(lapack.EVCompute, blas.Lower, n, a); !ok || w[0] != 0 {
			t.Errorf("the triangle without %v was refused", bad)
		}
	}
}

func BenchmarkEigen(b *testing.B) {
	for _, n := range []int{50, 100, 200, 400, 1000} {
		x := random[float64](n * n)
		a, w, work := make([]float64, n*n), make([]float64, n), make([]float64, 66*n)
		for _, r := range []struct {
			name string
			impl lapack.Float64
		}{{"own", NewLapack()}, {"gonum", plain.Implementation{}}} {
			b.Run(fmt.Sprintf("%d/%s", n, r.name), func(b *testing.B) {
				blas64.Use(Implementation{})
				for b.Loop() {
					copy(a, x)
					r.impl.Dsyev(lapack.EVCompute, blas.Lower, n, a, n, w, work, len(work))
				}
			})
		}
	}
}
