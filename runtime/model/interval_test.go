package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/interval"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A mixing is a regression problem whose function varies slowly between pairs of rows: rms over pairs of max over λ of |d/dλ f|.
type mixing struct {
	train  *dataset.Set
	pairs  [][2]int
	weight float64 // of the invariance; 0 is 1
	// straight tells the runtime that the paths are, bent makes that a lie, and integral takes the integral in place of the maximum.
	straight, bent, integral bool
}

func newMixing(n, pairs int) *mixing {
	rng := rand.New(rand.NewPCG(3, 4))
	m := &mixing{train: &dataset.Set{X: mat.NewDense(n, 3, nil), Task: setting.Real, HasTarget: true, Real: make([]float64, n)}}
	for i := range n {
		for j := range 3 {
			m.train.X.Set(i, j, rng.NormFloat64())
		}
		m.train.Real[i] = math.Sin(m.train.X.At(i, 0))
		m.train.Rows = append(m.train.Rows, i)
	}
	for range pairs {
		i, j := rng.IntN(n), rng.IntN(n-1)
		if j >= i {
			j++
		}
		m.pairs = append(m.pairs, [2]int{i, j})
	}
	return m
}

// at is the regularizer at some values of λ.
func (m *mixing) at(nodes []float64) *regularizer.Regularizer {
	b := &plugins.Block{}
	for _, p := range m.pairs {
		xi, xj := m.train.X.RawRowView(p[0]), m.train.X.RawRowView(p[1])
		along := make([]float64, len(xi))
		for k := range along {
			along[k] = xi[k] - xj[k]
		}
		tangent := int32(b.Tangents.Append(along))
		for _, l := range nodes {
			x := make([]float64, len(xi))
			for k := range x {
				x[k] = l*xi[k] + (1-l)*xj[k]
				if m.bent {
					x[k] += l * (1 - l)
				}
			}
			b.Term(1, ^int32(b.Points.Append(x)), tangent, plugins.NoLabel)
			b.End()
		}
	}
	count, weight := len(m.pairs), max(m.weight, 1)/math.Sqrt(float64(len(m.pairs)))
	run := curve.Run{Step: len(nodes), Stride: 1, Nodes: len(nodes), Count: count, Straight: m.straight}
	over := gauge.Repeat(len(nodes), gauge.MaxOf(gauge.Leaf(gauge.Abs)))
	if m.integral {
		run.P = 1
		over = gauge.Weighted(gauge.Repeat(len(nodes), gauge.SumOf(gauge.Leaf(gauge.Abs))), curve.Weights(len(nodes))...)
	}
	root := gauge.Scaled(gauge.Repeat(count, gauge.Hypot(over)), weight)
	return &regularizer.Regularizer{
		Functionals: b, Nodes: len(nodes),
		Invariances: []regularizer.Invariance{{
			Name: "mixup", Weight: 1, Kind: regularizer.Seminorm, Gauge: root, Count: count * len(nodes),
			Curves: []curve.Run{run},
		}},
	}
}

func (m *mixing) ground(_ context.Context, nodes int, halfway bool) (*regularizer.Regularizer, error) {
	if halfway {
		return m.at(curve.Halfway(nodes)), nil
	}
	return m.at(curve.Nodes(nodes)), nil
}

func (m *mixing) fit(t *testing.T, nodes int, gap float64, ground interval.Grounder) *Fitting {
	t.Helper()
	return m.fitBy(t, setting.Embed, nodes, gap, ground)
}

func (m *mixing) fitBy(t *testing.T, method setting.Method, nodes int, gap float64, ground interval.Grounder) *Fitting {
	t.Helper()
	out, err := Fit(t.Context(), m.train, m.at(curve.Nodes(nodes)), Options{
		Method: method, Kernel: setting.Kernel{Kind: setting.Gaussian, Width: 1}, Features: setting.Features{},
		Learner: setting.Learner{Kind: setting.Ridge, Strength: 1}, Gap: gap, Ground: ground,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// fine is ρ over 2001 nodes for the rows of v.
func (m *mixing) fine(t *testing.T, features embed.Map, v *mat.Dense) []float64 {
	t.Helper()
	reg := m.at(curve.Nodes(2001))
	op, err := operator.Build(t.Context(), reg.Functionals, m.train.X, features, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := v.Dims()
	r, _ := op.Dims()
	values := mat.NewDense(b, r, nil)
	op.Apply(values, v)
	out := make([]float64, b)
	for i := range out {
		out[i] = reg.Gauge().Value(values.RawRowView(i))
	}
	return out
}

// taken is what a problem's lower bounds take for ρ of the rows of v: ⟨a, V⟩²/(‖V‖² + ρ²) is the bound, with a = V.
func taken(p polar.Problem, v *mat.Dense) []float64 {
	b, _ := v.Dims()
	r, _ := p.A.Dims()
	lower, _ := polar.Certify(p, v, v, mat.NewDense(b, r, nil))
	for i := range lower {
		norm2 := mat.Dot(v.RowView(i), v.RowView(i))
		lower[i] = math.Sqrt(max(0, norm2*norm2/lower[i]-norm2))
	}
	return lower
}

// Whatever V is, certificates take for ρ no less than what 2001 nodes say, with few nodes too, and little more.
func TestIntervalBoundsTheContinuum(t *testing.T) {
	m := newMixing(10, 8)
	for _, tt := range []struct {
		nodes int
		tight float64
	}{{9, 3}, {15, 0.02}, {21, 1e-4}} {
		// So wide a gap needs no more nodes.
		rep := m.fit(t, tt.nodes, 1e9, m.ground).Model.Represent
		if rep.Nodes != tt.nodes || !rep.Between.Interval() || rep.Curves == nil {
			t.Fatalf("%d nodes, for the interval: %v", rep.Nodes, rep.Between.Interval())
		}
		rng := rand.New(rand.NewPCG(uint64(tt.nodes), 6))
		v := mat.NewDense(40, rep.Dim(), nil)
		for i := range 40 {
			for j := range rep.Dim() {
				v.Set(i, j, rng.NormFloat64())
			}
		}
		fine, bounds := m.fine(t, rep.Features, v), taken(rep.Problem(), v)
		nodesAlone := rep.Problem()
		nodesAlone.Curves = nil
		below := 0
		for i, low := range taken(nodesAlone, v) {
			if bounds[i] < fine[i]*(1-1e-9) || bounds[i] > fine[i]*(1+tt.tight) {
				t.Errorf("%d nodes: ρ is taken to be %v, and is %v", tt.nodes, bounds[i], fine[i])
			}
			if low < fine[i]*(1-1e-9) {
				below++
			}
		}
		if below == 0 {
			t.Errorf("%d nodes: none of the maxima lies between them; the test shows nothing", tt.nodes)
		}
	}
}

// Along straight paths all that bounds the continuum is proved, and the polynomials through few nodes are as far from it as they may be.
func TestProofBoundsTheContinuum(t *testing.T) {
	m := newMixing(10, 8)
	m.straight = true
	for _, tt := range []struct {
		nodes int
		tight float64
	}{{9, 30}, {15, 0.2}, {21, 2e-3}} {
		out := m.fit(t, tt.nodes, 1e9, m.ground)
		rep := out.Model.Represent
		if rep.Between != represent.Proved || out.Between[0].Between != represent.Proved || rep.Nodes != tt.nodes {
			t.Fatalf("%d nodes, between them: %v", rep.Nodes, rep.Between)
		}
		longest := 0.0
		for _, p := range m.pairs {
			longest = max(longest, distance(m.train.X.RawRowView(p[0]), m.train.X.RawRowView(p[1])))
		}
		if got := out.Between[0].Widths; math.Abs(got-longest) > 1e-9 {
			t.Errorf("the longest path is %v widths, want %v", got, longest)
		}
		v := mat.NewDense(20, rep.Dim(), nil)
		rng := rand.New(rand.NewPCG(uint64(tt.nodes), 6))
		v.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, v)
		fine, bounds := m.fine(t, rep.Features, v), taken(rep.Problem(), v)
		for i := range fine {
			if bounds[i] < fine[i]*(1-1e-9) || bounds[i] > fine[i]*(1+tt.tight) {
				t.Errorf("%d nodes: ρ is taken to be %v, and is %v", tt.nodes, bounds[i], fine[i])
			}
		}
	}
}

func distance(x, y []float64) float64 {
	sum := 0.0
	for j := range x {
		sum += (x[j] - y[j]) * (x[j] - y[j])
	}
	return math.Sqrt(sum)
}

// A path that is not as straight as was promised is measured.
func TestBentPathsAreMeasured(t *testing.T) {
	m := newMixing(10, 8)
	m.straight, m.bent = true, true
	if out := m.fit(t, 11, 1e9, m.ground); out.Between[0].Between != represent.Measured || out.Between[0].Widths != 0 {
		t.Errorf("%+v", out.Between[0])
	}
}

// Where paths are so long that no number of nodes tells what f does on them, none is tried, and the gap says so under every method.
func TestPathsTooLongForTheWidth(t *testing.T) {
	for _, method := range []setting.Method{setting.Embed, setting.Risk, setting.Dual} {
		m := newMixing(10, 8)
		m.straight = true
		m.train.X.Scale(1e5, m.train.X)
		out := m.fitBy(t, method, 11, 1e-3, m.ground)
		if rep := out.Model.Represent; rep.Nodes != 11 || rep.Between != represent.Proved || !out.Short || !(out.Between[0].Widths > 1e4) {
			t.Errorf("%s: %d nodes, between them %v, short: %v", method, rep.Nodes, rep.Between, out.Short)
		}
		if gap := slices.Max(out.Gaps); !(gap > 0.1) {
			t.Errorf("%s: the gap is %v, with nothing known between nodes", method, gap)
		}
	}
}

// Under every method, and for integrals too but under dual, the gap is that of the interval, by as many nodes as that takes.
func TestMethodsRefine(t *testing.T) {
	for _, method := range []setting.Method{setting.Embed, setting.Risk, setting.Dual} {
		for _, integral := range []bool{false, true} {
			m := newMixing(10, 8)
			m.straight, m.integral = true, integral
			out := m.fitBy(t, method, 11, 1e-3, m.ground)
			rep, want := out.Model.Represent, represent.Proved
			if method == setting.Dual && integral {
				want = represent.AtNodes
			}
			if rep.Between != want || out.Between[0].Between != want || (rep.Nodes > 11) != (want == represent.Proved) {
				t.Errorf("%s, integral %v: %d nodes, between them %v", method, integral, rep.Nodes, rep.Between)
			}
			if gap := slices.Max(out.Gaps); gap > 1e-3 || out.Short {
				t.Errorf("%s, integral %v: the gap is %v", method, integral, gap)
			}
			if method == setting.Embed {
				m.checkMultiples(t, out)
				checkSaved(t, out.Model, m.train.X, out.Gaps)
			}
		}
	}
}

// A gap that few nodes cannot certify makes a fit take more, and every gap holds for 2001 nodes.
func TestFitRefinesUntilTheGapHolds(t *testing.T) {
	const gap = 1e-3
	m := newMixing(10, 8)
	out := m.fit(t, 11, gap, m.ground)
	rep := out.Model.Represent
	if rep.Nodes <= 11 || rep.Nodes > 81 || out.Regularizer.Nodes != rep.Nodes {
		t.Fatalf("%d nodes", rep.Nodes)
	}
	for i, g := range out.Gaps {
		if g > gap {
			t.Errorf("row %d: gap %v", i, g)
		}
	}
	m.checkMultiples(t, out)
	checkSaved(t, out.Model, m.train.X, out.Gaps)
}

// checkMultiples checks that every embedding is its own best multiple: J(ι) = ⟨a, ι⟩ as certified, and no more over 2001 nodes.
func (m *mixing) checkMultiples(t *testing.T, out *Fitting) {
	t.Helper()
	rep := out.Model.Represent
	v := mat.NewDense(m.train.Len(), rep.Dim(), nil)
	for i := range m.train.Len() {
		v.SetRow(i, out.Iota(nil, i))
	}
	v.Scale(1/rep.Scale, v)
	a, err := rep.RightHandSides(m.train.X)(0, m.train.Len())
	if err != nil {
		t.Fatal(err)
	}
	bounds := taken(rep.Problem(), v)
	for i, rho := range m.fine(t, rep.Features, v) {
		along, norm2 := mat.Dot(a.RowView(i), v.RowView(i)), mat.Dot(v.RowView(i), v.RowView(i))
		if j := norm2 + rho*rho; j > along*(1+1e-9) {
			t.Errorf("row %d: J over 2001 nodes is %v, more than the certified %v", i, j, along)
		}
		if j := norm2 + bounds[i]*bounds[i]; math.Abs(j-along) > 1e-9*j {
			t.Errorf("row %d: J is certified to be %v, and ⟨a, ι⟩ is %v", i, j, along)
		}
	}
}

// checkSaved loads a model and embeds the same rows with the same gaps.
func checkSaved(t *testing.T, model *Model, x *mat.Dense, gaps []float64) {
	t.Helper()
	p := &dataset.Preparation{Target: dataset.TargetPlan{Task: model.Fit.Task}}
	if model.Fit.Task.Joint() {
		p.Target.LabelNames = make([]string, model.Represent.Labels)
	}
	model.About.Preparation = preparationFor(p, x)
	loaded := written(t, model)
	rep := loaded.Represent
	if rep.Nodes != model.Represent.Nodes || rep.Between.Interval() != model.Represent.Between.Interval() {
		t.Errorf("the loaded model has %d nodes, for the interval: %v", rep.Nodes, rep.Between.Interval())
	}
	if _, got, err := loaded.Scores(t.Context(), x, nil, nil); err != nil {
		t.Error(err)
	} else {
		for i := range got.Gaps {
			if got.Gaps[i] != gaps[i] {
				t.Errorf("row %d has the gap %v, embedded by the loaded model %v", i, gaps[i], got.Gaps[i])
			}
		}
	}
}

// A gap that no number of nodes certifies is not claimed: the embeddings are those of the nodes, with the gap of the interval.
func TestIntervalBeyondReach(t *testing.T) {
	m := newMixing(10, 8)
	out := m.fit(t, 11, 1e-9, m.ground)
	rep := out.Model.Represent
	if !rep.Afterwards || rep.Nodes != 81 || !rep.Between.Interval() {
		t.Fatalf("%d nodes, afterwards: %v", rep.Nodes, rep.Afterwards)
	}
	worst := 0.0
	for _, g := range out.Gaps {
		worst = max(worst, g)
	}
	if !(worst > 1e-9) || worst > 1e-3 {
		t.Errorf("the largest gap is %v", worst)
	}
	m.checkMultiples(t, out)
	checkSaved(t, out.Model, m.train.X, out.Gaps)
}

// A fit that is compared takes R at the nodes at hand, and brief embeddings, whatever the gap.
func TestComparedFitsKeepTheirNodes(t *testing.T) {
	m := newMixing(10, 8)
	for _, method := range []setting.Method{setting.Embed, setting.Risk} {
		o := wholeOptions(method, 1e-9)
		o.Ground, o.Compared = m.ground, 1
		f, err := represented(t.Context(), m.train, m.at(curve.Nodes(11)), o)
		if err != nil {
			t.Fatal(err)
		}
		if f.reg.Nodes != 11 || f.rep.Curves != nil || f.between != nil || !f.rep.Brief {
			t.Errorf("%s: %d nodes, curves %v and %v", method, f.reg.Nodes, f.rep.Curves != nil, f.between != nil)
		}
	}
}

// Without a way to ground anew, and for maxima that curves do not describe, the certificate is for the nodes.
func TestNodesAlone(t *testing.T) {
	m := newMixing(10, 8)
	if rep := m.fit(t, 11, 0, nil).Model.Represent; rep.Between.Interval() || rep.Nodes != 11 || rep.Curves != nil {
		t.Errorf("%d nodes, for the interval: %v", rep.Nodes, rep.Between.Interval())
	}
	out := m.fit(t, 11, 10, m.ground)
	out.Regularizer.Invariances[0].NodesOnly = true
	f := &fitter{
		ctx: t.Context(), train: m.train, seen: m.train, reg: out.Regularizer, rep: out.Model.Represent,
		op: out.Model.Represent.Operator, o: Options{Method: setting.Embed, Ground: m.ground}, out: out,
	}
	if err := f.curves(); err != nil || f.rep.Between.Interval() || f.rep.Curves == nil {
		t.Errorf("error %v, for the interval: %v", err, f.rep.Between.Interval())
	}
}
