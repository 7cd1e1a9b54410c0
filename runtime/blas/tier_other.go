//go:build !amd64

package blas

import "runtime"

// tiers lists the only tier there is outside amd64.
func tiers() []*tier {
	switch runtime.GOARCH {
	case "arm64", "ppc64", "ppc64le", "riscv64", "s390x":
		return []*tier{genericTier(true)} // math.FMA is one instruction
	}
	return []*tier{genericTier(false)}
}
