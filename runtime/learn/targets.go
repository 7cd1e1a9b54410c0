package learn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// Targets are those of n examples, which learners predict. Task says which field is set.
type Targets struct {
	Task setting.Task
	// Class has one class for each example, 0 or 1 for Binary.
	Class []int
	// Real has one number for each example, for Real, Counts and Quantiles.
	Real []float64
	// Levels are those of Quantiles, one for each label.
	Levels []float64
	// Multi is n×m, 0 or 1, for Multilabel.
	Multi *mat.Dense
	// Weight has a positive number for each example, which counts as so many equal ones; nil means ones.
	Weight []float64
	// Time has a number for each example that rises with time: folds then follow each other. Nil means that they are drawn.
	Time []float64
}

// Len returns n.
func (t *Targets) Len() int {
	switch t.Task {
	case setting.Real, setting.Counts, setting.Quantiles:
		return len(t.Real)
	case setting.Multilabel:
		n, _ := t.Multi.Dims()
		return n
	case setting.Binary, setting.Class:
	}
	return len(t.Class)
}

// Of returns the weight of an example.
func (t *Targets) Of(example int) float64 {
	if t.Weight == nil {
		return 1
	}
	return t.Weight[example]
}

// Total returns the sum of the examples' weights.
func (t *Targets) Total() float64 {
	if t.Weight == nil {
		return float64(t.Len())
	}
	var sum float64
	for _, w := range t.Weight {
		sum += w
	}
	return sum
}

// Subset returns the targets of some of the examples, in the order given.
func (t *Targets) Subset(examples []int) *Targets {
	s := &Targets{Task: t.Task, Levels: t.Levels}
	for _, i := range examples {
		if t.Weight != nil {
			s.Weight = append(s.Weight, t.Weight[i])
		}
		if t.Time != nil {
			s.Time = append(s.Time, t.Time[i])
		}
		switch t.Task {
		case setting.Real, setting.Counts, setting.Quantiles:
			s.Real = append(s.Real, t.Real[i])
		case setting.Binary, setting.Class:
			s.Class = append(s.Class, t.Class[i])
		case setting.Multilabel:
		}
	}
	if t.Task == setting.Multilabel {
		_, m := t.Multi.Dims()
		s.Multi = mat.NewDense(len(examples), m, nil)
		for k, i := range examples {
			s.Multi.SetRow(k, t.Multi.RawRowView(i))
		}
	}
	return s
}

// sign returns +1 if example i has label y, else −1.
func (t *Targets) sign(i, y int) float64 {
	has := false
	switch t.Task {
	case setting.Binary:
		has = t.Class[i] == 1
	case setting.Class:
		has = t.Class[i] == y
	case setting.Multilabel:
		has = t.Multi.At(i, y) > 0
	case setting.Real, setting.Counts, setting.Quantiles:
	}
	if has {
		return 1
	}
	return -1
}

// check returns an error if targets do not suit the design.
func (t *Targets) check(d *Design) error {
	if t.Weight != nil && (len(t.Weight) != t.Len() || slices.ContainsFunc(t.Weight, func(w float64) bool { return !(w > 0) || math.IsInf(w, 0) })) {
		return fmt.Errorf("learn: weights of examples must be positive and finite, one for each of %d", t.Len())
	}
	if n := t.Len(); n != d.n {
		return fmt.Errorf("learn: %d targets for %d examples", n, d.n)
	}
	switch t.Task {
	case setting.Binary, setting.Real, setting.Counts:
		if d.m != 1 {
			return fmt.Errorf("learn: a %s target on a design with %d labels", t.Task, d.m)
		}
		if t.Task.Numbers() {
			return t.checkNumbers()
		}
		return t.checkClasses(2)
	case setting.Quantiles:
		if len(t.Levels) != d.m {
			return fmt.Errorf("learn: targets of %d levels on a design with %d labels", len(t.Levels), d.m)
		}
		return cmp.Or(setting.CheckLevels(t.Levels), t.checkNumbers())
	case setting.Class:
		return t.checkClasses(d.m)
	case setting.Multilabel:
		if _, m := t.Multi.Dims(); m != d.m {
			return fmt.Errorf("learn: targets of %d labels on a design with %d", m, d.m)
		}
		return nil
	}
	return fmt.Errorf("learn: there is no task %q", t.Task)
}

// checkNumbers returns an error if a number is not finite, or a count is negative. Losses would be infinite, and no gap could be proved.
func (t *Targets) checkNumbers() error {
	if slices.ContainsFunc(t.Real, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
		return errors.New("learn: a target is not finite")
	}
	if t.Task == setting.Counts && slices.Min(t.Real) < 0 {
		return errors.New("learn: a count is negative")
	}
	return nil
}

// Spread returns the standard deviation of numbers, by their weights, or 1 if they are all the same. The loss of quantiles is
// multiplied by it, so that C means the same in every unit of the target.
func (t *Targets) Spread() float64 {
	if _, deviation := stat.PopMeanStdDev(t.Real, t.Weight); deviation > 0 {
		return deviation
	}
	return 1
}

// checkClasses returns an error if a class is outside 0 … m−1.
func (t *Targets) checkClasses(m int) error {
	for i, c := range t.Class {
		if c < 0 || c >= m {
			return fmt.Errorf("learn: example %d is of class %d, outside 0 … %d", i, c, m-1)
		}
	}
	return nil
}
