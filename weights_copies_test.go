package sipc_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
)

// A row with the weight w is as good as w equal rows where rows have copies: with those that augment adds, and with the worst of them.
func TestWeightsOfCopiesAreRepeatedRows(t *testing.T) {
	const r = "invariance i = rms over x of |d/d(u) f| + |mean over x of f|\nregularize 0.3 * i\n"
	const under, augment = " under {move(u, 0.5)}", "\naugment {move(u, 0.5)}"
	binary := "two : binary(no, yes)"
	for _, c := range []struct{ target, learn, method, r string }{
		{binary, "svm(C = 2)" + under, "plain", ""},
		{binary, "svm(C = 2)" + under, "risk", r},
		{binary, "logistic(C = 2)" + under, "risk", r},
		{"price : real", "ridge(lambda = 2)" + under, "plain", ""},
		{"side : class", "softmax(C = 2)" + under, "plain", ""},
		{"cat, dog : multilabel", "svm(C = 2)" + under, "plain", ""},
		{binary, "svm(C = 2)" + augment, "plain", ""},
		{binary, "svm(C = 2)" + augment, "risk", r},
		{"price : real", "ridge(lambda = 2)" + augment, "embed", "invariance i = rms over x of |d/d(u) f|\nregularize 0.3 * i\n"},
	} {
		t.Run(c.target+" "+c.learn+" "+c.method, func(t *testing.T) {
			t.Parallel()
			var x [2]*sipc.Outcome
			train := [2]string{}
			train[0], train[1] = weighed(t, 1, 40)
			test, _ := weighed(t, 2, 20)
			text := fmt.Sprintf("data { target %s; columns u, v; weight times; standardize }\nkernel gaussian(width = 1)\nfeatures fourier(count = 20)\nlearn %s\nmethod %s\n%s", c.target, c.learn, c.method, c.r)
			for k := range x {
				var err error
				if x[k], err = sipc.Perform(t.Context(), load(t, text), sipc.RunOptions{Data: train[k], Test: test, Gap: 1e-10}); err != nil {
					t.Fatal(err)
				}
			}
			if one, many := x[0].Report, x[1].Report; one.NLearnt != 2*one.NTrain || many.NLearnt != 2*many.NTrain || float64(many.NTrain) != one.Weight {
				t.Errorf("%d of %d rows of the weight %v, and %d of %d", one.NLearnt, one.NTrain, one.Weight, many.NLearnt, many.NTrain)
			}
			if one, many := x[0].Model.Fit.Objective, x[1].Model.Fit.Objective; math.Abs(one-many) > 2e-5*many {
				t.Errorf("the objective is %v, and of repeated rows %v", one, many)
			}
			// The distance of two functions to a gap is about its root. Under method plain the gap is 1e-5.
			if !mat.EqualApprox(x[0].Scores, x[1].Scores, 1e-3) {
				t.Errorf("scores differ:\n%.6f\n%.6f", x[0].Scores.RawMatrix().Data, x[1].Scores.RawMatrix().Data)
			}
		})
	}
}
