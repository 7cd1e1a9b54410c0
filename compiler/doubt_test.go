package compiler

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A statement about rows' own labels is warned of, however rows are moved. What the warning says to write for all labels in turn has no warning, and is
// what its fix makes.
func TestOwnLabelsAreMendedToAll(t *testing.T) {
	for _, target := range []string{"digit : class", "cat, dog, animal : multilabel"} {
		for body, want := range map[string]string{
			"rms over x of max over t in {move(area, 1), move(age, 2)} of |f(t(x)) - f(x)|":    "rms over x of max over t in {move(area, 1), move(age, 2)} of max over c in labels of |f(t(x), c) - f(x, c)|",
			"rms over x, t in {rotate(15deg), shift(dx = 2)} of |f(t(x)) - f|":                 "rms over x, t in {rotate(15deg), shift(dx = 2)} of norm(2) over c in labels of |f(t(x), c) - f(c)|",
			"rms over x of rms over t in orbit {rotate([-15deg, 15deg])} of |f(t(x)) - f(x)|":  "rms over x of rms over t in orbit {rotate([-15deg, 15deg])} of norm(2) over c in labels of |f(t(x), c) - f(x, c)|",
			"rms over x of max over t in orbit {move(area, [-1, 1])} of 2 * |f(t(x)) - f(x)|":  "rms over x of max over t in orbit {move(area, [-1, 1])} of 2 * max over c in labels of |f(t(x), c) - f(x, c)|",
			"rms over x of |f(put(age, 3)(x)) - f(x)|":                                         "rms over x of norm(2) over c in labels of |f(put(age, 3)(x), c) - f(x, c)|",
			"rms over x, t in {rotate(15deg)} of |d/dt f|":                                     "rms over x, t in {rotate(15deg)} of norm(2) over c in labels of |d/dt f(c)|",
			"max over x, c in {move(area, 1)} of |f(c(x)) - f(x)|":                             "max over x, c in {move(area, 1)} of max over label in labels of |f(c(x), label) - f(x, label)|",
			"rms over x of |d/d(age) f(x)|":                                                    "rms over x of norm(2) over c in labels of |d/d(age) f(x, c)|",
			"rms over x of max over t in {move(area, 1)} of pos(f(t(x)) - f(x))":               "",
			"rms over x of max over t in {move(area, 1)} of still(t, x)":                       "",
			"rms over x of max over t in {move(area, 1)} of |f(t(x), animal) - f(x, animal)|":  "none",
			"rms over x, c in labels, t in {move(area, 1)} of |f(t(x), c) - f(x, c)|":          "none",
			"rms over x of max over t in {move(area, 1)} of hypot(|f(t(x)) - f(x)|, |f(cat)|)": "rms over x of max over t in {move(area, 1)} of hypot(max over c in labels of |f(t(x), c) - f(x, c)|, |f(cat)|)",
		} {
			src := "data { target " + target + " }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\n" +
				"def still(t, z) = |f(t(z)) - f(z)|\ninvariance i = " + body + "\nregularize 1 * i\nlearn softmax\n"
			var warning *diag.Diagnostic
			for _, d := range all(t, src) {
				if d.Code == codes.OwnLabel {
					warning = d
				}
			}
			switch {
			case (warning == nil) != (want == "none"):
				t.Errorf("%s: %s: warned %v", target, body, warning)
			case warning == nil:
			case want == "":
				if len(warning.Fixes) > 0 {
					t.Errorf("%s: %s", body, warning.Mend)
				}
			case !strings.HasSuffix(warning.Mend, " For all in turn write "+want+".") || len(warning.Fixes) != 1:
				t.Errorf("%s: %s: %s", target, body, warning.Mend)
			default:
				mended, err := warning.Fixes[0].Apply(warning.Subject.File, []byte(src))
				if err != nil || !strings.Contains(string(mended), "= "+want+"\n") {
					t.Errorf("%s: %s\n%v", body, mended, err)
				}
				for _, d := range all(t, string(mended)) {
					if d.Code == codes.OwnLabel || d.Severity == diag.Error {
						t.Errorf("%s: %v", want, d)
					}
				}
			}
		}
	}
}
