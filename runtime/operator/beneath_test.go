package operator

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// Rows beneath an operator are those of their label, whether labels share them or each has its own.
func TestRowsBeneathAreTheirLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 9))
		m, d, q, r, n := rapid.IntRange(1, 4).Draw(t, "labels"), rapid.IntRange(1, 5).Draw(t, "dim"), rapid.IntRange(1, 5).Draw(t, "rows"), rapid.IntRange(1, 9).Draw(t, "functionals"), rapid.IntRange(1, 6).Draw(t, "beneath")
		if r < m {
			r = m
		}
		a := made(rng, r, m, q, d)
		count := rapid.SampledFrom([]int{1, m}).Draw(t, "matrices")
		var rows []blas64.General
		for range count {
			rows = append(rows, randomGeneral(rng, n, d))
		}
		out := beneath(a, rows...)
		want := mat.NewDense(r+n*m, m*d, nil)
		index := make([]int, r)
		for i := range index {
			index[i] = i
		}
		a.Rows(want.Slice(0, r, 0, m*d).(*mat.Dense), index)
		for k := range n {
			for y := range m {
				copy(want.RawRowView(r + k*m + y)[y*d:(y+1)*d], rowOf(rows[y%count], k))
			}
		}
		v := asDense(randomGeneral(rng, 3, m*d))
		got, exp := mat.NewDense(3, r+n*m, nil), mat.NewDense(3, r+n*m, nil)
		out.Apply(got, v)
		exp.Mul(v, want.T())
		if !mat.EqualApprox(got, exp, 1e-9) {
			t.Fatal("apply")
		}
		c := asDense(randomGeneral(rng, 3, r+n*m))
		gt, et := mat.NewDense(3, m*d, nil), mat.NewDense(3, m*d, nil)
		out.ApplyT(gt, c)
		et.Mul(c, want)
		if !mat.EqualApprox(gt, et, 1e-9) {
			t.Fatal("applyT")
		}
		w := make([]float64, r+n*m)
		for i := range w {
			w[i] = rng.ExpFloat64()
		}
		f, err := out.Factor(t.Context(), 1, w)
		if err != nil {
			t.Fatal(err)
		}
		b, s := asDense(randomGeneral(rng, 2, m*d)), mat.NewDense(2, m*d, nil)
		if err := f.Solve(t.Context(), s, b); err != nil {
			t.Fatal(err)
		}
		var wa, h, back mat.Dense
		wa.Mul(mat.NewDiagDense(len(w), w), want)
		h.Mul(want.T(), &wa)
		for i := range m * d {
			h.Set(i, i, h.At(i, i)+1)
		}
		back.Mul(s, &h)
		if !mat.EqualApprox(&back, b, 1e-7) {
			t.Fatal("solve")
		}
		if root, err := RootsOf(out).Root(t.Context(), 1, w); err != nil {
			t.Fatal(err)
		} else if root != nil {
			var l, llt mat.Dense
			l.CloneFrom(mat.NewDense(root.N, root.N, nil))
			for i := range root.N {
				for j := 0; j <= i; j++ {
					l.Set(i, j, root.Data[i*root.Stride+j])
				}
			}
			llt.Mul(&l, l.T())
			for y := range m {
				if !mat.EqualApprox(h.Slice(y*root.N, (y+1)*root.N, y*root.N, (y+1)*root.N), &llt, 1e-7) {
					t.Fatal("root is not that of each label")
				}
			}
		}
	})
}
