//go:build race

package blas

// underRace says that the race detector slows the reference computations.
const underRace = true
