package operator

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

func randomGeneral(rng *rand.Rand, r, c int) blas64.General {
	g := newGeneral(r, c)
	for i := range g.Data {
		g.Data[i] = rng.NormFloat64()
	}
	return g
}

func asDense(g blas64.General) *mat.Dense { return mat.NewDense(g.Rows, g.Cols, g.Data) }

func TestInvertInPanels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 7, panel, panel + 1, 3*panel - 5} {
		x := asDense(randomGeneral(rng, n, n))
		var full, product mat.Dense
		full.Mul(x, x.T())
		for i := range n {
			full.Set(i, i, full.At(i, i)+1)
		}
		m := copyOf(full.RawMatrix())
		for i := range n {
			for j := i + 1; j < n; j++ {
				m.Data[i*n+j] = 1e300 // must not be looked at
			}
		}
		if err := invert(context.Background(), m); err != nil {
			t.Fatal(err)
		}
		product.Mul(&full, asDense(m))
		for i := range n {
			product.Set(i, i, product.At(i, i)-1)
		}
		if e := mat.Norm(&product, 2); e > 1e-9*float64(n) {
			t.Errorf("n = %d: M·M⁻¹ is off by %g", n, e)
		}
	}
	negative := newGeneral(2, 2)
	negative.Data[0], negative.Data[3] = 1, -1
	if err := invert(context.Background(), negative); !errors.Is(err, polar.ErrIndefinite) {
		t.Errorf("an indefinite matrix gave %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := invert(ctx, newGeneral(2, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled inversion gave %v", err)
	}
}

// made is an operator of r functionals, each of up to three labels of m, every one with a row of q in d dimensions.
func made(rng *rand.Rand, r, m, q, d int) *Operator {
	a := &Operator{layout: layout{functionals: r, labels: m, dim: d}, psi: randomGeneral(rng, q, d)}
	index := make(map[column]int32)
	var pairs []column
	for c := range m {
		for k := range q {
			pairs = append(pairs, column{int32(c), int32(k)})
		}
	}
	a.layColumns(pairs)
	for j, c := range a.columns {
		index[c] = int32(j)
	}
	a.start = []int32{0}
	for range r {
		c := rng.IntN(m)
		for range 1 + rng.IntN(3) {
			if c < m {
				a.entries = append(a.entries, entry{index[column{int32(c), int32(rng.IntN(q))}], rng.NormFloat64()})
			}
			c += 1 + rng.IntN(2)
		}
		a.start = append(a.start, int32(len(a.entries)))
	}
	a.finish()
	return a
}

// residualOf is the largest ‖b − MX‖/‖b‖ of the right-hand sides.
func residualOf(t *testing.T, a *Operator, f polar.Factor, alpha float64, w []float64, rng *rand.Rand) float64 {
	t.Helper()
	_, dim := a.Dims()
	b := asDense(randomGeneral(rng, 5, dim))
	x, rest := mat.NewDense(5, dim, nil), mat.NewDense(5, dim, nil)
	if err := f.Solve(t.Context(), x, b); err != nil {
		t.Fatal(err)
	}
	values := mat.NewDense(5, len(w), nil)
	a.Apply(values, x)
	values.Apply(func(_, j int, v float64) float64 { return v * w[j] }, values)
	a.ApplyT(rest, values)
	worst := 0.0
	for i := range 5 {
		row := rest.RawRowView(i)
		floats.AddScaled(row, alpha, x.RawRowView(i))
		floats.Sub(row, b.RawRowView(i))
		worst = max(worst, floats.Norm(row, 2)/floats.Norm(b.RawRowView(i), 2))
	}
	return worst
}

func TestEveryWaySolves(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, few := range []bool{true, false} {
		r := 900
		if few {
			r = 60
		}
		a := made(rng, r, 6, 40, 30)
		w := make([]float64, r)
		for i := range w {
			w[i] = rng.Float64()
		}
		ways := map[string]func(context.Context, *Operator, []float64) (plan, error){
			"woodbury": newWoodbury, "dense": newDense, "iterative": newIterative,
		}
		for name, way := range ways {
			p, err := way(ctx, a, w)
			if err != nil {
				t.Fatal(err)
			}
			for _, alpha := range []float64{1e-2, 1} {
				f, err := p.factor(ctx, alpha)
				if err != nil {
					t.Fatal(err)
				}
				if e := residualOf(t, a, double{f}, alpha, w, rng); e > 1.1e-10 {
					t.Errorf("%s with %d functionals, α = %g: residual %g", name, r, alpha, e)
				}
			}
		}
	}
}

func TestPlanIsChosenByStructure(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	ctx := context.Background()
	check := func(what string, a *Operator, want func(plan) bool) {
		t.Helper()
		w := make([]float64, a.functionals)
		for i := range w {
			w[i] = 1
		}
		p, err := a.cache.plan(ctx, a, w)
		if err != nil {
			t.Fatal(err)
		}
		if !want(p) {
			t.Errorf("%s is planned as %T", what, p)
		}
		again, err := a.cache.plan(ctx, a, w)
		if err != nil || again != p {
			t.Errorf("%s is planned twice: %v", what, err)
		}
	}
	check("a block of few functionals", made(rng, 5, 40, 8, 20), func(p plan) bool { _, ok := p.(*splitPlan); return ok })
	check("one label", made(rng, 90, 1, 50, 20), func(p plan) bool { _, ok := p.(*densePlan); return ok })
	check("one label, few functionals", made(rng, 5, 1, 5, 40), func(p plan) bool { _, ok := p.(*woodburyPlan); return ok })
	check("coupled labels", made(rng, 900, 4, 50, 20), func(p plan) bool { _, ok := p.(*densePlan); return ok })
}

// A functional of all labels couples each with each. What conjugate gradients prepare is linear in the labels all the same.
func TestIterativeListsALabelsOwnCouplings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	a := made(rng, 200, 6, 40, 30)
	w := make([]float64, 200)
	for i := range w {
		w[i] = rng.Float64()
	}
	all, err := a.couplings(context.Background(), w, false)
	if err != nil {
		t.Fatal(err)
	}
	own, err := a.couplings(context.Background(), w, true)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, c := range all {
		if a.columns[c.first].label != a.columns[c.second].label {
			continue
		}
		if at == len(own) || own[at].first != c.first || own[at].second != c.second || math.Abs(own[at].weight-c.weight) > 1e-12 {
			t.Fatalf("coupling %d is not the %v of all couplings", at, c)
		}
		at++
	}
	if at != len(own) || at == len(all) {
		t.Errorf("%d of %d couplings of a label with itself, %d listed", at, len(all), len(own))
	}
	wide := everyLabel(3000)
	one := make([]float64, wide.functionals)
	for i := range one {
		one[i] = 1
	}
	if own, err = wide.couplings(context.Background(), one, true); err != nil || len(own) != 3000 {
		t.Errorf("%d couplings of 3000 labels: %v", len(own), err)
	}
	if k, err := newKronecker(context.Background(), wide, one); k != nil || err != nil {
		t.Errorf("3000 labels are decomposed as %T: %v", k, err)
	}
}

// everyLabel is an operator with one functional, the sum of one row of every label.
func everyLabel(m int) *Operator {
	a := &Operator{layout: layout{functionals: 1, labels: m, dim: 1}, psi: newGeneral(1, 1)}
	a.psi.Data[0] = 1
	var columns []column
	for c := range m {
		columns = append(columns, column{int32(c), 0})
		a.entries = append(a.entries, entry{int32(c), 1})
	}
	a.layColumns(columns)
	a.start = []int32{0, int32(m)}
	a.finish()
	return a
}

// The estimate of an iteration's work follows the way to solve. Conjugate gradients take it many times.
func TestWorkFollowsTheWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	products := func(a *Operator) float64 { return 2 * float64(len(a.columns)*a.dim+len(a.entries)) }
	few := made(rng, 5, 1, 5, 40)
	if got, want := Work(few), 2*products(few)+25; got != want {
		t.Errorf("few functionals take %g, want %g", got, want)
	}
	dense := made(rng, 90, 1, 50, 20)
	if got, want := Work(dense), products(dense)+20*20; got != want {
		t.Errorf("a dense matrix takes %g, want %g", got, want)
	}
	same := logic(rng, 30, 4, 5)
	if got, want := Work(same), products(same)+2*4*5*(4+5); got != want {
		t.Errorf("labels with the same rows take %g, want %g", got, want)
	}
}

// A solve ends with its own context, whatever has become of the one that its factor was made under.
func TestIterativeStopsWithItsContext(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	a := made(rng, 300, 4, 30, 20)
	w := make([]float64, 300)
	for i := range w {
		w[i] = 1
	}
	ctx, cancel := context.WithCancel(context.Background())
	p, err := newIterative(ctx, a, w)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.factor(ctx, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	b := asDense(randomGeneral(rng, 3, 120))
	if err := (double{f}).Solve(ctx, b, b); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled solve ended with %v", err)
	}
	if e := residualOf(t, a, double{f}, 1e-6, w, rng); e > 1.1e-10 {
		t.Errorf("a later solve has a residual of %g", e)
	}
}

// logic is an operator with the same differences and sums of labels at every row.
func logic(rng *rand.Rand, rows, m, d int) *Operator {
	a := &Operator{layout: layout{labels: m, dim: d, start: []int32{0}}, psi: randomGeneral(rng, rows, d)}
	var pairs []column
	for c := range m {
		for k := range rows {
			pairs = append(pairs, column{int32(c), int32(k)})
		}
	}
	a.layColumns(pairs)
	for k := range rows {
		for c := range m - 1 {
			for _, s := range []float64{-1, 0.5} {
				a.entries = append(a.entries, entry{int32(c*rows + k), 1}, entry{int32((c+1)*rows + k), s})
				a.start = append(a.start, int32(len(a.entries)))
			}
		}
	}
	a.functionals = len(a.start) - 1
	a.finish()
	return a
}

func TestKroneckerSolvesEitherWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for _, d := range []int{30, smallEigen + 20} {
		a := logic(rng, 50, 4, d)
		if !a.uniform {
			t.Fatal("the rows are not seen to be shared")
		}
		w := make([]float64, a.functionals)
		for i := range w {
			w[i] = float64(1+i%6) * float64(1+i/6%5)
		}
		p, err := a.cache.plan(context.Background(), a, shapeOf(w))
		if err != nil {
			t.Fatal(err)
		}
		k, ok := p.(*kroneckerPlan)
		if !ok || (k.theta != nil) != (d <= smallEigen) {
			t.Errorf("d = %d is planned as %T", d, p)
		}
		for _, beta := range []float64{1, 0.1, 30} {
			for i := range w {
				w[i] *= beta
			}
			for _, alpha := range []float64{1e-2, 1} {
				f, err := a.Factor(context.Background(), alpha, w)
				if err != nil {
					t.Fatal(err)
				}
				if e := residualOf(t, a, f, alpha, w, rng); e > 1e-8 { // the condition number times rounding
					t.Errorf("d = %d, α = %g: residual %g", d, alpha, e)
				}
			}
		}
		if again, err := a.cache.plan(context.Background(), a, shapeOf(w)); err != nil || again != p {
			t.Errorf("multiples of w were planned anew: %v", err)
		}
	}
}

// shapeOf is w over its largest element.
func shapeOf(w []float64) []float64 {
	out := make([]float64, len(w))
	floats.ScaleTo(out, 1/floats.Max(w), w)
	return out
}
