package learn_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// choose judges candidates by five folds.
func choose(t *testing.T, p *problem, candidates []setting.Learner, seed uint64) *learn.Choice {
	t.Helper()
	folds, err := learn.Folds(p.targets, learn.UsualFolds, seed)
	if err != nil {
		t.Fatal(err)
	}
	choice := learn.NewChoice(p.targets.Task, candidates)
	for _, held := range folds {
		scores, err := learn.Compare(context.Background(), p.shared(t), p.targets, candidates, learn.Complement(p.targets.Len(), held), held)
		if err != nil {
			t.Fatal(err)
		}
		for k, s := range scores {
			choice.Judge(k, p.targets.Subset(held), s)
		}
	}
	choice.Take()
	return choice
}

func TestChoose(t *testing.T) {
	p := makeProblem(4, setting.Binary, 120, 6, 1)
	var candidates []setting.Learner
	for _, c := range []float64{1e-5, 0.1, 1} {
		candidates = append(candidates, setting.Learner{Kind: setting.SVM, Strength: c})
	}
	choice := choose(t, p, candidates, 1)
	best := choice.Scores[choice.Best]
	for _, s := range choice.Scores {
		if len(s.Folds) != 5 || s.Mean > best.Mean {
			t.Errorf("%v reached %v, the best one %v", s.Learner, s, best)
		}
	}
	if best.Mean <= choice.Scores[0].Mean || choice.Metric != "accuracy" {
		t.Errorf("C = 1e-5 was as good as any: %+v", choice)
	}
	again := choose(t, p, candidates, 1)
	if diff := cmp.Diff(choice, again); diff != "" {
		t.Error(diff)
	}
}

// Candidates that predict the same tie; the stronger regularization wins, wherever it stands.
func TestTiesGoToTheStrongerRegularization(t *testing.T) {
	p := makeProblem(4, setting.Binary, 40, 2, 1)
	for i := range 40 { // separable with a wide margin
		p.x.SetRow(i, []float64{float64(2*p.targets.Class[i]-1) * 10, 0})
	}
	for kind, want := range map[setting.LearnerKind]float64{setting.SVM: 0.5, setting.Ridge: 2} {
		for _, order := range [][]float64{{0.5, 1, 2}, {2, 1, 0.5}, {1, 2, 0.5}} {
			var candidates []setting.Learner
			for _, s := range order {
				candidates = append(candidates, setting.Learner{Kind: kind, Strength: s})
			}
			choice := choose(t, p, candidates, 0)
			if got := candidates[choice.Best].Strength; got != want {
				t.Errorf("%s %v: chose %g, want %g", kind, order, got, want)
			}
		}
	}
}

// What is near the best is within one standard error of its mean, and the order is by means.
func TestNearTheBest(t *testing.T) {
	truth := &learn.Targets{Task: setting.Real, Real: []float64{0}}
	choice := learn.NewChoice(setting.Real, []setting.Learner{{Kind: setting.Ridge, Strength: 1}})
	for range 3 {
		choice.Add(setting.Learner{Kind: setting.Ridge, Strength: 1})
	}
	for k, errors := range [][]float64{{4, 6, 5}, {1, 3, 2}, {2, 3.4, 2.1}, {3, 2, 2.8}} { // means 5, 2, 2.5, 2.6; the best one's error is 1/√3
		for _, e := range errors {
			choice.Judge(k, truth, mat.NewDense(1, 1, []float64{e}))
		}
	}
	if best := choice.Take(); best != 1 {
		t.Errorf("took %d", best)
	}
	if got, want := choice.Scores[1].Error(), 1/math.Sqrt(3); math.Abs(got-want) > 1e-12 {
		t.Errorf("the standard error is %g, not %g", got, want)
	}
	if got := choice.Order(); !slices.Equal(got, []int{1, 2, 3, 0}) {
		t.Errorf("the order is %v", got)
	}
	if got := choice.Near(); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("near are %v", got)
	}
}

// The standard error over the rows of one fold is that of the jackknife, which leaves each row out in turn.
func TestErrorOfOneFold(t *testing.T) {
	const n, m = 200, 3
	rng := rand.New(rand.NewPCG(1, 2))
	truths := []*learn.Targets{{Task: setting.Real}, {Task: setting.Binary}, {Task: setting.Multilabel, Multi: mat.NewDense(n, m, nil)}}
	for _, truth := range truths {
		width := 1
		if truth.Task == setting.Multilabel {
			width = m
		}
		scores := mat.NewDense(n, width, nil)
		for i := range n {
			truth.Real, truth.Class = append(truth.Real, rng.NormFloat64()), append(truth.Class, rng.IntN(2))
			for y := range width {
				scores.Set(i, y, rng.NormFloat64())
				if truth.Task == setting.Multilabel && rng.IntN(3) == 0 {
					truth.Multi.Set(i, y, 1)
				}
			}
		}
		choice := learn.NewChoice(truth.Task, []setting.Learner{{}})
		choice.Judge(0, truth, scores)
		var without []float64
		for i := range n {
			rest := learn.Complement(n, []int{i})
			left := mat.NewDense(n-1, width, nil)
			for k, r := range rest {
				left.SetRow(k, scores.RawRowView(r))
			}
			without = append(without, learn.Quality(truth.Subset(rest), left))
		}
		_, sd := stat.MeanStdDev(without, nil)
		if got, want := choice.Scores[0].Error(), sd*(n-1)/math.Sqrt(n); math.Abs(got-want) > 0.02*want {
			t.Errorf("%s: %g, by the jackknife %g", truth.Task, got, want)
		}
		if choice.Judge(0, truth, scores); choice.Scores[0].Error() != 0 {
			t.Errorf("%s: two equal folds have the standard error %g", truth.Task, choice.Scores[0].Error())
		}
	}
	choice := learn.NewChoice(setting.Real, []setting.Learner{{}, {}})
	choice.Judge(0, &learn.Targets{Task: setting.Real, Real: []float64{1}}, mat.NewDense(1, 1, []float64{2}))
	choice.Judge(1, &learn.Targets{Task: setting.Real, Real: []float64{1, 2}}, mat.NewDense(2, 1, []float64{1, 2}))
	if one, right := choice.Scores[0].Error(), choice.Scores[1].Error(); !math.IsNaN(one) || right != 0 {
		t.Errorf("one row has the standard error %g, rows without an error %g", one, right)
	}
}

func TestFoldsSpreadClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		class := rapid.SliceOfN(rapid.IntRange(0, 3), 2, 60).Draw(t, "class")
		k := rapid.IntRange(2, 7).Draw(t, "k")
		folds, err := learn.Folds(&learn.Targets{Task: setting.Class, Class: class}, k, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		var all []int
		for y := range 4 {
			low, high := len(class), 0
			for _, fold := range folds {
				count := 0
				for _, i := range fold {
					if class[i] == y {
						count++
					}
				}
				low, high = min(low, count), max(high, count)
			}
			if high-low > 1 {
				t.Fatalf("class %d: between %d and %d in a fold", y, low, high)
			}
		}
		for _, fold := range folds {
			all = append(all, fold...)
		}
		slices.Sort(all)
		if !slices.Equal(all, seq(len(class))) {
			t.Fatalf("folds %v do not cover the examples once", folds)
		}
	})
}

// Of candidates that decide alike the one wins whose scores are on the right side by more, and of equal scores the stronger learner.
func TestEqualDecisionsAreToldApartByLogLoss(t *testing.T) {
	candidates := []setting.Learner{{Kind: setting.SVM, Strength: 1}, {Kind: setting.SVM, Strength: 10}, {Kind: setting.SVM, Strength: 0.1}, {Kind: setting.SVM, Strength: 5}}
	for task, c := range map[setting.Task]struct {
		truth  *learn.Targets
		scores []float64 // at one example, right
		m      int
		want   float64
	}{
		setting.Binary:     {&learn.Targets{Class: []int{0, 1}}, []float64{-1, 3}, 1, (math.Log1p(math.Exp(-1)) + math.Log1p(math.Exp(-3))) / 2},
		setting.Class:      {&learn.Targets{Class: []int{1}}, []float64{-1, 2, 0}, 3, math.Log(math.Exp(-1)+math.Exp(2)+1) - 2},
		setting.Multilabel: {&learn.Targets{Multi: mat.NewDense(1, 2, []float64{1, 0})}, []float64{2, -1}, 2, (math.Log1p(math.Exp(-2)) + math.Log1p(math.Exp(-1))) / 2},
	} {
		c.truth.Task = task
		choice := learn.NewChoice(task, candidates)
		for k, times := range []float64{0.5, 1, 1, 0} {
			scores := mat.NewDense(len(c.scores)/c.m, c.m, slices.Clone(c.scores))
			scores.Scale(times, scores)
			if times == 0 {
				scores.Scale(-1, mat.NewDense(len(c.scores)/c.m, c.m, slices.Clone(c.scores))) // all wrong
			}
			choice.Judge(k, c.truth, scores)
		}
		if at := choice.Take(); at != 2 {
			t.Errorf("%s: took candidate %d", task, at)
		}
		if got := choice.Scores[1].Surprise; math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: a log loss of %v, want %v", task, got, c.want)
		}
		if want := []int{2, 1, 0, 3}; !slices.Equal(choice.Order(), want) {
			t.Errorf("%s: the order %v, want %v", task, choice.Order(), want)
		}
	}
}
