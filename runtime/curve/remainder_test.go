package curve_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/curve"
)

// measured is the error of interpolation of a function of dim values: the bound, and the largest found at many places.
func measured(nodes int, f func(l float64) []float64) (bound, found float64) {
	r := curve.NewRemainder(nodes)
	at := r.Halfway()
	half := curve.Halfway(nodes)
	dim := len(f(0))
	gram := blas64.General{Rows: nodes - 1, Cols: nodes - 1, Stride: nodes - 1, Data: make([]float64, (nodes-1)*(nodes-1))}
	errs := make([][]float64, nodes-1)
	for k := range errs {
		errs[k] = f(half[k])
		for j, l := range curve.Nodes(nodes) {
			for c, v := range f(l) {
				errs[k][c] -= at.Data[k*at.Stride+j] * v
			}
		}
	}
	for k := range errs {
		for l := range errs {
			for c := range dim {
				gram.Data[k*(nodes-1)+l] += errs[k][c] * errs[l][c]
			}
		}
	}
	x := curve.Nodes(nodes)
	for i := range 2000 {
		l := (float64(i) + 0.5) / 2000
		sum := 0.0
		for c, v := range f(l) {
			p := 0.0
			for j := range x { // Lagrange's formula
				term := f(x[j])[c]
				for m := range x {
					if m != j {
						term *= (l - x[m]) / (x[j] - x[m])
					}
				}
				p += term
			}
			sum += (v - p) * (v - p)
		}
		found = max(found, math.Sqrt(sum))
	}
	return r.Bound(gram), found
}

// The bound holds for smooth functions and for one with a kink, and exceeds the error by little.
func TestRemainder(t *testing.T) {
	for name, f := range map[string]func(float64) []float64{
		"gaussian": func(l float64) []float64 { return []float64{math.Exp(-3 * l * l), l * math.Exp(-2*(l-0.5)*(l-0.5))} },
		"pole":     func(l float64) []float64 { return []float64{1 / (1 + 30*(l-0.5)*(l-0.5))} },
		"waves":    func(l float64) []float64 { return []float64{math.Sin(9 * l), math.Cos(9 * l), math.Cos(4 * l)} },
		"kink":     func(l float64) []float64 { return []float64{math.Abs(l - 0.3), math.Abs(l-0.71) + 1} },
	} {
		t.Run(name, func(t *testing.T) {
			for _, nodes := range []int{3, 5, 9, 11, 21} {
				bound, found := measured(nodes, f)
				if bound < found || bound > 5*found+1e-12 {
					t.Errorf("%d nodes: bound %v, error %v", nodes, bound, found)
				}
			}
		})
	}
}

func TestRemainderOfPolynomialsIsRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(2, 15).Draw(t, "nodes")
		degree := rapid.IntRange(0, nodes-1).Draw(t, "degree")
		shift := rapid.Float64Range(0, 1).Draw(t, "shift")
		if bound, _ := measured(nodes, func(l float64) []float64 { return []float64{math.Pow(l-shift, float64(degree))} }); bound > 1e-13 {
			t.Errorf("bound %v", bound)
		}
	})
}
