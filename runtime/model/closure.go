package model

import (
	"errors"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/regularizer"
)

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
// those that it implies. Then no label exceeds one that it implies either. Where calibrated labels contradict each other a little, neither of both gives way alone.
func meetScores(scores *mat.Dense, rules []regularizer.Implication) {
	if len(rules) == 0 {
		return
	}
	least := mat.DenseCopyOf(scores)
	least.Scale(-1, least)
	closeScores(least, reversed(rules))
	closeScores(scores, rules)
	scores.Sub(scores, least)
	scores.Scale(0.5, scores)
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
