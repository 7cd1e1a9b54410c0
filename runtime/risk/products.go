package risk

import (
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/sipc-ml/sipc/runtime/polar"
)

const (
	// leastSingle is the gap from which on products of iterations may be in single precision. It has seven digits.
	leastSingle = 1e-4
	// singleLooks makes looks fewer, as they read all numbers, and twice.
	singleLooks = 2
	// From fewestSingle numbers on, reading them is what products take time for. A copy of more than mostSingle takes too much memory.
	fewestSingle, mostSingle = 1 << 22, 1 << 27
)

// products are those of iterations with A. In single precision they read half of the memory. Bounds never use them.
type products struct {
	a               polar.Operator
	single          bool
	values, vectors []float32
}

// newProducts decides on the precision for an operator with rows of so many features, and a gap.
func newProducts(a polar.Operator, features int, gap float64) *products {
	stored, ok := a.(interface {
		polar.SingleOperator
		StoredRows() int
	})
	if ok && gap >= leastSingle {
		if numbers := stored.StoredRows() * features; numbers >= fewestSingle && numbers <= mostSingle {
			return singleProducts(a)
		}
	}
	return &products{a: a}
}

// singleProducts returns those in single precision.
func singleProducts(a polar.Operator) *products {
	functionals, dim := a.Dims()
	return &products{a: a, single: true, values: make([]float32, functionals), vectors: make([]float32, dim)}
}

// betweenLooks returns how many times the usual iterations pass between looks.
func (p *products) betweenLooks() int {
	if p.single {
		return singleLooks
	}
	return 1
}

// apply sets values to Av.
func (p *products) apply(values, v []float64) {
	if a, ok := p.a.(polar.SingleOperator); ok && p.single {
		narrow(p.vectors, v)
		a.Apply32(row32(p.values), row32(p.vectors))
		widen(values, p.values)
		return
	}
	p.a.Apply(row(values), row(v))
}

// applyT sets v to Aᵀc.
func (p *products) applyT(v, c []float64) {
	if a, ok := p.a.(polar.SingleOperator); ok && p.single {
		narrow(p.values, c)
		a.ApplyT32(row32(p.vectors), row32(p.values))
		widen(v, p.vectors)
		return
	}
	p.a.ApplyT(row(v), row(c))
}

// narrow rounds numbers to single precision.
func narrow(dst []float32, x []float64) {
	for j, v := range x {
		dst[j] = float32(v)
	}
}

// widen converts numbers to double precision.
func widen(dst []float64, x []float32) {
	for j, v := range x {
		dst[j] = float64(v)
	}
}

// row32 returns x as a matrix of one row, in the same memory.
func row32(x []float32) blas32.General {
	return blas32.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x}
}
