package model

import (
	"errors"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// A Closing says how scores and probabilities keep the implications of a model.
type Closing uint8

// The closings.
const (
	// Alone is that of scores which every label has by itself.
	Alone Closing = iota
	// Lent is that of `decode closure`: a label takes the largest score of those that imply it.
	Lent
	// Met is that of log odds, which meet half way where they contradict each other.
	Met
	// Agreed is that of scores which have to stay f, as statements speak of them. Probabilities alone keep the implications, as far as decisions do.
	Agreed
)

// ClosingOf returns how the scores and probabilities of a model keep its implications.
func ClosingOf(m *Model) Closing {
	return closing(m.Fit, m.Closure, m.Declared, len(m.Requirements) > 0)
}

// closing returns how the scores of a fit keep rules. Required says that statements speak of these scores.
func closing(fit *learn.Fit, rules []regularizer.Implication, declared, required bool) Closing {
	switch {
	case len(rules) == 0:
		return Alone
	case fit.Odds:
		return Met
	case !declared:
		return Lent
	case !fit.Probabilistic():
		return Alone
	case required:
		return Agreed
	}
	return Met
}

// lent returns the rules under which labels take scores of others; nil means that none do.
func lent(m *Model) []regularizer.Implication {
	if m.Declared {
		return nil
	}
	return m.Closure
}

// settle closes scores by rules.
func settle(c Closing, scores *mat.Dense, rules []regularizer.Implication) {
	switch c {
	case Lent:
		closeScores(scores, rules)
	case Met:
		meetScores(scores, rules)
	case Alone, Agreed:
	}
}

// Probabilities returns those of scores (n×m, as Scores returns them): of classes, or of each label alone. Nil means that the learner gives none.
// They agree with decisions. A label has more than ½ exactly where its score is positive, and no label has more than one that it implies. Where
// scores stay f, decisions may contradict an implication. Then the labels on it have ½.
func Probabilities(m *Model, scores *mat.Dense) *mat.Dense {
	odds := m.Fit.LogOdds(scores)
	if odds == nil {
		return nil
	}
	if ClosingOf(m) == Agreed {
		agreeScores(odds, m.Closure)
	}
	p := m.Fit.FromLogOdds(odds)
	closeScores(p, m.Closure) // of neighbouring numbers, exponentials may round the other way round
	return p
}

// closeScores gives every label the largest score of its own and those that imply it, directly or through others.
// Then no threshold decides for a label and against one that it implies. Rules come in any order and may go round
// in circles. Scores only rise, and to scores of the same row, so that it ends.
func closeScores(scores *mat.Dense, rules []regularizer.Implication) {
	n, m := scores.Dims()
	rules = bottomUp(rules, m)
	for i := range n {
		row := scores.RawRowView(i)
		for changed := true; changed; {
			changed = false
			for _, r := range rules {
				if row[r.If] > row[r.Then] {
					row[r.Then], changed = row[r.If], true
				}
			}
		}
	}
}

// meetScores gives every label the mean of two scores. One is the largest of its own and of those that imply it. The other is the least of its own and of
// those that it implies. Then no label exceeds one that it implies either. No scores that keep the rules are nearer, if the label counts that moves most
// (Ubhaya 1974). Signs that contradict no rule stay.
func meetScores(scores *mat.Dense, rules []regularizer.Implication) {
	least := leastScores(scores, rules)
	closeScores(scores, rules)
	scores.Add(scores, least)
	scores.Scale(0.5, scores)
}

// agreeScores does what meetScores does, without a change of signs. Labels whose signs contradict a rule get 0.
func agreeScores(scores *mat.Dense, rules []regularizer.Implication) {
	least := leastScores(scores, rules)
	closeScores(scores, rules)
	scores.Apply(func(i, y int, most float64) float64 {
		if low := least.At(i, y); most <= 0 || low > 0 {
			return 0.5 * (most + low)
		}
		return 0
	}, scores)
}

// leastScores returns for every label the least score of its own and of those that it implies.
func leastScores(scores *mat.Dense, rules []regularizer.Implication) *mat.Dense {
	least := mat.DenseCopyOf(scores)
	least.Scale(-1, least)
	closeScores(least, reversed(rules))
	least.Scale(-1, least)
	return least
}

// reversed returns rules the other way round.
func reversed(rules []regularizer.Implication) []regularizer.Implication {
	out := make([]regularizer.Implication, len(rules))
	for k, r := range rules {
		out[k] = regularizer.Implication{If: r.Then, Then: r.If}
	}
	return out
}

// bottomUp orders rules so that, without circles, one pass is enough: those of a label that many steps lead up to
// come late.
func bottomUp(rules []regularizer.Implication, m int) []regularizer.Implication {
	height := make([]int, m)
	for range m {
		changed := false
		for _, r := range rules {
			if height[r.Then] <= height[r.If] && height[r.If] < m {
				height[r.Then], changed = height[r.If]+1, true
			}
		}
		if !changed {
			break
		}
	}
	rules = slices.Clone(rules)
	sort.SliceStable(rules, func(i, j int) bool { return height[rules[i].If] < height[rules[j].If] })
	return rules
}

// checkImplications refuses implications between labels that are not among the m.
func checkImplications(rules []regularizer.Implication, m int) error {
	for _, r := range rules {
		if min(r.If, r.Then) < 0 || int(max(r.If, r.Then)) >= m {
			return errors.New("the model has an implication between labels that it does not have")
		}
	}
	return nil
}
