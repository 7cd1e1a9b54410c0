package blas

import (
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// trueExp returns exp(x) to 200 bits: the Taylor series at x/2²⁰, squared back.
func trueExp(x float64) *big.Float {
	const bits, halvings = 300, 20
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(v) }
	r := num(x)
	r.SetMantExp(r, -halvings)
	sum, term := num(1), num(1)
	for i := 1; i < 40; i++ {
		term.Mul(term, r)
		term.Quo(term, num(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// ulps is the distance of got from the true exponential in units in the last
// place of the true one, which for results below the normal range is 2⁻¹⁰⁷⁴.
func ulps(got, x float64) float64 {
	want := trueExp(x)
	exponent := max(want.MantExp(nil)-53, -1074)
	d := new(big.Float).Sub(want, new(big.Float).SetFloat64(got))
	d.SetMantExp(d, -exponent)
	f, _ := d.Float64()
	return math.Abs(f)
}

func TestExpIsAccurate(t *testing.T) {
	src := rand.New(rand.NewPCG(3, 4))
	x := []float64{0, -0x1p-60, 1, -1, 0.34657359027997264, -0.34657359027997264, 709.782712893384, -708.4, -744.4, -745.13}
	for range 1500 {
		x = append(x, src.Float64()-0.5, -40*src.Float64(), 1400*src.Float64()-708, -708-37*src.Float64())
	}
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		y := make([]float64, len(x))
		impl.Exp(y, x)
		worst := 0.0
		for i := range x {
			if x[i] > 709.782712893384 {
				continue
			}
			if e := ulps(y[i], x[i]); !(e < 1) {
				t.Errorf("exp(%v) = %v is %.3f ulp off", x[i], y[i], e)
			} else {
				worst = max(worst, e)
			}
		}
		t.Logf("worst error %.3f ulp", worst)
	})
}

func TestExpAtTheEnds(t *testing.T) {
	inf := math.Inf(1)
	x := []float64{inf, -inf, math.NaN(), 709.7827128933841, 1e300, -745.1332191019412, -1e300, 0, math.Copysign(0, -1)}
	want := []float64{inf, 0, math.NaN(), inf, inf, 0, 0, 1, 1}
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		y := append([]float64(nil), x...)
		impl.Exp(y, y)
		for i := range y {
			if y[i] != want[i] && !(math.IsNaN(y[i]) && math.IsNaN(want[i])) {
				t.Errorf("exp(%v) = %v, want %v", x[i], y[i], want[i])
			}
		}
	})
}

func TestExponentialsShareBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(0, 40), rapid.SampledFrom([]int{1 << 14, 50001})).Draw(t, "n")
		src := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		x, offset := make([]float64, n), make([]float64, n)
		spread := rapid.SampledFrom([]float64{0.1, 30, 1000}).Draw(t, "spread")
		for i := range x {
			x[i], offset[i] = spread*src.NormFloat64(), -spread*src.Float64()
		}
		var firstExp, firstGaussian, firstSums, firstSquares []float64
		for _, name := range Tiers() {
			impl, err := New(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{1, 2} {
				runtime.GOMAXPROCS(threads)
				e, g := make([]float64, n), make([]float64, n)
				impl.Exp(e, x)
				impl.Gaussian(g, x, 0.3, -0.2, offset)
				sums, squares := slices.Clone(offset), slices.Clone(x)
				impl.AddGaussian(sums, squares, x, 0.7, -0.4)
				if firstExp == nil {
					firstExp, firstGaussian, firstSums, firstSquares = e, g, sums, squares
				}
				if !slices.Equal(sums, firstSums) || !slices.Equal(squares, firstSquares) {
					t.Fatalf("%s, %d threads: sums of Gaussians and of their squares have other bits", name, threads)
				}
				for i := range e {
					if e[i] != firstExp[i] || g[i] != firstGaussian[i] {
						t.Fatalf("%s, %d threads, x[%d] = %v: exp %x, want %x; Gaussian %x, want %x",
							name, threads, i, x[i], e[i], firstExp[i], g[i], firstGaussian[i])
					}
					k := math.Exp(-0.4 * (0.7 - x[i]) * (0.7 - x[i]))
					if math.Abs(sums[i]-(offset[i]+k)) > 1e-15*(1+math.Abs(offset[i])) || math.Abs(squares[i]-(x[i]+k*k)) > 1e-15*(1+math.Abs(x[i])) {
						t.Fatalf("%s: a Gaussian at %v adds up to %v and %v, want %v and %v", name, x[i], sums[i], squares[i], offset[i]+k, x[i]+k*k)
					}
					if arg := math.Min(0, math.FMA(0.3, x[i], offset[i]-0.2)); math.Abs(g[i]-math.Exp(arg)) > 4e-16*math.Exp(arg)+1e-323 {
						t.Fatalf("%s: Gaussian of %v is %v, want %v", name, arg, g[i], math.Exp(arg))
					}
				}
			}
		}
	})
}

func BenchmarkExp(b *testing.B) {
	x, y := random[float64](4096), make([]float64, 4096)
	rate := func(b *testing.B) {
		b.Helper()
		b.ReportMetric(float64(len(x))*float64(b.N)/b.Elapsed().Seconds()*1e-9, "G/s")
		b.ReportMetric(0, "ns/op")
	}
	for _, name := range Tiers() {
		impl, err := New(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("exp/"+name, func(b *testing.B) {
			for b.Loop() {
				impl.Exp(y, x)
			}
			rate(b)
		})
		b.Run("gaussian/"+name, func(b *testing.B) {
			for b.Loop() {
				impl.Gaussian(y, x, 0.5, -1, x)
			}
			rate(b)
		})
	}
	b.Run("exp/math", func(b *testing.B) {
		for b.Loop() {
			for i, v := range x {
				y[i] = math.Exp(v)
			}
		}
		rate(b)
	})
}
