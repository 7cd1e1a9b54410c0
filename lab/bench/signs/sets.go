package signs

import (
	"fmt"
	"slices"
	"strings"
)

// A Set is a table of which signs of columns are known, and the part of its spec that all fits share.
type Set struct {
	Name         string
	Target       string
	Positive     string // the class that f speaks of; empty for a number
	Ignore       []string
	Gaps         []float64 // codes that are no numbers
	Rises, Falls []string
	spec         string
}

// Sets are the tables that the command knows.
var Sets = []Set{
	{
		Name: "auto-mpg", Target: "mpg", Ignore: []string{"car name"},
		Rises: []string{"model year"}, Falls: []string{"weight", "displacement", "horsepower"},
		spec: `data {
    target mpg : real
    missing mean
    standardize
}
kernel   pairwise(gaussian(width = 2))
features nystrom(landmarks = rows)
learn    ridge(lambda = grid(0.003, 0.01, 0.03, 0.1, 0.3, 1))
`,
	},
	{
		Name: "diabetes", Target: "progression", Rises: []string{"bmi", "bp", "s5"},
		spec: `data {
    target progression : real
    standardize
}
kernel   pairwise(gaussian(width = 2))
features nystrom(landmarks = rows)
learn    ridge(lambda = grid(0.1, 0.3, 1, 3, 10, 30))
`,
	},
	{
		Name: "heloc", Target: "RiskPerformance", Positive: "Good", Gaps: []float64{-7, -8, -9},
		Rises: []string{"ExternalRiskEstimate", "MSinceOldestTradeOpen", "MSinceMostRecentTradeOpen", "AverageMInFile", "NumSatisfactoryTrades", "PercentTradesNeverDelq", "MSinceMostRecentDelq"},
		Falls: []string{"NumTrades60Ever2DerogPubRec", "NumTrades90Ever2DerogPubRec", "NumTradesOpeninLast12M", "NumInqLast6M", "NetFractionRevolvingBurden", "NetFractionInstallBurden"},
		spec: `data {
    target RiskPerformance : binary(Bad, Good)
    gaps -7, -8, -9
    missing mask
    standardize
}
kernel   pairwise(gaussian(width = 2))
features nystrom(landmarks = 800)
learn    ridge(lambda = 10)
`,
	},
}

// Named returns the set of a name.
func Named(name string) (*Set, error) {
	i := slices.IndexFunc(Sets, func(s Set) bool { return s.Name == name })
	if i < 0 {
		var all []string
		for _, s := range Sets {
			all = append(all, s.Name)
		}
		return nil, fmt.Errorf("no set is called %q; there are %s", name, strings.Join(all, ", "))
	}
	return &Sets[i], nil
}

// The fits of a set: without its signs, with them likely at the training rows, and proved on the whole box.
const (
	Free   = "free"
	Soft   = "soft"
	Proved = "proved"
)

// text returns the spec of a fit.
func (s *Set) text(fit string) string {
	b := strings.Builder{}
	b.WriteString(s.spec)
	switch fit {
	case Soft:
		var parts []string
		if len(s.Rises) > 0 {
			parts = append(parts, fmt.Sprintf("max over c in columns(%s) of pos(-d/d(c) f)", quoted(s.Rises)))
		}
		if len(s.Falls) > 0 {
			parts = append(parts, fmt.Sprintf("max over c in columns(%s) of pos(d/d(c) f)", quoted(s.Falls)))
		}
		fmt.Fprintf(&b, "invariance signs = rms over x of (%s)\nmethod risk\nregularize auto * signs\n", strings.Join(parts, " + "))
	case Proved:
		if len(s.Rises) > 0 {
			fmt.Fprintf(&b, "require rises = d/d(c) f >= 0 over x in box, c in columns(%s)\n", quoted(s.Rises))
		}
		if len(s.Falls) > 0 {
			fmt.Fprintf(&b, "require falls = d/d(c) f <= 0 over x in box, c in columns(%s)\n", quoted(s.Falls))
		}
	case Free:
		b.WriteString("method risk\n")
	}
	return b.String()
}

// quoted returns names as a spec lists them.
func quoted(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%q", n))
	}
	return strings.Join(out, ", ")
}
