// Package blas is a fast, deterministic BLAS level 3 for gonum.
//
// Gonum's matrix product runs at about a tenth of what a processor can do.
// This package puts a packed matrix product
//
//	C ← α op(A) op(B) + β C
//
// behind gonum's blas64 and blas32 interfaces and derives the other level-3
// routines in use from it. The product is blocked as in Goto and van de Geijn,
// "Anatomy of High-Performance Matrix Multiplication" (2008): panels of A and B
// are copied into the order in which a small register tile reads them. The
// tiles are written in assembly for AVX-512 and for AVX2 with FMA, and in Go
// for every other processor.
//
// Every element of a product is one chain of fused multiply-adds over blocks of
// k whose bounds depend on k alone. So the bits of a result depend neither on
// GOMAXPROCS, nor on the size of the batch that a row or column is part of, nor,
// in float64 on processors with FMA, on the tier.
package blas

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Variable is the environment variable that forces a tier.
const Variable = "SIPC_BLAS"

// Implementation is gonum's BLAS with fast level-3 routines.
// Its zero value uses the tier that [Name] names.
type Implementation struct {
	gonum.Implementation
	on *tier
}

var (
	_ blas.Float64 = Implementation{}
	_ blas.Float32 = Implementation{}
)

// New returns the implementation of one tier, one of those [Tiers] lists.
func New(name string) (Implementation, error) {
	for _, t := range available() {
		if t.name == name {
			return Implementation{on: t}, nil
		}
	}
	return Implementation{}, fmt.Errorf("blas: tier %q is not available here; choose one of %s",
		name, strings.Join(Tiers(), ", "))
}

// Tiers names the tiers that this processor can run, the fastest first.
func Tiers() []string {
	var names []string
	for _, t := range available() {
		names = append(names, t.name)
	}
	return names
}

// Use registers the implementation with gonum's blas64 and blas32 and [Lapack]
// with its lapack64, and so with mat. If the environment asks for a tier that does not exist
// here, Use registers the fastest there is and returns an error that says so.
//
// Use is meant for the start of a program: it must not run beside other
// goroutines that compute.
func Use() error {
	blas64.Use(Implementation{})
	blas32.Use(Implementation{})
	lapack64.Use(Lapack{})
	_, err := choice()
	return err
}

// Name returns the name of the tier in use: avx512, avx2 or generic.
func Name() string {
	t, _ := choice()
	return t.name
}

// tier is the set of kernels written for one kind of processor.
type tier struct {
	name   string
	double kernels[float64]
	single kernels[float32]
	exponentials
}

var available = sync.OnceValue(tiers)

var choice = sync.OnceValues(func() (*tier, error) {
	return choose(os.Getenv(Variable))
})

// choose returns the tier of the given name, or the fastest for no name.
func choose(name string) (*tier, error) {
	fastest := available()[0]
	if name == "" {
		return fastest, nil
	}
	impl, err := New(strings.ToLower(name))
	if err != nil {
		return fastest, fmt.Errorf("%s=%s: %w; using %s", Variable, name, err, fastest.name)
	}
	return impl.on, nil
}

func (impl Implementation) tier() *tier {
	if impl.on != nil {
		return impl.on
	}
	t, _ := choice()
	return t
}
