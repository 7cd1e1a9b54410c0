package report

import (
	"math"
	"strings"
	"testing"
)

// A choice of auto beside weight 0, and what is said of it.
func TestBearing(t *testing.T) {
	of := func(own, bare []float64, chosen, best, least bool) *Grid {
		w := &Without{Score: 1, Chosen: chosen, Best: best, Least: least}
		w.Compare(own, bare, false)
		return &Grid{Metric: "rmse", Without: w}
	}
	for want, g := range map[string]*Grid{
		"":                    of([]float64{1, 2, 3}, []float64{2, 3, 4.1}, false, false, false),
		"auto takes weight 0": of([]float64{1, 2, 3}, []float64{1, 2, 3}, true, true, false),
		"weight 0 predicts as well in the folds as the choice":                           of([]float64{1, 2, 3}, []float64{1, 2, 3}, false, true, false),
		"no weight predicts better in the folds than 0, whose rmse is 0.13 less":         of([]float64{1.1, 2.3, 3}, []float64{1, 2, 3}, false, true, false),
		"no weight predicts better in the folds than 0, whose rmse is 0.13 more":         of([]float64{1, 2, 3}, []float64{1.1, 2.3, 3}, false, true, false),
		"Fold by fold the difference is beyond chance, ± 0.":                             of([]float64{1.1, 2.11, 3.1}, []float64{1, 2, 3}, false, true, false),
		"an auto takes its least weight above 0: the training rows bear next to nothing": of([]float64{1, 2, 3}, []float64{2, 3, 4.1}, false, false, true),
	} {
		got := strings.Join(g.Bearing(), "\n")
		if !strings.Contains(got, want) || (got == "") != (want == "") || strings.Contains(got, "beyond chance") != strings.Contains(want, "beyond chance") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var none *Grid
	if len(none.Bearing()) > 0 || len((&Grid{}).Bearing()) > 0 {
		t.Error("something is said of no choice")
	}
}

// R is idle up to the target, whatever its values, and where nothing is known it is not.
func TestIdleText(t *testing.T) {
	idle := func(gap float64, count int, all ...Summand) string {
		without := Number(gap)
		return (&Report{Certificate: &Certificate{Without: &without, Target: 1e-3, Count: count}, Regularizer: all}).IdleText()
	}
	one := Summand{Value: 0.5}
	for want, got := range map[string]string{
		"R is idle at this weight: without its multipliers the gap is 0.001, where 0.001 was asked for, so that f minimizes the risk without R as well; larger weights act": idle(1e-3, 1, one),
		"R is idle at these weights: without its multipliers the gap is 0.0005, where 0.001 was asked for, so that features are their own embeddings; larger weights act":   idle(5e-4, 9, one, one),
		"R is idle at this weight: without its multipliers the gap is 0, where 0.001 was asked for, so that f minimizes the risk without R as well; f obeys what is declared without it": idle(
			0, 1, Summand{Value: 0.5, Broken: &Broken{}}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, gap := range []float64{1.001e-3, 1, math.Inf(1), math.NaN()} {
		if got := idle(gap, 1, one); got != "" {
			t.Errorf("a gap of %g: %q", gap, got)
		}
	}
	if got := (&Report{Certificate: &Certificate{Target: 1e-3}}).IdleText() + (&Report{}).IdleText(); got != "" {
		t.Errorf("of nothing known: %q", got)
	}
}
