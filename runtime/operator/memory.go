package operator

import "fmt"

// defaultMost is the memory that Ψ may take unless less or more is asked for.
const defaultMost = 12 << 30

// checkMost returns an error if rows of Ψ would take more memory than is allowed.
func (o *Options) checkMost(rows, dim int) error {
	most := o.MostBytes
	if most == 0 {
		most = defaultMost
	}
	// By division, as the product might overflow.
	if rows <= most/(8*max(1, dim)) {
		return nil
	}
	const gib = 1 << 30
	return fmt.Errorf("operator: %d rows of %d features need %.1f GiB, and %.1f are allowed; use fewer functionals or landmarks",
		rows, dim, float64(rows)*float64(dim)*8/gib, float64(most)/gib)
}
