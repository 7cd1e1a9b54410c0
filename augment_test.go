package sipc_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
)

// Augment by a given setting, without the spec's method, is augment beside the method; its scores in folds are those that a run chooses by.
func TestAugmentByItself(t *testing.T) {
	data := toss(t, 80)
	const text = `
data { target side : class; standardize; split train = 40, test = 40 }
kernel gaussian(width = 0.5 * median)
features nystrom(landmarks = all)
invariance steady = rms over x of max over s in {move(u, 0.3)}, t in {move(v, 0.2), move(v, -0.2)} of |f(t(s(x))) - f(x)|
learn svm(C = 3)
evaluate under {move(u, 0.2)}
`
	rep := run(t, text, sipc.RunOptions{Data: data, Rivals: []sipc.RivalOptions{{Name: rival.Augment}}})
	beside := rep.Rivals[0]
	if want := []string{"move(u, 0.3), then move(v, 0.2)", "move(u, 0.3), then move(v, -0.2)"}; !slices.Equal(beside.Copies, want) {
		t.Errorf("the copies are %v", beside.Copies)
	}
	path := filepath.Join(t.TempDir(), "spec.inv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	spec, err := sipc.LoadSpec(t.Context(), path, sipc.SpecOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = spec.Close() }()
	p, err := sipc.Prepare(t.Context(), spec, sipc.RunOptions{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	in := spec.Plan.At(nil)
	reg, err := p.Ground(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	best, top := rival.Setting{}, -1.0
	for k, c := range []float64{10, 1, 100, 3} { // those of every rival, and the spec's own
		// The width is the spec's, said otherwise.
		o := sipc.RivalOptions{Name: rival.Augment, Setting: &rival.Setting{Width: 0.5, C: c}}
		score, err := rival.Score(t.Context(), rival.Augment, p.Train, p.RivalOptions(in, reg, o))
		if err != nil {
			t.Fatal(err)
		}
		if got := beside.Search[k].Score; got != report.Number(score) {
			t.Errorf("C = %g: %g in the run, %g by itself", c, float64(got), score)
		}
		if score > top {
			best, top = rival.Setting{C: c}, score
		}
	}
	m, alone, err := p.FitRival(t.Context(), in, reg, sipc.RivalOptions{Name: rival.Augment, Setting: &best})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := m.Scores(t.Context(), p.Test.X)
	if err != nil {
		t.Fatal(err)
	}
	figures := sipc.Figures(p.Train, p.Test, scores, m.Probabilities(scores))
	for _, name := range []string{"accuracy", "auc"} {
		a, _ := figures.Get(name)
		b, _ := beside.Metrics.Figures.Get(name)
		if a != b {
			t.Errorf("%s is %g alone and %g beside the method", name, a, b)
		}
	}
	if alone.Setting != beside.Setting {
		t.Errorf("alone it is %+v", alone)
	}
}

// Copies of rows make a machine know what rows do not show: where only u tells the class, and v must not matter, moves of v teach so.
func TestAugmentLearnsWhatDoesNotMatter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte("u,v,side\n-1,-1,a\n1,1,b\n-1.2,-0.9,a\n1.1,1.2,b\n-0.9,-1.1,a\n0.9,0.8,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	test := filepath.Join(t.TempDir(), "test.csv")
	if err := os.WriteFile(test, []byte("u,v,side\n-1,3,a\n1,-3,b\n-1.1,3.1,a\n1.2,-2.9,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = `
data { target side : binary(a, b) }
kernel linear
features exact
invariance steady = rms over x of max over t in {move(v, 4), move(v, -4)} of |f(t(x)) - f(x)|
learn svm(C = 10)
`
	rep := run(t, text, sipc.RunOptions{Data: path, Test: test, Baseline: true, Rivals: []sipc.RivalOptions{{Name: rival.Augment, Setting: &rival.Setting{C: 10}}}})
	plain, _ := rep.Baseline.Metrics.Figures.Get("accuracy")
	augment, _ := rep.Rivals[0].Metrics.Figures.Get("accuracy")
	if plain > 0.5 || augment < 1 {
		t.Errorf("plain is right for %g of the rows, augment for %g", plain, augment)
	}
}
