package compiler

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl"
)

const methodHead = `
data { target animal, cat, dog : multilabel }
kernel gaussian(width = median)
features nystrom(landmarks = all)
invariance close = rms over x of |f(cat) - f(dog)|
invariance kinds = rms over x of implies(cat, animal)
invariance apart = rms over x of excludes(cat, dog)
`

// The method follows from what is proved of R, for every choice of the grids alike, and it is said why.
func TestMethodFollowsFromTheProof(t *testing.T) {
	for rest, want := range map[string]string{
		"regularize close":               "embed: every invariance is a seminorm",
		"regularize 0":                   "plain: there is no invariance",
		"regularize 0 * kinds":           "embed: there is no invariance",
		"regularize close, 0 * kinds":    "embed: every invariance is a seminorm",
		"regularize close, kinds":        "risk: kinds is one-sided",
		"":                               "risk: kinds and apart are one-sided",
		"regularize grid(0, 1) * kinds":  "risk: kinds is one-sided",
		"regularize close\nmethod plain": "plain: the spec names it",
		"regularize kinds\nmethod embed": "embed: the spec names it",
		"regularize kinds\nmethod risk":  "risk: the spec names it",
		"regularize close, grid(1, 2) * apart\nmethod embed": "embed: the spec names it",
	} {
		file, list := dsl.Parse("test.inv", []byte(methodHead+rest))
		if list.HasErrors() {
			t.Fatal(list)
		}
		plan, list := Check(t.Context(), file, testOptions(nil))
		if plan == nil {
			t.Fatalf("%s: %v", rest, list)
		}
		for _, choice := range [][]int{nil, {0}, {1}} {
			if len(choice) > 0 && len(plan.Grid) == 0 {
				continue
			}
			in := plan.At(choice)
			if got := string(in.Method) + ": " + in.Reason; got != want {
				t.Errorf("%q at %v has method %s, want %s", rest, choice, got, want)
			}
			explained := in.Explain(nil)
			if explained.Method+": "+explained.Reason != want {
				t.Errorf("%q: explain says %s: %s", rest, explained.Method, explained.Reason)
			}
		}
		warned := false
		for _, d := range list {
			warned = warned || d.Code == codes.EmbedOneSided && strings.Contains(d.Mend, "method risk")
		}
		if oneSided := strings.Contains(rest, "method embed"); warned != oneSided {
			t.Errorf("%q: warned of embed: %v, %v", rest, warned, list)
		}
	}
}
