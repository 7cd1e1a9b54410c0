package sipc

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/model"
)

const partsText = `
data { target kind : class; columns image(6, 6); split train = 24, test = 12 }
kernel gaussian(width = 2)
features nystrom(landmarks = rows)
invariance steady = rms over x of rms over t in orbit(moves = 5) {rotate([-30deg, 30deg]), shift(dx = [-1, 1], dy = [-1, 1])} of
    norm(2) over c in labels of |f(t(x), c) - f(x, c)|
invariance small = norm(2) over x of norm(2) over c in labels of |f(x, c)|
regularize 2 * steady, 0.1 * small
method risk
`

// An R that comes in parts has the squares of the whole, part by part, and the fit under it is the same, to what gaps allow.
func TestPartsFitAsTheWhole(t *testing.T) {
	for _, learner := range []string{"svm(C = 1)", "softmax(C = 1)", "ridge(lambda = 0.5)"} {
		s, err := settle(t.Context(), checkedSpec(t, partsText+"learn "+learner+"\n"), RunOptions{Data: strokes(t, 36)}, newJournal(nil))
		if err != nil {
			t.Fatal(err)
		}
		s.rows.gap = 1e-7
		whole, err := s.fit(t.Context(), fitRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if s.reg, err = inParts(t.Context(), s.rows, s.rows.seen, s.instance, 7, nil); err != nil {
			t.Fatal(err)
		}
		parts, err := s.fit(t.Context(), fitRequest{})
		if err != nil {
			t.Fatal(err)
		}
		v, w := whole.Model.Fit.Weights, parts.Model.Fit.Weights
		var difference mat.Dense
		difference.Sub(v, w)
		if d := mat.Norm(&difference, 2) / mat.Norm(v, 2); d > 1e-2 || parts.Gaps[0] > 1e-6 {
			t.Errorf("%s: weights differ by %v, at gaps of %v and %v", learner, d, whole.Gaps, parts.Gaps)
		}
		if p, f := parts.Model.Fit.Objective, whole.Model.Fit.Objective; math.Abs(p-f) > 1e-6*f {
			t.Errorf("%s: the objective is %v in parts and %v of the whole", learner, p, f)
		}
		for k := range parts.Measured {
			if p, f := float64(parts.Measured[k].Value), float64(whole.Measured[k].Value); parts.Measured[k].Sampled == nil && math.Abs(p-f) > 1e-2*f {
				t.Errorf("%s: R is %v in parts and %v of the whole", learner, p, f)
			}
		}
		told, err := newExaminer(s, s.reg, func(*diag.Diagnostic) {}).summands(t.Context(), parts, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k := range told {
			if got, want := told[k].Functionals, whole.Regularizer.Invariances[k].Count; got != want || told[k].Sampled != parts.Measured[k].Sampled {
				t.Errorf("%s: told are %d functionals and %v, want %d", learner, got, told[k].Sampled, want)
			}
		}
	}
}

const maximaText = `
data { target kind : class; columns image(6, 6); split train = 48, test = 12 }
kernel gaussian(width = 2)
features nystrom(landmarks = rows)
invariance steady = rms over x of max over t in {rotate(10deg), rotate(20deg), rotate(-10deg), rotate(-20deg), shift(dx = 1), shift(dy = 1), shift(dx = -1), shift(dy = -1)} of
    max over c in labels of |f(t(x), c) - f(x, c)|
invariance small = norm(2) over x of top(2) over t in {rotate(5deg), shift(dx = 1), shift(dy = 1)} of max over c in labels of |f(t(x), c)|
regularize 2 * steady, 0.1 * small
method risk
`

// Of an R in parts that has maxima a fit holds some functionals, and it is the fit of the whole, to what gaps allow. So it is where rows pass by, where a strength is
// chosen, and with one-sided statements.
func TestActiveSetsFitAsTheWhole(t *testing.T) {
	sided := strings.Replace(maximaText, "|f(t(x), c) - f(x, c)|", "pos(f(t(x), c) - f(x, c))", 1)
	for _, c := range []struct {
		text, learner string
		most          float64 // numbers of features that are held
	}{
		{maximaText, "svm(C = 1)", 0},
		{maximaText, "softmax(C = 1)", 0},
		{maximaText, "ridge(lambda = 0.5)", 0},
		{maximaText, "softmax(C = 1)", 1},
		{maximaText, "ridge(lambda = 0.5)", 1},
		{maximaText, "logistic(C = grid(0.1, 1, 10))", 0},
		{sided, "softmax(C = 1)", 0},
		// Comparing ends with functionals that the last look took in.
		{maximaText, "ridge(lambda = grid(0.5, 0.50005, 0.5001))", 0},
		{maximaText, "ridge(lambda = grid(0.01, 0.010001, 0.010002))", 0},
	} {
		s, err := settle(t.Context(), checkedSpec(t, c.text+"learn "+c.learner+"\n"), RunOptions{Data: strokes(t, 60)}, newJournal(nil))
		if err != nil {
			t.Fatal(err)
		}
		s.rows.gap = 1e-6
		fit := func() *model.Fitting {
			o := s.rows.Options(s.instance)
			o.MostHeld = c.most
			f, err := model.Fit(t.Context(), s.rows.Train, s.reg, o)
			if err != nil {
				t.Fatalf("%s: %v", c.learner, err)
			}
			return f
		}
		whole := fit()
		if s.reg, err = inParts(t.Context(), s.rows, s.rows.seen, s.instance, 7, nil); err != nil {
			t.Fatal(err)
		}
		parts := fit()
		a := parts.Active
		if whole.Active != nil || a == nil || a.Held == 0 || a.Held >= a.Functionals || a.Held+a.Evaluated > a.Functionals || a.Functionals != whole.Regularizer.Functionals.Len() {
			t.Errorf("%s: the fits are told to hold %+v and %+v", c.learner, whole.Active, a)
		}
		if !(whole.Gaps[0] <= 1e-6) || !(parts.Gaps[0] <= 1e-6) {
			t.Errorf("%s: gaps are %v of the whole and %v in parts", c.learner, whole.Gaps, parts.Gaps)
		}
		if p, f := parts.Model.Fit.Objective, whole.Model.Fit.Objective; math.Abs(p-f) > 3e-6*f {
			t.Errorf("%s: the objective is %v in parts and %v of the whole", c.learner, p, f)
		}
		if p, f := parts.Model.Fit.Learner, whole.Model.Fit.Learner; p != f {
			t.Errorf("%s: chosen are %v in parts and %v of the whole", c.learner, p, f)
		}
		for k := range parts.Measured {
			if p, f := float64(parts.Measured[k].Value), float64(whole.Measured[k].Value); parts.Measured[k].Sampled != nil || math.Abs(p-f) > 1e-2*f {
				t.Errorf("%s: %s is %v in parts (%+v) and %v of the whole", c.learner, whole.Regularizer.Invariances[k].Name, p, parts.Measured[k].Sampled, f)
			}
		}
	}
}

// An R in parts whose labels are not alike is fitted as a whole.
func TestPartsOfUnlikeLabels(t *testing.T) {
	text := strings.Replace(partsText, "0.1 * small", "0.1 * small, one", 1) + "invariance one = rms over x of |f(x, lying)|\nlearn svm(C = 1)\n"
	s, err := settle(t.Context(), checkedSpec(t, text), RunOptions{Data: strokes(t, 36)}, newJournal(nil))
	if err != nil {
		t.Fatal(err)
	}
	if s.reg, err = inParts(t.Context(), s.rows, s.rows.seen, s.instance, 7, nil); err != nil {
		t.Fatal(err)
	}
	f, err := s.fit(t.Context(), fitRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Regularizer.Parts != nil || !(f.Gaps[0] < 1e-3) {
		t.Errorf("in parts: %v, at a gap of %v", f.Regularizer.Parts, f.Gaps)
	}
}

// Test rows that no sample takes are not moved, and what is told of the others is what it is where all are moved. A condition that all rows meet has all moved.
func TestDrawnTestRowsAloneAreMoved(t *testing.T) {
	text := `data { target kind : class; columns image(6, 6); split train = 24, test = 600 }
kernel gaussian(width = 2)
features nystrom(landmarks = rows)
let around = orbit(moves = 5) {rotate([-30deg, 30deg]), shift(dx = [-1, 1])}
measure drawn = rms over x of rms over t in around of norm(2) over c in labels of |f(t(x), c) - f(x, c)|
measure all   = rms over x where p0 > -100 of rms over t in around of norm(2) over c in labels of |f(t(x), c) - f(x, c)|
measure few   = rms over x of |f(rotate(5deg)(x), lying) - f(x, lying)|
measure pairs = rms over x, c in labels of rms over t in around of |f(t(x), c) - f(x, c)|
measure mapped = rms over x of norm(2) over t in {rotate(5deg), rotate(-5deg), shift(dx = 1), shift(dx = -1)} of |f(t(x), lying) - f(x, lying)|
measure again = rms over x where p0 > -100 of norm(2) over t in {rotate(5deg), rotate(-5deg), shift(dx = 1), shift(dx = -1)} of |f(t(x), lying) - f(x, lying)|
method risk
learn svm(C = 1)
`
	s, err := settle(t.Context(), checkedSpec(t, text), RunOptions{Data: strokes(t, 624)}, newJournal(nil))
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.fit(t.Context(), fitRequest{})
	if err != nil {
		t.Fatal(err)
	}
	x := newExaminer(s, s.reg, func(*diag.Diagnostic) {})
	tested := map[string]*model.Measured{}
	for _, c := range []struct {
		name   string
		points int // that are moved
	}{{"drawn", 409 * 5}, {"all", 3000}, {"few", 600}, {"pairs", 3000}, {"mapped", 512 * 4}, {"again", 2400}} {
		if tested[c.name], err = x.atTest(t.Context(), f, c.name, nil); err != nil {
			t.Fatal(err)
		}
		if got := x.tested[c.name].reg.Functionals.Points.Rows; got != c.points {
			t.Errorf("%s moves %d points, want %d", c.name, got, c.points)
		}
	}
	for drawn, all := range map[string]string{"drawn": "all", "mapped": "again"} {
		got, want := tested[drawn], tested[all]
		if !reflect.DeepEqual(got.Sampled, want.Sampled) || got.Sampled == nil || math.Abs(float64(got.Value-want.Value)) > 1e-12*float64(want.Value) {
			t.Errorf("%s is %v by %+v, and %v by %+v where all are moved", drawn, got.Value, got.Sampled, want.Value, want.Sampled)
		}
	}
}

// R is apart where each term is a square over rows of what is about one of them, without conditions and without maxima over orbits.
func TestWhatIsApart(t *testing.T) {
	for expression, want := range map[string]bool{
		"rms over x of |f(x, lying)|": true,
		"norm(2) over x of norm(2) over c in labels of |f(rotate(5deg)(x), c) - f(x, c)|": true,
		"mean over x of |f(x, lying)|":                                                      false,
		"rms over x where p0 > 0.05 of |f(x, lying)|":                                       false,
		"rms over x of max over t in orbit {shift(dx = [-1, 1])} of |f(t(x), lying)|":       false,
		"hypot(rms over x of |f(x, lying)|, rms over x of |f(shift(dx = 1)(x), standing)|)": false,
	} {
		spec := NewSpec(t.Context(), "spec.inv", []byte("data { target kind : class; columns image(6, 6) }\nkernel gaussian(width = 2)\nfeatures nystrom(landmarks = rows)\ninvariance one = "+expression+"\nlearn svm\n"), SpecOptions{})
		if err := spec.Err(); err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if got := compiler.Apart(spec.Plan.At(nil)); got != want {
			t.Errorf("%s is apart: %v", expression, got)
		}
	}
}

// R comes in parts where squares have many points, and where few of many functionals have multipliers.
func TestWhichRComesInParts(t *testing.T) {
	head := "data { target kind : class; columns image(6, 6) }\nkernel gaussian(width = 2)\nlearn svm\nmethod risk\n"
	moved := " over t in {rotate(5deg), rotate(10deg), shift(dx = 1), shift(dy = 1)} of max over c in labels of |f(t(x), c) - f(x, c)|\nregularize one\n"
	squared := strings.Replace(moved, "max over c", "rms over c", 1)
	for _, c := range []struct {
		features, expression string
		rows                 int
		memory               float64
		parts                bool
	}{
		{"nystrom(landmarks = 1000)", "max" + moved, 70_000, 1 << 40, true},
		{"nystrom(landmarks = 1000)", "max" + moved, 50_000, 1 << 40, false},
		{"nystrom(landmarks = 100)", "max" + moved, 70_000, 1 << 40, false},
		{"nystrom(landmarks = 100)", "max" + moved, 70_000, 1 << 29, true},
		{"nystrom(landmarks = 1000)", "mean" + squared, 70_000, 1 << 40, false},
		{"nystrom(landmarks = 1000)", "rms" + squared, 70_000, 1 << 40, false},
		{"nystrom(landmarks = 1000)", "rms" + squared, 1_000_000, 1 << 40, true},
	} {
		spec := checkedSpec(t, head+"features "+c.features+"\ninvariance one = rms over x of "+c.expression)
		p, err := prepare(t.Context(), spec, RunOptions{Data: strokes(t, 36)})
		if err != nil {
			t.Fatal(err)
		}
		in := instanceAt(p, nil)
		probe, err := in.Ground(t.Context(), grounding(p, leading(p.seen, probedRows), nil))
		if err != nil {
			t.Fatal(err)
		}
		if rows := rowsOfPart(probe, in.Features, c.rows, c.memory); rows < c.rows != c.parts || rows < 1 {
			t.Errorf("%s, %s: %d of %d rows are a part", c.features, c.expression, rows, c.rows)
		}
	}
}

// R of one combination with the weights of another is what that one grounds. Where more than weights differs, there is none.
func TestReweighedIsGrounded(t *testing.T) {
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{"2 * steady, 0.1 * small", "grid(2, 5) * steady, 0.1 * small", true},
		{"2 * steady, 0.1 * small", "grid(2, 0) * steady, 0.1 * small", false},
		{"width = 2", "width = grid(2, 3)", false},
		{"norm(2) over x of norm(2)", "rms over x, z in rows of grid(1, 2) * norm(2)", false},
	} {
		text := strings.Replace(partsText, c.old, c.new, 1) + "learn svm(C = 1)\n"
		p, err := prepare(t.Context(), checkedSpec(t, text), RunOptions{Data: strokes(t, 36)})
		if err != nil {
			t.Fatal(err)
		}
		first, second := instanceAt(p, []int{0}), instanceAt(p, []int{1})
		of, err := p.ground(t.Context(), first, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.ground(t.Context(), second, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := compiler.Reweighed(second, first, of)
		if !c.same {
			if got != nil {
				t.Errorf("%s: R has the weights of another", c.new)
			}
			continue
		}
		if got == nil || !reflect.DeepEqual(got.Functionals, want.Functionals) {
			t.Fatalf("%s: R has other functionals", c.new)
		}
		for k, inv := range got.Invariances {
			if other := want.Invariances[k]; inv.Weight != other.Weight || inv.First != other.First || inv.Count != other.Count {
				t.Errorf("%s: %v with the weight %v, want %v", c.new, inv.Name, inv.Weight, other.Weight)
			}
		}
	}
}
