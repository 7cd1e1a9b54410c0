package sipc_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
)

// For f(x) = ⟨w, x⟩ and moves of u by amounts between −1 and 1, R over the orbit is |w_u|/√3, and the mean change |w_u|/2.
func TestReportSaysWhatIsOverTheOrbit(t *testing.T) {
	const text = `
data { target side : class; split train = 40, test = 20; columns u, v, w }
kernel linear
features exact
method risk
invariance steady = rms over x of rms over t in orbit(moves = 6) {move(u, [-1, 1])} of |f(t(x), tails) - f(x, tails)|
measure    change = rms over x of mean over t in orbit(moves = 40) {move(u, [-1, 1])} of |f(t(x), tails) - f(x, tails)|
measure    slope  = rms over x of |d/d(u, unit = raw) f(x, tails)|
regularize 0.01 * steady
learn logistic
`
	rep := run(t, text, sipc.RunOptions{Data: toss(t, 60)})
	slope := float64(rep.Measures[1].Value)
	for _, c := range []struct {
		of           report.Summand
		moves, fresh int
		want         float64
	}{{rep.Regularizer[0], 6, 8, slope / math.Sqrt(3)}, {rep.Measures[0], 40, 160, slope / 2}} {
		o := c.of.Orbit
		if o == nil || o.Moves != c.moves || o.Fresh != c.fresh {
			t.Fatalf("%s: %+v", c.of.Name, o)
		}
		if e := float64(o.Error); !(e > 0) || e > 0.1*c.want || math.Abs(float64(o.Value)-c.want) > 5*e {
			t.Errorf("%s is %v ± %v over the orbit, want %v", c.of.Name, o.Value, o.Error, c.want)
		}
	}
	if rep.Measures[1].Orbit != nil {
		t.Error("a slope is over no orbit")
	}
	var table strings.Builder
	if err := rep.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if want := "steady is of 6 moves drawn for each element, and what is certified is of these; over the orbit it is "; !strings.Contains(table.String(), want) {
		t.Errorf("the table lacks %q:\n%s", want, &table)
	}
}

// Under an orbit figures are means over moves of all test rows. Rows are copied by the moves of an orbit, and the same run gives the same.
func TestOrbitUnderAndAugment(t *testing.T) {
	const text = `
data { target side : class; split train = 40, test = 20; columns u, v, w }
kernel gaussian(width = 1)
features nystrom(landmarks = rows)
let around = orbit(moves = 3) {move(u, [-2, 2]), move(v, [-1, 1])}
invariance steady = rms over x of rms over t in around of |f(t(x)) - f(x)|
evaluate under around
augment around
learn svm
`
	data := toss(t, 60)
	rep := run(t, text, sipc.RunOptions{Data: data, Rivals: []sipc.RivalOptions{{Name: rival.Augment, Setting: &rival.Setting{C: 1}}}})
	const orbit = "orbit(moves = 3) {move(u, [-2, 2]), move(v, [-1, 1])}"
	if len(rep.Under) != 1 || rep.Under[0].Transformation != orbit || rep.NLearnt != 160 {
		t.Fatalf("%d rows are learnt from, and test rows are moved by %+v", rep.NLearnt, rep.Under)
	}
	share, _ := rep.Under[0].Metrics.Figures.Get("accuracy")
	if correct := share * 60; math.Abs(correct-math.Round(correct)) > 1e-9 {
		t.Errorf("the accuracy %v is no mean over three moves of 20 rows", share)
	}
	if got := rep.Rivals[0]; !slices.Equal(got.Copies, []string{orbit}) || got.NCopies != 3 {
		t.Errorf("the rival has %d copies of each row, %q", got.NCopies, got.Copies)
	}
	var table strings.Builder
	if err := rep.WriteTable(&table); err != nil || !strings.Contains(table.String(), "copies        each training row 3 times more, under "+orbit) {
		t.Errorf("%v\n%s", err, &table)
	}
	again := run(t, text, sipc.RunOptions{Data: data})
	if got, _ := again.Under[0].Metrics.Figures.Get("accuracy"); got != share || again.Regularizer[0].Value != rep.Regularizer[0].Value {
		t.Error("another run gives other figures")
	}
}

// Where the data alone tell how large images are, a move out of sight is warned of by what reads them.
func TestOrbitOutOfSightOfTheData(t *testing.T) {
	const n, side = 12, 4
	folder := t.TempDir()
	pixels, labels := []byte{0, 0, 8, 3, 0, 0, 0, n, 0, 0, 0, side, 0, 0, 0, side}, []byte{0, 0, 8, 1, 0, 0, 0, n}
	for i := range n {
		labels = append(labels, byte(i%2))
		for k := range side * side {
			pixels = append(pixels, byte(i*(k+1)))
		}
	}
	data := filepath.Join(folder, "train-images-idx3-ubyte")
	if err := errors.Join(os.WriteFile(data, pixels, 0o600), os.WriteFile(filepath.Join(folder, "train-labels-idx1-ubyte"), labels, 0o600)); err != nil {
		t.Fatal(err)
	}
	const text = "data { target digit : class }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\nlearn svm\naugment orbit {shift(dx = [%s]), rotate([-9deg, 9deg])}\n"
	for _, c := range []struct {
		amounts string
		far     bool
	}{{"-3, 3", true}, {"-1, 2", false}} {
		spec := sipc.NewSpec(t.Context(), "spec.inv", fmt.Appendf(nil, text, c.amounts), sipc.SpecOptions{})
		explained, err := spec.Explain(t.Context(), sipc.ExplainOptions{Data: data})
		if err != nil {
			t.Fatal(err)
		}
		var told diag.List
		if _, err := sipc.Run(t.Context(), spec, sipc.RunOptions{Data: data, Warn: told.Add}); err != nil {
			t.Fatal(err)
		}
		for _, list := range []diag.List{explained.Warnings, told} {
			if far := slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Code == codes.FarAmount }); far != c.far {
				t.Errorf("[%s]: %v", c.amounts, list)
			}
		}
	}
}
