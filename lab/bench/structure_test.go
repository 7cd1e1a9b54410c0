package bench

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// normal draws an n×p matrix.
func normal(rng *rand.Rand, n, p int) *mat.Dense {
	m := mat.NewDense(n, p, nil)
	for i := range n {
		for j := range p {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m
}

// drawn makes a matrix of r rows over m labels of d columns: each row touches some labels, with multiples of rows of a pool.
func drawn(rng *rand.Rand, r, m, d int) *mat.Dense {
	pool := normal(rng, 1+rng.IntN(2*r), d)
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

func structureOf(tb testing.TB, a *mat.Dense) *operator.Operator {
	tb.Helper()
	op, err := structured(tb.Context(), a)
	if err != nil {
		tb.Fatal(err)
	}
	return op
}

// everyRow returns the rows that an operator has.
func everyRow(op *operator.Operator) *mat.Dense {
	r, dim := op.Dims()
	rows, all := mat.NewDense(r, dim, nil), make([]int, r)
	for i := range all {
		all[i] = i
	}
	op.Rows(rows, all)
	return rows
}

func TestStructureIsTheMatrix(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 11))
		r := rapid.IntRange(1, 80).Draw(rt, "functionals")
		a := drawn(rng, r, rapid.IntRange(1, 6).Draw(rt, "labels"), rapid.IntRange(1, 12).Draw(rt, "features"))
		op := structureOf(t, a)
		if !mat.Equal(everyRow(op), a) {
			rt.Fatal("the rows are not those of the matrix")
		}
		if op.Errors() != nil {
			rt.Fatal("an exact representation tells of errors")
		}
	})
}

func TestStructureKeepsOnlyWhatDiffers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 12))
	const n, m, d = 40, 6, 20
	k := normal(rng, n, d)
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
	if op := structureOf(t, forms); op.StoredRows() != n {
		t.Errorf("forms of %d rows keep %d", n, op.StoredRows())
	}
	pairs := mat.NewDense(300, m*d, nil)
	for i := range 300 {
		a := i / 10 % m
		for _, c := range []int{a, (a + 1 + i/60) % m} {
			copy(pairs.RawRowView(i)[c*d:(c+1)*d], normal(rng, 1, d).RawRowView(0))
		}
	}
	op := structureOf(t, pairs)
	if stored := op.StoredRows() * d; stored > 600*d {
		t.Errorf("pairs of labels keep %d numbers, want %d", stored, 600*d)
	}
	plain := normal(rng, 30, 21)
	if op := structureOf(t, plain); op.StoredRows() != 30 {
		t.Errorf("a plain matrix keeps %d rows", op.StoredRows())
	}
}

func TestStructureOfParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 13))
	whole := normal(rng, 10, 30)
	part := mat.DenseCopyOf(whole.Slice(2, 8, 5, 17))
	op := structureOf(t, whole.Slice(2, 8, 5, 17).(*mat.Dense))
	if !mat.Equal(everyRow(op), part) {
		t.Error("a part of a matrix came out otherwise")
	}
}

func TestStructureOfZeros(t *testing.T) {
	op := structureOf(t, mat.NewDense(3, 8, nil))
	if rows := everyRow(op); floats.Norm(rows.RawMatrix().Data, 1) != 0 {
		t.Error("zero functionals have rows")
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := structured(t.Context(), mat.NewDense(1, 2, []float64{0, bad})); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

// FuzzStructure reads small matrices from bytes: many zeros, and many numbers that are multiples of each other.
func FuzzStructure(f *testing.F) {
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
		op := structureOf(t, a)
		if !mat.Equal(everyRow(op), a) {
			t.Fatal("the rows are not those of the matrix")
		}
	})
}

// The solver gives the golden values whether it sees the structure of a problem or not.
func TestGoldenValuesThroughStructure(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "runtime", "polar", "testdata", "golden", "*_*.json"))
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d golden files, %v", len(paths), err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var want struct{ Value float64 }
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		file, err := polar.OpenProblem(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		plain, ok := file.Problem.A.(*polar.Dense)
		if !ok {
			continue // no functionals
		}
		file.Problem.A = structureOf(t, plain.Matrix())
		s, err := polar.New(t.Context(), file.Problem, polar.Settings{Gap: 1e-8})
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Solve(t.Context(), file.RHS)
		if err != nil {
			t.Fatal(err)
		}
		if e := math.Abs(res.Value[0]/want.Value - 1); !(e <= 1e-6) {
			t.Errorf("%s: value %v, want %v: off by %.1e", filepath.Base(path), res.Value[0], want.Value, e)
		}
	}
}
