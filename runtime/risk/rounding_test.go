package risk

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A rational problem has a gauge and losses of which P and D are rational: the largest of |t_j| or max(0, t_j), and ridge, svm or squared svm.
type rational struct {
	rows   *mat.Dense // of the gauge's functionals, then those of the scores
	r      int
	leaf   gauge.Op
	kind   setting.LearnerKind
	weight float64
	target *learn.Targets
}

func drawRational(t *rapid.T) *rational {
	n, d := rapid.IntRange(1, 8).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "dimensions")
	x := &rational{
		r: rapid.IntRange(1, 5).Draw(t, "functionals"), leaf: rapid.SampledFrom([]gauge.Op{gauge.Abs, gauge.Pos}).Draw(t, "leaf"),
		kind: rapid.SampledFrom([]setting.LearnerKind{setting.Ridge, setting.SVM, setting.SquaredSVM}).Draw(t, "kind"), weight: math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "log strength")),
	}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	x.rows = mat.NewDense(x.r+n, d, nil)
	scale := math.Pow(10, rapid.Float64Range(-2, 3).Draw(t, "log scale"))
	x.rows.Apply(func(_, _ int, _ float64) float64 { return scale * rng.NormFloat64() }, x.rows)
	x.target = &learn.Targets{Task: setting.Real}
	if x.kind != setting.Ridge {
		x.target.Task = setting.Binary
	}
	for range n {
		x.target.Real, x.target.Class = append(x.target.Real, rng.NormFloat64()), append(x.target.Class, rng.IntN(2))
	}
	return x
}

func (x *rational) solver(t *rapid.T) *Solver {
	t.Helper()
	op, err := polar.NewDense(x.rows)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Problem{Alpha: 1, A: op, Gauge: gauge.Repeat(x.r, gauge.MaxOf(gauge.Leaf(x.leaf))), Targets: x.target, Labels: 1}, Settings{Gap: 1e-300, MaxIterations: 300})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func exact(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// half is x²/2.
func half(x *big.Rat) *big.Rat {
	out := new(big.Rat).Mul(x, x)
	return out.Mul(out, big.NewRat(1, 2))
}

// goal is what the row's target is to the losses.
func (x *rational) goal(i int) *big.Rat { return exact(numbers(x.target)(i, 0)) }

// primal is P(V).
func (x *rational) primal(v []float64) *big.Rat {
	sum, top := new(big.Rat), new(big.Rat)
	for _, c := range v {
		sum.Add(sum, half(exact(c)))
	}
	rows, _ := x.rows.Dims()
	for i := range rows {
		value := new(big.Rat)
		for j, c := range v {
			value.Add(value, new(big.Rat).Mul(exact(x.rows.At(i, j)), exact(c)))
		}
		switch {
		case i < x.r:
			if x.leaf == gauge.Abs {
				value.Abs(value)
			}
			if value.Cmp(top) > 0 {
				top = value
			}
		case x.kind == setting.Ridge:
			loss := half(value.Sub(value, x.goal(i-x.r)))
			sum.Add(sum, loss.Mul(loss, exact(1/x.weight)))
		default:
			if value.Sub(big.NewRat(1, 1), value.Mul(value, x.goal(i-x.r))); value.Sign() > 0 {
				if x.kind == setting.SquaredSVM {
					value.Mul(value, value)
				}
				sum.Add(sum, value.Mul(value, exact(x.weight)))
			}
		}
	}
	return sum.Add(sum, half(top))
}

// dual is D(c, g).
func (x *rational) dual(c []float64) *big.Rat {
	sum, polar := new(big.Rat), new(big.Rat)
	rows, d := x.rows.Dims()
	for j := range d {
		value := new(big.Rat)
		for i := range rows {
			value.Add(value, new(big.Rat).Mul(exact(x.rows.At(i, j)), exact(c[i])))
		}
		sum.Add(sum, half(value))
	}
	for i, v := range c {
		if i < x.r {
			polar.Add(polar, exact(math.Abs(v)))
			continue
		}
		switch x.kind {
		case setting.Ridge:
			loss := half(exact(v))
			sum.Add(sum, loss.Quo(loss, exact(1/x.weight)))
		case setting.SquaredSVM:
			loss := half(exact(v))
			sum.Add(sum, loss.Quo(loss, exact(2*x.weight)))
		}
		sum.Add(sum, new(big.Rat).Mul(exact(v), x.goal(i-x.r)))
	}
	return sum.Neg(sum.Add(sum, half(polar)))
}

// Both ends of the gap hold in exact arithmetic, and the gap is not smaller than what they leave.
func TestBoundsHoldInExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawRational(t)
		s := x.solver(t)
		q := &Request{Learner: setting.Learner{Kind: x.kind, Strength: x.weight}, Gap: s.settings.Gap, Limit: s.settings.MaxIterations}
		loss, err := NewLoss(q.Learner, x.target, nil, x.weight)
		if err != nil {
			t.Fatal(err)
		}
		w := newWork(s, loss, q)
		if err := w.minimize(context.Background()); err != nil {
			t.Fatal(err)
		}
		p := x.primal(w.out.V)
		if exact(w.out.Upper).Cmp(p) < 0 {
			t.Fatalf("P(V) is %v, above its bound %v", p.FloatString(25), w.out.Upper)
		}
		if exact(w.out.Lower).Cmp(p) > 0 {
			t.Fatalf("P(V) is %v, below the bound %v of the minimum", p.FloatString(25), w.out.Lower)
		}
		if w.out.Upper > 0 && !(w.out.Gap > 0) {
			t.Fatalf("from %v to %v is the gap %v", w.out.Lower, w.out.Upper, w.out.Gap)
		}
		w.multipliers()
		lower := w.dual(w.u[w.solver.r:])
		if d := x.dual(w.room); exact(lower).Cmp(d) > 0 {
			t.Fatalf("D is %v, below its bound %v", d.FloatString(25), lower)
		}
	})
}

// Bounds in the wrong order are not a gap of 0, and prove nothing.
func TestContradictionIsNoGap(t *testing.T) {
	for _, tt := range []struct{ lower, upper, gap float64 }{
		{2, 1, math.NaN()}, {math.Inf(1), 1, math.NaN()}, {math.Inf(-1), 1, math.Inf(1)}, {0, math.Inf(1), math.Inf(1)}, {0, 0, 0},
	} {
		if gap := Gap(tt.lower, tt.upper); gap != tt.gap && !(math.IsNaN(gap) && math.IsNaN(tt.gap)) {
			t.Errorf("from %v to %v is the gap %v", tt.lower, tt.upper, gap)
		}
	}
	if excess := (&Result{Lower: 2, Upper: 1}).Excess(); !math.IsInf(excess, 1) {
		t.Errorf("bounds that contradict each other prove the excess %v", excess)
	}
}
