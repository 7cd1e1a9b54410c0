//go:build !race

package blas

const underRace = false
