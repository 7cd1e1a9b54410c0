package sipc_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
)

// weighed writes a table whose rows have weights from 0 to 3, and the table that repeats each row as often.
func weighed(t *testing.T, seed uint64, rows int) (weights, repeated string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	const head = "u,v,side,two,cat,dog,price,times\n"
	tables := [2][]string{{head}, {head}}
	for i := range rows {
		u, v := rng.NormFloat64(), rng.NormFloat64()
		times := rng.IntN(4)
		line := fmt.Sprintf("%.3f,%.3f,%s,%s,%d,%d,%.3f,", u, v, []string{"a", "b", "c"}[i%3], []string{"no", "yes"}[rng.IntN(2)], rng.IntN(2), i%2, u*v+rng.NormFloat64())
		tables[0] = append(tables[0], fmt.Sprintf("%s%d\n", line, times))
		tables[1] = append(tables[1], slices.Repeat([]string{line + "1\n"}, times)...)
	}
	var paths [2]string
	for k, lines := range tables {
		paths[k] = filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(paths[k], []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths[0], paths[1]
}

// A row with the weight w is as good as w equal rows: under every learner and method, in R, in what prepares the columns and in figures.
func TestWeightsAreRepeatedRows(t *testing.T) {
	const r = "invariance i = rms over x of |d/d(u) f| + |mean over x of f| + 0.1 * max over x of |f| + 0.1 * norm(3) over x of pos(f)\nregularize 0.3 * i\n"
	const sum = "invariance i = 0.1 * sum over x where u > 0 of pos(-f) + rms over x of |mean over b in rows where side == side(x) of f(b)|\nregularize 0.3 * i\n"
	const square = "invariance i = rms over x of |d/d(u) f|\nregularize 0.3 * i\n"
	binary, labels := "two : binary(no, yes)", "cat, dog : multilabel"
	for _, c := range []struct{ target, learn, method, r string }{
		{binary, "svm(C = 2)", "plain", ""},
		{binary, "svm(C = 2, probabilities = off)", "embed", square},
		{binary, "logistic(C = 2)", "plain", ""},
		{binary, "ridge(lambda = 2)", "warp", square},
		{binary, "svm(C = 2)", "risk", r},
		{binary, "logistic(C = 2)", "risk", sum},
		{binary, "logistic(C = 2)", "dual", square},
		{"cat : real", "poisson(C = 2)", "plain", ""},
		{"cat : real", "poisson(C = 2)", "risk", r},
		{"cat : real", "poisson(C = 2)", "dual", square},
		{"price : real", "quantile(0.2, 0.7, C = 2)", "plain", ""},
		{"price : real", "quantile(0.2, 0.7, C = 2)", "risk", "invariance i = rms over x, q in levels of |d/d(u) f(q)| + max over x, (q, r) in levels of pos(f(q) - f(r))\nregularize 0.3 * i\n"},
		{"price : real", "quantile(0.2, 0.7, C = 2)", "embed", "invariance i = rms over x, q in levels of |d/d(u) f(q)|\nregularize 0.3 * i\n"},
		{"side : class", "softmax(C = 2)", "plain", ""},
		{"side : class", "softmax(C = 2)", "risk", ""},
		{"side : class", "svm(C = 2)", "plain", ""},
		{labels, "softmax(C = 2)", "plain", ""},
		{labels, "softmax(C = 2)", "risk", ""},
		{labels, "ridge(lambda = 2)", "plain", ""},
		{labels, "svm(C = 2)", "risk", ""},
		{"price : real", "ridge(lambda = 2)", "plain", ""},
		{"price : real", "ridge(lambda = 2)", "risk", r},
	} {
		name := c.target + " " + c.learn + " " + c.method
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var x [2]*sipc.Outcome
			train, test := [2]string{}, [2]string{}
			train[0], train[1] = weighed(t, 1, 40)
			test[0], test[1] = weighed(t, 2, 20)
			text := fmt.Sprintf("data { target %s; columns u, v; weight times; standardize }\nkernel gaussian(width = 1)\nfeatures fourier(count = 20)\nlearn %s\nmethod %s\n%s", c.target, c.learn, c.method, strings.ReplaceAll(c.r, "side == side(x)", "u > 0"))
			for k := range x {
				var err error
				if x[k], err = sipc.Perform(t.Context(), load(t, text), sipc.RunOptions{Data: train[k], Test: test[k], Gap: 1e-10}); err != nil {
					t.Fatal(err)
				}
			}
			// The distance of two functions to a gap is about its root.
			if near := 1e-4; !mat.EqualApprox(x[0].Model.Fit.Weights, x[1].Model.Fit.Weights, near) && c.learn[:3] != "svm" {
				t.Errorf("weights differ:\n%.6f\n%.6f", x[0].Model.Fit.Weights.RawMatrix().Data, x[1].Model.Fit.Weights.RawMatrix().Data)
			}
			for k, v := range x[0].Report.Regularizer {
				if one, many := float64(v.Value), float64(x[1].Report.Regularizer[k].Value); math.Abs(one-many) > 1e-3*(1+many) {
					t.Errorf("%s is %v at a deviation of 1, and of repeated rows %v", v.Name, one, many)
				}
			}
			for k, f := range x[0].Report.Metrics.Figures {
				if other := x[1].Report.Metrics.Figures[k].Value; math.Abs(f.Value-other) > 1e-2*(1+math.Abs(other)) {
					t.Errorf("%s is %v, and of repeated rows %v", f.Name, f.Value, other)
				}
			}
		})
	}
}
