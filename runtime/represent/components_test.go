package represent

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// withinClasses returns rows and a representer of 3 · rms over pairs of max over λ of |d/dλ f(x_λ, y)|. Pairs are of class 0 or 1 each;
// for class 2 there is none.
func withinClasses(t *testing.T, gap float64, afterwards bool) (*mat.Dense, *Representer) {
	t.Helper()
	const pairs, nodes = 10, 11
	rng := rand.New(rand.NewPCG(5, 6))
	rows := drawn(18, 3, 3)
	b := &plugins.Block{}
	for c := range int32(3) {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{c}, Value: []float64{1}})
	}
	for range pairs {
		var along, x mat.VecDense
		from := rows.RowView(rng.IntN(9))
		along.SubVec(rows.RowView(9+rng.IntN(9)), from)
		tangent, class := int32(b.Tangents.Append(along.RawVector().Data)), rng.Int32N(2)
		for _, l := range curve.Nodes(nodes) {
			x.AddScaledVec(from, l, &along)
			b.Term(1, ^int32(b.Points.Append(x.RawVector().Data)), tangent, class)
			b.End()
		}
	}
	root := gauge.Scaled(gauge.Repeat(pairs, gauge.Hypot(gauge.Repeat(nodes, gauge.MaxOf(gauge.Leaf(gauge.Abs))))), 3/math.Sqrt(pairs))
	curves, err := polar.NewCurves(pairs*nodes, []curve.Run{{Step: nodes, Stride: 1, Nodes: nodes, Count: pairs}}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	features, err := embed.ForLabels(t.Context(), k, setting.Features{}, embed.Labels{Count: 3, Coupled: 3}, rows, b)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.Build(t.Context(), b, rows, features, 3)
	if err != nil {
		t.Fatal(err)
	}
	return rows, &Representer{
		Method: setting.Embed, Features: features, Operator: op, Gauge: root, Labels: 3, Scale: 1, Gap: gap,
		Nodes: nodes, Curves: curves, Afterwards: afterwards,
	}
}

// Embeddings that are found class by class are those of the whole problem, and their certificates hold for it, whether the interval
// is certified on the way or afterwards.
func TestClassesFallApart(t *testing.T) {
	for _, afterwards := range []bool{false, true} {
		const gap = 1e-2
		rows, r := withinClasses(t, gap, afterwards)
		apart, gaps := collect(t, r, rows)
		if c, ok := r.whole.(*components); !ok || len(c.parts) != 3 || c.parts[2].solver != nil {
			t.Fatalf("the problem is solved by %T", r.whole)
		}
		together := *r
		var err error
		if together.whole, err = newSolver(t.Context(), r.Problem(), polar.Settings{Gap: gap}, nil, afterwards); err != nil {
			t.Fatal(err)
		}
		whole, wholeGaps := collect(t, &together, rows)
		for i := range gaps {
			var d mat.VecDense
			d.SubVec(apart.RowView(i), whole.RowView(i))
			// ‖V − ι‖² ≤ (upper − lower)/α for either, and ‖a‖ ≤ 1 under this kernel
			if most := 2 * math.Sqrt(gaps[i]+wholeGaps[i]); mat.Norm(&d, 2) > most+1e-12 {
				t.Errorf("embedding %d differs by %g, its gaps allow %g", i, mat.Norm(&d, 2), most)
			}
		}
		if worst := slices.Max(gaps); !afterwards && worst > gap {
			t.Errorf("gap %g was reached", worst)
		}
	}
}

// Multipliers of the components, put together, certify the whole problem: its bounds are the sums of theirs.
func TestMultipliersOfComponents(t *testing.T) {
	const gap = 1e-3
	_, r := withinClasses(t, gap, true)
	a := mat.NewDense(6, r.Dim(), nil)
	rng := rand.New(rand.NewPCG(9, 10))
	for i := range 5 { // the last is zero
		for k := range r.Dim() {
			a.Set(i, k, rng.NormFloat64())
		}
	}
	out, err := r.AtNodes(t.Context(), a, gap)
	if err != nil {
		t.Fatal(err)
	}
	if functionals, _ := r.Operator.Dims(); out.Multipliers.RawMatrix().Cols != functionals {
		t.Fatalf("%d multipliers of %d functionals", out.Multipliers.RawMatrix().Cols, functionals)
	}
	lower, upper := polar.Certify(polar.Problem{Alpha: Alpha, A: r.Operator, Gauge: r.Gauge}, a, out.Iota, out.Multipliers)
	for i := range 5 {
		if whole := polar.Gap(lower[i], upper[i]); math.Abs(whole-out.Gap[i]) > 1e-9 || whole > gap {
			t.Errorf("right-hand side %d: the whole has the gap %g, its components %g", i, whole, out.Gap[i])
		}
		if math.Abs(lower[i]-out.Norm2[i]) > 1e-9*lower[i] {
			t.Errorf("right-hand side %d: lower bounds %g and %g", i, lower[i], out.Norm2[i])
		}
	}
}

// Zero is embedded at zero, component by component.
func TestComponentsOfZero(t *testing.T) {
	_, r := withinClasses(t, 1e-2, false)
	a := mat.NewDense(2, r.Dim(), nil)
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range a.RawMatrix().Data[:r.Dim()] { // the second is zero
		a.RawMatrix().Data[i] = rng.NormFloat64()
	}
	c, err := r.components(t.Context(), r.Problem(), r.Settings(), false)
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	out, err := c.Solve(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if mat.Norm(out.Iota.RowView(1), 2) != 0 || mat.Norm(out.Iota.RowView(0), 2) == 0 {
		t.Error("zero is not embedded at zero, or all is")
	}
}

// Where a component proves nothing, nor does the whole, whatever the others prove.
func TestComponentsThatProveNothing(t *testing.T) {
	_, r := withinClasses(t, 1e-2, false)
	d := r.Features.Dim()
	a := mat.NewDense(1, r.Dim(), nil)
	for k := range d { // of the classes of the first two components
		a.Set(0, k, 1)
		a.Set(0, d+k, 1)
	}
	s, err := r.components(t.Context(), r.Problem(), r.Settings(), false)
	if err != nil {
		t.Fatal(err)
	}
	c := s.(*components)
	out := emptyResult(1, r.Dim())
	first, second := &c.parts[0], &c.parts[1]
	nothing := &polar.Result{Iota: mat.NewDense(1, d, nil), Gap: []float64{math.Inf(1)}, Iterations: []int{1}, Newton: []int{0}, Work: []float64{0}, Status: make([]polar.Status, 1)}
	index, rhs := first.apply(a, d)
	if len(first.labels) != 1 || len(index) != 1 {
		t.Fatalf("%d labels, rows %v", len(first.labels), index)
	}
	first.join(out, 0, nothing, 0, rhs.RawRowView(0), d)
	_, rhs = second.apply(a, d)
	own, err := second.solve(t.Context(), rhs)
	if err != nil {
		t.Fatal(err)
	}
	second.join(out, 0, own, 0, rhs.RawRowView(0), d)
	if gap := polar.Gap(out.Norm2[0], out.Gap[0]); !math.IsInf(gap, 1) || !(out.Norm2[0] > 0) {
		t.Errorf("the gap is %g above %g", gap, out.Norm2[0])
	}
}

// Curves of different classes that lie between each other are told apart.
func TestRunsOfAComponent(t *testing.T) {
	runs := []curve.Run{{Step: 3, Stride: 1, Nodes: 3, Count: 3}}
	part, place := []int{0, 0, 0, 1, 1, 1, 0, 0, 0}, []int{0, 1, 2, 0, 1, 2, 3, 4, 5}
	if got := runsOf(runs, 0, part, place); len(got) != 1 || got[0].Count != 2 || got[0].Leaf(1, 2) != 5 {
		t.Errorf("class 0 has %+v", got)
	}
	if got := runsOf(runs, 1, part, place); len(got) != 1 || got[0].Count != 1 || got[0].First != 0 {
		t.Errorf("class 1 has %+v", got)
	}
}
