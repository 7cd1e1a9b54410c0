package learn_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Each fold in time is later than all that it is predicted from, and what is predicted from grows. Folds cover the later half, but for rows of the
// times that begin before it.
func TestFoldsInTimeFollowEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(2, 40).Draw(t, "n"), rapid.IntRange(2, 6).Draw(t, "k")
		targets := &learn.Targets{Task: setting.Real, Real: make([]float64, n), Time: make([]float64, n)}
		for i := range n {
			targets.Time[i] = float64(rapid.IntRange(0, 12).Draw(t, "time"))
			targets.Real[i] = float64(i)
		}
		folds, err := learn.Folds(targets, k, 7)
		last, earlier := slices.Max(targets.Time), 0
		for _, at := range targets.Time {
			if at < last {
				earlier++
			}
		}
		if earlier < 2 {
			if !errors.Is(err, learn.ErrNotLater) {
				t.Fatalf("%d rows earlier than the last time have the folds %v", earlier, folds)
			}
			return
		}
		if err != nil || len(folds) > k {
			t.Fatalf("%v, %v", folds, err)
		}
		held, before := 0, 0
		for _, fold := range folds {
			rest := targets.Rest(fold)
			if len(fold) == 0 || len(rest) <= before || !slices.IsSorted(fold) || !slices.IsSorted(rest) {
				t.Fatalf("%v is predicted from %v", fold, rest)
			}
			if held > 0 && len(rest) != before+held {
				t.Fatalf("%v is predicted from %d rows, before %d and %d", fold, len(rest), before, held)
			}
			for _, i := range rest {
				for _, j := range fold {
					if targets.Time[i] >= targets.Time[j] {
						t.Fatalf("row %d of %v is predicted from row %d of %v", j, targets.Time[j], i, targets.Time[i])
					}
				}
			}
			before, held = len(rest), len(fold)
		}
		if before+held != n {
			t.Fatalf("the folds end with %d of %d rows", before+held, n)
		}
	})
}

// Folds begin where earlier rows are of two classes.
func TestFoldsInTimeTellClasses(t *testing.T) {
	targets := &learn.Targets{Task: setting.Binary}
	for i := range 20 {
		targets.Time = append(targets.Time, float64(i))
		class := 0
		if i >= 13 {
			class = 1
		}
		targets.Class = append(targets.Class, class)
	}
	folds, err := learn.Folds(targets, 5, 0)
	if err != nil || len(folds) != 3 || folds[0][0] != 14 {
		t.Errorf("%v, %v", folds, err)
	}
	for i := range targets.Class {
		targets.Class[i] = i / 19
	}
	if _, err := learn.Folds(targets, 5, 0); !errors.Is(err, learn.ErrNotLater) {
		t.Errorf("one class before the last row: %v", err)
	}
}
