package model

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Every method gives svm probabilities on request, on all kinds of folds. Scores of labels become their log odds, which rise with the scores without.
func TestProbabilitiesOfSVM(t *testing.T) {
	const rows, labels = 20, 4
	train := labelled(rows, labels)
	train.IDs = make([]string, rows)
	for _, method := range []setting.Method{setting.Embed, setting.Plain, setting.Risk, setting.Dual} {
		for _, anew := range []bool{false, true} {
			o := wholeOptions(method, 1e-2)
			o.Learner = setting.Learner{Kind: setting.SVM, Strength: 1}
			if anew {
				o.Pose = func(_ context.Context, fold Fold) (*dataset.Set, *regularizer.Regularizer, Options, error) {
					own := train.Subset(fold.Rows)
					return own, exclusions(own.Len(), labels), wholeOptions(method, 1e-2), nil
				}
			}
			without, err := Fit(t.Context(), train, exclusions(rows, labels), o)
			if err != nil {
				t.Fatal(err)
			}
			o.Learner.Probabilities = true
			with, err := Fit(t.Context(), train, exclusions(rows, labels), o)
			if err != nil {
				t.Fatal(err)
			}
			want, _, err := without.Model.Scores(t.Context(), train.X, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, proof, err := with.Model.Scores(t.Context(), train.X, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !with.Model.Fit.Odds {
				t.Errorf("%s: scores are no log odds", method)
			}
			odds := mat.DenseCopyOf(want)
			with.Model.Fit.Finish(odds)
			if !mat.Equal(got, odds) {
				t.Errorf("%s: other scores with probabilities than those that sigmoids make of the scores without", method)
			}
			if without.Model.Fit.Probabilities(want) != nil {
				t.Errorf("%s: probabilities that nobody asked for", method)
			}
			p := with.Model.Fit.Probabilities(got)
			if p == nil || mat.Min(p) <= 0 || mat.Max(p) >= 1 {
				t.Errorf("%s: probabilities %v", method, p)
			}
			checkSaved(t, with.Model, train.X, proof.Gaps)
		}
	}
}

// closingCase draws a model of labels with implications among them, and what sums of its features come to.
func closingCase(t *rapid.T) (*Model, *mat.Dense) {
	n, m := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(2, 8).Draw(t, "labels")
	model := &Model{Fit: &learn.Fit{Task: setting.Multilabel, Bias: make([]float64, m)}, Declared: rapid.Bool().Draw(t, "declared")}
	model.Fit.Learner = setting.Learner{Kind: rapid.SampledFrom([]setting.LearnerKind{setting.SVM, setting.Logistic}).Draw(t, "learner"), Probabilities: true}
	if model.Declared && rapid.Bool().Draw(t, "required") {
		model.Requirements = make([]Requirement, 1)
	}
	model.Fit.Odds = model.Fit.Learner.Kind == setting.SVM && model.Requirements == nil
	for range m {
		if model.Fit.Learner.Kind == setting.Logistic {
			break
		}
		g := learn.Sigmoid{Slope: rapid.Float64Range(1e-3, 4).Draw(t, "slope")}
		if model.Fit.Odds {
			g.Offset = rapid.Float64Range(-4, 4).Draw(t, "offset")
		}
		model.Fit.Sigmoids = append(model.Fit.Sigmoids, g)
	}
	label, circles := rapid.IntRange(0, m-1), rapid.IntRange(0, 3).Draw(t, "circles") == 0
	for range rapid.IntRange(1, 2*m).Draw(t, "rules") {
		from, to := label.Draw(t, "if"), label.Draw(t, "then")
		if from > to && !circles { // the positions of labels are an order of the graph
			from, to = to, from
		}
		model.Closure = append(model.Closure, regularizer.Implication{If: int32(from), Then: int32(to)})
	}
	sums := mat.NewDense(n, m, nil)
	sums.Apply(func(_, _ int, _ float64) float64 { return rapid.Float64Range(-6, 6).Draw(t, "score") }, sums)
	return model, sums
}

// Whatever decodes labels, none is more probable than one that it implies, and probabilities agree with what is decided. Where scores have to stay f,
// decisions may contradict an implication, and the labels on it have ½.
func TestProbabilitiesKeepImplications(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model, scores := closingCase(t)
		before := mat.DenseCopyOf(scores)
		model.finish(scores)
		if ClosingOf(model) == Agreed && !mat.Equal(scores, before) {
			t.Fatal("scores of statements do not stay f")
		}
		p, decided := Probabilities(model, scores), learn.Decide(setting.Multilabel, scores).Multi
		n, m := p.Dims()
		for i := range n {
			torn := tornLabels(model.Closure, decided.RawRowView(i))
			for _, r := range model.Closure {
				if p.At(i, int(r.If)) > p.At(i, int(r.Then)) {
					t.Fatalf("label %d implies %d, and their probabilities are %v and %v", r.If, r.Then, p.At(i, int(r.If)), p.At(i, int(r.Then)))
				}
			}
			for y := range m {
				switch {
				case torn[y] && ClosingOf(model) != Agreed:
					t.Fatalf("the decision for label %d contradicts an implication", y)
				case torn[y] && p.At(i, y) != 0.5:
					t.Fatalf("label %d, whose decision contradicts an implication, has the probability %v", y, p.At(i, y))
				case !torn[y] && (p.At(i, y) > 0.5) != (decided.At(i, y) == 1):
					t.Fatalf("label %d has the probability %v, and is decided: %v", y, p.At(i, y), decided.At(i, y))
				}
			}
		}
	})
}

// tornLabels returns which labels imply an undecided one, or are it, and are implied by a decided one, or are it.
func tornLabels(rules []regularizer.Implication, decided []float64) []bool {
	above, below := make([]bool, len(decided)), make([]bool, len(decided))
	for y, v := range decided {
		above[y], below[y] = v == 0, v == 1
	}
	for range decided {
		for _, r := range rules {
			above[r.If] = above[r.If] || above[r.Then]
			below[r.Then] = below[r.Then] || below[r.If]
		}
	}
	for y := range above {
		above[y] = above[y] && below[y]
	}
	return above
}

// Scores that meet are as near as scores can be that keep the implications: the largest change is half of the largest contradiction. Signs that
// contradict nothing stay, and scores that keep all implications do.
func TestScoresMeetHalfWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model, scores := closingCase(t)
		before, worst := mat.DenseCopyOf(scores), 0.0
		most := mat.DenseCopyOf(scores)
		closeScores(most, model.Closure)
		least := leastScores(scores, model.Closure)
		meetScores(scores, model.Closure)
		n, m := scores.Dims()
		for i := range n {
			signs := make([]float64, m)
			for y := range m {
				worst = max(worst, (most.At(i, y)-least.At(i, y))/2)
				if before.At(i, y) > 0 {
					signs[y] = 1
				}
				if most.At(i, y) == least.At(i, y) && scores.At(i, y) != before.At(i, y) {
					t.Fatalf("a score that contradicts nothing moves from %v to %v", before.At(i, y), scores.At(i, y))
				}
			}
			for y, torn := range tornLabels(model.Closure, signs) {
				if !torn && (scores.At(i, y) > 0) != (signs[y] == 1) {
					t.Fatalf("label %d changes its sign, which contradicts nothing", y)
				}
			}
		}
		changes := mat.DenseCopyOf(scores)
		changes.Sub(changes, before)
		if off := max(mat.Max(changes), -mat.Min(changes)); off > worst+1e-12 {
			t.Fatalf("scores move by %v, and half of the largest contradiction is %v", off, worst)
		}
	})
}
