package learn

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// SetsOf returns the label sets that a learner tells apart on targets; nil if it learns labels one by one, or
// classes.
func SetsOf(l setting.Learner, t *Targets) *Sets {
	if !l.LearnsSets(t.Task) {
		return nil
	}
	sets, _ := NewSets(t.Multi, nil)
	return sets
}

// Solve learns weights from a design and its targets. It fails if they do not suit each other, and with ctx's error
// when ctx ends. A gap that is not reached is not an error.
func Solve(ctx context.Context, l setting.Learner, d *Design, t *Targets) (*Fit, error) {
	if err := l.Suits(t.Task); err != nil {
		return nil, err
	}
	if l.Copies > 0 {
		return nil, errors.New("learn: package risk minimizes the largest loss of copies")
	}
	if err := t.check(d); err != nil {
		return nil, err
	}
	if one := d.alike(); one != nil {
		f, err := Solve(ctx, l, one, t)
		if err == nil {
			f.Joint, f.Weights = true, mat.NewDense(1, d.rows.dim, f.Weights.RawMatrix().Data)
		}
		return f, err
	}
	l = l.Filled()
	f := &Fit{Learner: l, Task: t.Task, Joint: d.joint, Bias: make([]float64, d.m)}
	if d.joint {
		f.Weights = mat.NewDense(1, d.rows.dim, nil)
	} else {
		f.Weights = mat.NewDense(d.m, d.rows.dim, nil)
	}
	var err error
	switch l.Kind {
	case setting.Ridge:
		err = f.fitRidge(ctx, d, t)
	case setting.SVM, setting.SquaredSVM:
		err = f.fitSVM(ctx, d, t)
	case setting.SVR:
		err = f.fitSVR(ctx, d, t)
	case setting.Quantile:
		err = f.fitQuantiles(ctx, d, t)
	case setting.Logistic, setting.Softmax, setting.Poisson:
		err = f.fitLogistic(ctx, d, t)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}
