package sipc_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/report"
)

// told returns all that a run says: its table, its page and its card, on one line.
func told(t *testing.T, text string, o sipc.RunOptions) (rep *report.Report, table, page, card string) {
	t.Helper()
	o.Report = filepath.Join(t.TempDir(), "page.html")
	rep = run(t, text, o)
	var b strings.Builder
	if err := rep.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	read := func(path string) string {
		out, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.NewReplacer("&#39;", "'", "&#43;", "+", `\`, "").Replace(strings.Join(strings.Fields(string(out)), " "))
	}
	return rep, b.String(), read(o.Report), read(strings.TrimSuffix(o.Report, ".html") + ".md")
}

// steep writes rows whose price rises with u, and has nothing to do with v.
func steep(t *testing.T, rows int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 2))
	var b strings.Builder
	b.WriteString("u,v,price\n")
	for range rows {
		u := rng.NormFloat64()
		fmt.Fprintf(&b, "%g,%g,%g\n", u, rng.NormFloat64(), 2*u+0.3*rng.NormFloat64())
	}
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const steepHead = `
data { target price : real; columns u, v; split train = 40, test = 40; standardize }
kernel gaussian(width = 2)
features nystrom(landmarks = all)
learn ridge(lambda = 0.1)
invariance untrue = rms over x of |d/d(u) f|
invariance idle_v = rms over x of |d/d(v) f|
`

// A false statement costs, and table, page and card say so by a difference that chance does not make, and which statement it is.
func TestWhatCostsIsTold(t *testing.T) {
	data := steep(t, 80)
	for _, method := range []string{"embed", "risk"} {
		rep, table, page, card := told(t, steepHead+"regularize 3 * untrue, 0.1 * idle_v\nmethod "+method+"\n", sipc.RunOptions{Data: data})
		c := rep.Baseline.Costs
		if c == nil || c.Metric != metric.RMSE || !(c.Low > 0) || c.Low > c.More || c.High < c.More || c.Strained != "untrue" || !(c.Share > 0.5) || c.Share > 1 {
			t.Fatalf("method %s: the cost is %+v", method, c)
		}
		for name, text := range map[string]string{"table": table, "page": page, "card": card} {
			if !strings.Contains(text, "R costs ") || !strings.Contains(text, " % more. The difference is from ") || !strings.Contains(text, "The data strain untrue most: it has ") {
				t.Errorf("method %s: the %s does not say what R costs", method, name)
			}
		}
		if badge := "what is declared costs "; !strings.Contains(page, badge) || !strings.Contains(card, badge) {
			t.Errorf("method %s: neither page nor card begins with the cost", method)
		}
	}
	for _, regularize := range []string{"3 * idle_v", "0.0001 * untrue"} {
		rep, table, _, _ := told(t, steepHead+"regularize "+regularize+"\n", sipc.RunOptions{Data: data})
		if rep.Baseline.Costs != nil || strings.Contains(table, "R costs") {
			t.Errorf("%s costs %+v\n%s", regularize, rep.Baseline.Costs, table)
		}
	}
}

// Where no weight predicts better than 0, or 0 is taken, a run and tune say that the rows bear nothing of it.
func TestAutoSaysWhatRowsBear(t *testing.T) {
	data := steep(t, 80)
	of := func(regularize string) (*report.Without, string) {
		rep := run(t, steepHead+"regularize "+regularize+"\n", sipc.RunOptions{Data: data})
		return rep.Grid.Without, strings.Join(rep.Hints, "\n")
	}
	if w, hints := of("auto * untrue"); w == nil || !w.Best && !w.Chosen || !strings.Contains(hints, "The training rows bear nothing of what is declared") {
		t.Errorf("of a false statement: %+v, %s", w, hints)
	}
	if w, hints := of("1000 * auto * untrue"); w == nil || !w.Chosen || !strings.Contains(hints, "auto takes weight 0") {
		t.Errorf("of a false statement under large weights: %+v, %s", w, hints)
	}
	if w, hints := of("auto * idle_v"); w == nil || w.Best || w.Chosen || strings.Contains(hints, "bear nothing") {
		t.Errorf("of a true statement: %+v, %s", w, hints)
	}
	tuning, _, err := sipc.Tune(t.Context(), load(t, steepHead+"regularize auto * untrue\n"), sipc.RunOptions{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := tuning.WriteTable(&b); err != nil || !strings.Contains(b.String(), "The training rows bear nothing of what is declared") {
		t.Errorf("%v: tune says\n%s", err, &b)
	}
}

// R is idle where its weight is next to nothing, under every method, and not where it acts. Then f is that of method plain.
func TestIdleIsTold(t *testing.T) {
	data := steep(t, 80)
	for _, method := range []string{"embed", "warp", "risk", "dual"} {
		for _, weight := range []float64{1e-4, 1} {
			rep, table, page, card := told(t, steepHead+fmt.Sprintf("regularize %g * untrue\nmethod %s\n", weight, method), sipc.RunOptions{Data: data})
			idle := rep.Certificate.Without
			if idle == nil || rep.Certificate.Idle() != (weight < 1) || !(*idle >= 0) {
				t.Fatalf("method %s, weight %g: the gap without R is %v", method, weight, idle)
			}
			for name, text := range map[string]string{"table": table, "page": page, "card": card} {
				if strings.Contains(text, "R is idle at this weight: ") != (weight < 1) {
					t.Errorf("method %s, weight %g: the %s says otherwise than the gap %v without R", method, weight, name, *idle)
				}
			}
			own, _ := rep.Metrics.Figures.Get(metric.RMSE)
			plain, _ := rep.Baseline.Metrics.Figures.Get(metric.RMSE)
			if apart := own/plain - 1; (apart < 1e-2 && apart > -1e-2) != (weight < 1) {
				t.Errorf("method %s, weight %g: an error of %g, and %g without R", method, weight, own, plain)
			}
		}
	}
}

// A function that obeys a statement without it is not told to weigh it more.
func TestIdleOfWhatIsObeyed(t *testing.T) {
	rep := run(t, steepHead+"invariance rising = rms over x of pos(-d/d(u) f)\nregularize 30 * rising\nmethod risk\n", sipc.RunOptions{Data: steep(t, 80)})
	if text := rep.IdleText(); !strings.Contains(text, "f minimizes the risk without R as well; f obeys what is declared without it") {
		t.Errorf("of R it is said: %q", text)
	}
}

// Without a statement that counts, nothing is compared with itself, and the report says why.
func TestNothingIsComparedWithItself(t *testing.T) {
	data := steep(t, 80)
	const head = "data { target price : real; columns u, v; split train = 40, test = 40; standardize }\nkernel gaussian(width = 2)\nfeatures nystrom(landmarks = rows)\nlearn ridge(lambda = 0.1)\n"
	const why = "method plain finds the same f and is not compared"
	for _, statements := range []string{"", "invariance untrue = rms over x of |d/d(u) f|\nregularize 0\n", "measure slope = rms over x of |d/d(u) f|\n"} {
		rep, table, page, card := told(t, head+statements+"method embed\n", sipc.RunOptions{Data: data})
		if b := rep.Baseline; b == nil || !b.Same || len(rep.Hints) > 0 {
			t.Errorf("%q: the baseline is %+v", statements, b)
		}
		for name, text := range map[string]string{"table": table, "page": page, "card": card} {
			if !strings.Contains(text, why) || strings.Contains(text, "plain, without R") || strings.Contains(text, "cannot be told apart") {
				t.Errorf("%q: the %s compares, or does not say why not", statements, name)
			}
		}
		if head, _, _ := strings.Cut(table, "\n\n"); strings.Contains(strings.TrimPrefix(table, head), "difference") {
			t.Errorf("%q: the table shows a difference:\n%s", statements, table)
		}
	}
	summary, err := sipc.RunSeeds(t.Context(), load(t, head+"method embed\n"), sipc.RunOptions{Data: data, Baseline: true}, []uint64{0, 1})
	if err != nil || len(summary.Contenders) > 0 {
		t.Errorf("%v: seeds are compared with %+v", err, summary.Contenders)
	}
	compared := run(t, head+"require low = f(x) <= 1000 over x in box\n", sipc.RunOptions{Data: data, Baseline: true})
	if b := compared.Baseline; b == nil || b.Same {
		t.Errorf("what is required is compared with %+v", b)
	}
}

// Method plain beside worst losses keeps no statement: it is the function of a spec without any.
func TestPlainKeepsNoStatements(t *testing.T) {
	data := steep(t, 80)
	const head = "data { target price : real; columns u, v; split train = 40, test = 40; standardize }\nkernel gaussian(width = 2)\nfeatures nystrom(landmarks = rows)\n" +
		"learn ridge(lambda = 0.1) under {move(v, 0.3)}\n"
	beside := run(t, head+"require falls = d/d(u) f(x) <= 0 over x in box\n", sipc.RunOptions{Data: data, Baseline: true})
	alone := run(t, head+"method plain\n", sipc.RunOptions{Data: data})
	want, _ := alone.Metrics.Figures.Get(metric.RMSE)
	got, _ := beside.Baseline.Metrics.Figures.Get(metric.RMSE)
	if own, _ := beside.Metrics.Figures.Get(metric.RMSE); got > want*1.01 || got < want*0.99 || own < 2*want {
		t.Errorf("the error of method plain is %g beside a statement that costs (%g) and %g alone", got, own, want)
	}
}

// A sample of one move is fitted, and the orbit is not. Many moves are near it.
func TestSmallSamplesOfOrbitsAreTold(t *testing.T) {
	data := waves(t, 60)
	for moves, small := range map[int]bool{1: true, 40: false} {
		rep := run(t, fmt.Sprintf(`
data { target price : real; columns u, v, w; split train = 20, test = 40; standardize }
kernel gaussian(width = 0.7)
features nystrom(landmarks = all)
method risk
invariance steady = rms over x of rms over t in orbit(moves = %d) {move(u, [-2, 2]), move(v, [-2, 2]), move(w, [-2, 2])} of |f(t(x)) - f(x)|
regularize 1 * steady
learn ridge(lambda = 0.01)
`, moves), sipc.RunOptions{Data: data})
		o, value := rep.Regularizer[0].Orbit, rep.Regularizer[0].Value
		hinted := slices.ContainsFunc(rep.Hints, func(text string) bool {
			return strings.HasSuffix(text, fmt.Sprintf("the sample is too small. Write orbit(moves = %d), or learn from more rows", 4*moves))
		})
		if far := o.Value-value > 3*o.Error && o.Value > 1.2*value; far != small || hinted != small {
			t.Errorf("%d moves: %v by these, %v ± %v by others; hints %q", moves, value, o.Value, o.Error, rep.Hints)
		}
	}
}
