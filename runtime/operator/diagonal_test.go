package operator

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
)

// Functionals that are multiples of rows of their own make S diagonal, and products are those of the plain matrix, whatever way their size takes.
func TestDiagonalProducts(t *testing.T) {
	const n, d = 1100, 4000 // more numbers than goroutines share out
	points := mat.NewDense(n, d, nil)
	for i := range n {
		points.Set(i, i%d, 1)
		points.Set(i, (7*i+1)%d, float64(i%5))
	}
	for _, count := range []int{40, n} {
		block := &plugins.Block{}
		want := mat.NewDense(count, d, nil)
		for i := range count {
			by := float64(1 - i%3) // 1, 0 and −1
			if by == 0 {
				by = 2
			}
			block.Term(by, int32(i), plugins.Evaluation, 0)
			block.End()
			for j := range d {
				want.Set(i, j, by*points.At(i, j))
			}
		}
		a := plainOperator(t, points, 1, block)
		if !a.diagonal || a.identity {
			t.Fatalf("%d functionals: diagonal %v, identity %v", count, a.diagonal, a.identity)
		}
		v, c := mat.NewDense(3, d, nil), mat.NewDense(3, count, nil)
		for k := range 3 {
			for j := range d {
				v.Set(k, j, float64((j*(k+2))%11-5))
			}
			for j := range count {
				c.Set(k, j, float64((j*(k+3))%7-3))
			}
		}
		kept := mat.DenseCopyOf(c)
		values, back := mat.NewDense(3, count, nil), mat.NewDense(3, d, nil)
		a.Apply(values, v)
		a.ApplyT(back, c)
		var wantValues, wantBack mat.Dense
		wantValues.Mul(v, want.T())
		wantBack.Mul(c, want)
		if !mat.Equal(values, &wantValues) || !mat.Equal(back, &wantBack) || !mat.Equal(c, kept) {
			t.Errorf("%d functionals: other products than those of the plain matrix", count)
		}
	}
}
