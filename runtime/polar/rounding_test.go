package polar

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// Bounds in the wrong order are not a gap of 0.
func TestContradictionIsNoGap(t *testing.T) {
	if gap := Gap(2, 1); !math.IsNaN(gap) {
		t.Errorf("a lower bound of 2 and an upper one of 1 have the gap %v", gap)
	}
	if gap := Gap(0, 1); !math.IsInf(gap, 1) {
		t.Errorf("nothing proved is the gap %v", gap)
	}
	if gap := Gap(0, 0); gap != 0 {
		t.Errorf("zero has the gap %v", gap)
	}
	task := &task{cert: certificate{lower: 2, upper: 1}, watch: newWatch()}
	if task.judge(&Solver{settings: Settings{Gap: 1}}, task.cert.gap(), false); !task.done || task.status.String() != "bounds contradict each other" {
		t.Errorf("contradicting bounds end as %v", task.status)
	}
}

// An embedding whose square underflows proves nothing, as ‖V‖² = 0 would make it look better than it is.
func TestSquaresThatUnderflowProveNothing(t *testing.T) {
	k := certificate{upper: 1, iota: make([]float64, 2)}
	for _, size := range []float64{1.3e-161, 2e-162, 3e-160, 1e-200} {
		if k.primal(NewMeasure(Problem{Alpha: 1}), []float64{1, 0}, []float64{size, 0}, nil); k.lower > 1 {
			t.Errorf("‖a‖² is at least %v by a multiple of it by %v, and it is 1", k.lower, size)
		}
		k.lower = 0
	}
	for _, size := range []float64{1e-140, 1, 1e140} {
		k.primal(NewMeasure(Problem{Alpha: 1}), []float64{1, 0}, []float64{size, 0}, nil)
		if !(k.lower > 1-1e-12) {
			t.Errorf("a multiple by %v proves %v", size, k.lower)
		}
		k.lower = 0
	}
}

// A value beyond floating point is told of also where the gap is missed, as digits of the bounds are lost then.
func TestValuesOutOfRangeAreToldWhereTheGapIsMissed(t *testing.T) {
	a, err := NewDense(mat.NewDense(3, 2, []float64{30, 1, -2, 20, 5, -40}))
	if err != nil {
		t.Fatal(err)
	}
	p := Problem{Alpha: 1, A: a, Gauge: &gauge.Node{Op: gauge.Max, Repeat: 3, Children: []*gauge.Node{gauge.Leaf(gauge.Abs)}}}
	s, err := New(t.Context(), p, Settings{Gap: 1e-17, MaxIterations: 30})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(t.Context(), mat.NewDense(2, 2, []float64{2e-154, 1e-154, 2, 1}))
	if err != nil {
		t.Fatal(err)
	}
	if r.Status[0] != OutOfRange || r.Status[1] == OutOfRange || r.Status[1] == Converged {
		t.Errorf("the squared norms %v are %v", r.Norm2, r.Status)
	}
}
