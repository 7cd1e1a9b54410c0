package sipc_test

import (
	"bytes"
	gocmp "cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

func TestMain(m *testing.M) {
	if err := blas.Select(""); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// toss writes rows whose classes are drawn by a coin.
func toss(t *testing.T, rows int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 3))
	var b strings.Builder
	b.WriteString("u,v,w,side\n")
	for range rows {
		fmt.Fprintf(&b, "%g,%g,%g,%s\n", rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), []string{"heads", "tails"}[rng.IntN(2)])
	}
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func run(t *testing.T, text string, o sipc.RunOptions) *report.Report {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spec.inv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	spec, err := sipc.LoadSpec(t.Context(), path, sipc.SpecOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = spec.Close() }()
	rep, err := sipc.Run(t.Context(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// A grid of the learner is compared on one representation where R cannot tell labels, and with an R for each fold where it can: one that wants
// the rows' own classes to win tells nothing of rows that are held out. On one representation 93 % would be told right.
func TestGridsDoNotLeakLabels(t *testing.T) {
	data := toss(t, 100)
	const head = `
data { target side : class; standardize; split train = 60, test = 40 }
kernel gaussian(width = 0.2 * median)
features nystrom(landmarks = rows)
learn ridge(lambda = grid(0.1, 1))
`
	const telling = `
invariance heads_win = rms over x where side == "heads" of implies(tails, heads)
invariance tails_win = rms over x where side == "tails" of implies(heads, tails)
regularize 1.3 * heads_win, 1.3 * tails_win
`
	const silent = "invariance steady = rms over x of max over t in {move(u, 0.2)} of |f(t(x), heads) - f(x, heads)|\n"
	for _, c := range []struct {
		method, invariances string
		anew                bool
	}{{"embed", telling, true}, {"risk", telling, true}, {"embed", silent, false}, {"risk", silent, false}, {"plain", telling, false}} {
		rep := run(t, head+"method "+c.method+"\n"+c.invariances, sipc.RunOptions{Data: data, Gap: 1e-2})
		g := rep.Grid
		if g.Anew != c.anew || g.Folds != 5 || len(g.Scores) != 2 {
			t.Errorf("%s, %s: the grid is %+v", c.method, c.invariances, g)
		}
		for _, s := range g.Scores {
			if s.Score > 0.7 {
				t.Errorf("%s, %s: %s tells what a coin tossed with an accuracy of %g", c.method, c.invariances, s.Choice, float64(s.Score))
			}
		}
		var table bytes.Buffer
		if err := rep.WriteTable(&table); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(table.String(), "5 folds, each with an R of its own rows;") != c.anew {
			t.Errorf("%s, %s: the table is\n%s", c.method, c.invariances, table.String())
		}
	}
}

// A fold in which R cannot be made says which it is, and that a number needs no folds.
func TestFoldsWithoutARowToCompare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.csv")
	rows := "u,side\n0,tails\n" + strings.Repeat("1,heads\n2,heads\n3.5,heads\n", 6)
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = `
data { target side : class }
kernel gaussian
features nystrom(landmarks = rows)
invariance rare = rms over x where side == "tails" of implies(tails, heads)
`
	run(t, text+"learn ridge", sipc.RunOptions{Data: path, Test: path})
	spec := filepath.Join(t.TempDir(), "spec.inv")
	if err := os.WriteFile(spec, []byte(text+"learn ridge(lambda = grid(0.1, 1))\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := sipc.LoadSpec(t.Context(), spec, sipc.SpecOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = loaded.Close() }()
	_, err = sipc.Run(t.Context(), loaded, sipc.RunOptions{Data: path, Test: path})
	list, ok := errors.AsType[*sipc.SpecError](err)
	if !ok {
		t.Fatalf("the error is %v", err)
	}
	d := list.Diagnostics[0]
	if !strings.Contains(d.Detail, "of the 5 in which the grid is compared; it trains on 15 rows.") || !strings.HasSuffix(d.Mend, "Or give a number in place of the grid.") {
		t.Errorf("the error is %v", err)
	}
}

// Grids inside and outside of the learner are compared by one cross-validation: what a combination reaches does not depend on what it is
// compared with.
func TestAllGridsAreComparedOnTheSameFolds(t *testing.T) {
	data := toss(t, 80)
	spec := func(weight, lambda string) string {
		return `
data { target side : class; split train = 60, test = 20 }
kernel gaussian
features nystrom(landmarks = rows)
invariance steady = rms over x, t in {move(u, 0.5)} of |f(t(x)) - f(x)|
regularize ` + weight + ` * steady
learn ridge(lambda = ` + lambda + `)`
	}
	g := run(t, spec("grid(1, 30)", "grid(0.1, 1)"), sipc.RunOptions{Data: data}).Grid
	if len(g.Scores) != 4 || g.Fits != 20 || g.Folds != 5 || !g.Scores[0].Chosen || g.Scores[0].Choice != g.Chosen {
		t.Errorf("the grid is %+v", g)
	}
	if !slices.IsSortedFunc(g.Scores, func(a, b report.Candidate) int {
		if math.Abs(float64(a.Score-b.Score)) < 1e-12 { // means of as many rows, but for rounding
			return 0
		}
		return -gocmp.Compare(a.Score, b.Score)
	}) {
		t.Errorf("not the best first: %+v", g.Scores)
	}
	together := map[string]report.Candidate{}
	for _, s := range g.Scores {
		s.Chosen = false
		together[s.Choice] = s
	}
	for _, lambda := range []string{"0.1", "1"} {
		for _, s := range run(t, spec("grid(1, 30)", lambda), sipc.RunOptions{Data: data}).Grid.Scores {
			s.Choice += ", ridge(lambda = " + lambda + ")"
			s.Chosen = false
			if d := cmp.Diff(together[s.Choice], s); d != "" || !(s.Error > 0) {
				t.Errorf("alone and among others: %s", d)
			}
		}
	}
}

// parted writes toss's rows with a column that splits them.
func parted(t *testing.T, rows int) string {
	t.Helper()
	text, err := os.ReadFile(toss(t, rows))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i := range lines {
		lines[i] += "," + []string{"train", "valid", "test"}[i%3]
	}
	lines[0] = "u,v,w,side,part"
	path := filepath.Join(t.TempDir(), "parted.csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// auto takes the largest weights of the candidates within one standard error of the best, over the folds or over the valid rows.
func TestAutoTakesTheLargestNearTheBest(t *testing.T) {
	for split, data := range map[string]string{"train = 60, test = 20": toss(t, 80), "by part": parted(t, 120)} {
		testAuto(t, split, data)
	}
}

func testAuto(t *testing.T, split, data string) {
	t.Helper()
	for _, weights := range []string{"auto * steady", "auto * steady + auto * level"} {
		for seed := range uint64(4) {
			g := run(t, `
data { target side : class; split `+split+` }
kernel gaussian
features nystrom(landmarks = rows)
invariance steady = rms over x, t in {move(u, 0.5)} of |f(t(x)) - f(x)|
invariance level = rms over x of |f(heads) - f(tails)|
regularize `+weights+`
learn ridge`, sipc.RunOptions{Data: data, Seed: &seed}).Grid
			best, largest := g.Scores[0], 0.0
			for _, s := range g.Scores {
				if best.Score-s.Score <= best.Error+1e-12 {
					largest = max(largest, product(t, s.Choice))
				}
			}
			for _, s := range g.Scores { // of equal products the one that insists on every statement
				near := best.Score-s.Score <= best.Error+1e-12 && product(t, s.Choice) > largest*(1-1e-9)
				if near && slices.Min(factors(t, s.Choice)) > slices.Min(factors(t, g.Chosen)) {
					t.Errorf("%s, seed %d: chose %s rather than %s", weights, seed, g.Chosen, s.Choice)
				}
			}
			if got := product(t, g.Chosen); got < largest*(1-1e-9) || !g.Largest {
				t.Errorf("%s, seed %d: chose %s, a product of %g; %g is within one standard error: %+v", weights, seed, g.Chosen, got, largest, g.Scores)
			}
		}
	}
}

// Where the largest weight is taken, a hint names the next factor, if a larger weight can help.
func TestAutoHintsFurther(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	var b strings.Builder
	b.WriteString("u,v,w,price\n")
	for range 60 {
		u := rng.NormFloat64()
		fmt.Fprintf(&b, "%g,%g,%g,%g\n", u, rng.NormFloat64(), rng.NormFloat64(), math.Sin(2*u))
	}
	data := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(data, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ regularize, hint string }{
		{"0.01 * auto * level", "and level is not 0 yet; 0.1 * auto in place of 0.01 * auto looks further"},
		{"0.001 * auto * level", "and level is not 0 yet; 0.01 * auto in place of 0.001 * auto looks further"},
		{"auto * level", "and level is not 0 yet; 10 * auto in place of auto looks further"},
		{"1000 * auto * level", ""},
		{"1e-6 * auto * falling", "and training rows still break falling; 1e-05 * auto in place of 1e-06 * auto looks further"},
		{"1000 * auto * falling", ""}, // no row breaks it any more
	} {
		rep := run(t, `
data { target price : real; standardize }
kernel gaussian
features nystrom(landmarks = rows)
invariance level = rms over x of hypot(|d/d(v) f|, |d/d(w) f|)
invariance falling = rms over x of pos(d/d(v) f)
regularize `+c.regularize+`
learn ridge`, sipc.RunOptions{Data: data})
		all := strings.Join(rep.Hints, "\n")
		if hinted := strings.Contains(all, "looks further"); hinted != (c.hint != "") || !strings.Contains(all, c.hint) {
			t.Errorf("%s: hints %q, %+v", c.regularize, rep.Hints, rep.Grid.Scores)
		}
	}
}

// Where method plain predicts clearly better on the test rows, no hint asks for more of R, and one says what R costs.
func TestNoHintAsksForMoreOfWhatCosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	var train, test strings.Builder
	train.WriteString("u,v,price\n")
	test.WriteString("u,v,price\n")
	for range 60 {
		u, v := rng.NormFloat64(), rng.NormFloat64()
		fmt.Fprintf(&train, "%g,%g,%g\n", u, u+0.01*v, math.Sin(u)) // either column tells the price
		fmt.Fprintf(&test, "0,%g,%g\n", v, math.Sin(v))             // the second alone
	}
	dir := t.TempDir()
	o := sipc.RunOptions{Data: filepath.Join(dir, "train.csv"), Test: filepath.Join(dir, "test.csv")}
	if err := errors.Join(os.WriteFile(o.Data, []byte(train.String()), 0o600), os.WriteFile(o.Test, []byte(test.String()), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, o.Baseline = range []bool{false, true} {
		rep := run(t, `
data { target price : real; standardize }
kernel gaussian
features nystrom(landmarks = rows)
invariance level = rms over x of |d/d(v) f|
regularize 0.01 * auto * level
learn ridge`, o)
		all := strings.Join(append(rep.Hints, rep.Warnings...), "\n")
		asks := strings.Contains(all, "looks further") || strings.Contains(all, "act more")
		if costs := strings.Contains(all, "R costs 0."); asks == o.Baseline || costs != o.Baseline {
			t.Errorf("baseline %v: %s\n%+v", o.Baseline, all, rep.Metrics.Figures)
		}
	}
}

// product multiplies the factors of a choice.
func product(t *testing.T, choice string) float64 {
	t.Helper()
	out := 1.0
	for _, v := range factors(t, choice) {
		out *= v
	}
	return out
}

// factors returns the factors of a choice, the steps of the grid being taken as half decades.
func factors(t *testing.T, choice string) (out []float64) {
	t.Helper()
	for _, part := range strings.Split(choice, ", ") {
		v, err := strconv.ParseFloat(part[strings.LastIndex(part, " ")+1:], 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, math.Pow(10, math.Round(2*math.Log10(max(v, 0.003)))/2))
	}
	return out
}

// Grids outside of the learner are compared under the method that is run.
func TestGridsAreComparedUnderTheMethodThatIsRun(t *testing.T) {
	data := toss(t, 60)
	const text = `
data { target side : class; split train = 40, test = 20 }
kernel gaussian
features nystrom(landmarks = rows)
learn ridge
regularize grid(0.16, 4.7) * steady
invariance steady = rms over x, t in {move(u, 0.5)} of |f(t(x)) - f(x)|
method `
	want := run(t, text+"risk", sipc.RunOptions{Data: data}).Grid.Scores
	got := run(t, text+"embed", sipc.RunOptions{Data: data, Method: setting.Risk}).Grid.Scores
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if own := run(t, text+"embed", sipc.RunOptions{Data: data}).Grid.Scores; cmp.Equal(want, own) {
		t.Error("the scores are those of the spec's own method")
	}
}

// A rival that stops before its minimum says so, as any learner does.
func TestRivalsThatStopEarly(t *testing.T) {
	data := toss(t, 100)
	const spec = `
data { target side : class; split train = 60, test = 40 }
kernel gaussian
features nystrom(landmarks = rows)
`
	for _, name := range []rival.Name{rival.SVM, rival.Mixup} {
		for _, iterations := range []int{0, 1} {
			o := sipc.RunOptions{Data: data, Rivals: []sipc.RivalOptions{{Name: name, Setting: &rival.Setting{C: 1000}, MaxIterations: iterations}}}
			rep := run(t, spec, o)
			learner := rep.Rivals[0].Learner
			var table bytes.Buffer
			if err := rep.WriteTable(&table); err != nil {
				t.Fatal(err)
			}
			stopped := iterations > 0
			warning := fmt.Sprintf("warning: rival %s: the learner stopped at a gap of %.2g\n", name, float64(learner.Gap))
			if learner.Converged == stopped || (learner.Gap > 1e-5) != stopped || strings.Contains(table.String(), warning) != stopped ||
				strings.Contains(table.String(), ", not converged)") != stopped {
				t.Errorf("%s after %d iterations: %+v\n%s", name, iterations, learner, table.String())
			}
		}
	}
}

// waves writes rows of a number that rises with u, and of its class.
func waves(t *testing.T, rows int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 3))
	var b strings.Builder
	b.WriteString("u,v,w,price,side\n")
	for range rows {
		u, noise := rng.NormFloat64(), rng.NormFloat64()
		y := u + math.Sin(3*u) + noise
		fmt.Fprintf(&b, "%g,%g,%g,%g,%s\n", u, rng.NormFloat64(), rng.NormFloat64(), y, map[bool]string{true: "high", false: "low"}[y > 0])
	}
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What a value of a grid reaches is its own: the values before it in the spec have no part in it, whatever solves.
func TestTheOrderOfAGridDecidesNothing(t *testing.T) {
	data := waves(t, 60)
	const head = `
data { target side : binary(low, high); columns u, v, w; standardize }
kernel gaussian(width = median)
features nystrom(landmarks = all)
invariance rising = max over x of pos(-d/d(u) f)
`
	for _, method := range []string{"risk", "dual", "embed"} {
		for _, weights := range [][2]string{{"1", "1"}, {"grid(0.1, 1, 10)", "grid(10, 1, 0.1)"}} {
			if method != "risk" && weights[0] != "1" {
				continue
			}
			text := func(k int, strengths string) string {
				return head + "regularize " + weights[k] + " * rising\nlearn svm(C = grid(" + strengths + "))\nmethod " + method
			}
			for seed := range uint64(3) {
				there := run(t, text(0, "0.1, 1, 3, 10"), sipc.RunOptions{Data: data, Seed: &seed}).Grid
				back := run(t, text(1, "10, 3, 1, 0.1"), sipc.RunOptions{Data: data, Seed: &seed}).Grid
				if d := cmp.Diff(byName(there), byName(back)); d != "" {
					t.Errorf("%s, weight %s, seed %d: %s", method, weights[0], seed, d)
				}
			}
		}
	}
}

// byName returns what each value of a grid reached.
func byName(g *report.Grid) map[string]report.Candidate {
	out := map[string]report.Candidate{}
	for _, c := range g.Scores {
		out[c.Choice] = c
	}
	return out
}

// Of values that predict alike the one that asks most for R is taken, then the smaller log loss. Then the stronger learner is,
// then the larger of other numbers, wherever they stand. C = 1 and C = 10 find the same f here, and less of C a flatter one.
func TestTiesGoToTheStrongerR(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte("u,side\n"+strings.Repeat("-10,low\n-11,low\n10,high\n11,high\n", 6)), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = `
data { target side : binary(low, high) }
kernel gaussian(width = %s)
features nystrom(landmarks = rows)
invariance rising = max over x of pos(-d/d(u) f)
invariance small = rms over x of |f|
regularize %s
learn svm(C = %s)
`
	for _, c := range []struct{ width, weight, strength, chosen string }{
		{"10", "grid(0, 1, 10) * rising", "1", "factor of rising = 10"},
		{"10", "grid(10, 1, 0) * rising", "1", "factor of rising = 10"},
		{"10", "grid(1, 10, 0) * rising", "grid(1, 0.1, 10)", "factor of rising = 10, svm(C = 1)"},
		{"10", "grid(0.1, 10) * rising + grid(10, 0.1) * small", "1", "factor of rising = 10, factor of small = 10"},
		{"10", "rising / grid(10, 1)", "grid(0.5, 1)", "factor of rising = 1, svm(C = 0.5)"},
		{"grid(10, 20)", "rising", "1", "gaussian.width = 20"},
		{"grid(20, 10)", "rising", "grid(1, 0.5)", "gaussian.width = 20, svm(C = 1)"},
		{"10", "rising", "grid(1, 0.5)", "svm(C = 0.5)"},
	} {
		g := run(t, fmt.Sprintf(text, c.width, c.weight, c.strength), sipc.RunOptions{Data: path}).Grid
		if g.Chosen != c.chosen || !g.Scores[0].Chosen {
			t.Errorf("%+v: chose %s: %+v", c, g.Chosen, g.Scores)
		}
	}
}

// Fits of folds are near enough to their minima that what is left decides nothing: a hundredth of a standard error.
func TestFitsOfFoldsAreNearTheirMinima(t *testing.T) {
	data := waves(t, 60)
	const text = `
data { target price : real; columns u, v, w; standardize }
kernel gaussian(width = median)
features nystrom(landmarks = all)
invariance rising = max over x of pos(-d/d(u) f)
regularize grid(1, 30) * rising
learn ridge(lambda = grid(0.01, 1))
method risk
`
	usual, exact := byName(run(t, text, sipc.RunOptions{Data: data}).Grid), byName(run(t, text, sipc.RunOptions{Data: data, Gap: 1e-9}).Grid)
	for name, c := range exact {
		if off := math.Abs(float64(usual[name].Score - c.Score)); !(off <= 0.01*float64(c.Error)) {
			t.Errorf("%s reaches %v, and %v ± %v at its minimum", name, usual[name].Score, c.Score, c.Error)
		}
	}
}
