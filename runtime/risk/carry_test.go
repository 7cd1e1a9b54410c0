package risk_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// maxima returns a root mean square of maxima over so many members each.
func maxima(places, members int) *gauge.Node {
	return &gauge.Node{Op: gauge.Norm, P: 2, Repeat: places, Children: []*gauge.Node{{Op: gauge.Max, Repeat: members, Children: []*gauge.Node{{Op: gauge.Abs}}}}}
}

// carriedOver returns a problem with a zero functional behind each two of an instance, and where its functionals come from.
func carriedOver(t *testing.T, x *instance, places int) (risk.Problem, []int) {
	t.Helper()
	all, dim := x.problem.A.Dims()
	of, unit, from := mat.NewDense(all, dim, nil), mat.NewDense(dim, dim, nil), []int(nil)
	for j := range dim {
		unit.Set(j, j, 1)
	}
	columns := mat.NewDense(dim, all, nil)
	x.problem.A.Apply(columns, unit)
	of.Copy(columns.T())
	out := mat.NewDense(all+places, dim, nil)
	for p := range places {
		for k := range 2 {
			out.SetRow(3*p+k, of.RawRowView(2*p+k))
			from = append(from, 2*p+k)
		}
		from = append(from, -1)
	}
	for i := 2 * places; i < all; i++ {
		out.SetRow(places+i, of.RawRowView(i))
	}
	op, err := polar.NewDense(out)
	if err != nil {
		t.Fatal(err)
	}
	p := x.problem
	p.A, p.Gauge = op, maxima(places, 3)
	return p, from
}

// A minimum carried to a problem with more functionals that change nothing is the minimum there, which is found at once.
func TestCarry(t *testing.T) {
	const places = 12
	x := newInstance(t, 5, setting.Binary, 30, 1, 12, maxima(places, 2), 0)
	q := risk.Request{Learner: setting.Learner{Kind: setting.SVM, Strength: 1}, Gap: 1e-7, Carried: true}
	first := solve(t, x.problem, 1e-7, q)
	p, from := carriedOver(t, x, places)
	cold := solve(t, p, 1e-7, q)
	s, err := risk.New(p, risk.Settings{Gap: 1e-7})
	if err != nil {
		t.Fatal(err)
	}
	q.Start = risk.Carry(s, first, from)
	if q.Start == nil {
		t.Fatal("nothing is carried")
	}
	warm, err := s.Solve(t.Context(), q)
	if err != nil || !warm.Converged {
		t.Fatal(warm, err)
	}
	if math.Abs(warm.Upper-cold.Upper) > 2e-7*cold.Upper || math.Abs(warm.Upper-first.Upper) > 2e-7*first.Upper {
		t.Errorf("minima %v carried, %v from nothing, %v before", warm.Upper, cold.Upper, first.Upper)
	}
	if 2*warm.Iterations > cold.Iterations {
		t.Errorf("%d iterations from the minimum, %d from nothing", warm.Iterations, cold.Iterations)
	}
	if risk.Carry(s, cold, from[:3]) != nil || risk.Carry(s, &risk.Result{V: first.V}, from) != nil {
		t.Error("what does not fit is carried")
	}
}
