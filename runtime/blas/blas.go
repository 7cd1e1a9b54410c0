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
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Variable is the environment variable that names what [Use] registers.
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

// Use registers what [Select] registers for the name in the environment
// variable SIPC_BLAS. If that is not to be had here, Use registers the fastest
// tier and returns an error that says so.
//
// Use and Select are meant for the start of a program: they must not run beside
// other goroutines that compute.
func Use() error {
	asked := os.Getenv(Variable)
	err := Select(asked)
	if err == nil {
		return nil
	}
	if fallback := Select(""); fallback != nil {
		return fallback
	}
	return fmt.Errorf("%s=%s: %w; using %s", Variable, asked, err, Name())
}

// Select registers an implementation with gonum's blas64 and blas32, and what
// goes with it with lapack64, and so with mat: the tier of the given name, one
// of those that [Tiers] lists, or the fastest tier for no name. On an error
// nothing is registered.
func Select(name string) error {
	t, err := tierOf(name)
	if err != nil {
		return err
	}
	selected.Store(t)
	impl := Implementation{on: t}
	blas64.Use(impl)
	blas32.Use(impl)
	lapack64.Use(Lapack{})
	return nil
}

// Name returns the name of the tier in use: avx512, avx2 or generic.
func Name() string { return current().name }

// Detail returns the sizes of the register tiles in use.
func Detail() string {
	t := current()
	return fmt.Sprintf("float64 in tiles of %d×%d, float32 of %d×%d", t.double.mr, t.double.nr, t.single.mr, t.single.nr)
}

// selected holds the tier that is registered, or nil before there is one.
var selected atomic.Pointer[tier]

// current returns the tier that is registered, or that Use would register.
func current() *tier {
	if t := selected.Load(); t != nil {
		return t
	}
	return unregistered()
}

var unregistered = sync.OnceValue(func() *tier {
	t, err := tierOf(os.Getenv(Variable))
	if err != nil {
		return available()[0]
	}
	return t
})

// tierOf returns the tier of a name, in letters of either case, or the fastest for none.
func tierOf(name string) (*tier, error) {
	if name == "" {
		return available()[0], nil
	}
	impl, err := New(strings.ToLower(name))
	return impl.on, err
}

// tier is the set of kernels written for one kind of processor.
type tier struct {
	name   string
	double kernels[float64]
	single kernels[float32]

	doubles vectors[float64]
	singles vectors[float32]
	exponentials
	conversions
}

var available = sync.OnceValue(tiers)

func (impl Implementation) tier() *tier {
	if impl.on != nil {
		return impl.on
	}
	return current()
}
