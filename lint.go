package sipc

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/truth"
)

// labelsOf returns a set's targets as scores of a perfect f.
func labelsOf(s *dataset.Set) truth.Labels {
	n := s.Len()
	switch s.Task {
	case setting.Counts:
		return truth.Labels{ID: s.ID, Scores: logRates(s.Real), Numbers: true}
	case setting.Real:
		return truth.Labels{ID: s.ID, Scores: mat.NewDense(n, 1, append([]float64(nil), s.Real...)), Numbers: true}
	case setting.Quantiles: // all of one number are the number itself
		scores := mat.NewDense(n, len(s.LabelNames), nil)
		scores.Apply(func(i, _ int, _ float64) float64 { return s.Real[i] }, scores)
		return truth.Labels{ID: s.ID, Scores: scores, Numbers: true}
	case setting.Binary:
		return truth.Labels{ID: s.ID, Scores: mat.NewDense(n, 1, s.Signs())}
	case setting.Class, setting.Multilabel:
	}
	m := len(s.LabelNames)
	scores := mat.NewDense(n, m, nil)
	for i := range n {
		row := scores.RawRowView(i)
		for c := range row {
			has := s.Task == setting.Class && s.Class[i] == c || s.Task == setting.Multilabel && s.Multi.At(i, c) > 0
			row[c] = -1
			if has {
				row[c] = 1
			}
		}
	}
	return truth.Labels{ID: s.ID, Scores: scores}
}

// logRates returns the scores of an f that is nearest to counts: their logarithms. A count of 0 has none, and stands for a half.
func logRates(counts []float64) *mat.Dense {
	out := mat.NewDense(len(counts), 1, nil)
	for i, v := range counts {
		out.Set(i, 0, math.Log(math.Max(v, 0.5)))
	}
	return out
}

// doubts warns of invariances that the labels break often, each where the spec declares it.
func doubts(lints []report.Lint, in *compiler.Instance, reg *regularizer.Regularizer) diag.List {
	if in.LearnsSets() { // f at a label is what it adds to a set, and no score that could be true of it
		return notScores(in, reg)
	}
	places := declared(in)
	var out diag.List
	for i := range lints {
		l := &lints[i]
		if !l.Doubtful {
			continue
		}
		out.Add(&diag.Diagnostic{
			Code: codes.NotTrue, Severity: diag.Warning, Subject: places[l.Name],
			Summary: fmt.Sprintf("the labels themselves break %s: %s", l.Name, l.Summary()),
			Detail:  l.Worst(3), Mend: mendFalse(l),
		})
	}
	return out
}

// asChance is the share of what shuffled labels break from which on an invariance that compares rows says nothing of the labels.
const asChance = 0.9

// mendFalse returns what to do about an invariance that the labels break. One comparison of groups is more often a demand than a fact. That
// neighbours are alike is true of most of them at best, and helps all the same where chance breaks it more often.
func mendFalse(l *report.Lint) string {
	switch {
	case l.Single():
		return "Keep it if it is a demand, as parity is where the labels are unfair; if it is meant as a fact, leave it out, or give it less weight."
	case l.Chance != nil && float64(l.Share) < asChance*float64(*l.Chance):
		return fmt.Sprintf("It holds more often than by chance, and may help prediction. regularize auto * %s chooses its weight, 0 among them, and --baseline plain shows what it brings.", l.Name)
	case l.Chance != nil:
		often := "about as often"
		if asChance*float64(l.Share) > float64(*l.Chance) {
			often = "less often"
		}
		return fmt.Sprintf("Leave it out if it is meant as a fact: shuffled labels break it %s. Keep it if it is a demand, as parity is where the labels are unfair.", often)
	}
	return "Leave out what is not true, or give it less weight."
}

// notScores warns of implications in R where label sets are learnt.
func notScores(in *compiler.Instance, reg *regularizer.Regularizer) diag.List {
	places := declared(in)
	var out diag.List
	for k := range reg.Invariances {
		name := reg.Invariances[k].Name
		if len(reg.ImplicationsOf(k)) == 0 {
			continue
		}
		out.Add(&diag.Diagnostic{
			Code: codes.NoScores, Severity: diag.Warning, Subject: places[name],
			Summary: fmt.Sprintf("%s compares what labels add to their sets, and not their scores", name),
			Detail: "On labels softmax learns the sets that training rows have, and f of a set is the sum of f over its labels. Implications that all " +
				"training rows keep, decisions keep without R.",
			Mend: "Leave it out, or write learn svm or learn logistic, whose f at a label is its score.",
		})
	}
	return out
}

// declared returns where a spec declares each invariance.
func declared(in *compiler.Instance) map[string]diag.Span {
	places := map[string]diag.Span{}
	for _, inv := range in.Explain(nil).Invariances {
		places[inv.Name] = inv.Place
	}
	return places
}
