package sipc

import (
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/compiler"
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
	k, err := kernel.New(in.Kernel)
	if err != nil {
		return err
	}
	most, err := boundedAt(k, p.Train)
	if err == nil && most > 0 && most < limits.SmallestKernel {
		err = p.Train.Underflow(fmt.Sprintf("the %s kernel", k.Setting()), most)
	}
	if err == nil {
		_, err = boundedAt(k, p.Test)
	}
	return err
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
