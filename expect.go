package sipc

import (
	"math"
	"slices"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// expected compares a report with the expectations of the instance that it is about.
func expected(in *compiler.Instance, r *report.Report) []report.Expected {
	var out []report.Expected
	for _, e := range in.Expected(func(word, of string, train bool) (float64, string) { return reportedFigure(r, word, of, train) }) {
		out = append(out, report.Expected{Text: e.Text, Line: e.Place.Start.Line, Column: e.Place.Start.Column, Met: e.Met, Found: e.Found})
	}
	return out
}

// reportedFigure returns a metric of a report, or what it has of an invariance or measure. If there is no value, it says why.
func reportedFigure(r *report.Report, word, of string, train bool) (float64, string) {
	switch {
	case of == "":
		v, ok := r.Metrics.Figures.Get(word)
		if !ok {
			return 0, "this learner has no probabilities"
		}
		return finite(v, "it is undefined on these rows")
	case word == compiler.ViolationsWord:
		v, ok := r.Metrics.Violations.Get(of)
		if !ok {
			return 0, "decided labels cannot tell"
		}
		return finite(v, "it says nothing of these rows")
	}
	all := slices.Concat(r.Regularizer, r.Measures)
	k := slices.IndexFunc(all, func(s report.Summand) bool { return s.Name == of })
	switch {
	case k < 0 && r.Method == string(setting.Plain):
		return 0, "method plain leaves R out, and a measure alone would tell"
	case k < 0:
		return 0, "it was not measured"
	}
	if word == compiler.BrokenWord {
		return brokenShare(all[k].Broken, train)
	}
	return valueOf(&all[k], train)
}

// brokenShare returns the share of rows that break a statement.
func brokenShare(b *report.Broken, train bool) (float64, string) {
	switch {
	case b == nil:
		return 0, "there are no rows to count"
	case train:
		return finite(b.Train.Share(), "it is about no training row")
	case b.Test == nil:
		return 0, "no test row is counted: " + b.Untested
	}
	return b.Test.Share(), ""
}

// valueOf returns the value of an invariance by the training or the test rows.
func valueOf(s *report.Summand, train bool) (float64, string) {
	switch {
	case train && s.Unknown != "":
		return 0, s.Unknown
	case train:
		return finite(float64(s.Value), "it was not measured")
	case s.Test == nil:
		return 0, "it was not measured"
	case s.Test.Unknown != "":
		return 0, s.Test.Unknown
	}
	return finite(float64(s.Test.Value), "it was not measured")
}

// finite returns a number, or why there is none.
func finite(v float64, why string) (float64, string) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, why
	}
	return v, ""
}
