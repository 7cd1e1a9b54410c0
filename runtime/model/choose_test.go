package model

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// tossed are rows whose classes are drawn by a coin.
func tossed(n int) *dataset.Set {
	rng := rand.New(rand.NewPCG(8, 1))
	s := &dataset.Set{X: mat.NewDense(n, 3, nil), Task: setting.Class, LabelNames: []string{"heads", "tails"}, HasTarget: true}
	for i := range n {
		s.X.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
		s.Class, s.Rows, s.IDs = append(s.Class, rng.IntN(2)), append(s.Rows, i), append(s.IDs, "")
	}
	return s
}

// telling is an R that gives the labels of rows away: f(·, y) is to be the same at all rows of class y.
func telling(s *dataset.Set) *regularizer.Regularizer {
	b := &plugins.Block{Start: []int32{0}}
	last := []int32{-1, -1}
	for y := range last {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{int32(y)}, Value: []float64{1}})
	}
	for i, y := range s.Class {
		if j := last[y]; j >= 0 {
			b.Term(1, int32(i), plugins.Evaluation, int32(y))
			b.Term(-1, j, plugins.Evaluation, int32(y))
			b.End()
		}
		last[y] = int32(i)
	}
	rms := &gauge.Node{Op: gauge.Norm, P: 2, Repeat: b.Len(), Children: []*gauge.Node{gauge.Leaf(gauge.Abs)}}
	return &regularizer.Regularizer{Functionals: b, Invariances: []regularizer.Invariance{{
		Name: "telling", Weight: 30, Kind: regularizer.Seminorm, Gauge: rms, Count: b.Len(),
	}}}
}

func tellingOptions(method setting.Method) Options {
	return Options{
		Method: method, Kernel: setting.Kernel{Kind: setting.Gaussian, Width: 0.5}, Gap: 1e-2,
		Features: setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks},
		Learner:  setting.Learner{Kind: setting.Ridge, Strength: 1}, Strengths: []float64{0.1, 1, 10},
	}
}

// Where R knows the labels of rows, cross-validation on one representation of all rows finds labels that nobody can tell. With folds that are posed
// anew it does not.
func TestFoldsPosedAnewDoNotLeakLabels(t *testing.T) {
	train := tossed(60)
	best := func(c *learn.Choice) float64 {
		return slices.MaxFunc(c.Scores, func(a, b learn.Score) int { return int(1e6 * (a.Mean - b.Mean)) }).Mean
	}
	for _, method := range []setting.Method{setting.Embed, setting.Warp, setting.Risk, setting.Dual} {
		o := tellingOptions(method)
		leaks, err := Fit(t.Context(), train, telling(train), o)
		if err != nil {
			t.Fatal(err)
		}
		var folds []Fold
		o.Pose = func(_ context.Context, fold Fold) (*dataset.Set, *regularizer.Regularizer, Options, error) {
			folds = append(folds, fold)
			part := train.Subset(fold.Rows)
			return part, telling(part), tellingOptions(method), nil
		}
		honest, err := Fit(t.Context(), train, telling(train), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %g, anew %g", method, best(leaks.Choice), best(honest.Choice))
		if got := best(leaks.Choice); leaks.Anew || got < 0.85 {
			t.Errorf("%s: R does not tell the labels: the best accuracy is %g", method, got)
		}
		if got := best(honest.Choice); !honest.Anew || got > 0.7 {
			t.Errorf("%s: classes tossed by a coin are told with an accuracy of %g", method, got)
		}
		if len(folds) != 5 || folds[4].Number != 5 || folds[4].Of != 5 || len(folds[4].Rows) != 48 {
			t.Errorf("%s: the folds are %+v", method, folds)
		}
	}
}

// Scores of folds that are posed anew are those that a fit to their rows gives to the rows held out.
func TestFoldsPosedAnewAreFits(t *testing.T) {
	train := tossed(30)
	targets := Targets(train)
	folds, err := learn.Folds(targets, learn.UsualFolds, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []setting.Method{setting.Embed, setting.Risk} {
		o := tellingOptions(method)
		o.Pose = func(_ context.Context, fold Fold) (*dataset.Set, *regularizer.Regularizer, Options, error) {
			part := train.Subset(fold.Rows)
			return part, telling(part), tellingOptions(method), nil
		}
		got, err := Fit(t.Context(), train, telling(train), o)
		if err != nil {
			t.Fatal(err)
		}
		for at, held := range folds {
			part, test := train.Subset(learn.Complement(train.Len(), held)), train.Subset(held)
			own := tellingOptions(method)
			own.Strengths = nil
			own.Learner.Strength = 10
			fit, err := Fit(t.Context(), part, telling(part), own)
			if err != nil {
				t.Fatal(err)
			}
			scores, _, err := fit.Model.Scores(t.Context(), test.X, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := metric.ShareEqual(test.Class, learn.Decide(setting.Class, scores).Class, nil)
			if score := got.Choice.Scores[2].Folds[at]; score != want {
				t.Errorf("%s, fold %d: %g, and a fit gives %g", method, at, score, want)
			}
		}
	}
}

// Method plain represents rows by features. Those of the rows alone know nothing of R; those of the points of R do.
func TestPlainPosesAnewWhereLandmarksAreOfR(t *testing.T) {
	train := tossed(20)
	for landmarks, want := range map[setting.Landmarks]bool{setting.RowLandmarks: false, setting.AllLandmarks: true} {
		o := tellingOptions(setting.Plain)
		o.Features.Landmarks = landmarks
		o.Pose = func(_ context.Context, fold Fold) (*dataset.Set, *regularizer.Regularizer, Options, error) {
			part := train.Subset(fold.Rows)
			own := tellingOptions(setting.Plain)
			own.Features.Landmarks = landmarks
			return part, telling(part), own, nil
		}
		out, err := Fit(t.Context(), train, telling(train), o)
		if err != nil || out.Anew != want {
			t.Errorf("landmarks %v: anew is %v, %v", landmarks, out.Anew, err)
		}
	}
}

// What keeps a fold from being posed ends the fit.
func TestFoldsThatCannotBePosed(t *testing.T) {
	train, refused := tossed(20), errors.New("no pairs")
	for _, method := range []setting.Method{setting.Embed, setting.Risk} {
		o := tellingOptions(method)
		o.Pose = func(context.Context, Fold) (*dataset.Set, *regularizer.Regularizer, Options, error) {
			return nil, nil, Options{}, refused
		}
		if _, err := Fit(t.Context(), train, telling(train), o); !errors.Is(err, refused) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// contrary are rows of which each has one of two labels, by the sign of a column.
func contrary(n int) *dataset.Set {
	rng := rand.New(rand.NewPCG(9, 1))
	s := &dataset.Set{X: mat.NewDense(n, 1, nil), Task: setting.Multilabel, LabelNames: []string{"cat", "dog"}, HasTarget: true, Multi: mat.NewDense(n, 2, nil)}
	for i := range n {
		s.X.Set(i, 0, 2*rng.Float64()-1)
		if s.X.At(i, 0) > 0 {
			s.Multi.Set(i, 0, 1)
		} else {
			s.Multi.Set(i, 1, 1)
		}
		s.Rows, s.IDs = append(s.Rows, i), append(s.IDs, "")
	}
	return s
}

// Learners are compared by scores that are closed as the model's will be: a label lends its score, log odds meet, and where statements speak of
// scores these stay f.
func TestLearnersAreComparedByScoresAsClosed(t *testing.T) {
	train := contrary(40)
	always := func(context.Context) ([]statement.Statement, error) {
		return []statement.Statement{{Name: "low", Terms: []statement.Term{{Coef: -1}}, Constant: 1e6, Region: boxOf(1)}}, nil
	}
	for _, c := range []struct {
		kind               setting.LearnerKind
		declared, requires bool
		want               Closing
	}{
		{setting.Ridge, false, false, Lent},
		{setting.Logistic, false, false, Lent},
		{setting.Logistic, true, false, Met},
		{setting.Ridge, true, false, Alone},
		{setting.Logistic, true, true, Agreed},
	} {
		for _, method := range []setting.Method{setting.Embed, setting.Risk} {
			for _, anew := range []bool{false, true} {
				if c.requires && method != setting.Risk {
					continue
				}
				o := Options{
					Method: method, Kernel: setting.Kernel{Kind: setting.Gaussian, Width: 0.5}, Features: setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks},
					Learner: setting.Learner{Kind: c.kind, Strength: 1}, Strengths: []float64{1, 2},
					Closure: []regularizer.Implication{{If: 0, Then: 1}}, Declared: c.declared,
				}
				if c.requires {
					o.Require = always
				}
				if anew {
					own := o
					o.Features.Kind = setting.Exact
					o.Pose = func(_ context.Context, fold Fold) (*dataset.Set, *regularizer.Regularizer, Options, error) {
						return train.Subset(fold.Rows), &regularizer.Regularizer{}, own, nil
					}
				}
				fit, err := Fit(t.Context(), train, &regularizer.Regularizer{}, o)
				if err != nil {
					t.Fatal(err)
				}
				open, rows := openInFolds(t, train, o)
				closed := c.want == Lent || c.want == Met
				if got := ClosingOf(fit.Model); got != c.want || (open == 0) != closed || rows != train.Len() {
					t.Errorf("%+v, method %s, anew %v: closed as %v; in folds %d of %d rows have a label without the one that it implies", c, method, anew, got, open, rows)
				}
			}
		}
	}
}

// openInFolds returns how many rows held out have a larger score of the first label than of the second, of how many.
func openInFolds(t *testing.T, train *dataset.Set, o Options) (open, rows int) {
	t.Helper()
	f, err := represented(t.Context(), train, &regularizer.Regularizer{}, o.filled())
	if err != nil {
		t.Fatal(err)
	}
	var m *minimizer
	if minimizes(f) {
		if m, err = newMinimizer(f); err != nil {
			t.Fatal(err)
		}
	}
	err = f.byFolds(m, f.candidates(), func() string { return "" }, func(_ *learn.Targets, held []int, scores []*mat.Dense) {
		rows += len(held)
		for i := range held {
			if s := scores[0].RawRowView(i); s[0] > s[1]+1e-9 {
				open++
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return open, rows
}
