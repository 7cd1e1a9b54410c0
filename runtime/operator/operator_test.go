package operator_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

var _ polar.SingleOperator = (*operator.Operator)(nil)

func random(rng *rand.Rand, n, p int) *mat.Dense {
	m := mat.NewDense(n, p, nil)
	for i := range n {
		for j := range p {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m
}

func features(tb testing.TB, rows *mat.Dense, block *plugins.Block) embed.Map {
	tb.Helper()
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 2})
	if err != nil {
		tb.Fatal(err)
	}
	f, err := embed.New(context.Background(), k, setting.Features{}, rows, block)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func build(tb testing.TB, block *plugins.Block, rows *mat.Dense, f embed.Map, m int) *operator.Operator {
	tb.Helper()
	a, err := operator.Build(context.Background(), block, rows, f, m)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// naive is A by its definition, one term at a time.
func naive(block *plugins.Block, rows *mat.Dense, f embed.Map, m int) *mat.Dense {
	d := f.Dim()
	_, p := rows.Dims()
	out := mat.NewDense(block.Len(), m*d, nil)
	phi := mat.NewDense(1, d, nil)
	for i := range block.Len() {
		for k := block.Start[i]; k < block.Start[i+1]; k++ {
			var x []float64
			if id := block.Point[k]; id >= 0 {
				x = rows.RawRowView(int(id))
			} else {
				x = block.Points.Row(int(^id))
			}
			at := mat.NewDense(1, p, slices.Clone(x))
			if order, t := plugins.OrderOf(block.Tangent[k]); order == 0 {
				f.Features(phi, at)
			} else {
				f.Derivatives(phi, kernel.Argument{Points: at, Along: mat.NewDense(1, p, slices.Clone(block.Tangents.Row(int(t)))), Order: order})
			}
			y := plugins.Label{Index: []int32{0}, Value: []float64{1}}
			if block.Label[k] != plugins.NoLabel {
				y = block.Labels[block.Label[k]]
			}
			for j, c := range y.Index {
				floats.AddScaled(out.RawRowView(i)[int(c)*d:(int(c)+1)*d], block.Coef[k]*y.Value[j], phi.RawRowView(0))
			}
		}
	}
	return out
}

// randomBlock has r functionals of up to three terms at rows, new points and duplicates of both, with derivatives, over
// sparse labels.
func randomBlock(rng *rand.Rand, rows *mat.Dense, r, m int) *plugins.Block {
	n, p := rows.Dims()
	b := &plugins.Block{}
	for i := range 5 {
		b.Points.Append(random(rng, 1, p).RawRowView(0))
		b.Tangents.Append(random(rng, 1, p).RawRowView(0))
		if i == 3 {
			b.Points.Append(rows.RawRowView(0))
			b.Points.Append(b.Points.Row(1))
			b.Tangents.Append(b.Tangents.Row(0))
		}
	}
	for range 6 {
		var y plugins.Label
		for c := range m {
			if rng.IntN(3) == 0 {
				y.Index, y.Value = append(y.Index, int32(c)), append(y.Value, float64(1+rng.IntN(3)))
			}
		}
		b.Labels = append(b.Labels, y)
	}
	for range r {
		for range rng.IntN(4) {
			point := int32(rng.IntN(n+b.Points.Rows) - b.Points.Rows)
			tangent := int32(max(plugins.Evaluation, rng.IntN(2*b.Tangents.Rows)-b.Tangents.Rows))
			if tangent >= 0 && rng.IntN(3) == 0 {
				tangent = plugins.Twice(tangent)
			}
			label := int32(rng.IntN(len(b.Labels)))
			if m == 1 && rng.IntN(2) == 0 {
				label = plugins.NoLabel
			}
			b.Term(float64(rng.IntN(5)-2), point, tangent, label)
		}
		b.End()
	}
	return b
}

func closeTo(tb testing.TB, what string, got, want mat.Matrix, tol float64) {
	tb.Helper()
	var diff mat.Dense
	diff.Sub(got, want)
	if e, scale := mat.Norm(&diff, 2), mat.Norm(want, 2); !(e <= tol*(1e-3+scale)) {
		tb.Errorf("%s: off by %g of %g", what, e, scale)
	}
}

func TestApplyIsTheNaiveProduct(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		m := rapid.IntRange(1, 7).Draw(rt, "labels")
		rows := random(rng, rapid.IntRange(1, 9).Draw(rt, "rows"), 3)
		block := randomBlock(rng, rows, rapid.IntRange(1, 120).Draw(rt, "functionals"), m)
		f := features(t, rows, block)
		a, want := build(t, block, rows, f, m), naive(block, rows, f, m)
		r, dim := a.Dims()
		v, c := random(rng, 4, dim), random(rng, 4, r)
		values, vectors := mat.NewDense(4, r, nil), mat.NewDense(4, dim, nil)
		a.Apply(values, v)
		a.ApplyT(vectors, c)
		var wantValues, wantVectors mat.Dense
		wantValues.Mul(v, want.T())
		wantVectors.Mul(c, want)
		closeTo(t, "Apply", values, &wantValues, 1e-9)
		closeTo(t, "ApplyT", vectors, &wantVectors, 1e-9)
		checkSingle(t, a, v, c, values, vectors)
		checkRowsOf(t, a, want, rng)
		back, err := operator.FromState(a.State())
		if err != nil {
			rt.Fatal(err)
		}
		again := mat.NewDense(4, r, nil)
		back.Apply(again, v)
		if !mat.Equal(values, again) {
			rt.Error("the operator of the state differs")
		}
	})
}

// checkSingle compares the products in single precision with those in double.
func checkSingle(tb testing.TB, a *operator.Operator, v, c, values, vectors *mat.Dense) {
	tb.Helper()
	b, r := values.Dims()
	_, dim := vectors.Dims()
	gotValues, gotVectors := general32(mat.NewDense(b, r, nil)), general32(mat.NewDense(b, dim, nil))
	a.Apply32(gotValues, general32(v))
	a.ApplyT32(gotVectors, general32(c))
	closeTo(tb, "Apply32", dense64(gotValues), values, 1e-5)
	closeTo(tb, "ApplyT32", dense64(gotVectors), vectors, 1e-5)
}

func general32(m *mat.Dense) blas32.General {
	r, c := m.Dims()
	out := blas32.General{Rows: r, Cols: c, Stride: c}
	for i := range r {
		for _, v := range m.RawRowView(i) {
			out.Data = append(out.Data, float32(v))
		}
	}
	return out
}

func dense64(g blas32.General) *mat.Dense {
	out := mat.NewDense(g.Rows, g.Cols, nil)
	for i := range g.Rows {
		for j, v := range g.Data[i*g.Stride : i*g.Stride+g.Cols] {
			out.Set(i, j, float64(v))
		}
	}
	return out
}

// checkRowsOf asks for some rows, one of them twice.
func checkRowsOf(tb testing.TB, a *operator.Operator, want *mat.Dense, rng *rand.Rand) {
	tb.Helper()
	r, dim := a.Dims()
	index := []int{rng.IntN(r), rng.IntN(r)}
	index = append(index, index[0])
	got, rows := random(rng, len(index), dim), mat.NewDense(len(index), dim, nil)
	a.Rows(got, index)
	for k, i := range index {
		rows.SetRow(k, want.RawRowView(i))
	}
	closeTo(tb, "Rows", got, rows, 1e-9)
}

func TestFactorSolves(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		m := rapid.IntRange(1, 5).Draw(rt, "labels")
		rows := random(rng, 6, 3)
		block := randomBlock(rng, rows, rapid.IntRange(1, 150).Draw(rt, "functionals"), m)
		f := features(t, rows, block)
		checkFactor(t, build(t, block, rows, f, m), rng)
	})
}

// checkFactor solves with M for several α and multiples of one w, and compares M times the solution with the right-hand
// side.
func checkFactor(tb testing.TB, a *operator.Operator, rng *rand.Rand) {
	tb.Helper()
	r, dim := a.Dims()
	unit, dense := mat.NewDense(r, r, nil), mat.NewDense(r, dim, nil)
	for i := range r {
		unit.Set(i, i, 1)
	}
	a.ApplyT(dense, unit)
	w := make([]float64, r)
	for i := range w {
		w[i] = max(0, rng.Float64()-0.1)
	}
	b := random(rng, 3, dim)
	for _, beta := range []float64{1, 0.3, 40} {
		floats.Scale(beta, w)
		for _, alpha := range []float64{1e-1, 1} {
			factor, err := a.Factor(context.Background(), alpha, w)
			if err != nil {
				tb.Fatal(err)
			}
			x := mat.DenseCopyOf(b)
			must(tb, factor.Solve(context.Background(), x, x))
			var values, back mat.Dense
			values.Mul(x, dense.T())
			values.Apply(func(_, j int, v float64) float64 { return v * w[j] }, &values)
			back.Mul(&values, dense)
			x.Scale(alpha, x)
			back.Add(&back, x)
			closeTo(tb, "M·M⁻¹b", &back, b, 1e-8)
			trace := 0.0 // of AᵀWA
			for i, x := range w {
				row := dense.RawRowView(i)
				trace += x * floats.Dot(row, row)
			}
			checkFactor32(tb, a, alpha, w, factor, b, 1+trace/alpha)
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// checkFactor32 compares solves in single precision with those in double, up to rounding errors times a bound of M's condition number.
func checkFactor32(tb testing.TB, a *operator.Operator, alpha float64, w []float64, factor polar.Factor, b *mat.Dense, condition float64) {
	tb.Helper()
	factor32, err := a.Factor32(context.Background(), alpha, w)
	if err != nil {
		tb.Fatal(err)
	}
	x, inPlace := mat.DenseCopyOf(b), general32(b)
	must(tb, factor.Solve(context.Background(), x, x))
	must(tb, factor32.Solve32(context.Background(), inPlace, inPlace))
	n, dim := b.Dims()
	apart := general32(mat.NewDense(n, dim, nil))
	must(tb, factor32.Solve32(context.Background(), apart, general32(b)))
	closeTo(tb, "Solve32", dense64(inPlace), x, 1e-5+1e-7*condition)
	if !slices.Equal(inPlace.Data, apart.Data) {
		tb.Error("Solve32 in place differs")
	}
}

// logicBlock has, for every row, implications and exclusions among m labels.
func logicBlock(n, m int) *plugins.Block {
	b := &plugins.Block{}
	for c := range m {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{int32(c)}, Value: []float64{1}})
	}
	for i := range n {
		for c := range m - 1 {
			b.Term(1, int32(i), plugins.Evaluation, int32(c))
			b.Term(-1, int32(i), plugins.Evaluation, int32(c+1))
			b.End()
			b.Term(1, int32(i), plugins.Evaluation, int32(c))
			b.Term(1, int32(i), plugins.Evaluation, int32(c+1))
			b.End()
		}
	}
	return b
}

func TestLogicKeepsOneRowForEachExample(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	rows := random(rng, 60, 3)
	block := logicBlock(60, 6)
	f := features(t, rows, block)
	a := build(t, block, rows, f, 6)
	if r, _ := a.Dims(); a.StoredRows() != 60 || r != 600 {
		t.Errorf("%d functionals keep %d rows", r, a.StoredRows())
	}
	checkFactor(t, a, rng) // weights that differ: the general way
	r, dim := a.Dims()
	w := make([]float64, r)
	for i := range w {
		w[i] = float64(1+i%10) * float64(1+i/10%7) // a factor for each rule and one for each row
	}
	factor, err := a.Factor(context.Background(), 0.01, w)
	if err != nil {
		t.Fatal(err)
	}
	b := random(rng, 5, dim)
	x, values, back := mat.DenseCopyOf(b), mat.NewDense(5, r, nil), mat.NewDense(5, dim, nil)
	must(t, factor.Solve(context.Background(), x, x))
	a.Apply(values, x)
	values.Apply(func(_, j int, v float64) float64 { return v * w[j] }, values)
	a.ApplyT(back, values)
	x.Scale(0.01, x)
	back.Add(back, x)
	closeTo(t, "Kronecker", back, b, 1e-9)
}

func TestSameBitsForAnyNumberOfProcessors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	rows := random(rng, 30, 3)
	block := randomBlock(rng, rows, 300, 4)
	curves := mixupBlock(rng, rows, 40, 11, 4)
	same := func(what string, newOperator func() *operator.Operator) {
		t.Helper()
		one, two := computed(t, 1, newOperator), computed(t, 2, newOperator)
		if !slices.Equal(one, two) {
			t.Errorf("%s: one and two processors differ", what)
		}
	}
	same("rows", func() *operator.Operator { return build(t, block, rows, features(t, rows, block), 4) })
	same("curves", func() *operator.Operator {
		return buildWith(t, curves, rows, features(t, rows, block), 4, operator.Options{Tolerance: 1e-4})
	})
}

// computed is all that an operator computes of 150 right-hand sides, more than a goroutine takes at a time.
func computed(tb testing.TB, procs int, newOperator func() *operator.Operator) []float64 {
	tb.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	const count = 150
	rng := rand.New(rand.NewPCG(1, 7))
	a := newOperator()
	r, dim := a.Dims()
	v, values, vectors, solved := random(rng, count, dim), mat.NewDense(count, r, nil), mat.NewDense(count, dim, nil), mat.NewDense(count, dim, nil)
	a.Apply(values, v)
	a.ApplyT(vectors, values)
	w := make([]float64, r)
	for i := range w {
		w[i] = 1 + math.Abs(values.At(0, i))
	}
	factor, err := a.Factor(context.Background(), 0.1, w)
	if err != nil {
		tb.Fatal(err)
	}
	must(tb, factor.Solve(context.Background(), solved, v))
	out := slices.Concat(a.Errors(), values.RawMatrix().Data, vectors.RawMatrix().Data, solved.RawMatrix().Data)
	narrow, u, q := general32(v), general32(values), general32(vectors)
	a.Apply32(u, narrow)
	a.ApplyT32(q, u)
	factor32, err := a.Factor32(context.Background(), 0.1, w)
	if err != nil {
		tb.Fatal(err)
	}
	must(tb, factor32.Solve32(context.Background(), narrow, narrow))
	for _, x := range slices.Concat(u.Data, q.Data, narrow.Data) {
		out = append(out, float64(x))
	}
	return out
}

func TestBuildRefusesWhatIsNotThere(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	rows := random(rng, 4, 2)
	f := features(t, rows, nil)
	for name, term := range map[string][4]int32{
		"row":     {1, 4, plugins.Evaluation, plugins.NoLabel},
		"point":   {1, -1, plugins.Evaluation, plugins.NoLabel},
		"tangent": {1, 0, 0, plugins.NoLabel},
		"label":   {1, 0, plugins.Evaluation, 0},
	} {
		b := &plugins.Block{}
		b.Term(float64(term[0]), term[1], term[2], term[3])
		b.End()
		if _, err := operator.Build(context.Background(), b, rows, f, 1); err == nil {
			t.Errorf("a %s that is not there was accepted", name)
		}
	}
	b := &plugins.Block{}
	b.Term(1, 0, plugins.Evaluation, plugins.NoLabel)
	b.End()
	if _, err := operator.Build(context.Background(), b, rows, f, 3); err == nil {
		t.Error("f(x) was accepted of a function over labels")
	}
	a := build(t, b, rows, f, 1)
	for _, bad := range []struct {
		alpha float64
		w     []float64
	}{{0, []float64{1}}, {1, []float64{-1}}, {1, nil}, {1, []float64{math.NaN()}}, {math.NaN(), []float64{1}}} {
		if _, err := a.Factor(context.Background(), bad.alpha, bad.w); err == nil {
			t.Errorf("Factor(%v, %v) was accepted", bad.alpha, bad.w)
		}
	}
}

func TestFromStateRefusesDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	rows := random(rng, 8, 3)
	block := logicBlock(8, 3)
	a := build(t, block, rows, features(t, rows, block), 3)
	for name, damage := range map[string]func(*operator.State){
		"no labels":        func(s *operator.State) { s.Labels = 0 },
		"missing numbers":  func(s *operator.State) { s.Psi.Data = s.Psi.Data[1:] },
		"column's label":   func(s *operator.State) { s.ColumnLabel[3] = 9 },
		"column's row":     func(s *operator.State) { s.ColumnRow[3] = -1 },
		"columns' order":   func(s *operator.State) { s.ColumnLabel[3], s.ColumnLabel[20] = s.ColumnLabel[20], s.ColumnLabel[3] },
		"entry":            func(s *operator.State) { s.At[2] = int32(len(s.ColumnRow)) },
		"entries' order":   func(s *operator.State) { s.At[0], s.At[1] = s.At[1], s.At[0] },
		"missing value":    func(s *operator.State) { s.Value = s.Value[1:] },
		"first start":      func(s *operator.State) { s.Start[0] = 1 },
		"descending start": func(s *operator.State) { s.Start[1] = s.Start[2] + 1 },
		"missing errors":   func(s *operator.State) { s.Errors = []float64{0} },
		"negative error":   func(s *operator.State) { s.Errors = make([]float64, s.Functionals); s.Errors[1] = -1 },
		"negative form":    func(s *operator.State) { s.Off = []float64{-1} },
		"too many forms":   func(s *operator.State) { s.Off = make([]float64, s.Functionals) },
		"squares of none":  func(s *operator.State) { s.Off = []float64{1} },
		"missing start":    func(s *operator.State) { s.Start = s.Start[1:] },
	} {
		s := a.State()
		s.Start, s.At = slices.Clone(s.Start), slices.Clone(s.At)
		s.ColumnLabel, s.ColumnRow, s.Value = slices.Clone(s.ColumnLabel), slices.Clone(s.ColumnRow), slices.Clone(s.Value)
		damage(s)
		if _, err := operator.FromState(s); err == nil {
			t.Errorf("%s: a damaged state was accepted", name)
		}
	}
}
