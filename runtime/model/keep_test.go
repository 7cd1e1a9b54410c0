package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// steps are rows of a number that rises with the first of p columns in steps, has flats there, and bends in the others. Noise is large, so
// that a free fit falls somewhere.
func steps(n, p int) *dataset.Set {
	rng := rand.New(rand.NewPCG(5, uint64(p)))
	s := &dataset.Set{X: mat.NewDense(n, p, nil), Task: setting.Real, HasTarget: true}
	for i := range n {
		target := 0.4 * rng.NormFloat64()
		for j := range p {
			v := 2*rng.Float64() - 1
			s.X.Set(i, j, v)
			if j == 0 {
				target += math.Floor(2*v) / 2
			} else {
				target += math.Sin(3*v) / 2
			}
		}
		s.Real, s.Rows, s.IDs = append(s.Real, target), append(s.Rows, i), append(s.IDs, "")
	}
	return s
}

// boxOf is [−1, 1] in every column.
func boxOf(p int) (out []statement.Side) {
	for j := range p {
		out = append(out, statement.Side{Columns: []int{j}, Low: -1, High: 1})
	}
	return out
}

// pairwiseOf is the pairwise kernel of p numbers.
func pairwiseOf(p int, width float64) setting.Kernel {
	k := setting.Kernel{Kind: setting.Pairwise}
	for j := range p {
		k.Components = append(k.Components, setting.Component{Columns: []int{j}, Base: setting.Base{Kind: setting.Gaussian, Width: width}})
	}
	return k
}

// What is required is proved, and true at random points. It costs the fit no more than the gap says, and the free fit breaks it.
func TestStatementsAreKept(t *testing.T) {
	for name, c := range map[string]struct {
		p          int
		kernel     setting.Kernel
		learner    setting.Learner
		statements []statement.Statement
	}{
		"rising of four columns": {4, pairwiseOf(4, 0.7), setting.Learner{Kind: setting.Ridge, Strength: 0.05}, []statement.Statement{
			{Name: "rising", Terms: []statement.Term{{Coef: 1, Derive: []int{0}}}, Region: boxOf(4)},
		}},
		"rising and bounded on a line": {1, setting.Kernel{Kind: setting.Gaussian, Width: 0.3}, setting.Learner{Kind: setting.Ridge, Strength: 0.05}, []statement.Statement{
			{Name: "rising", Terms: []statement.Term{{Coef: 1, Derive: []int{0}}}, Region: boxOf(1)},
			{Name: "bounded", Terms: []statement.Term{{Coef: -1}}, Constant: 0.5, Region: boxOf(1)},
		}},
		"refuted by more proofs than margins are raised": {3, setting.Kernel{Kind: setting.Gaussian, Width: 0.5}, setting.Learner{Kind: setting.Ridge, Strength: 0.05}, []statement.Statement{
			{Name: "rising", Terms: []statement.Term{{Coef: 1, Derive: []int{0}}}, Region: boxOf(3)},
		}},
		"convex in a plane": {2, setting.Kernel{Kind: setting.Gaussian, Width: 0.8}, setting.Learner{Kind: setting.Ridge, Strength: 0.5}, []statement.Statement{
			{Name: "convex", Terms: []statement.Term{{Coef: 1, Derive: []int{1, 1}}}, Region: boxOf(2)},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			train := steps(80, c.p)
			o := Options{
				Method: setting.Risk, Kernel: c.kernel, Learner: c.learner, Unmeasured: true,
				Features: setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks},
			}
			free, err := Fit(t.Context(), train, &regularizer.Regularizer{}, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Require = func(context.Context) ([]statement.Statement, error) { return c.statements, nil }
			start := time.Now()
			f, err := Fit(t.Context(), train, &regularizer.Regularizer{}, o)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v, gap %v (free %v), objective %v (free %v)", time.Since(start), f.Gaps, free.Gaps, f.Model.Fit.Objective, free.Model.Fit.Objective)
			broken := 0
			for s := range c.statements {
				v := f.Model.Requirements[s].Verdict
				t.Logf("%s: %+v, aimed at %v", c.statements[s].Name, *v, f.Model.Requirements[s].Aim)
				if v.Answer != proof.Proved || !(v.Margin >= 0) {
					t.Errorf("%s is %v", c.statements[s].Name, v.Answer)
				}
				if least(t, f.Model, &c.statements[s]) < 0 {
					t.Errorf("%s is broken at a random point", c.statements[s].Name)
				}
				if least(t, free.Model, &c.statements[s]) < 0 {
					broken++
				}
			}
			if broken == 0 {
				t.Error("the free fit keeps all statements, so that nothing was tested")
			}
			if f.Gaps[0] > 0.05 || f.Model.Fit.Objective < free.Model.Fit.Objective*(1-free.Gaps[0]) {
				t.Errorf("gap %v, objective %v below the free one, %v", f.Gaps[0], f.Model.Fit.Objective, free.Model.Fit.Objective)
			}
		})
	}
}

// least returns the least g of a statement at 2000 points of [−1, 1]ᵖ.
func least(t *testing.T, m *Model, s *statement.Statement) float64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	p := len(s.Region)
	x := mat.NewDense(2000, p, nil)
	for i := range 2000 {
		for j := range p {
			x.Set(i, j, 2*rng.Float64()-1)
		}
	}
	v := m.Fit.Weights.RawMatrix().Data
	rows := rowsOf(m.Represent.Features, 1, s, x)
	out := math.Inf(1)
	bias := 0.0
	for _, term := range s.Terms {
		if len(term.Derive) == 0 {
			bias += term.Coef * m.Fit.Bias[0]
		}
	}
	for i := range 2000 {
		out = min(out, s.Constant+bias+m.Represent.Scale*mat.Dot(rows.RowView(i), mat.NewVecDense(len(v), v)))
	}
	return out
}

// An equation far from all rows is kept, too: its cuts become landmarks, and what it is kept to within stays as it was set.
func TestEquationsAreKeptFarFromRows(t *testing.T) {
	train := steps(30, 1)
	at := []statement.Side{{Columns: []int{0}, Low: 1, High: 0, Points: [][]float64{{6}}}}
	one := []statement.Statement{
		{Name: "anchor", Terms: []statement.Term{{Coef: 1}}, Constant: -2, Equal: true, Region: at},
		{Name: "anchor", Terms: []statement.Term{{Coef: -1}}, Constant: 2, Equal: true, Region: at},
	}
	f, err := Fit(t.Context(), train, &regularizer.Regularizer{}, Options{
		Method: setting.Risk, Kernel: setting.Kernel{Kind: setting.Gaussian, Width: 0.5}, Learner: setting.Learner{Kind: setting.Ridge, Strength: 0.1},
		Features: setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks}, Unmeasured: true,
		Require: func(context.Context) ([]statement.Statement, error) { return one, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Model.Requirements {
		r := &f.Model.Requirements[i]
		if r.Verdict.Answer != proof.Proved || !(r.Aim > 0 && r.Aim < 1e-3) {
			t.Errorf("%s: %v, aimed at %v", r.Statement.Text, r.Verdict.Answer, r.Aim)
		}
		if !(r.Statement.Within > r.Aim) || !strings.Contains(r.Statement.Text, ", kept to within ") {
			t.Errorf("%q, within %v", r.Statement.Text, r.Statement.Within)
		}
	}
	scores, _, err := f.Model.Scores(t.Context(), mat.NewDense(1, 1, []float64{6}), nil, nil)
	if err != nil || math.Abs(scores.At(0, 0)-2) > 1e-2 {
		t.Errorf("%v: f(6) = %v, want 2", err, scores.At(0, 0))
	}
}

// fitOn fits rows of a column to statements, by ridge or the learner.
func fitOn(t *testing.T, train *dataset.Set, l setting.Learner, all ...statement.Statement) *Fitting {
	t.Helper()
	f, err := Fit(t.Context(), train, &regularizer.Regularizer{}, Options{
		Method: setting.Risk, Kernel: setting.Kernel{Kind: setting.Gaussian, Width: 0.5}, Learner: l,
		Features: setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks}, Unmeasured: true,
		Require: func(context.Context) ([]statement.Statement, error) { return all, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pointAt is a region of one point.
func pointAt(x float64) []statement.Side {
	return []statement.Side{{Columns: []int{0}, Low: 1, High: 0, Points: [][]float64{{x}}}}
}

// Only statements that contradict each other are said to, with those that take no part left out.
func TestContradictionsAreNamed(t *testing.T) {
	at := pointAt(0.3)
	f := fitOn(t, steps(30, 1), setting.Learner{Kind: setting.Ridge, Strength: 0.1},
		statement.Statement{Name: "calm", Terms: []statement.Term{{Coef: 1}}, Constant: 9, Region: boxOf(1)},
		statement.Statement{Name: "zero", Terms: []statement.Term{{Coef: 1}}, Equal: true, Region: at},
		statement.Statement{Name: "zero", Terms: []statement.Term{{Coef: -1}}, Equal: true, Region: at},
		statement.Statement{Name: "up", Terms: []statement.Term{{Coef: 1}}, Constant: -1, Region: at},
	)
	for i := range f.Model.Requirements {
		r := &f.Model.Requirements[i]
		if says := strings.HasPrefix(r.Verdict.Reason, "no function of the features keeps all of zero, up:"); says != (r.Verdict.Answer == proof.Refuted) {
			t.Errorf("%s: %v, %q", r.Statement.Name, r.Verdict.Answer, r.Verdict.Reason)
		}
	}
	if r := f.Model.Requirements; r[0].Verdict.Answer != proof.Proved || r[1].Verdict.Answer == proof.Proved && r[2].Verdict.Answer == proof.Proved && r[3].Verdict.Answer == proof.Proved {
		t.Error("all of zero and up are proved, or calm is not")
	}
}

// Bounds that f = 0 keeps are kept by hinges, whose minimum at the gap asked for misses them by a little.
func TestBoundsOfHingesAreKept(t *testing.T) {
	train := steps(40, 1)
	for i, v := range train.Real {
		train.Class = append(train.Class, 0)
		if v > -0.2 {
			train.Class[i] = 1
		}
	}
	train.Task, train.LabelNames = setting.Binary, []string{"no", "yes"}
	for _, most := range []float64{0, 0.5, 1} {
		f := fitOn(t, train, setting.Learner{Kind: setting.SVM, Strength: 1}, statement.Statement{Name: "low", Terms: []statement.Term{{Coef: -1}}, Constant: most, Region: boxOf(1)})
		if r := f.Model.Requirements[0]; r.Verdict.Answer != proof.Proved {
			t.Errorf("f <= %v: %v, %s", most, r.Verdict.Answer, r.Verdict.Reason)
		}
	}
}

// A function that is to rise and fall is a constant. That no margin can be kept contradicts nothing.
func TestConstantsAreKept(t *testing.T) {
	f := fitOn(t, steps(30, 1), setting.Learner{Kind: setting.Ridge, Strength: 0.1},
		statement.Statement{Name: "up", Terms: []statement.Term{{Coef: 1, Derive: []int{0}}}, Region: boxOf(1)},
		statement.Statement{Name: "down", Terms: []statement.Term{{Coef: -1, Derive: []int{0}}}, Region: boxOf(1)},
	)
	for i := range f.Model.Requirements {
		if r := &f.Model.Requirements[i]; r.Verdict.Answer != proof.Proved {
			t.Errorf("%s: %v, %s", r.Statement.Name, r.Verdict.Answer, r.Verdict.Reason)
		}
	}
	if f.Gaps[0] > 1e-2 {
		t.Errorf("gap %v", f.Gaps[0])
	}
}

// A statement that leaves little is kept with less than it leaves: margins of its size at the rows would contradict it.
func TestSmallEffectsAreKept(t *testing.T) {
	const most = 1e-3
	f := fitOn(t, steps(30, 1), setting.Learner{Kind: setting.Ridge, Strength: 0.1},
		statement.Statement{Name: "up", Terms: []statement.Term{{Coef: 1, Derive: []int{0}}}, Constant: most, Region: boxOf(1)},
		statement.Statement{Name: "down", Terms: []statement.Term{{Coef: -1, Derive: []int{0}}}, Constant: most, Region: boxOf(1)},
	)
	for i := range f.Model.Requirements {
		if r := &f.Model.Requirements[i]; r.Verdict.Answer != proof.Proved || r.Aim > most/10 {
			t.Errorf("%s: %v, %s, aimed at %v", r.Statement.Name, r.Verdict.Answer, r.Verdict.Reason, r.Aim)
		}
	}
	if f.Gaps[0] > 1e-3 {
		t.Errorf("gap %v", f.Gaps[0])
	}
}

// A region far beyond all rows ends in a report, whatever it says; rows of cuts vanish there, or are nearly the same.
func TestFarRegionsEnd(t *testing.T) {
	for _, least := range []float64{0, 1} {
		far := []statement.Side{{Columns: []int{0}, Low: 0, High: 60}}
		f := fitOn(t, steps(30, 1), setting.Learner{Kind: setting.Ridge, Strength: 0.1},
			statement.Statement{Name: "up", Terms: []statement.Term{{Coef: 1, Derive: []int{0}}}, Constant: -least, Region: far})
		if v := f.Model.Requirements[0].Verdict; v.Answer != proof.Proved && v.Reason == "" || strings.Contains(v.Reason, "no function") {
			t.Errorf("at least %v: %v, %q", least, v.Answer, v.Reason)
		}
	}
}

// A region of many widths beyond the rows is kept by a function near the minimum, and not by a constant: what cuts there ask for joins the features.
func TestWideRegionsAreKept(t *testing.T) {
	for _, wide := range []float64{6, 10} {
		box := []statement.Side{{Columns: []int{0}, Low: -wide, High: wide}}
		f := fitOn(t, steps(30, 1), setting.Learner{Kind: setting.Ridge, Strength: 0.1},
			statement.Statement{Name: "up", Terms: []statement.Term{{Coef: 1, Derive: []int{0}}}, Region: box})
		if r := f.Model.Requirements[0]; r.Verdict.Answer != proof.Proved || r.Aim == 0 || f.Gaps[0] > 1e-2 {
			t.Errorf("from -%v to %[1]v: %v, aimed at %v, with a gap of %v", wide, r.Verdict.Answer, r.Aim, f.Gaps[0])
		}
	}
}

// The margin of an equation stays below what it is kept to within, and that of another statement doubles.
func TestMarginsOfEquationsStayWithin(t *testing.T) {
	k := &keeping{statements: []statement.Statement{{Equal: true, Within: 2}, {}}, margins: []float64{1, 1}}
	for range 3 {
		raised(k, 0)
		raised(k, 1)
	}
	if !(k.margins[0] > 1 && k.margins[0] < 2) || k.margins[1] != 8 {
		t.Errorf("margins %v", k.margins)
	}
	if raised(k, 0) || !raised(k, 1) {
		t.Error("what is raised is told wrongly")
	}
}

// Quantiles that must rise, bend down and not cross do neither break nor cost more than the gap that was asked for, though their loss has kinks
// everywhere.
func TestQuantilesKeepTheirOrder(t *testing.T) {
	train := steps(80, 1)
	train.Task, train.Levels = setting.Quantiles, []float64{0.2, 0.5, 0.8}
	train.LabelNames = setting.LevelNames(train.Levels)
	var all []statement.Statement
	for y := range train.Levels {
		all = append(all,
			statement.Statement{Name: "rising", Terms: []statement.Term{{Coef: 1, Label: y, Derive: []int{0}}}, Region: boxOf(1)},
			statement.Statement{Name: "concave", Terms: []statement.Term{{Coef: -1, Label: y, Derive: []int{0, 0}}}, Region: boxOf(1)})
		if y > 0 {
			all = append(all, statement.Statement{Name: "order", Terms: []statement.Term{{Coef: 1, Label: y}, {Coef: -1, Label: y - 1}}, Region: boxOf(1)})
		}
	}
	f := fitOn(t, train, setting.Learner{Kind: setting.Quantile, Strength: 1}, all...)
	for _, r := range f.Model.Requirements {
		if r.Verdict.Answer != proof.Proved {
			t.Errorf("%s is %v", r.Statement.Name, r.Verdict.Answer)
		}
	}
	if f.Gaps[0] > DefaultGap {
		t.Errorf("the gap is %v", f.Gaps[0])
	}
	const points = 200
	x := mat.NewDense(points, 1, nil)
	for i := range points {
		x.Set(i, 0, 2*float64(i)/(points-1)-1)
	}
	scores, _, err := f.Model.Scores(t.Context(), x, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range points {
		row := scores.RawRowView(i)
		if !slices.IsSorted(row) || i > 0 && floats.Min(row) < scores.At(i-1, 0) {
			t.Fatalf("the quantiles at %v are %v", x.At(i, 0), row)
		}
	}
}
