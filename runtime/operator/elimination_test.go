package operator

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// taxonomy returns scores of all labels at some rows, and the differences of each label and those above it, of which some have two.
func taxonomy(rng *rand.Rand, rows, m, d int) *Operator {
	a := &Operator{layout: layout{labels: m, dim: d}, psi: randomGeneral(rng, rows, d)}
	var columns []column
	for c := range m {
		for q := range rows {
			columns = append(columns, column{int32(c), int32(q)})
		}
	}
	a.layColumns(columns)
	a.start = []int32{0}
	add := func(es ...entry) {
		a.entries = append(a.entries, es...)
		a.start = append(a.start, int32(len(a.entries)))
		a.functionals++
	}
	above := make([][]int, m)
	for c := 1; c < m; c++ {
		above[c] = []int{rng.IntN(c)}
		if other := rng.IntN(c); c%3 == 0 && other != above[c][0] {
			above[c] = append(above[c], other)
		}
	}
	at := func(c, q int) int32 { return int32(c*rows + q) }
	for q := range rows {
		for c := range m {
			add(entry{at(c, q), 1})
			for _, p := range above[c] {
				add(entry{at(p, q), -1}, entry{at(c, q), 1})
			}
		}
	}
	a.finish()
	return a
}

// A taxonomy whose labels have several parents is solved by elimination, whatever there is of labels, and as exactly as a matrix.
func TestTaxonomiesAreEliminated(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 12))
	for _, d := range []int{3, thetaStep + 5} {
		a := taxonomy(rng, 4, 150, d)
		w := make([]float64, a.functionals)
		for i := range w {
			w[i] = (0.5 + float64(i%(a.functionals/4)%3)) * float64(1+4*i/a.functionals)
		}
		p, err := newPlan(context.Background(), a, shapeOf(w))
		if k, ok := p.(*kroneckerPlan); err != nil || !ok || k.sparse == nil {
			t.Fatalf("a taxonomy is planned as %T: %v", p, err)
		}
		for _, alpha := range []float64{1e-2, 1} {
			f, err := a.Factor(context.Background(), alpha, w)
			if err != nil {
				t.Fatal(err)
			}
			if e := residualOf(t, a, f, alpha, w, rng); e > 1e-10 {
				t.Errorf("d = %d, α = %g: residual %g", d, alpha, e)
			}
		}
	}
	if large := taxonomy(rng, 1, 3000, 2); sharedBy(large).sparse == nil || large.FactorShare() > 100 {
		t.Errorf("a factor of 3000 labels costs %g iterations", large.FactorShare())
	}
}

// Labels that all touch each other are not eliminated, and many of these not decomposed.
func TestFullCouplingsAreNotEliminated(t *testing.T) {
	if s := sharedBy(everyLabel(leastEliminated)); s.sparse != nil || !s.dense {
		t.Errorf("labels that all touch are shared as %+v", s)
	}
	if s := sharedBy(everyLabel(3000)); s.sparse != nil || s.dense {
		t.Errorf("3000 labels that all touch are shared as %+v", s)
	}
}

// Products with an S that is the same at every row are those with the matrix.
func TestRepeatedProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 13))
	a := taxonomy(rng, 5, 140, 6)
	if a.repeated == nil {
		t.Fatal("rows are not seen to be alike")
	}
	r, dim := a.Dims()
	full, index := mat.NewDense(r, dim, nil), make([]int, r)
	for i := range index {
		index[i] = i
	}
	a.Rows(full, index)
	v, c := asDense(randomGeneral(rng, 3, dim)), asDense(randomGeneral(rng, 3, r))
	values, vectors := mat.NewDense(3, r, nil), mat.NewDense(3, dim, nil)
	a.Apply(values, v)
	a.ApplyT(vectors, c)
	var want, wantT mat.Dense
	want.Mul(v, full.T())
	wantT.Mul(c, full)
	if !mat.EqualApprox(values, &want, 1e-12) || !mat.EqualApprox(vectors, &wantT, 1e-12) {
		t.Error("products differ from those with the matrix")
	}
	own := convert[float32](denseMatrix(v))
	out := newMatrix[float32](3, r)
	a.Apply32(general32(out), general32(own))
	if !mat.EqualApprox(asDense(blas64.General(convert[float64](out))), &want, 1e-4) {
		t.Error("products in single precision differ from those with the matrix")
	}
	a.entries[1].value++ // another number at one row
	if repeatedOf(&a.layout) != nil {
		t.Error("rows that differ are seen to be alike")
	}
}
