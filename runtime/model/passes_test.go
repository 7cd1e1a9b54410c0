package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// answered is a set of n rows with weights that say yes or no, or three labels each.
func answered(n int, task setting.Task) *dataset.Set {
	s := sloped(n)
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	s.Task = task
	s.LabelNames = []string{"no", "yes"}
	if task == setting.Multilabel {
		s.LabelNames, s.Multi = []string{"a", "b", "c"}, mat.NewDense(n, 3, nil)
	}
	for i, v := range s.Real {
		class := 0
		if v-40+rng.NormFloat64() > 0 {
			class = 1
		}
		if s.Class = append(s.Class, class); s.Multi != nil {
			s.Multi.SetRow(i, []float64{float64(class), float64(rng.IntN(2)), float64(i % 10 / 9)})
		}
	}
	if s.Real = nil; s.Multi != nil {
		s.Class = nil
	}
	return s
}

// A fit whose rows pass by finds the function that it finds with all rows at hand, and its certificate holds.
func TestRowsThatPassByMakeTheSameFit(t *testing.T) {
	yes, labels, plain := answered(200, setting.Binary), answered(150, setting.Multilabel), answered(200, setting.Binary)
	classes, levels := answered(200, setting.Class), sloped(150)
	levels.Task, levels.Levels, levels.LabelNames = setting.Quantiles, []float64{0.2, 0.7}, []string{"0.2", "0.7"}
	plain.Weight = nil
	// Few rows weigh a hundred times as much, targets are in another unit, and steps are made by a part of the rows.
	uneven, large, many := answered(600, setting.Binary), sloped(150), answered(13000, setting.Class)
	for i := range uneven.Weight {
		uneven.Weight[i] = 1 + 99*float64(i%50/49)
	}
	large.Task, large.Levels, large.LabelNames = setting.Quantiles, levels.Levels, levels.LabelNames
	for i := range large.Real {
		large.Real[i] *= 1e4
	}
	rises := func(context.Context) ([]statement.Statement, error) {
		return []statement.Statement{{Name: "rising", Terms: []statement.Term{{Coef: 1, Derive: []int{1}}}, Region: boxOf(3)}}, nil
	}
	for name, c := range map[string]struct {
		train   *dataset.Set
		reg     *regularizer.Regularizer
		learner setting.Learner
		require func(context.Context) ([]statement.Statement, error)
	}{
		"maxima":            {yes, apartR(yes), setting.Learner{Kind: setting.Logistic, Strength: 1}, nil},
		"free":              {plain, &regularizer.Regularizer{Rows: plain.Len()}, setting.Learner{Kind: setting.Logistic, Strength: 1}, nil},
		"large C":           {plain, apartR(plain), setting.Learner{Kind: setting.Logistic, Strength: 100}, nil},
		"labels, quadratic": {labels, level(labels), setting.Learner{Kind: setting.Logistic, Strength: 1}, nil},
		"squared svm":       {yes, apartR(yes), setting.Learner{Kind: setting.SquaredSVM, Strength: 1}, nil},
		"labels of an svm":  {labels, level(labels), setting.Learner{Kind: setting.SquaredSVM, Strength: 1}, nil},
		"svm":               {yes, apartR(yes), setting.Learner{Kind: setting.SVM, Strength: 1}, nil},
		"svm on labels":     {labels, level(labels), setting.Learner{Kind: setting.SVM, Strength: 0.3}, nil},
		"svm, a sign":       {plain, apartR(plain), setting.Learner{Kind: setting.SVM, Strength: 1}, rises},
		"softmax":           {classes, level(classes), setting.Learner{Kind: setting.Softmax, Strength: 1}, nil},
		"quantiles":         {levels, level(levels), setting.Learner{Kind: setting.Quantile, Strength: 1}, nil},
		"uneven svm":        {uneven, apartR(uneven), setting.Learner{Kind: setting.SVM, Strength: 1}, nil},
		"large quantiles":   {large, level(large), setting.Learner{Kind: setting.Quantile, Strength: 1}, nil},
		"drawn softmax":     {many, level(classes), setting.Learner{Kind: setting.Softmax, Strength: 1}, nil},
		"a sign":            {yes, apartR(yes), setting.Learner{Kind: setting.Logistic, Strength: 1}, rises},
	} {
		o := tellingOptions(setting.Risk)
		o.Features = setting.Features{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: 12}
		o.Kernel.Width, o.Strengths, o.Learner, o.Require = 2, nil, c.learner, c.require
		switch o.Gap = 1e-6; {
		case c.require != nil: // whose margins are a part of the gap
			o.Gap = 1e-2
		case risk.Kinked(c.learner):
			o.Gap = 1e-3
		}
		held, err := Fit(t.Context(), c.train, c.reg, o)
		if err != nil {
			t.Fatal(name, err)
		}
		o.MostHeld = 1
		passed, err := Fit(t.Context(), c.train, c.reg, o)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, r := range passed.Model.Requirements {
			if r.Verdict.Answer != proof.Proved {
				t.Errorf("%s: %s is %v", name, r.Statement.Name, r.Verdict.Answer)
			}
		}
		// Cuts choose landmarks, and other cuts other ones.
		if c.require != nil && passed.Model.Represent.Features.Dim() != held.Model.Represent.Features.Dim() {
			continue
		}
		least := func(f *Fitting) float64 { return f.Model.Fit.Objective * (1 - f.Gaps[0]) }
		if least(passed) > held.Model.Fit.Objective || least(held) > passed.Model.Fit.Objective {
			t.Errorf("%s: P is %g to a gap of %g, and %g to %g with all rows at hand", name, passed.Model.Fit.Objective, passed.Gaps[0], held.Model.Fit.Objective, held.Gaps[0])
		}
		if a, b := passed.Idle, held.Idle; !math.IsNaN(b) && !(math.Abs(a-b) <= (1e-3+50*o.Gap)*(1+b)) {
			t.Errorf("%s: without R the gap is %g, and %g with all rows at hand", name, a, b)
		}
		compareFits(t, name, passed, held, c.train, o.Gap)
	}
}

// What lies between nodes is known of rows that pass by as it is of rows at hand, for maxima and for integrals over paths.
func TestPathsOfRowsThatPassBy(t *testing.T) {
	for _, integral := range []bool{false, true} {
		for _, learner := range []setting.Learner{{Kind: setting.Logistic, Strength: 1}, {Kind: setting.SVM, Strength: 1}} {
			m := newMixing(300, 8)
			m.straight, m.integral, m.weight = true, integral, 3
			m.train.Task, m.train.LabelNames = setting.Binary, []string{"no", "yes"}
			for _, v := range m.train.Real {
				m.train.Class = append(m.train.Class, map[bool]int{true: 1}[v > 0.2])
			}
			m.train.Real = nil
			o := tellingOptions(setting.Risk)
			o.Features = setting.Features{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: 15}
			o.Kernel.Width, o.Strengths, o.Learner, o.Ground, o.Gap = 1, nil, learner, m.ground, 1e-2
			held, err := Fit(t.Context(), m.train, m.at(curve.Nodes(11)), o)
			if err != nil {
				t.Fatal(err)
			}
			o.MostHeld = 1
			passed, err := Fit(t.Context(), m.train, m.at(curve.Nodes(11)), o)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s, integral: %v", learner.Kind, integral)
			if between := passed.Model.Represent.Between; between != represent.Proved {
				t.Errorf("%s: between nodes it is %v", name, between)
			}
			for _, f := range []*Fitting{passed, held} {
				if !(f.Gaps[0] <= o.Gap) {
					t.Errorf("%s: the gap is %g", name, f.Gaps[0])
				}
			}
			least := func(f *Fitting) float64 { return f.Model.Fit.Objective * (1 - f.Gaps[0]) }
			if least(passed) > held.Model.Fit.Objective || least(held) > passed.Model.Fit.Objective {
				t.Errorf("%s: P is %g to a gap of %g, and %g to %g with all rows at hand", name, passed.Model.Fit.Objective, passed.Gaps[0], held.Model.Fit.Objective, held.Gaps[0])
			}
		}
	}
}
