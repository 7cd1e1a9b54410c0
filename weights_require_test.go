package sipc_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
)

// A row with the weight w is as good as w equal rows where statements are required: for the function, its objective and the verdicts.
func TestWeightsUnderStatementsAreRepeatedRows(t *testing.T) {
	const r = "invariance i = rms over x of |d/d(u) f|\nregularize 0.3 * i\n"
	const oneSided = "invariance i = rms over x of pos(d/d(u) f)\nregularize 0.3 * i\n"
	const falls, between = "require falls = d/d(u) f <= 0 over x in box\n", "require between = -0.4 <= f(x) <= 0.5 over x in box(u = [-1, 1], v = [-1, 1])\n"
	for _, c := range []struct{ target, learn, require string }{
		{"price : real", "ridge(lambda = 0.5)", falls},
		{"price : real", "ridge(lambda = 0.5)", falls + r},
		{"price : real", "ridge(lambda = 0.5)", between + oneSided},
		{"two : binary(no, yes)", "svm(C = 2)", falls + between},
		{"two : binary(no, yes)", "logistic(C = 2)", between + r},
		{"cat, dog : multilabel", "ridge(lambda = 0.5)", "require kinds = f(x, dog) >= f(x, cat) over x in box\n"},
	} {
		t.Run(c.target+" "+c.learn, func(t *testing.T) {
			t.Parallel()
			var x [2]*sipc.Outcome
			train := [2]string{}
			train[0], train[1] = weighed(t, 1, 40)
			test, _ := weighed(t, 2, 20)
			text := fmt.Sprintf("data { target %s; columns u, v; weight times; standardize }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = rows)\nlearn %s\nmethod risk\n%s", c.target, c.learn, c.require)
			for k := range x {
				var err error
				if x[k], err = sipc.Perform(t.Context(), load(t, text), sipc.RunOptions{Data: train[k], Test: test, Gap: 1e-8}); err != nil {
					t.Fatal(err)
				}
			}
			// Each fit takes landmarks where its own search finds points, and so another space. Least alike are those of svm, which has kinks.
			if one, many := x[0].Model.Fit.Objective, x[1].Model.Fit.Objective; math.Abs(one-many) > 2e-3*many {
				t.Errorf("the objective is %v, and of repeated rows %v", one, many)
			}
			if !mat.EqualApprox(x[0].Scores, x[1].Scores, 3e-2) {
				t.Errorf("scores differ:\n%.6f\n%.6f", x[0].Scores.RawMatrix().Data, x[1].Scores.RawMatrix().Data)
			}
			for k := range x[0].Report.Required {
				one, many := x[0].Report.Required[k], x[1].Report.Required[k]
				if one.Answer != "proved" || many.Answer != one.Answer {
					t.Errorf("%s is %s, and of repeated rows %s", one.Name, one.Answer, many.Answer)
				}
			}
		})
	}
}
