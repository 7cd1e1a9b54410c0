package compiler

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// manyGrids has 289 combinations, one of which is not convex: that of a = 1 and b = 2.
const manyGrids = `
data { target price : real }
kernel   gaussian(width = 1)
features nystrom(landmarks = rows)
let a = grid(100, 1, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115)
let b = grid(0, 2, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.007, 0.008, 0.009, 0.01, 0.011, 0.012, 0.013, 0.014, 0.015)
invariance i = rms over x of (a - b) * |d/d(u) f|
regularize 10 * i
learn ridge(lambda = 0.01)
`

// One faulty combination of many is found, and named.
func TestEveryCombinationIsJudged(t *testing.T) {
	values := make([]string, 64)
	for i := range values {
		values[i] = strconv.Itoa(i + 1)
	}
	long := "grid(" + strings.Join(values, ", ") + ")"
	for _, c := range []struct {
		spec  string
		code  diag.Code
		where string
	}{
		{manyGrids, codes.NegativeFactor, "It is so where a = 1 and b = 2."},
		{withDefaults("let a = grid(0, 1)\nlet b = grid(0, 2)\ninvariance i = rms over x of (|f(cat)| - a * (b * |f(dog)|))"), codes.NegatedConvex, "It is so where a = 1 and b = 2."},
		{withDefaults("let a = grid(1, -1)\ninvariance i = rms over x of |f(cat)|\nregularize a * (grid(1, 2) * i)"), codes.NegativeWeight, "It is so where a = -1 and grid(1, 2) = 1."},
		{withDefaults("let a = grid(2, 3)\nmethod warp\ninvariance i = norm(a) over x of |f(cat)|\nregularize grid(0, 1) * i"), codes.NotQuadratic, "It is so where a = 3 and grid(0, 1) = 1."},
		{withDefaults("rms over x of " + long + " * |f(cat)|\nkernel gaussian(width = " + long + ")\nlearn svm(C = " + long + ")"), "", ""},
		{withDefaults("rms over x of " + long + " * " + long + " * |f(cat)|"), "", ""},
		{withDefaults("rms over x of " + long + " * " + long + " * grid(1, 2) * |f(cat)|"), codes.WrongGrid, ""},
		{withDefaults("invariance i = rms over x of " + long + " * |f(cat)|\nregularize " + long + " * grid(1, 2) * i"), "", ""},
		{withDefaults("method warp\ninvariance i = rms over x of " + long + " * |f(cat)|\nregularize " + long + " * grid(1, 2) * i"), codes.WrongGrid, ""},
	} {
		plan, list := check(t, c.spec, testOptions(nil))
		if c.code == "" {
			if list.HasErrors() {
				t.Errorf("%v for\n%s", list, c.spec)
			}
			_ = plan.Close()
			continue
		}
		if len(list) != 1 || list[0].Code != c.code || !strings.HasSuffix(list[0].Detail, c.where) {
			t.Errorf("%v, want %s %q for\n%s", list, c.code, c.where, c.spec)
			for _, d := range list {
				t.Log(d.Detail)
			}
		}
	}
}

// What was not judged, or was refused, is not fitted.
func TestFaultyInstancesAreNotGrounded(t *testing.T) {
	plan := accepted(t, withDefaults("rms over x of grid(1, 2) * |f(cat)|\nlearn svm(C = grid(1, 2))"), testOptions(nil))
	plan.checker.Grids[1].Values[1].Value = -2 // that of the invariance
	data := &ground.Data{Data: testData(2, []string{"animal", "cat", "dog"}, func() float64 { return 1 })}
	if _, err := plan.At([]int{1, 0}).Ground(t.Context(), data); err != nil {
		t.Error(err)
	}
	var list diag.List
	if _, err := plan.At([]int{0, 1}).Ground(t.Context(), data); !errors.As(err, &list) || list[0].Code != codes.NegativeFactor {
		t.Errorf("%v, want %s", err, codes.NegativeFactor)
	}
	if all := plan.Learners(plan.At([]int{0, 1})); len(all) != 0 {
		t.Errorf("%v learns from what is refused", all)
	}
	in := *plan.At(nil)
	in.Regularized = []*tree.Term{{Weight: 1, Inv: &tree.Invariance{Name: "lost"}}}
	if _, err := in.Ground(t.Context(), data); err == nil || !strings.Contains(err.Error(), "lost") {
		t.Errorf("an invariance is left out of R: %v", err)
	}
}

// A learner whose numbers are chosen is explained as the spec writes it, and one whose numbers are taken with them.
func TestGridsOfTheLearnerAreExplained(t *testing.T) {
	plan := accepted(t, "data { target price : real }\nkernel linear\nfeatures exact\nlearn ridge(lambda = grid(0.1, 10))\n", testOptions(nil))
	if got, at := plan.Explain().Learner, plan.At([]int{1}).Explain(nil).Learner; got != "ridge(lambda = grid(0.1, 10))" || at != "ridge(lambda = 10)" {
		t.Errorf("%s and %s", got, at)
	}
}
