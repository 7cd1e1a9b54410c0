package risk

import (
	"context"
	"errors"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// rounding is an operator whose products in single precision are rounded ones.
type rounding struct{ polar.Operator }

// Apply32 implements polar.SingleOperator.
func (a rounding) Apply32(dst, v blas32.General) {
	values, vectors := make([]float64, dst.Cols), make([]float64, v.Cols)
	widen(vectors, v.Data)
	a.Apply(row(values), row(vectors))
	narrow(dst.Data, values)
}

// ApplyT32 implements polar.SingleOperator.
func (a rounding) ApplyT32(dst, c blas32.General) {
	values, vectors := make([]float64, c.Cols), make([]float64, dst.Cols)
	widen(values, c.Data)
	a.ApplyT(row(vectors), row(values))
	narrow(dst.Data, vectors)
}

// Factor32 implements polar.SingleOperator. No iteration asks for it.
func (rounding) Factor32(context.Context, float64, []float64) (polar.Factor32, error) {
	return nil, errors.New("no factor in single precision")
}

// Iterations in single precision come to the same minimum, and their bounds are those of P as it is.
func TestSingleProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := drawProblem(t, 12, 2, 3)
		p.A = rounding{p.A}
		s, err := New(p, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.lossOf(&q)
		if err != nil {
			t.Fatal(err)
		}
		q.Gap, q.Limit = 1e-3, 3000
		var results []*Result
		for _, single := range []bool{false, true} {
			w := newWork(s, l, &q)
			if w.products.single {
				t.Fatal("so few numbers are read in single precision")
			}
			if single {
				w.products = singleProducts(p.A)
			}
			if err := w.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.problem.A.Apply(row(w.values), row(w.out.V))
			if value := w.primal(w.out.V, w.values); w.out.Upper < value*(1-1e-12) {
				t.Errorf("the upper bound %v is below P = %v", w.out.Upper, value)
			}
			results = append(results, w.out)
		}
		double, fast := results[0], results[1]
		if double.Converged && !fast.Converged {
			t.Fatalf("a gap of %v after %d iterations, in double precision %v after %d", fast.Gap, fast.Iterations, double.Gap, double.Iterations)
		}
		if fast.Lower > double.Upper*(1+1e-9) || double.Lower > fast.Upper*(1+1e-9) {
			t.Errorf("bounds %v and %v, in double precision %v and %v", fast.Lower, fast.Upper, double.Lower, double.Upper)
		}
	})
}
