package operator

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/polar"
)

func exactly(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

func exactDot(x, y []float64) *big.Rat {
	sum := new(big.Rat)
	for i := range x {
		sum.Add(sum, new(big.Rat).Mul(exactly(x[i]), exactly(y[i])))
	}
	return sum
}

// exactEnds are ⟨a, V⟩²/J(V) and ‖a − Aᵀc‖²/α + ρ°(c)² in rational numbers, ρ being the largest |t_j|, or [t_j]₊ where c ≥ 0.
func exactEnds(alpha float64, z *mat.Dense, pos bool, a, v, c []float64) (lower, upper *big.Rat) {
	rho, polar := new(big.Rat), new(big.Rat)
	r, dim := z.Dims()
	for j := range r {
		t := exactDot(z.RawRowView(j), v)
		if !pos {
			t.Abs(t)
		}
		if t.Cmp(rho) > 0 {
			rho = t
		}
		polar.Add(polar, new(big.Rat).Abs(exactly(c[j])))
	}
	square := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, x) }
	norm := new(big.Rat).Add(new(big.Rat).Mul(exactly(alpha), exactDot(v, v)), square(rho))
	lower = new(big.Rat).Quo(square(exactDot(a, v)), norm)
	upper = square(polar)
	for i := range dim {
		d := new(big.Rat).Sub(exactly(a[i]), exactDot(mat.Col(nil, i, z), c))
		upper.Add(upper, square(d).Quo(square(d), exactly(alpha)))
	}
	return lower, upper
}

// honest fails where what the solver says of a right-hand side is not true of the V and the c that it hands out, to the last digit.
func honest(t interface{ Fatalf(string, ...any) }, alpha float64, z *mat.Dense, pos bool, a []float64, res *polar.Result) {
	if res == nil || res.Norm2[0] == 0 || math.IsInf(res.Gap[0], 1) || math.IsNaN(res.Gap[0]) {
		return
	}
	lower, upper := exactEnds(alpha, z, pos, a, res.Iota.RawRowView(0), res.Multipliers.RawRowView(0))
	if exactly(res.Norm2[0]).Cmp(lower) > 0 {
		f, _ := lower.Float64()
		t.Fatalf("the lower bound %v is above that of V, %v; α = %v, A = %v, a = %v", res.Norm2[0], f, alpha, mat.Formatted(z), a)
	}
	one := big.NewRat(1, 1)
	above := new(big.Rat).Mul(exactly(res.Norm2[0]), new(big.Rat).Add(one, exactly(res.Gap[0])))
	if above.Cmp(upper) < 0 {
		t.Fatalf("a gap of %v ends below the upper bound of c; α = %v, A = %v, a = %v", res.Gap[0], alpha, mat.Formatted(z), a)
	}
	if least := new(big.Rat).Quo(one, lower); exactly(res.Value[0]).Cmp(least) < 0 {
		t.Fatalf("the value %v is below that of V", res.Value[0])
	}
}

func solveOne(t *testing.T, alpha float64, z *mat.Dense, pos bool, a []float64, gap float64) *polar.Result {
	t.Helper()
	leaf := gauge.Leaf(gauge.Abs)
	if pos {
		leaf = gauge.Leaf(gauge.Pos)
	}
	r, _ := z.Dims()
	block := &plugins.Block{}
	for j := range r {
		block.Term(1, int32(j), plugins.Evaluation, 0)
		block.End()
	}
	structured := plainOperator(t, z, 1, block)
	problem := polar.Problem{Alpha: alpha, A: structured, Gauge: gauge.Repeat(r, gauge.MaxOf(leaf))}
	solver, err := polar.New(t.Context(), problem, polar.Settings{Gap: gap, Multipliers: true})
	if err != nil {
		t.Fatal(err)
	}
	res, err := solver.Solve(t.Context(), mat.NewDense(1, len(a), a))
	if err != nil && !strings.Contains(err.Error(), "take a larger α") { // an answer, too
		t.Fatal(err)
	}
	return res
}

// Rows that are nearly opposite, under an α so small that t cancels all but a few digits of what V is made of: computed plainly, the
// value was below the optimum and the gap 0.
func TestCertificateHoldsInExactArithmetic(t *testing.T) {
	for k, c := range []struct {
		alpha float64
		pos   bool
		z     []float64
		a     []float64
	}{
		{3.7813860294666636e-19, false, []float64{0.6325162921487503, -0.6641714000849527, -0.6325162268507862, 0.6641715245695223}, []float64{0.059517345306666525, -0.1268164982223016}},
		{1e-24, false, []float64{1, 1, 1, 1 + 1e-10}, []float64{1, -1}},
		{1e-16, true, []float64{1, 1, -1, -1 - 1e-8}, []float64{1, -1}},
		{1e-20, false, []float64{0.3, -0.1, -0.3, 0.1 + 1e-12, 0.3, -0.1 + 3e-11}, []float64{0.7, 0.2}},
	} {
		z := mat.NewDense(len(c.z)/2, 2, c.z)
		for _, gap := range []float64{1e-3, 1e-6, 1e-10} {
			res := solveOne(t, c.alpha, z, c.pos, c.a, gap)
			honest(t, c.alpha, z, c.pos, c.a, res)
			if k == 0 && (res == nil || res.Gap[0] > 1e-6) {
				t.Errorf("the first case is not solved: %+v", res)
			}
		}
	}
}

func TestCertificatesHoldInExactArithmetic(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		number := func(name string) float64 {
			if v := rapid.Float64Range(-2, 2).Draw(r, name); math.Abs(v) > 1e-60 {
				return v
			}
			return 0
		}
		alpha := math.Pow(10, rapid.Float64Range(-26, 0).Draw(r, "log α"))
		near := math.Pow(10, rapid.Float64Range(-13, 0).Draw(r, "log ε"))
		dim, rows := rapid.IntRange(1, 3).Draw(r, "dimension"), rapid.IntRange(1, 4).Draw(r, "rows")
		base, a := make([]float64, dim), make([]float64, dim)
		for i := range base {
			base[i], a[i] = number("base"), number("a")
		}
		z := mat.NewDense(rows, dim, nil)
		for j := range rows {
			sign := rapid.SampledFrom([]float64{1, -1}).Draw(r, "sign")
			for i := range dim {
				z.Set(j, i, sign*base[i]+near*number("z"))
			}
		}
		pos := rapid.Bool().Draw(r, "one-sided")
		honest(r, alpha, z, pos, a, solveOne(t, alpha, z, pos, a, rapid.SampledFrom([]float64{1e-3, 1e-6, 1e-10}).Draw(r, "gap")))
	})
}
