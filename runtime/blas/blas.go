// Package blas is a fast, deterministic BLAS level 3 for gonum.
//
// Gonum's matrix product runs at about a tenth of what a processor can do. This package puts a packed matrix product
//
//	C ← α op(A) op(B) + β C
//
// behind gonum's blas64 and blas32 interfaces, and derives the other level-3 routines in use from it. The product is
// blocked as in Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008). Panels of A and B
// are copied into the order in which a small register tile reads them. The tiles are written in assembly for AVX-512
// and for AVX2 with FMA, and in Go for every other processor.
//
// Every element of a product is one chain of fused multiply-adds over blocks of k, whose bounds depend on k alone. So
// the bits of a result do not depend on GOMAXPROCS, nor on how many rows and columns are computed with it. In float64
// on processors with FMA they do not depend on the tier either.
//
// # Loops
//
// From the outside to the inside, the packed product walks over
//
//	j   nc columns of B and C        one block of B in the last cache
//	p   kc of k                      its panels of nr columns are packed
//	i   mc rows of A and C           a block of A in the second cache, packed
//	v   nr columns                   a panel of B in the first cache
//	u   mr rows                      a tile of C in registers
//
// Small and flat products skip the packing of A: they read it too seldom to pay for a copy.
// Where C has few rows and B long columns, A and B change places in double precision, so that B is read once and not packed.
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

// Implementation is gonum's BLAS with fast level-3 routines. Its zero value uses the tier that [Name] names.
type Implementation struct {
	gonum.Implementation
	on *tier
}

var (
	_ blas.Float64 = Implementation{}
	_ blas.Float32 = Implementation{}
)

// New returns the implementation of one tier, one of those [Tiers] lists. It fails if the processor cannot run that
// tier.
func New(name string) (Implementation, error) {
	for _, t := range available() {
		if t.name == name {
			return Implementation{on: t}, nil
		}
	}
	return Implementation{}, fmt.Errorf("blas: tier %q is not available here; choose one of %s",
		name, strings.Join(Tiers(), ", "))
}

// Tiers returns the names of the tiers that this processor can run, the fastest first.
func Tiers() []string {
	var names []string
	for _, t := range available() {
		names = append(names, t.name)
	}
	return names
}

// Use registers what [Select] registers for the name in the environment variable SIPC_BLAS. If that is not available
// here, Use registers the fastest tier and returns an error that says so.
//
// Use and Select are meant for the start of a program: they must not run beside other goroutines that compute.
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

// Select registers a tier with gonum's blas64 and blas32, and [Lapack] with lapack64, and so with mat. name is one of
// those that [Tiers] lists; an empty name means the fastest tier. On an error nothing is registered.
func Select(name string) error {
	t, err := tierOf(name)
	if err != nil {
		return err
	}
	selected.Store(t)
	impl := Implementation{on: t}
	blas64.Use(impl)
	blas32.Use(impl)
	lapack64.Use(NewLapack())
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

// unregistered returns the tier that Use would register.
var unregistered = sync.OnceValue(func() *tier {
	t, err := tierOf(os.Getenv(Variable))
	if err != nil {
		return available()[0]
	}
	return t
})

// tierOf returns the tier of a name, in letters of either case, or the fastest for an empty name.
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
}

// available returns the tiers that this processor can run, the fastest first.
var available = sync.OnceValue(tiers)

// tier returns the implementation's own tier, or the one that is registered.
func (impl Implementation) tier() *tier {
	if impl.on != nil {
		return impl.on
	}
	return current()
}
