package learn

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestNewSets(t *testing.T) {
	multi := mat.NewDense(5, 3, []float64{1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0})
	sets, of := NewSets(multi, nil)
	want := &Sets{Labels: 3, Each: [][]int32{{0, 2}, nil, {0, 1, 2}}}
	if d := cmp.Diff(want, sets); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{0, 1, 0, 2, 1}, of); d != "" {
		t.Error(d)
	}
	sets, of = NewSets(multi, []bool{false, true, false, true, true})
	if d := cmp.Diff(&Sets{Labels: 3, Each: [][]int32{nil, {0, 1, 2}}}, sets); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{-1, 0, -1, 1, 0}, of); d != "" {
		t.Error(d)
	}
}

// drawSets draws sets on paths 0 → 1 → 2 and 0 → 3, and one without labels.
func drawSets(t *rapid.T) *Sets {
	all := [][]int32{{0}, {0, 1}, {0, 1, 2}, {0, 3}, nil}
	s := &Sets{Labels: 4}
	for _, labels := range all {
		if rapid.Bool().Draw(t, "in") {
			s.Each = append(s.Each, labels)
		}
	}
	if len(s.Each) == 0 {
		s.Each = all
	}
	return s
}

// Labels are as likely as the sets with them, so that decisions keep what every set keeps: 2 ⇒ 1 ⇒ 0, 3 ⇒ 0, and not 1 and 3.
func TestLogOdds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSets(t)
		scores := rapid.SliceOfN(rapid.Float64Range(-50, 50), 4, 4).Draw(t, "scores")
		got := mat.NewDense(1, 4, append([]float64(nil), scores...))
		s.LogOdds(got)
		var total float64
		want := make([]float64, 4)
		for _, labels := range s.Each {
			var sum float64
			for _, y := range labels {
				sum += scores[y]
			}
			e := math.Exp(sum)
			total += e
			for _, y := range labels {
				want[y] += e
			}
		}
		for y, v := range want {
			if p := sigmoid(got.At(0, y)); math.Abs(p-v/total) > 1e-9 {
				t.Fatalf("label %d has probability %v, want %v", y, p, v/total)
			}
			if math.IsNaN(got.At(0, y)) || math.IsInf(got.At(0, y), 0) {
				t.Fatalf("label %d has log odds %v", y, got.At(0, y))
			}
		}
		for _, rule := range [][2]int{{2, 1}, {1, 0}, {3, 0}} {
			if got.At(0, rule[0]) > got.At(0, rule[1])+1e-9 {
				t.Fatalf("log odds %v: %d is likelier than %d", mat.Formatted(got), rule[0], rule[1])
			}
		}
		if got.At(0, 1) > 0 && got.At(0, 3) > 0 {
			t.Fatalf("log odds %v: both 1 and 3", mat.Formatted(got))
		}
	})
}
