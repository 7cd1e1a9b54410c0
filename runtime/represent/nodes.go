package represent

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/cache"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// Between says what certificates know between the nodes that stand for an interval.
type Between string

// What is known between nodes. The empty word stands for no interval.
const (
	Proved   Between = "proved"   // certificates hold for the interval
	Measured Between = "measured" // they do, but for an error of interpolation that is measured
	AtNodes  Between = "nodes"    // they hold at the nodes
)

// Interval reports whether certificates hold for the whole interval.
func (b Between) Interval() bool { return b == Proved || b == Measured }

// Weaker reports whether less is known than under c.
func (b Between) Weaker(c Between) bool {
	strongest := []Between{"", Proved, Measured, AtNodes}
	return slices.Index(strongest, b) > slices.Index(strongest, c)
}

// newSolver returns the solver of a problem. Afterwards means at the nodes alone, with the interval certified afterwards.
func newSolver(ctx context.Context, p polar.Problem, s polar.Settings, folder *cache.Folder, afterwards bool) (solver, error) {
	if !afterwards {
		return iterations(ctx, p, s, folder)
	}
	nodes := p
	nodes.Curves = nil
	s.Gap, s.Multipliers = s.Gap/2, true
	inner, err := iterations(ctx, nodes, s, folder)
	return &atNodes{inner, p}, err
}

// iterations returns the solver of a problem by iterations, whose results a folder keeps unless it is nil.
func iterations(ctx context.Context, p polar.Problem, s polar.Settings, folder *cache.Folder) (solver, error) {
	if folder == nil {
		return polar.New(ctx, p, s)
	}
	return cache.New(ctx, p, s, folder)
}

// atNodes reduces an R over an interval to its values at the nodes. Solutions and multipliers of the smaller problem
// are feasible for the whole one, so both of its bounds are taken anew there. Multipliers at nodes are multipliers at
// places of the interval, or stand for densities under an integral. V is any function, whose ρ over the interval is
// bounded from above.
type atNodes struct {
	inner solver
	whole polar.Problem
}

// Solve solves at the nodes and certifies for the interval.
func (s *atNodes) Solve(ctx context.Context, a *mat.Dense) (*polar.Result, error) {
	out, err := s.inner.Solve(ctx, a)
	if err == nil {
		s.join(a, out)
	}
	return out, err
}

// SolveTo solves at the nodes and certifies for the interval, a block at a time.
func (s *atNodes) SolveTo(ctx context.Context, count, dim int, next func(lo, hi int) (*mat.Dense, error), emit func(lo int, part *polar.Result) error) error {
	q := &queue{}
	// The bounds need a again, when its embedding comes.
	kept := func(lo, hi int) (*mat.Dense, error) {
		a, err := next(lo, hi)
		if err == nil {
			q.rows = append(q.rows, mat.DenseCopyOf(a))
		}
		return a, err
	}
	return s.inner.SolveTo(ctx, count, dim, kept, func(lo int, part *polar.Result) error {
		a, err := q.take(lo, len(part.Gap))
		if err != nil {
			return err
		}
		s.join(a, part)
		return emit(lo, part)
	})
}

// join certifies for the interval what was embedded at the nodes, and takes the best multiples of it. A gap of the
// nodes says nothing of the interval, so it is replaced.
func (s *atNodes) join(a *mat.Dense, part *polar.Result) {
	lower, upper := polar.Certify(s.whole, a, part.Iota, part.Multipliers)
	for i, low := range lower {
		part.Gap[i], part.Norm2[i] = polar.Gap(low, upper[i]), low
		v := vector(part.Iota.RawRowView(i))
		// The best multiple has ⟨a, V⟩ = J(V), which is the lower bound itself.
		if along := blas64.Dot(vector(a.RawRowView(i)), v); along > 0 && low > 0 {
			blas64.Scal(low/along, v)
		}
	}
}

// A queue holds right-hand sides until their embeddings come. The solver takes some ahead of the results that it
// hands out.
type queue struct {
	first int // the first row's number
	rows  []*mat.Dense
}

// take takes the next count rows, which begin at lo. It returns an error if results do not come in order, as bounds
// of other rows would prove nothing.
func (q *queue) take(lo, count int) (*mat.Dense, error) {
	if lo != q.first || len(q.rows) == 0 {
		return nil, fmt.Errorf("represent: the embedding of right-hand side %d came where %d was due", lo, q.first)
	}
	q.first += count
	_, dim := q.rows[0].Dims()
	out := mat.NewDense(count, dim, nil)
	for i := range count {
		if len(q.rows) == 0 {
			return nil, fmt.Errorf("represent: %d embeddings of fewer right-hand sides", count)
		}
		out.SetRow(i, q.rows[0].RawRowView(0))
		if n, _ := q.rows[0].Dims(); n > 1 {
			q.rows[0] = q.rows[0].Slice(1, n, 0, dim).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
		} else {
			q.rows = q.rows[1:]
		}
	}
	return out, nil
}
