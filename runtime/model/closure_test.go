package model

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// Every label takes the largest score of the labels from which it can be reached, itself among them; circles do no harm.
func TestClosedScoresAreTheLargestBelow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 8).Draw(t, "labels")
		label := rapid.Int32Range(0, int32(m-1))
		rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) regularizer.Implication {
			return regularizer.Implication{If: label.Draw(t, "if"), Then: label.Draw(t, "then")}
		}), 0, 12).Draw(t, "rules")
		row := rapid.SliceOfN(rapid.Float64Range(-1, 1), m, m).Draw(t, "scores")
		reach := make([][]bool, m)
		for a := range reach {
			reach[a] = make([]bool, m)
			reach[a][a] = true
		}
		for range m {
			for _, r := range rules {
				for a := range reach {
					reach[a][r.Then] = reach[a][r.Then] || reach[a][r.If]
				}
			}
		}
		want := slices.Clone(row)
		for a := range m {
			for b := range m {
				if reach[a][b] {
					want[b] = max(want[b], row[a])
				}
			}
		}
		scores := mat.NewDense(1, m, slices.Clone(row))
		closeScores(scores, rules)
		if diff := cmp.Diff(want, scores.RawRowView(0)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestImplicationsAreReadOffTheFunctionals(t *testing.T) {
	b := &plugins.Block{}
	for y := range int32(3) {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{y}, Value: []float64{1}})
	}
	difference := func(row, a, c int32) {
		b.Term(2, row, plugins.Evaluation, a)
		b.Term(-2, row, plugins.Evaluation, c)
		b.End()
	}
	difference(0, 1, 0)
	difference(1, 1, 0) // the same at another row
	difference(0, 2, 1)
	b.Term(1, 0, plugins.Evaluation, 0) // an exclusion
	b.Term(1, 0, plugins.Evaluation, 2)
	b.End()
	b.Term(1, 0, plugins.Evaluation, 0) // two rows
	b.Term(-1, 1, plugins.Evaluation, 2)
	b.End()
	difference(0, 0, 2) // two-sided
	pos, abs := gauge.Leaf(gauge.Pos), gauge.Leaf(gauge.Abs)
	reg := &regularizer.Regularizer{Functionals: b, Invariances: []regularizer.Invariance{
		{Gauge: gauge.MaxOf(pos, pos), First: 0, Count: 2}, {Gauge: gauge.MaxOf(pos, pos, pos, abs), First: 2, Count: 4},
	}}
	if diff := cmp.Diff([]regularizer.Implication{{If: 1, Then: 0}, {If: 2, Then: 1}}, reg.Implications()); diff != "" {
		t.Error(diff)
	}
}
