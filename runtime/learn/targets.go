package learn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Task is what the targets are. The words are those of the language.
type Task string

// The tasks.
const (
	Binary     Task = "binary"
	Class      Task = "class"
	Real       Task = "real"
	Multilabel Task = "multilabel"
)

// Targets are what the learners are to predict on n examples.
type Targets struct {
	Task  Task
	Class []int      // of Binary (0 or 1) and Class: one for each example
	Real  []float64  // of Real
	Multi *mat.Dense // of Multilabel: n×m, 0 or 1
}

// Len is n.
func (t *Targets) Len() int {
	switch t.Task {
	case Real:
		return len(t.Real)
	case Multilabel:
		n, _ := t.Multi.Dims()
		return n
	case Binary, Class:
	}
	return len(t.Class)
}

// Subset is the targets of some of the examples, in the order given.
func (t *Targets) Subset(examples []int) *Targets {
	s := &Targets{Task: t.Task}
	for _, i := range examples {
		switch t.Task {
		case Real:
			s.Real = append(s.Real, t.Real[i])
		case Binary, Class:
			s.Class = append(s.Class, t.Class[i])
		case Multilabel:
		}
	}
	if t.Task == Multilabel {
		_, m := t.Multi.Dims()
		s.Multi = mat.NewDense(len(examples), m, nil)
		for k, i := range examples {
			s.Multi.SetRow(k, t.Multi.RawRowView(i))
		}
	}
	return s
}

// sign is +1 where example i has label y, else −1.
func (t *Targets) sign(i, y int) float64 {
	has := false
	switch t.Task {
	case Binary:
		has = t.Class[i] == 1
	case Class:
		has = t.Class[i] == y
	case Multilabel:
		has = t.Multi.At(i, y) > 0
	case Real:
	}
	if has {
		return 1
	}
	return -1
}

// check refuses targets that do not suit the design.
func (t *Targets) check(d *Design) error {
	if n := t.Len(); n != d.n {
		return fmt.Errorf("learn: %d targets for %d examples", n, d.n)
	}
	switch t.Task {
	case Binary, Real:
		if d.m != 1 {
			return fmt.Errorf("learn: a %s target on a design with %d labels", t.Task, d.m)
		}
		if t.Task == Real {
			if slices.ContainsFunc(t.Real, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
				return fmt.Errorf("learn: a target is not finite")
			}
			return nil
		}
		return t.checkClasses(2)
	case Class:
		return t.checkClasses(d.m)
	case Multilabel:
		if _, m := t.Multi.Dims(); m != d.m {
			return fmt.Errorf("learn: targets of %d labels on a design with %d", m, d.m)
		}
		return nil
	}
	return fmt.Errorf("learn: there is no task %q", t.Task)
}

func (t *Targets) checkClasses(m int) error {
	for i, c := range t.Class {
		if c < 0 || c >= m {
			return fmt.Errorf("learn: example %d is of class %d, outside 0 … %d", i, c, m-1)
		}
	}
	return nil
}
