package gauge

import "golang.org/x/sys/cpu"

//go:generate go run github.com/sipc-ml/sipc/lab/assembly/gauge -out levels_amd64.s -stubs levels_amd64.go -pkg gauge

// levelers returns the ways to find levels that this processor can run, the fastest first.
func levelers() []leveler {
	var list []leveler
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ && cpu.X86.HasBMI2 {
		list = append(list, leveler{double: lanes[float64]{8, levels512}, single: lanes[float32]{16, levels512single}})
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasBMI2 {
		list = append(list, leveler{double: lanes[float64]{4, levels256}, single: lanes[float32]{8, levels256single}})
	}
	return append(list, portable)
}
