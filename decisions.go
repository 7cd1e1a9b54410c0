package sipc

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// muchBroken is the share of test rows from above which a run warns that their decided labels break implications.
const muchBroken = 0.01

// decisionDoubts warns of implications that decided labels break under method embed, each invariance where it is declared. R bounds ι(x, y)
// there, and what decides is ⟨W, ι(x, y)⟩. Of a one-sided R, a small value for every representation says nothing about the score, and
// more weight may break it more often. Under method risk R bounds the score itself.
func (f *findings) decisionDoubts() (out diag.List) {
	if f.method != setting.Embed || f.instance.Decode == setting.Closure || f.instance.LearnsSets() || f.rows.Test.Task != setting.Multilabel {
		return nil
	}
	decided := learn.Decide(setting.Multilabel, f.scores).Multi
	places := declared(f.instance)
	for k := range f.fitting.Regularizer.Invariances {
		broken, worst := brokenBy(decided, f.fitting.Regularizer.ImplicationsOf(k))
		n := f.rows.Test.Len()
		if float64(broken) <= muchBroken*float64(n) {
			continue
		}
		name, labels := f.fitting.Regularizer.Invariances[k].Name, f.rows.Train.LabelNames
		out.Add(&diag.Diagnostic{
			Code: codes.DecisionsBreak, Severity: diag.Warning, Subject: places[name],
			Summary: fmt.Sprintf("the labels decided for %d of %d test rows break %s", broken, n, name),
			Detail: fmt.Sprintf("Most often: %s without %s. Under method embed R bounds representations, and not the score that decides; "+
				"more weight may break it more often.", labels[worst.If], labels[worst.Then]),
			Mend: "Write method risk, whose R bounds the function that decides, or decode closure, after which no implication is broken.",
		})
	}
	return out
}

// brokenBy counts the rows that break an implication, and finds the one that most rows break.
func brokenBy(decided *mat.Dense, rules []regularizer.Implication) (rows int, worst regularizer.Implication) {
	n, _ := decided.Dims()
	counts := make([]int, len(rules))
	for i := range n {
		row, whole := decided.RawRowView(i), true
		for k, rule := range rules {
			if row[rule.If] > row[rule.Then] {
				counts[k]++
				whole = false
			}
		}
		if !whole {
			rows++
		}
	}
	most := 0
	for k, c := range counts {
		if c > most {
			most, worst = c, rules[k]
		}
	}
	return rows, worst
}
