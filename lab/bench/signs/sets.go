package signs

import (
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/lab/bench"
)

// A Set is a table of which signs of columns are known, and the parts of its spec.
type Set struct {
	Name         string
	Target       string
	Positive     string // the class that f speaks of; empty for a number
	Ignore       []string
	Together     string    // a column whose equal values are on one side of a split; it is ignored then
	Gaps         []float64 // codes that are no numbers
	Rises, Falls []string
	data         string // items of the data block
	pairs        string // the kernel of pairs
	landmarks    string
	lambdas      string
	large        bool // statements are not in force where lambda is chosen
}

// Sets are the tables that the command knows.
var Sets = []Set{
	{
		Name: "auto-mpg", Target: "mpg", Ignore: []string{"car name"},
		Rises: []string{"model year"}, Falls: []string{"weight", "displacement", "horsepower"},
		data: "target mpg : real\n    missing mean", pairs: "pairwise(gaussian(width = 2))", landmarks: "rows", lambdas: "0.003, 0.01, 0.03, 0.1, 0.3, 1",
	},
	{
		Name: "diabetes", Target: "progression", Rises: []string{"bmi", "bp", "s5"},
		data: "target progression : real", pairs: "pairwise(gaussian(width = 2))", landmarks: "rows", lambdas: "0.1, 0.3, 1, 3, 10, 30",
	},
	{
		Name: "heloc", Target: "RiskPerformance", Positive: "Good", Gaps: []float64{-7, -8, -9},
		Rises: []string{"ExternalRiskEstimate", "MSinceOldestTradeOpen", "MSinceMostRecentTradeOpen", "AverageMInFile", "NumSatisfactoryTrades", "PercentTradesNeverDelq", "MSinceMostRecentDelq"},
		Falls: []string{"NumTrades60Ever2DerogPubRec", "NumTrades90Ever2DerogPubRec", "NumTradesOpeninLast12M", "NumInqLast6M", "NetFractionRevolvingBurden", "NetFractionInstallBurden"},
		data:  "target RiskPerformance : binary(Bad, Good)\n    gaps -7, -8, -9\n    missing mask", pairs: "pairwise(gaussian(width = 2))", landmarks: "800", lambdas: "3, 10, 30", large: true,
	},
	{
		Name: "seoul-bike", Target: "Rented Bike Count", Together: "Date", Falls: []string{"Rainfall(mm)", "Snowfall (cm)"},
		data: `target "Rented Bike Count" : real`, pairs: "pairwise(gaussian(width = 2), Hour = periodic(period = 24, width = 0.3))", landmarks: "800", lambdas: "0.001, 0.003, 0.01, 0.03, 0.1", large: true,
	},
}

// widths are those of which the kernel of whole rows may choose.
const widths = "2, 4, 8"

// Named returns the set of a name.
func Named(name string) (*Set, error) {
	return bench.Named(Sets, func(s *Set) string { return s.Name }, name)
}

// The fits of a set. Pairs are fitted without its signs, with them likely at the training rows, and with them proved on the whole box. Whole rows
// are fitted without.
const (
	Free     = "free"
	Soft     = "soft"
	Proved   = "proved"
	Gaussian = "gaussian"
)

// Fits are all of them.
var Fits = []string{Free, Soft, Proved, Gaussian}

// text returns the spec of a fit with a learner.
func (s *Set) text(fit, learner string) string {
	kernel := s.pairs
	if fit == Gaussian {
		kernel = "gaussian(width = grid(" + widths + "))"
	}
	b := strings.Builder{}
	fmt.Fprintf(&b, "data {\n    %s\n    standardize\n}\nkernel   %s\nfeatures nystrom(landmarks = %s)\nlearn    %s\n", s.data, kernel, s.landmarks, learner)
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
	default:
		b.WriteString("method risk\n")
	}
	return b.String()
}

// learner returns the learner, with what is to be chosen.
func (s *Set) learner() string { return "ridge(lambda = grid(" + s.lambdas + "))" }

// quoted returns names as a spec lists them.
func quoted(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%q", n))
	}
	return strings.Join(out, ", ")
}
