// Package bench measures the polar solver: on problems that specs pose on real data, on problem files, and beside rivals.
//
// Of a solve it says how many embeddings a second came out, how many iterations they took and which gaps were certified. It
// also says how near the machine's limit the solver ran. The limit is the rate of a square matrix product, measured before and
// after the solve in the same process, and
//
//	fraction = (F₆₄/rate₆₄ + F₃₂/rate₃₂) / seconds,
//
// where F are the operations of all products that the BLAS was asked for meanwhile, in double and in single precision. They are
// counted one by one at that interface. Time counts from the operator to the last embedding. Factorizations are in it, the
// features of the right-hand sides and, for a file, the search for its structure. Reading and the features of functionals are
// not. A solve of less than a second is done twice, and the second time counts, as the first waits for the system's memory.
//
// A Measurement describes the process that it was made in. Peak memory is honest for one problem in a fresh process only;
// cmd/sipc starts one for each.
package bench

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// A Kind is a kind of problem.
type Kind string

// The kinds.
const (
	Mixup     Kind = "mixup"     // derivatives along paths between digits, over classes
	Transform Kind = "transform" // digits turned, scaled and shifted
	Logic     Kind = "logic"     // implications and exclusions of a taxonomy
	FromFile  Kind = "file"      // a problem file
)

// Kinds returns the kinds that Build makes.
func Kinds() []Kind { return []Kind{Mixup, Transform, Logic} }

// Options say which problem is built and how it is solved. Numbers must be positive but for the seed, and for Pairs and
// Rank, where 0 stands for 4n and n.
type Options struct {
	Folder string  // holds mnist and wipo, or is one of them
	N      int     // training rows, which the invariances are about
	Pairs  int     // of mixup
	Rank   int     // landmarks: features per label
	Labels int     // of logic: the first of the taxonomy
	RHS    int     // right-hand sides, of other rows
	Alpha  float64 // the weight of ‖V‖²
	Gap    float64 // to be certified
	Seed   uint64
	// WholePaths makes gaps hold for maxima over whole paths, with as many nodes as that needs. Without it maxima are over the
	// nodes, as in problem files.
	WholePaths bool
}

// Check says what is wrong with the options; nil if nothing is.
func (o *Options) Check() error {
	for _, c := range []struct {
		flag         string
		value, least int
	}{{"n", o.N, 2}, {"pairs", o.Pairs, 0}, {"rank", o.Rank, 0}, {"labels", o.Labels, 2}, {"rhs", o.RHS, 1}} {
		if c.value < c.least {
			return fmt.Errorf("--%s is %d; it must be at least %d", c.flag, c.value, c.least)
		}
	}
	if !(o.Alpha > 0 && o.Alpha <= 1e100) {
		return fmt.Errorf("--alpha is %g; it must be positive", o.Alpha)
	}
	return nil
}

// ParseKind returns the kind of a name.
func ParseKind(name string) (Kind, error) {
	if k := Kind(name); slices.Contains(Kinds(), k) {
		return k, nil
	}
	return "", fmt.Errorf("--kinds names %q; there are mixup, transform and logic", name)
}

// A Problem is a norm and right-hand sides.
type Problem struct {
	About About
	// solver sets up what solves the problem to a gap; the time that it takes is the solver's.
	solver func(ctx context.Context, gap float64) (solver, error)
	// norm is the norm at the nodes of its paths, or a multiple of it.
	norm func() polar.Problem
	// rhs hands out right-hand sides lo … hi−1 in memory of their own. The solver asks for them on its way, so that their time
	// counts.
	rhs func(lo, hi int) (*mat.Dense, error)
}

// A solver embeds count right-hand sides, as polar.Solver does.
type solver interface {
	SolveTo(ctx context.Context, count int, next func(lo, hi int) (*mat.Dense, error), emit func(lo int, part *polar.Result) error) error
}

// An About describes a problem.
type About struct {
	Kind        Kind    `json:"kind"`
	Name        string  `json:"name"`
	Rows        int     `json:"n,omitempty"`      // training rows
	Pairs       int     `json:"pairs,omitempty"`  // of mixup
	Labels      int     `json:"labels,omitempty"` // m
	Dim         int     `json:"dim"`              // of the right-hand sides, labels · features
	Functionals int     `json:"functionals"`
	RHS         int     `json:"rhs"`
	Alpha       float64 `json:"alpha"`
	Nodes       int     `json:"nodes,omitempty"`       // on a path
	Interval    bool    `json:"interval,omitempty"`    // gaps hold for maxima over whole paths, not over the nodes alone
	Stored      int     `json:"stored_rows,omitempty"` // rows that the operator keeps in memory, where it says so
	// BuildSeconds is what reading, grounding, features and operator took.
	BuildSeconds float64 `json:"build_seconds"`
}
