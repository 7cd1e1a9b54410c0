package sipc

import (
	"context"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// How many fresh samples tell what an invariance comes to over an orbit. Where its square is a mean over moves, each sample
// has one move, and else as many as the fit has.
const (
	freshMoves   = 8
	freshSamples = 4
)

// overOrbit estimates what an invariance comes to over an orbit, at the function that predicts, from samples that the fit did not see.
// It returns nil if the invariance is over no orbit, or has no value on some sample.
func (x *examiner) overOrbit(ctx context.Context, f *model.Fitting, name string) (*report.OverOrbit, error) {
	moves, squares := compiler.OverOrbit(x.instance, name)
	if moves == 0 || f.Model.Represent.Method != x.method {
		return nil, nil
	}
	samples, each := freshSamples, moves
	if squares {
		samples, each = freshMoves, 1
	}
	x.rows.step("measure " + name + " over its orbit")
	var values []float64
	for k := range samples {
		seen := heldOf(x.reg, x.rows.seen)
		g := grounding(x.rows, seen, nil)
		g.Sample, g.Nodes = compiler.Sample{Fresh: k + 1, Moves: each}, f.Regularizer.Nodes
		reg, err := x.instance.Only(name).Ground(ctx, g)
		if err != nil {
			return nil, err
		}
		own, err := f.AtTraining(ctx, reg, 0, seen)
		if err != nil {
			return nil, err
		}
		if own.Unknown != "" {
			return nil, nil
		}
		values = append(values, float64(own.Value))
	}
	value, err := meanOf(values, squares)
	return &report.OverOrbit{Moves: moves, Value: report.Number(value), Error: report.Number(err), Fresh: samples * each}, nil
}

// meanOf returns the mean of some values and its standard error, or with squares the root of the mean of their squares. The error of a root √m
// is that of m divided by 2√m.
func meanOf(values []float64, squares bool) (mean, err float64) {
	of := values
	if squares {
		of = make([]float64, len(values))
		for i, v := range values {
			of[i] = v * v
		}
	}
	mean, deviation := stat.MeanStdDev(of, nil)
	err = deviation / math.Sqrt(float64(len(of)))
	if !squares || mean == 0 {
		return mean, err
	}
	return math.Sqrt(mean), err / (2 * math.Sqrt(mean))
}
