package sipc_test

import (
	"math"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/report"
)

// near reports whether two known numbers are equal but for rounding.
func near(a, b report.Number) bool {
	return math.Abs(float64(a-b)) <= 1e-6*math.Max(math.Abs(float64(a)), math.Abs(float64(b)))
}

// Values of invariances are those of f, whatever is made of its scores: probabilities by svm change neither those by the training rows nor
// those by the test rows.
func TestValuesAreOfF(t *testing.T) {
	data := worstData(t, 60)
	const kernel = "kernel gaussian(width = 1)\nfeatures fourier(count = 20)\n"
	for _, c := range []struct{ target, invariances string }{
		{"side : binary(heads, tails)", "invariance small = rms over x of |f|\nmeasure same = rms over x of |f|\n"},
		{"heads, tails : multilabel", "invariance small = rms over x of |f(heads) - f(tails)|\nmeasure same = rms over x of |f(heads)|\n"},
		{"side : class", "invariance small = rms over x of |f(heads) - f(tails)|\nmeasure same = rms over x of |f(heads) - f(tails)|\n"},
	} {
		for _, method := range []string{"risk", "embed"} {
			text := "data { target " + c.target + "; columns u, v; split test = 20 }\n" + kernel + c.invariances + "regularize 0.1 * small\nmethod " + method + "\nlearn svm"
			o := sipc.RunOptions{Data: data, Baseline: true}
			bare, likely := run(t, text+"\n", o), run(t, text+"(probabilities = on)\n", o)
			for _, pair := range [][2]*report.Summand{
				{&bare.Regularizer[0], &likely.Regularizer[0]},
				{&bare.Measures[0], &likely.Measures[0]},
				{&bare.Baseline.Regularizer[0], &likely.Baseline.Regularizer[0]},
				{&bare.Baseline.Measures[0], &likely.Baseline.Measures[0]},
			} {
				if a, b := pair[0], pair[1]; !near(a.Value, b.Value) || !near(a.Test.Value, b.Test.Value) || !(b.Test.Value > 0) {
					t.Errorf("%s, method %s: %s is %v by training and %v by test rows, with probabilities %v and %v",
						c.target, method, a.Name, a.Value, a.Test.Value, b.Value, b.Test.Value)
				}
			}
		}
	}
}

// Where labels imply one another, their log odds meet. Values are still those of f.
func TestValuesAreOfFWhereOddsMeet(t *testing.T) {
	train, test := drawn(60, 3), drawn(40, 4)
	const head = "data { target cat, animal : multilabel; columns u, v; standardize }\nkernel gaussian\nfeatures nystrom(landmarks = rows)\n" +
		"invariance implied = rms over x of implies(cat, animal)\nmeasure apart = rms over x of |f(cat) - f(animal)|\nregularize 0.1 * implied\nmethod risk\nlearn svm"
	for _, d := range []*rowTable{train, test} {
		for _, row := range d.rows {
			row[d.at("cat")], row[d.at("animal")] = 0, 0
			if row[d.at("u")] > 0 {
				row[d.at("cat")] = 1
			}
			if row[d.at("u")]+0.3*row[d.at("v")] > -0.5 {
				row[d.at("animal")] = 1
			}
		}
	}
	o := sipc.RunOptions{Data: train.write(t), Test: test.write(t)}
	bare, likely := run(t, head+"\n", o), run(t, head+"(probabilities = on)\n", o)
	for k, a := range []*report.Summand{&bare.Regularizer[0], &bare.Measures[0]} {
		b := []*report.Summand{&likely.Regularizer[0], &likely.Measures[0]}[k]
		if !near(a.Value, b.Value) || !near(a.Test.Value, b.Test.Value) || !(a.Test.Value > 0) {
			t.Errorf("%s is %v by training and %v by test rows, with probabilities %v and %v", a.Name, a.Value, a.Test.Value, b.Value, b.Test.Value)
		}
	}
}

// An invariance has the same value as a measure of the same expression, at the run's own function and at that of method plain, under every
// method. Where the worst of copies counts, the problem of method plain holds scores alone.
func TestInvariancesHaveTheValuesOfMeasures(t *testing.T) {
	data := worstData(t, 40)
	const body = "rms over x of |f(move(v, 0.3)) - f|"
	for _, learner := range []string{"svm(C = 2)", "svm(C = 2) under {move(u, 0.5)}", "logistic under {move(u, 0.5), swap(u, v)}"} {
		for _, method := range []string{"risk", "plain", "embed", "dual", "warp"} {
			if strings.Contains(learner, "under") && method != "risk" && method != "plain" {
				continue
			}
			rep := run(t, worstHead("side : binary(heads, tails)")+"invariance steady = "+body+"\nmeasure same = "+body+"\nregularize 3 * steady\nmethod "+method+"\nlearn "+learner+"\n",
				sipc.RunOptions{Data: data, Baseline: true})
			contenders := []*report.Contender{{Regularizer: rep.Regularizer, Measures: rep.Measures}}
			if rep.Baseline != nil {
				contenders = append(contenders, rep.Baseline)
			}
			if (rep.Baseline == nil) != (method == "plain") {
				t.Fatalf("method %s: the baseline is %+v", method, rep.Baseline)
			}
			for k, c := range contenders {
				for i := range c.Regularizer {
					a, b := &c.Regularizer[i], &c.Measures[i]
					if !near(a.Value, b.Value) || !near(a.Test.Value, b.Test.Value) || !(a.Value > 0) || !(a.Test.Value > 0) {
						t.Errorf("%s, method %s, contender %d: the invariance is %v and %v, the measure %v and %v", learner, method, k, a.Value, a.Test.Value, b.Value, b.Test.Value)
					}
				}
			}
		}
	}
}
