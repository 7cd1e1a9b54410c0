package sipc

import (
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/kernel"
)

// bounded returns an error where an instance's kernel overflows at a row. The values of radial kernels are at most 1.
func (p *Prepared) bounded(in *compiler.Instance) error {
	if in.Kernel.Radial() {
		return nil
	}
	k, err := kernel.New(in.Kernel)
	if err != nil {
		return err
	}
	for _, s := range []*dataset.Set{p.Train, p.Test} {
		if err := boundedAt(k, s); err != nil {
			return err
		}
	}
	return nil
}

// boundedAt returns an error that names the row and its largest column where k(x, x) is beyond [limits.LargestKernel].
func boundedAt(k *kernel.Function, s *dataset.Set) error {
	values := make([]float64, s.Len())
	k.Diag(values, s.X)
	for i, v := range values {
		if !(math.Abs(v) <= limits.LargestKernel) {
			return s.Overflow(i, fmt.Sprintf("the %s kernel", k.Setting()))
		}
	}
	return nil
}
