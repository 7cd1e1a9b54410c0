package operator

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// exactSquares is Σ_i w_i Σ_y (⟨e_i, v_y⟩ − t_iy)² in rational numbers, for rows e (n×d) and targets (n×m). Nil weights are ones.
func exactSquares(e, targets *mat.Dense, weight, v []float64) *big.Rat {
	sum := new(big.Rat)
	n, d := e.Dims()
	_, m := targets.Dims()
	for i := range n {
		for y := range m {
			off := exactDot(e.RawRowView(i), v[y*d:(y+1)*d])
			off.Sub(off, exactly(targets.At(i, y)))
			off.Mul(off, off)
			if weight != nil {
				off.Mul(off, exactly(weight[i]))
			}
			sum.Add(sum, off)
		}
	}
	return sum
}

// means is a block of the means of f(·, y) over two halves of the rows, one less the other, and of one value, at each of m labels.
func means(rows, m int) *plugins.Block {
	b := &plugins.Block{Start: []int32{0}}
	for y := range m {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{int32(y)}, Value: []float64{1}})
		for i := range rows {
			b.Term(float64(1-2*(i%2))/float64(rows), int32(i), plugins.Evaluation, int32(y))
		}
		b.End()
		b.Term(3, int32(rows/2), plugins.Evaluation, int32(y))
		b.End()
	}
	return b
}

// Few rows have the squared losses of many, whatever the weights, the bias and the unit of the targets, within what is said. Functionals that are added up on the way are those of
// an operator of their own.
func TestSumsStandForRows(t *testing.T) {
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		n, m, d := rapid.IntRange(6, 30).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "labels"), rapid.IntRange(2, 5).Draw(t, "landmarks")
		d = max(d, 2*m) // functionals are few beside them
		x := asDense(randomGeneral(rng, n, 3))
		features, err := embed.New(t.Context(), k, setting.Features{Landmarks: setting.CountLandmarks, Count: d}, x, nil)
		if err != nil {
			t.Fatal(err)
		}
		targets := mat.NewDense(n, m, nil)
		rows := Rows{X: x, Target: targets.At, Labels: m, Functionals: means(n, m)}
		unit := rapid.SampledFrom([]float64{0, 1e-3, 1, 1e5}).Draw(t, "unit of targets")
		targets.Apply(func(int, int, float64) float64 { return unit * rng.NormFloat64() }, targets)
		if rapid.Bool().Draw(t, "weighted") {
			for range n {
				rows.Weight = append(rows.Weight, rng.ExpFloat64())
			}
		}
		sums, err := SumUp(t.Context(), rows, features, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkParts(t, rows, features, sums)
		bias := rapid.SampledFrom([]float64{0, 1, 1e3}).Draw(t, "bias")
		a := sums.Functionals(rows.Functionals, bias)
		if a == nil {
			t.Fatal("functionals of values at rows were not added up")
		}
		op, square, err := sums.Beneath(t.Context(), a, bias)
		if err != nil {
			t.Fatal(err)
		}
		e := withBias(features, x, bias)
		_, wide := e.Dims()
		checkGathered(t, op, rows.Functionals, e, m)
		v := make([]float64, m*wide)
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		own := mat.NewDense(wide+1, wide, nil)
		for i := range wide + 1 {
			all := mat.NewDense(1, m*wide, nil)
			op.Rows(all, []int{rows.Functionals.Len() + i*m})
			copy(own.RawRowView(i), all.RawRowView(0))
		}
		off := exactSquares(e, targets, rows.Weight, v)
		whole := new(big.Rat).Set(off)
		off.Sub(off, exactSquares(own, square.Targets, nil, v)).Abs(off)
		allowed := exactDot(v, v)
		allowed.Mul(allowed, exactly(square.Off)).Add(allowed, exactly(square.Base))
		if off.Cmp(allowed) > 0 || allowed.Cmp(whole.Mul(whole, exactly(1e-4))) > 0 && bias < 1e3 {
			got, _ := off.Float64()
			most, _ := allowed.Float64()
			t.Fatalf("squares are off by %g, and %g are said", got, most)
		}
	})
}

// checkParts fails unless rows in parts have the sums of all rows, and those without a part are the sums of the other rows.
func checkParts(t *rapid.T, rows Rows, features embed.Map, all *Sums) {
	t.Helper()
	n, p := rows.X.Dims()
	rows.Functionals, rows.Parts = nil, 3
	for range n {
		rows.Part = append(rows.Part, uint8(rapid.IntRange(0, 2).Draw(t, "part")))
	}
	parts, err := SumUp(t.Context(), rows, features, nil)
	if err != nil {
		t.Fatal(err)
	}
	size := 1e-12 * (1 + floats.Norm(all.s.Data, math.Inf(1)))
	if !floats.EqualApprox(parts.s.Data, all.s.Data, size) {
		t.Fatal("parts do not add up to all rows")
	}
	for k := range 3 {
		own, others := Rows{Labels: rows.Labels}, []int(nil)
		for i, at := range rows.Part {
			if int(at) == k {
				continue
			}
			if others = append(others, i); rows.Weight != nil {
				own.Weight = append(own.Weight, rows.Weight[i])
			}
		}
		if len(others) == 0 {
			continue
		}
		own.X = mat.NewDense(len(others), p, nil)
		for r, i := range others {
			own.X.SetRow(r, rows.X.RawRowView(i))
		}
		own.Target = func(row, label int) float64 { return rows.Target(others[row], label) }
		want, err := SumUp(t.Context(), own, features, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !floats.EqualApprox(parts.Without(k).s.Data, want.s.Data, size) {
			t.Fatalf("sums without part %d are not those of the other rows", k)
		}
	}
}

// withBias returns the features of rows, with the constant behind them where there is a bias.
func withBias(features embed.Map, x *mat.Dense, bias float64) *mat.Dense {
	n, _ := x.Dims()
	d := features.Dim()
	phi := mat.NewDense(n, d, nil)
	features.Features(phi, x)
	if bias == 0 {
		return phi
	}
	out := mat.NewDense(n, d+1, nil)
	for i := range n {
		out.Set(i, copy(out.RawRowView(i), phi.RawRowView(i)), bias)
	}
	return out
}

// checkGathered fails unless the first functionals of an operator are those of a block of values at rows, whose features are e.
func checkGathered(t *rapid.T, a *Operator, b *plugins.Block, e *mat.Dense, m int) {
	t.Helper()
	_, d := e.Dims()
	row, want := mat.NewDense(1, m*d, nil), make([]float64, m*d)
	for i := range b.Len() {
		clear(want)
		size := 1e-12
		for k := b.Start[i]; k < b.Start[i+1]; k++ {
			for j, v := range e.RawRowView(int(b.Point[k])) {
				want[int(b.Label[k])*d+j] += b.Coef[k] * v
				size = max(size, 1e-12*v)
			}
		}
		a.Rows(row, []int{i})
		if !mat.EqualApprox(row, mat.NewDense(1, m*d, want), size) {
			t.Fatalf("functional %d is %v, and is to be %v", i, row.RawRowView(0), want)
		}
	}
}

// Functionals of derivatives, of points of their own, and more of them than features are not added up.
func TestSumsLeaveOtherFunctionals(t *testing.T) {
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	x := asDense(randomGeneral(rand.New(rand.NewPCG(1, 2)), 20, 3))
	features, err := embed.New(t.Context(), k, setting.Features{Landmarks: setting.CountLandmarks, Count: 4}, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	own := means(20, 1)
	own.Term(1, ^int32(own.Points.Append([]float64{1, 2, 3})), plugins.Evaluation, 0)
	own.End()
	for _, b := range []*plugins.Block{own, evaluations(20, 1), nil} {
		sums, err := SumUp(t.Context(), Rows{X: x, Target: mat.NewDense(20, 1, nil).At, Labels: 1, Functionals: b}, features, nil)
		if err != nil {
			t.Fatal(err)
		}
		if sums.Functionals(b, 0) != nil {
			t.Errorf("%d functionals were added up", b.Len())
		}
	}
}
