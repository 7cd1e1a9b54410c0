package model

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// An Implication says that label If implies label Then.
type Implication struct{ If, Then int32 }

// Implications are those that a regularizer's one-sided functionals f(x, a) − f(x, b) are about, each once, in the order in
// which they come.
func Implications(reg *regularizer.Regularizer) []Implication {
	var out []Implication
	seen := map[Implication]bool{}
	for k := range reg.Invariances {
		at := reg.Invariances[k].First
		reg.Invariances[k].Gauge.Leaves(func(op gauge.Op) {
			if i, ok := implication(reg.Functionals, at); ok && op == gauge.Pos && !seen[i] {
				seen[i] = true
				out = append(out, i)
			}
			at++
		})
	}
	return out
}

// implication reads a functional as c·(f(x, a) − f(x, b)), c > 0.
func implication(b *plugins.Block, functional int) (i Implication, ok bool) {
	first, last := b.Start[functional], b.Start[functional+1]
	if last-first != 2 || b.Point[first] != b.Point[first+1] {
		return i, false
	}
	sum := 0.0
	for k := first; k < last; k++ {
		if b.Tangent[k] != plugins.Evaluation || b.Label[k] == plugins.NoLabel {
			return i, false
		}
		y := b.Labels[b.Label[k]]
		if len(y.Index) != 1 {
			return i, false
		}
		value := b.Coef[k] * y.Value[0]
		if sum += value; value > 0 {
			i.If = y.Index[0]
		} else {
			i.Then = y.Index[0]
		}
	}
	return i, sum == 0 && i.If != i.Then
}

// checkImplications refuses implications between labels that are not among the m.
func checkImplications(rules []Implication, m int) error {
	for _, r := range rules {
		if min(r.If, r.Then) < 0 || int(max(r.If, r.Then)) >= m {
			return errors.New("the model has an implication between labels that it does not have")
		}
	}
	return nil
}

// closeScores gives every label the largest score of its own and those that imply it, directly or through others. Rules come
// in any order and may go round in circles.
func closeScores(scores *mat.Dense, rules []Implication) {
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

// bottomUp orders rules so that, without circles, one pass is enough: those of a label that many steps lead up to come late.
func bottomUp(rules []Implication, m int) []Implication {
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
	slices.SortStableFunc(rules, func(a, b Implication) int { return height[a.If] - height[b.If] })
	return rules
}
