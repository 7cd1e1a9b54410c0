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
	"gonum.org/v1/gonum/lapack"
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
		name, strings.Join(Names(), ", "))
}

// Tiers names the tiers that this processor can run, the fastest first.
func Tiers() []string {
	var names []string
	for _, t := range available() {
		names = append(names, t.name)
	}
	return names
}

// Names are what [Select] takes in this build: the tiers, and openblas where the
// program was built with it.
func Names() []string {
	names := Tiers()
	if withOpenBLAS {
		names = append(names, openBLASName)
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
// of those that [Tiers] lists; openblas; or the fastest tier for no name. On an
// error nothing is registered.
func Select(name string) error {
	s, err := selectionOf(name)
	if err != nil {
		return err
	}
	selected.Store(s)
	blas64.Use(s.double)
	blas32.Use(s.single)
	lapack64.Use(s.lapack)
	return nil
}

// Name returns the name of what is in use: avx512, avx2, generic or openblas.
func Name() string { return current().name }

// Detail says more of what is in use: its register tiles, or the library's
// version and the processor that it takes this one for.
func Detail() string { return current().detail }

// selection is what [Select] registers.
type selection struct {
	name, detail string
	tier         *tier // for exponentials
	double       blas.Float64
	single       blas.Float32
	lapack       lapack.Float64
}

// openBLASName is how [Select] calls OpenBLAS.
const openBLASName = "openblas"

// selected is the selection that is registered, or nil before there is one.
var selected atomic.Pointer[selection]

// current is what is registered, or would be by Use.
func current() *selection {
	if s := selected.Load(); s != nil {
		return s
	}
	return unregistered()
}

var unregistered = sync.OnceValue(func() *selection {
	s, err := selectionOf(os.Getenv(Variable))
	if err != nil {
		s = available()[0].selection()
	}
	return s
})

func selectionOf(name string) (*selection, error) {
	switch name = strings.ToLower(name); name {
	case "":
		return available()[0].selection(), nil
	case openBLASName:
		return openBLAS()
	}
	impl, err := New(name)
	if err != nil {
		return nil, err
	}
	return impl.on.selection(), nil
}

func (t *tier) selection() *selection {
	impl := Implementation{on: t}
	return &selection{
		name: t.name, tier: t, double: impl, single: impl, lapack: Lapack{},
		detail: fmt.Sprintf("float64 in tiles of %d×%d, float32 of %d×%d", t.double.mr, t.double.nr, t.single.mr, t.single.nr),
	}
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
	return current().tier
}
