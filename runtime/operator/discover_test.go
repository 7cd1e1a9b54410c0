package operator_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/operator"
)

// structured is a matrix of r rows over m labels of d columns: each row touches some labels, with multiples of rows of a pool.
func structured(rng *rand.Rand, r, m, d int) *mat.Dense {
	pool := random(rng, 1+rng.IntN(2*r), d)
	factors := []float64{1, -1, 2, 0.5, 3, 1.0 / 3}
	a := mat.NewDense(r, m*d, nil)
	for i := range r {
		for c := range m {
			if rng.IntN(3) > 0 {
				continue
			}
			n, _ := pool.Dims()
			from, f := pool.RawRowView(rng.IntN(n)), factors[rng.IntN(len(factors))]
			for j, v := range from {
				a.Set(i, c*d+j, f*v)
			}
		}
	}
	return a
}

func fromDense(tb testing.TB, a *mat.Dense) *operator.Operator {
	tb.Helper()
	op, err := operator.FromDense(a)
	if err != nil {
		tb.Fatal(err)
	}
	return op
}

func TestFromDenseIsTheMatrix(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 11))
		r := rapid.IntRange(1, 80).Draw(rt, "functionals")
		a := structured(rng, r, rapid.IntRange(1, 6).Draw(rt, "labels"), rapid.IntRange(1, 12).Draw(rt, "features"))
		op := fromDense(t, a)
		_, dim := a.Dims()
		all := make([]int, r)
		for i := range all {
			all[i] = i
		}
		rows := mat.NewDense(r, dim, nil)
		op.Rows(rows, all)
		if !mat.Equal(rows, a) {
			rt.Fatal("the rows are not those of the matrix")
		}
		if op.Errors() != nil {
			rt.Fatal("an exact representation tells of errors")
		}
		v, c := random(rng, 5, dim), random(rng, 5, r)
		values, vectors := mat.NewDense(5, r, nil), mat.NewDense(5, dim, nil)
		op.Apply(values, v)
		op.ApplyT(vectors, c)
		var wantValues, wantVectors mat.Dense
		wantValues.Mul(v, a.T())
		wantVectors.Mul(c, a)
		closeTo(t, "Apply", values, &wantValues, 1e-12)
		closeTo(t, "ApplyT", vectors, &wantVectors, 1e-12)
		checkSingle(t, op, v, c, values, vectors)
		checkFactor(t, op, rng)
	})
}

func TestFromDenseKeepsOnlyWhatDiffers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 12))
	const n, m, d = 40, 6, 20
	k := random(rng, n, d)
	forms := mat.NewDense(n*2*(m-1), m*d, nil)
	for i := range n {
		for c := range m - 1 {
			for s, sign := range []float64{-1, 1} {
				row := forms.RawRowView((i*(m-1)+c)*2 + s)
				for j, v := range k.RawRowView(i) {
					row[c*d+j], row[(c+1)*d+j] = v, sign*v
				}
			}
		}
	}
	if op := fromDense(t, forms); op.StoredRows() != n {
		t.Errorf("forms of %d rows keep %d", n, op.StoredRows())
	}
	pairs := mat.NewDense(300, m*d, nil)
	for i := range 300 {
		a := i / 10 % m
		for _, c := range []int{a, (a + 1 + i/60) % m} {
			copy(pairs.RawRowView(i)[c*d:(c+1)*d], random(rng, 1, d).RawRowView(0))
		}
	}
	op := fromDense(t, pairs)
	if stored := op.StoredRows() * d; stored > 600*d {
		t.Errorf("pairs of labels keep %d numbers, want %d", stored, 600*d)
	}
	plain := random(rng, 30, 21)
	if op := fromDense(t, plain); op.StoredRows() != 30 {
		t.Errorf("a plain matrix keeps %d rows", op.StoredRows())
	}
}

func TestFromDenseTakesParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 13))
	whole := random(rng, 10, 30)
	part := mat.DenseCopyOf(whole.Slice(2, 8, 5, 17))
	op := fromDense(t, whole.Slice(2, 8, 5, 17).(*mat.Dense))
	rows := mat.NewDense(6, 12, nil)
	op.Rows(rows, []int{0, 1, 2, 3, 4, 5})
	if !mat.Equal(rows, part) {
		t.Error("a part of a matrix came out otherwise")
	}
	if _, err := operator.FromState(op.State()); err != nil {
		t.Error(err)
	}
}

func TestFromDenseOfZeros(t *testing.T) {
	op := fromDense(t, mat.NewDense(3, 8, nil))
	got := random(rand.New(rand.NewPCG(1, 14)), 2, 3)
	op.Apply(got, mat.NewDense(2, 8, nil))
	if mat.Norm(got, 2) != 0 {
		t.Error("zero functionals have values")
	}
	f, err := op.Factor(context.Background(), 2, []float64{1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	b := mat.NewDense(1, 8, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	must(t, f.Solve(context.Background(), b, b))
	if b.At(0, 7) != 4 {
		t.Errorf("half of 8 is %v", b.At(0, 7))
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := operator.FromDense(mat.NewDense(1, 2, []float64{0, bad})); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

// FuzzFromDense reads small matrices from bytes: many zeros, and many numbers that are multiples of each other.
func FuzzFromDense(f *testing.F) {
	f.Add(uint8(4), []byte{1, 0, 0, 2, 2, 0, 0, 4, 255, 0, 0, 254})
	f.Add(uint8(8), []byte{0, 0, 0, 0, 3, 1, 4, 1, 6, 2, 8, 2, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, dim uint8, data []byte) {
		if dim == 0 || len(data) < int(dim) || len(data) > 4096 {
			return
		}
		r := len(data) / int(dim)
		a := mat.NewDense(r, int(dim), nil)
		for i := range r {
			for j := range int(dim) {
				a.Set(i, j, math.Ldexp(float64(int8(data[i*int(dim)+j])), int(data[i])%90-45))
			}
		}
		op := fromDense(t, a)
		if !mat.Equal(everyRow(op), a) {
			t.Fatal("the rows are not those of the matrix")
		}
		back, err := operator.FromState(op.State())
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(everyRow(back), a) {
			t.Fatal("the operator of the state differs")
		}
	})
}
