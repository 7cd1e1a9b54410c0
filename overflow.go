package sipc

import (
	"errors"
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/kernel"
)

// bounded returns an error where an instance's kernel overflows at a row, or underflows at all training rows. The values of radial kernels
// are 1.
func (p *Prepared) bounded(in *compiler.Instance) error {
	if in.Kernel.Radial() {
		return nil
	}
	k, err := kernelOf(p, in)
	if err != nil || in.Kernel.Bounded() {
		return err
	}
	most, err := boundedAt(k, p.Train)
	if err == nil && most > 0 && most < limits.SmallestKernel {
		err = p.Train.Underflow(fmt.Sprintf("the %s kernel", k.Setting()), most)
	}
	if err == nil && p.Test.Len() > 0 {
		_, err = boundedAt(k, p.Test)
	}
	return err
}

// kernelOf returns an instance's kernel on the training rows. Columns that it names and the data lack, or that have no kernel of their own,
// are an error at their place in the spec.
func kernelOf(p *Prepared, in *compiler.Instance) (*kernel.Function, error) {
	if in.Kernel.Sums() && p.Train.Height > 0 {
		return nil, diag.List{in.AtKernel("", fmt.Sprintf("the data are images, whose pixels are no columns for the %s kernel", in.Kernel.Kind), nil)}
	}
	fixed, err := kernel.Fixed(in.Kernel, p.Train.Groups, p.Train.X, p.Seed)
	if e, ok := errors.AsType[*kernel.ColumnError](err); ok {
		names := make([]string, len(p.Train.Groups))
		for i := range names {
			names[i] = p.Train.Groups[i].Name
		}
		return nil, diag.List{in.AtKernel(e.Column, e.Problem, names)}
	}
	if err != nil {
		return nil, placed(in, err)
	}
	return kernel.New(fixed)
}

// bounded reports whether the values of a kernel are at most 1 at all rows.
func bounded(k *kernel.Function) bool {
	s := k.Setting()
	return s.Bounded()
}

// boundedAt returns the largest k(x, x) of some rows. It returns an error that names a row and its largest column where that is beyond
// [limits.LargestKernel].
func boundedAt(k *kernel.Function, s *dataset.Set) (most float64, err error) {
	values := make([]float64, s.Len())
	k.Diag(values, s.X)
	for i, v := range values {
		if !(math.Abs(v) <= limits.LargestKernel) {
			return v, s.Overflow(i, fmt.Sprintf("the %s kernel", k.Setting()))
		}
		most = max(most, math.Abs(v))
	}
	return most, nil
}
