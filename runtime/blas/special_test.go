package blas

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	"pgregory.net/rapid"
)

// edges are orders that take the direct and the packed way.
var edges = []int{3, 100}

func filled(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

func TestZeroBetaOverwritesNaN(t *testing.T) {
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		for _, n := range edges {
			for _, k := range []int{0, 1, n} {
				c := filled(n*n, math.NaN())
				impl.Dgemm(nt, tr, n, n, k, 1, filled(n*n, 1), n, filled(n*n, 2), n, 0, c, n)
				if i := slices.IndexFunc(c, func(x float64) bool { return x != float64(2*k) }); i >= 0 {
					t.Errorf("n %d, k %d: c[%d] = %v", n, k, i, c[i])
				}
			}
			c := filled(n*n, math.NaN())
			impl.Dsyrk(blas.Lower, nt, n, n, 1, filled(n*n, 1), n, 0, c, n)
			for i := range n {
				for j := range n {
					if x := c[i*n+j]; j <= i && x != float64(n) || j > i && !math.IsNaN(x) {
						t.Fatalf("Dsyrk, n %d: [%d,%d] = %v", n, i, j, x)
					}
				}
			}
		}
	})
}

func TestOtherBetaKeepsNaN(t *testing.T) {
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		for _, n := range edges {
			for _, beta := range []float64{1, 0.5} {
				c := filled(n*n, 0)
				c[n+1] = math.NaN()
				impl.Dgemm(nt, nt, n, n, n, 1, filled(n*n, 1), n, filled(n*n, 1), n, beta, c, n)
				for i, x := range c {
					if math.IsNaN(x) != (i == n+1) {
						t.Errorf("n %d, beta %v: c[%d] = %v", n, beta, i, x)
					}
				}
			}
		}
	})
}

func TestNaNAndInfPropagate(t *testing.T) {
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		for _, n := range edges {
			for _, bad := range []float64{math.NaN(), math.Inf(1)} {
				// A bad element meets only zeros: 0·NaN and 0·Inf are NaN, in its row alone.
				a, c := filled(n*n, 1), filled(n*n, 0)
				a[2*n+1] = bad
				impl.Dgemm(nt, nt, n, n, n, 1, a, n, filled(n*n, 0), n, 0, c, n)
				for i, x := range c {
					if math.IsNaN(x) != (i/n == 2) {
						t.Errorf("n %d, %v: c[%d] = %v", n, bad, i, x)
					}
				}
				// With alpha = 0, A and B are not read.
				impl.Dgemm(nt, nt, n, n, n, 0, a, n, a, n, 0, c, n)
				if i := slices.IndexFunc(c, func(x float64) bool { return x != 0 }); i >= 0 {
					t.Errorf("n %d: alpha = 0 gave %v", n, c[i])
				}
			}
		}
	})
}

func TestTrianglesIgnoreTheOtherHalf(t *testing.T) {
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		for _, n := range []int{5, 40, 300} {
			for _, side := range []blas.Side{blas.Left, blas.Right} {
				a := filled(n*n, math.NaN())
				for i := range n {
					for j := range i {
						a[i*n+j] = 0
					}
					a[i*n+i] = 2
				}
				b := filled(n*n, 1)
				b[0] = math.Inf(1)
				impl.Dtrmm(side, blas.Lower, nt, blas.NonUnit, n, n, 1, a, n, b, n)
				nans := 0
				for _, x := range b {
					if math.IsNaN(x) {
						nans++
					}
				}
				// Inf meets the zeros of one column of A (left), or lies in
				// a column that no other takes from (right).
				if want := map[blas.Side]int{blas.Left: n - 1, blas.Right: 0}[side]; nans != want {
					t.Errorf("n %d, side %c: %d NaN, want %d", n, side, nans, want)
				}
				x := filled(n*n, 1)
				impl.Dtrsm(side, blas.Lower, nt, blas.NonUnit, n, n, 1, a, n, x, n)
				if i := slices.IndexFunc(x, func(v float64) bool { return v != 0.5 }); i >= 0 {
					t.Errorf("n %d, side %c: Dtrsm gave %v, want 0.5", n, side, x[i])
				}
			}
		}
	})
}

// TestBatchesDoNotChangeBits computes single rows and columns of a product.
func TestBatchesDoNotChangeBits(t *testing.T) {
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		rapid.Check(t, func(t *rapid.T) {
			p := drawProblem(t)
			p.tA, p.tB = blas.NoTrans, blas.Trans
			p.m, p.n, p.k = max(p.m, 1), max(p.n, 1), max(p.k, 1)
			p.a, p.b = random[float64](p.m*p.k), random[float64](p.n*p.k)
			whole := make([]float64, p.m*p.n)
			impl.Dgemm(nt, tr, p.m, p.n, p.k, p.alpha, p.a, p.k, p.b, p.k, 0, whole, p.n)
			i := rapid.IntRange(0, p.m-1).Draw(t, "row")
			row := make([]float64, p.n)
			impl.Dgemm(nt, tr, 1, p.n, p.k, p.alpha, p.a[i*p.k:], p.k, p.b, p.k, 0, row, p.n)
			j := rapid.IntRange(0, p.n-1).Draw(t, "column")
			column := make([]float64, p.m)
			impl.Dgemm(nt, tr, p.m, 1, p.k, p.alpha, p.a, p.k, p.b[j*p.k:], p.k, 0, column, 1)
			for q, x := range row {
				if x != whole[i*p.n+q] {
					t.Fatalf("%v: row %d alone: [%d] = %x, in the whole %x", p, i, q, x, whole[i*p.n+q])
				}
			}
			for q, x := range column {
				if x != whole[q*p.n+j] {
					t.Fatalf("%v: column %d alone: [%d] = %x, in the whole %x", p, j, q, x, whole[q*p.n+j])
				}
			}
		})
	})
}

func TestSelect(t *testing.T) {
	t.Cleanup(func() { must(t, Select("")) })
	for _, name := range Tiers() {
		must(t, Select(strings.ToUpper(name)))
		if Name() != name || !strings.Contains(Detail(), "float32") {
			t.Errorf("%s: %s, %s are in use", name, Name(), Detail())
		}
	}
	t.Setenv(Variable, "sse9")
	err := Use()
	if Name() != Tiers()[0] {
		t.Errorf("fell back to %s, want the fastest", Name())
	}
	if err == nil || !strings.Contains(err.Error(), "SIPC_BLAS=sse9") || !strings.Contains(err.Error(), "generic") {
		t.Errorf("error %v names neither the variable nor the choices", err)
	}
	if err := Select("sse9"); err == nil || Name() != Tiers()[0] {
		t.Errorf("sse9: error %v, %s in use", err, Name())
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestUseRegisters(t *testing.T) {
	blas64.Use(gonum.Implementation{})
	blas32.Use(gonum.Implementation{})
	if err := Use(); err != nil {
		t.Fatal(err)
	}
	if _, ok := blas64.Implementation().(Implementation); !ok {
		t.Errorf("blas64 uses %T", blas64.Implementation())
	}
	if _, ok := blas32.Implementation().(Implementation); !ok {
		t.Errorf("blas32 uses %T", blas32.Implementation())
	}
	a := []float64{4, 0, 2, 5}
	if _, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: 2, Data: a, Stride: 2}); !ok || a[0] != 2 || a[3] != 2 {
		t.Errorf("factor %v", a)
	}
}

func TestShapesThatDoNotFitPanic(t *testing.T) {
	x := make([]float64, 9)
	for name, f := range map[string]func(){
		"short A":     func() { Implementation{}.Dgemm(nt, nt, 3, 3, 3, 1, x[:8], 3, x, 3, 0, x, 3) },
		"short C":     func() { Implementation{}.Dgemm(nt, nt, 3, 3, 3, 1, x, 3, x, 3, 0, x[:8], 3) },
		"stride of B": func() { Implementation{}.Dgemm(nt, nt, 3, 3, 3, 1, x, 3, x, 2, 0, x, 3) },
		"negative":    func() { Implementation{}.Dsyrk(blas.Upper, nt, -1, 3, 1, x, 3, 0, x, 3) },
		"transpose":   func() { Implementation{}.Dgemm('X', nt, 3, 3, 3, 1, x, 3, x, 3, 0, x, 3) },
		"triangle":    func() { Implementation{}.Dsyrk(blas.All, nt, 3, 3, 1, x, 3, 0, x, 3) },
		"exp":         func() { Exp(x, x[1:]) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "blas: ") {
					t.Errorf("recovered %q", r)
				}
			}()
			f()
		})
	}
}
