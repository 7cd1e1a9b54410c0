//go:build !amd64

package blas

import "runtime"

// tiers returns the only tier outside amd64.
func tiers() []*tier {
	switch runtime.GOARCH {
	case "arm64", "ppc64", "ppc64le", "riscv64", "s390x":
		// math.FMA is one instruction here.
		return []*tier{genericTier(true)}
	}
	return []*tier{genericTier(false)}
}
