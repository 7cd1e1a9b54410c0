package rival

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// turned are rows of the plane, turned by an angle about the origin.
func turned(x *mat.Dense, angle float64) *mat.Dense {
	var out mat.Dense
	out.Mul(x, mat.NewDense(2, 2, []float64{math.Cos(angle), math.Sin(angle), -math.Sin(angle), math.Cos(angle)}))
	return &out
}

// turning is a support vector machine with a gaussian kernel, and turns as transformations.
func turning(width float64, angles ...float64) *Machine {
	return &Machine{
		Kernel:  setting.Kernel{Kind: setting.Gaussian, Width: width, OfMedian: true},
		Learner: setting.Learner{Kind: setting.SVM},
		Copies: func(_ context.Context, x *mat.Dense) ([]*mat.Dense, error) {
			var out []*mat.Dense
			for _, a := range angles {
				out = append(out, turned(x, a))
			}
			return out, nil
		},
	}
}

// Without a copy augment is the machine itself; with copies it is the machine on more rows, and scores are means over the copies.
func TestAugmentIsTheMachineOnCopies(t *testing.T) {
	s := blobs(30, 3, 0.4)
	rng := rand.New(rand.NewPCG(4, 4))
	x := mat.NewDense(20, 2, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	median, err := kernel.MedianDistance(s.X, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, angles := range [][]float64{nil, {0.3}, {0.3, -0.3, 0.1}} {
		got, err := Fit(t.Context(), Augment, s, Options{Setting: Setting{C: 3}, Machine: turning(0.7, angles...)})
		if err != nil {
			t.Fatal(err)
		}
		all := *s
		stacked := mat.DenseCopyOf(s.X)
		for _, a := range angles {
			var more mat.Dense
			more.Stack(stacked, turned(s.X, a))
			stacked = &more
			all.Class = append(slices.Clone(all.Class), s.Class...)
			all.Rows = append(slices.Clone(all.Rows), s.Rows...)
		}
		all.X = stacked
		own, err := kernel.MedianDistance(stacked, 0)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Fit(t.Context(), SVM, &all, Options{Setting: Setting{C: 3, Width: 0.7 * median / own}})
		if err != nil {
			t.Fatal(err)
		}
		mean := scoresOf(t, want, x)
		for _, a := range angles {
			mean.Add(mean, scoresOf(t, want, turned(x, a)))
		}
		mean.Scale(1/float64(1+len(angles)), mean)
		if scores := scoresOf(t, got, x); !mat.EqualApprox(scores, mean, 1e-3) {
			t.Errorf("%d copies: the scores are\n%.4f\nwant\n%.4f", len(angles), mat.Formatted(scores), mat.Formatted(mean))
		}
	}
}

// No copy of a row that is held out is trained on.
func TestCopiesOfRowsHeldOutAreNotTrainedOn(t *testing.T) {
	s := blobs(40, 2, 0.4)
	machine := turning(0.5)
	var calls [][]float64 // the first feature of the rows of each call: no two rows share it
	machine.Copies = func(_ context.Context, x *mat.Dense) ([]*mat.Dense, error) {
		calls = append(calls, mat.Col(nil, 0, x))
		return []*mat.Dense{turned(x, 0.1)}, nil
	}
	if _, err := Score(t.Context(), Augment, s, Options{Machine: machine}); err != nil {
		t.Fatal(err)
	}
	if len(calls) != 2*ScoreFolds {
		t.Fatalf("%d calls", len(calls))
	}
	for k := 0; k < len(calls); k += 2 {
		train, held := calls[k], calls[k+1]
		if len(train)+len(held) != 40 || slices.ContainsFunc(held, func(v float64) bool { return slices.Contains(train, v) }) {
			t.Errorf("fold %d trains on %d rows and holds %d out, some of them the same", k/2, len(train), len(held))
		}
	}
}

// wave is a smooth function of the plane, with noise.
func wave(n int) *dataset.Set {
	rng := rand.New(rand.NewPCG(6, 7))
	s := &dataset.Set{X: mat.NewDense(n, 2, nil), Task: setting.Real}
	for i := range n {
		u, v := 2*rng.Float64()-1, 2*rng.Float64()-1
		s.X.SetRow(i, []float64{u, v})
		s.Real = append(s.Real, math.Sin(3*u)+v*v+0.02*rng.NormFloat64())
		s.Rows, s.IDs = append(s.Rows, i), append(s.IDs, "")
	}
	return s
}

// The rivals for numbers learn a smooth function, and the target's unit and zero do not matter.
func TestNumbers(t *testing.T) {
	train, test := wave(120), wave(300)
	far := *train
	far.Real = nil
	for _, y := range train.Real {
		far.Real = append(far.Real, 5000+1000*y)
	}
	for _, n := range []Name{SVR, Ridge} {
		best, trials, err := Choose(t.Context(), n, train, Search(n), Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tried := range trials {
			if tried.Score < best.Score {
				t.Errorf("%s: %v is chosen, and %v is better", n, best, tried)
			}
		}
		a, err := Fit(t.Context(), n, train, Options{Setting: best.Setting})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Fit(t.Context(), n, &far, Options{Setting: best.Setting})
		if err != nil {
			t.Fatal(err)
		}
		if !a.Solution.Converged || a.Solution.Gap > 1e-5 {
			t.Errorf("%s: %+v", n, a.Solution)
		}
		near, moved := scoresOf(t, a, test.X), scoresOf(t, b, test.X)
		var square float64
		for i, y := range test.Real {
			square += (y - near.At(i, 0)) * (y - near.At(i, 0)) / 300
			if d := moved.At(i, 0) - 5000 - 1000*near.At(i, 0); math.Abs(d) > 5 {
				t.Errorf("%s: row %d is off by %g in the other unit", n, i, d)
			}
		}
		if rmse := math.Sqrt(square); rmse > 0.08 {
			t.Errorf("%s, %s: RMSE %.3f", n, best.Setting.Text(n), rmse)
		}
	}
}

// Augment learns numbers and sets of labels too, by the learner of the spec.
func TestAugmentOfOtherTasks(t *testing.T) {
	numbers := turning(1, 0.01)
	numbers.Learner = setting.Learner{Kind: setting.Ridge}
	train, test := wave(120), wave(300)
	m, err := Fit(t.Context(), Augment, train, Options{Machine: numbers})
	if err != nil {
		t.Fatal(err)
	}
	if m.Solution.Learner.Strength != 0.1 {
		t.Errorf("the learner is %s: C = 10 is lambda = 0.1", m.Solution.Learner)
	}
	var square float64
	scores := scoresOf(t, m, test.X)
	for i, y := range test.Real {
		square += (y - scores.At(i, 0)) * (y - scores.At(i, 0)) / 300
	}
	if rmse := math.Sqrt(square); rmse > 0.15 {
		t.Errorf("RMSE %.3f", rmse)
	}
	sets := turning(0.5, 0.05)
	sets.Learner = setting.Learner{Kind: setting.Softmax}
	multi, _ := tree(60)
	if m, err = Fit(t.Context(), Augment, multi, Options{Machine: sets}); err != nil {
		t.Fatal(err)
	}
	if p := m.Probabilities(scoresOf(t, m, multi.X)); mat.Max(p) > 1 || mat.Min(p) < 0 {
		t.Errorf("probabilities from %g to %g", mat.Min(p), mat.Max(p))
	}
}
