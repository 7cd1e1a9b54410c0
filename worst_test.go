package sipc_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// worstSpecs are learners of a set, by what they learn: the target and the learner.
var worstSpecs = map[string][2]string{
	"svm":         {"side : binary(heads, tails)", "svm(C = 2)"},
	"logistic":    {"side : binary(heads, tails)", "logistic(C = 3)"},
	"numbers":     {"w : real", "ridge(lambda = 2)"},
	"ridge":       {"side : binary(heads, tails)", "ridge(lambda = 2)"},
	"softmax":     {"side : class", "softmax(C = 5)"},
	"one by one":  {"side : class", "svm(C = 2)"},
	"labels":      {"heads, tails : multilabel", "svm(C = 2)"},
	"many labels": {"heads, tails : multilabel", "logistic(C = 2)"},
}

// worstData returns rows that suit all targets.
func worstData(t *testing.T, rows int) string {
	t.Helper()
	text, err := os.ReadFile(toss(t, rows))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	lines[0] += ",heads,tails"
	for i := range lines[1:] {
		marks := ",0,1"
		if strings.HasSuffix(lines[i+1], "heads") {
			marks = ",1,0"
		}
		lines[i+1] += marks
	}
	path := t.TempDir() + "/data.csv"
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// worstHead is a spec up to its learner. Columns of other targets are no features.
func worstHead(target string) string {
	return "data { target " + target + "; columns u, v; split test = 10 }\nkernel gaussian(width = 1)\nfeatures fourier(count = 20)\n"
}

// Maps that leave rows as they are change nothing: f is that of the rows alone, by another solver.
func TestIdleMapsLeaveLearningAlone(t *testing.T) {
	data := worstData(t, 40)
	for name, c := range worstSpecs {
		text := worstHead(c[0]) + "method plain\nlearn " + c[1]
		o := sipc.RunOptions{Data: data}
		alone, err := sipc.Perform(t.Context(), load(t, text+"\n"), o)
		if err != nil {
			t.Fatal(err)
		}
		idle, err := sipc.Perform(t.Context(), load(t, text+" under {move(u, 0), move(v, 0)}\n"), o)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(alone.Scores, idle.Scores, 0.01) {
			t.Errorf("%s: scores differ\n%v\n%v", name, alone.Scores.RawMatrix().Data, idle.Scores.RawMatrix().Data)
		}
		if off := math.Abs(alone.Model.Fit.Objective/idle.Model.Fit.Objective - 1); off > 2e-4 {
			t.Errorf("%s: the objectives are %v and %v", name, alone.Model.Fit.Objective, idle.Model.Fit.Objective)
		}
		if idle.Report.NLearnt != 90 || len(idle.Report.LearnUnder) != 2 || !idle.Model.Fit.Converged || idle.Report.Certificate != nil {
			t.Errorf("%s: %d rows learnt, %q, converged %v", name, idle.Report.NLearnt, idle.Report.LearnUnder, idle.Model.Fit.Converged)
		}
	}
}

// The objective that a run reports is that of the definition, and no smaller with more maps.
func TestWorstObjectiveIsThatOfTheDefinition(t *testing.T) {
	data := worstData(t, 40)
	for name, c := range worstSpecs {
		last := 0.0
		for _, maps := range []string{"move(u, 0.5)", "move(u, 0.5), swap(u, v)", "move(u, 0.5), swap(u, v), move(v, -0.8)"} {
			spec := load(t, worstHead(c[0])+"learn "+c[1]+" under {"+maps+"}\n")
			out, err := sipc.Perform(t.Context(), spec, sipc.RunOptions{Data: data})
			if err != nil {
				t.Fatal(err)
			}
			fit := out.Model.Fit
			if value := worstObjective(t, spec.Plan.At(nil), out.Model, out.Train); math.Abs(value-fit.Objective) > 1e-5*value {
				t.Errorf("%s under %s: the objective is %v, by definition %v", name, maps, fit.Objective, value)
			}
			if fit.Objective < last {
				t.Errorf("%s under %s: the objective is %v, and with fewer maps at least %v", name, maps, fit.Objective, last)
			}
			if last = fit.Objective * (1 - fit.Gap); fit.Gap > 1e-5 {
				t.Errorf("%s under %s: the gap is %v", name, maps, fit.Gap)
			}
		}
	}
}

// worstObjective is ½‖W‖² and the largest losses by their definition, in the units of the learner's objective.
func worstObjective(t *testing.T, in *compiler.Instance, m *model.Model, train *dataset.Set) float64 {
	t.Helper()
	all := []*mat.Dense{train.X}
	for _, f := range in.LearnUnder() {
		u, v := 0, 1
		moved := mat.DenseCopyOf(train.X)
		var column string
		var by float64
		switch {
		case strings.HasPrefix(f.Text, "swap"):
			for i := range train.Len() {
				moved.Set(i, u, train.X.At(i, v))
				moved.Set(i, v, train.X.At(i, u))
			}
		default:
			if _, err := fmt.Sscanf(strings.NewReplacer("(", " ", ",", " ", ")", " ").Replace(f.Text), "move %s %g", &column, &by); err != nil {
				t.Fatal(err)
			}
			at := map[string]int{"u": u, "v": v}[column]
			for i := range train.Len() {
				moved.Set(i, at, train.X.At(i, at)+by)
			}
		}
		all = append(all, moved)
	}
	scores := make([]*mat.Dense, len(all))
	for k, x := range all {
		var err error
		if scores[k], _, err = m.Scores(t.Context(), x, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	l, half := m.Fit.Learner, math.Pow(mat.Norm(m.Fit.Weights, 2), 2)/2
	sum := 0.0
	for i := range train.Len() {
		most := 0.0
		for _, s := range scores {
			most = max(most, lossByDefinition(l, model.Targets(train), i, s.RawRowView(i)))
		}
		sum += most
	}
	if l.Kind == setting.Ridge {
		return 2*l.Strength*half + sum
	}
	return half + l.Strength*sum
}

// lossByDefinition is the loss of a row's scores, without its strength.
func lossByDefinition(l setting.Learner, targets *learn.Targets, i int, s []float64) float64 {
	sum := 0.0
	for y, v := range s {
		t := -1.0
		switch targets.Task {
		case setting.Real:
			t = targets.Real[i]
		case setting.Multilabel:
			t = 2*targets.Multi.At(i, y) - 1
		case setting.Binary:
			t = 2*float64(targets.Class[i]) - 1
		case setting.Class:
			if targets.Class[i] == y {
				t = 1
			}
		}
		switch l.Kind {
		case setting.SVM:
			sum += max(0, 1-t*v)
		case setting.Ridge:
			sum += (v - t) * (v - t)
		case setting.Logistic:
			sum += math.Log1p(math.Exp(-t * v))
		default:
			sum += math.Exp(v)
		}
	}
	if l.Kind == setting.Softmax {
		return math.Log(sum) - s[targets.Class[i]]
	}
	return sum
}

// A fold learns from the copies of its own rows: maps that change nothing leave the scores of all values of grids as they are.
func TestFoldsOfWorstLosses(t *testing.T) {
	const steady = "invariance steady = rms over x of |f(move(v, 0.1)) - f|\n"
	data := toss(t, 60)
	for name, c := range map[string]string{
		"strengths": "method plain\nlearn svm(C = grid(1, 10))%s\nkernel gaussian(width = 0.2)\n",
		"widths":    "method plain\nlearn svm(C = grid(1, 10))%s\nkernel gaussian(width = grid(0.2, 1))\n",
		"risk":      "method risk\nlearn svm(C = grid(1, 10))%s\nkernel gaussian(width = 0.2)\nregularize auto * steady\n" + steady,
	} {
		t.Run(name, func(t *testing.T) {
			const head = "data { target side : binary(heads, tails); split train = 30, test = 30 }\nfeatures nystrom(landmarks = rows)\n"
			o := sipc.RunOptions{Data: data}
			alone := run(t, head+fmt.Sprintf(c, ""), o)
			idle := run(t, head+fmt.Sprintf(c, " under {move(u, 0)}"), o)
			if alone.Grid == nil || idle.Grid == nil || len(alone.Grid.Scores) != len(idle.Grid.Scores) {
				t.Fatalf("grids are %+v and %+v", alone.Grid, idle.Grid)
			}
			for k, want := range alone.Grid.Scores {
				if got := idle.Grid.Scores[k]; math.Abs(float64(got.Score-want.Score)) > 0.04 {
					t.Errorf("%s: %v under a map, %s: %v alone", got.Choice, got.Score, want.Choice, want.Score)
				}
			}
		})
	}
}

// R is that of the rows, whatever is copied, and the certificate is that of the risk.
func TestWorstLossesLeaveRToRows(t *testing.T) {
	const steady = "invariance steady = rms over x of |f(move(v, 0.1)) - f|\nregularize 3 * steady\n"
	data := worstData(t, 40)
	o := sipc.RunOptions{Data: data, Baseline: true}
	text := worstHead("side : binary(heads, tails)") + steady
	alone, worst := run(t, text+"method risk\nlearn svm(C = 2)\n", o), run(t, text+"learn svm(C = 2) under {move(u, 0.5)}\n", o)
	if worst.Method != "risk" || worst.Regularizer[0].Functionals != alone.Regularizer[0].Functionals {
		t.Errorf("method %s, %d functionals, alone %d", worst.Method, worst.Regularizer[0].Functionals, alone.Regularizer[0].Functionals)
	}
	if c := worst.Certificate; c == nil || c.Count != 1 || c.Reached != 1 || c.Scores == nil {
		t.Errorf("the certificate is %+v", c)
	}
	if b := worst.Baseline; b == nil || !strings.HasSuffix(b.Learner.Text, " under 1 map") || !b.Learner.Converged {
		t.Errorf("the baseline is %+v", b)
	}
}

// The bound of the errors of scores holds: a coarse fit is within it of a fine one.
func TestErrorsOfWorstScoresHold(t *testing.T) {
	const steady = "invariance steady = rms over x of |f(move(v, 0.1)) - f|\nregularize 3 * steady\n"
	spec := load(t, worstHead("side : binary(heads, tails)")+steady+"learn logistic(C = 2) under {move(u, 0.5), swap(u, v)}\n")
	data := worstData(t, 40)
	fine, err := sipc.Perform(t.Context(), spec, sipc.RunOptions{Data: data, Gap: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	for _, gap := range []float64{0.1, 1e-3} {
		coarse, err := sipc.Perform(t.Context(), spec, sipc.RunOptions{Data: data, Gap: gap})
		if err != nil {
			t.Fatal(err)
		}
		var apart mat.Dense
		apart.Sub(coarse.Scores, fine.Scores)
		within := float64(coarse.Report.Certificate.Scores.Largest) * coarse.Model.Nearness.Spread
		if off := mat.Norm(&apart, math.Inf(1)); off > within {
			t.Errorf("at gap %g scores are %v off, more than %v", gap, off, within)
		}
	}
}

// The reference says what worst losses bring on an example.
func TestPageTellsWhatWorstLossesBring(t *testing.T) {
	page, err := os.ReadFile("docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("examples/two-digits/two-digits.inv")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(source), "invariance steady")
	_, maps, _ := strings.Cut(rest, " in {")
	maps, _, _ = strings.Cut(maps, "}")
	maps = " under {" + maps + "}\n"
	_, under, _ := strings.Cut(rest, "evaluate")
	bare := head + "evaluate" + under + "learn svm(C = 10)"
	turned := func(text string) float64 {
		rep := run(t, text, sipc.RunOptions{Data: "examples/two-digits/digits.csv.gz", Unmeasured: true})
		k := slices.IndexFunc(rep.Under, func(u report.Under) bool { return u.Transformation == "rotate(15deg)" })
		accuracy, _ := rep.Under[k].Metrics.Figures.Get("accuracy")
		return accuracy
	}
	still := run(t, strings.ReplaceAll(bare, "10)", "1)")+maps, sipc.RunOptions{Data: "examples/two-digits/digits.csv.gz", Unmeasured: true})
	one, _ := still.Metrics.Figures.Get("accuracy")
	want := fmt.Sprintf("with C = 10 and test digits turned by 15°, the accuracy without R is %.3f. With copies under the eight transformations it is %.3f, "+
		"and with the worst of them %.3f. R alone has %.3f, and R with the worst %.3f.", turned(bare+"\n"), turned(bare+"\naugment"+strings.TrimPrefix(maps, " under")),
		turned(bare+maps), turned(string(source)), turned(strings.ReplaceAll(string(source), "svm(C = 10)", "svm(C = 10)"+strings.TrimRight(maps, "\n"))))
	text := strings.Join(strings.Fields(string(page)), " ")
	if !strings.Contains(text, want) {
		t.Errorf("docs/language.md does not say %q", want)
	}
	if last := fmt.Sprintf("leave one class for all test digits, %.3f.", one); !strings.Contains(text, last) {
		t.Errorf("docs/language.md does not say %q", last)
	}
}
