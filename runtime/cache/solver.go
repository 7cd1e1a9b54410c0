package cache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/hashes"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
)

const (
	// pieceRows is how many right-hand sides are kept together, and windowRows how many are looked up before the first of them is solved.
	pieceRows  = 64
	windowRows = 64 * pieceRows
	// windowNumbers bounds the numbers of the right-hand sides of a window, with their multipliers.
	windowNumbers = 32 << 20
	// usualIterations are those by which work is foreseen, and usualWork is that from which on results are kept: a second or so.
	usualIterations = 50
	usualWork       = 1e10
)

// A Solver is a [polar.Solver] whose results are kept in a folder. What the folder has is not solved for.
type Solver struct {
	inner    *polar.Solver
	folder   *Folder
	problem  polar.Problem
	settings polar.Settings
	order    int    // of the multipliers that a result keeps; 0 where it keeps none
	digest   []byte // of all that results depend on but the right-hand sides; nil until it is needed
}

// New returns the solver of a problem. It fails as [polar.New] does.
func New(ctx context.Context, problem polar.Problem, settings polar.Settings, folder *Folder) (*Solver, error) {
	s := &Solver{folder: folder, problem: problem, settings: settings}
	if settings.Multipliers && problem.A != nil {
		s.order, _ = problem.A.Dims()
	}
	settings.Progress = nil // it is told of windows
	var err error
	s.inner, err = polar.New(ctx, problem, settings)
	return s, err
}

// Solve embeds the rows of a.
func (s *Solver) Solve(ctx context.Context, a *mat.Dense) (*polar.Result, error) {
	n, dim := a.Dims()
	out := s.inner.NewResult(n, dim)
	err := s.SolveTo(ctx, n, dim, func(lo, hi int) (*mat.Dense, error) { return rows(a, lo, hi), nil }, func(lo int, part *polar.Result) error {
		out.Paste(lo, part)
		return nil
	})
	return out, err
}

// SolveTo does what that of [polar.Solver] does. Right-hand sides of a window are read before the first of them is solved.
func (s *Solver) SolveTo(ctx context.Context, count, dim int, next func(lo, hi int) (*mat.Dense, error), emit func(lo int, part *polar.Result) error) error {
	told := func(lo int, part *polar.Result) error {
		if s.settings.Progress != nil {
			s.settings.Progress(lo+len(part.Gap), count)
		}
		return emit(lo, part)
	}
	if !s.keeps(count) {
		return s.inner.SolveTo(ctx, count, dim, next, told)
	}
	if err := s.prepare(); err != nil {
		return err
	}
	size := max(1, min(cmp.Or(s.folder.Window, windowRows), windowNumbers/max(1, dim+s.order)))
	for lo := 0; lo < count; lo += size {
		a, err := next(lo, min(lo+size, count))
		if err != nil {
			return err
		}
		w := &window{solver: s, first: lo, a: a, emit: told}
		if err := w.lookUp(); err != nil {
			return err
		}
		if err := w.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// keeps reports whether results of so many right-hand sides are kept.
func (s *Solver) keeps(count int) bool {
	_, digests := s.problem.A.(*operator.Operator)
	return digests && float64(count)*s.problem.Work(usualIterations) >= s.folder.least()
}

// prepare finds the digest.
func (s *Solver) prepare() error {
	if s.digest != nil {
		return nil
	}
	sum := sha256.New()
	said := struct {
		Program            string
		Alpha              float64
		Gauge              *gauge.Node
		Runs               []curve.Run
		Slack, Drift       float64
		Gap, Work          float64
		Iterations         int
		Multipliers        bool
		NoFinish, InDouble bool
	}{
		Program: s.folder.program, Alpha: s.problem.Alpha, Gauge: s.problem.Gauge, Gap: s.settings.Gap, Work: s.settings.MaxWork,
		Iterations: s.settings.MaxIterations, Multipliers: s.settings.Multipliers, NoFinish: s.settings.NoFinish, InDouble: s.settings.Double,
	}
	if c := s.problem.Curves; c != nil {
		said.Runs, said.Slack, said.Drift = c.Runs(), c.Slack(), c.Drift()
	}
	if err := json.NewEncoder(sum).Encode(said); err != nil {
		return err
	}
	operator.Digest(sum, s.problem.A.(*operator.Operator)) //nolint:forcetypeassert // of what keeps
	s.digest = sum.Sum(nil)
	return nil
}

// A window holds right-hand sides that follow one another, in pieces that are kept together.
type window struct {
	solver *Solver
	first  int
	a      *mat.Dense
	emit   func(lo int, part *polar.Result) error

	result *polar.Result // of all of them
	pieces []piece
	open   []int // the right-hand sides that are to be solved
	handed int   // the pieces that were handed back
}

// A piece is right-hand sides lo … hi−1 of a window.
type piece struct {
	lo, hi, done int // so many of them are done
	key          [sha256.Size]byte
}

// lookUp makes the pieces, and loads those that are kept.
func (w *window) lookUp() error {
	n, dim := w.a.Dims()
	w.result = w.solver.inner.NewResult(n, dim)
	sum := sha256.New()
	for lo := 0; lo < n; lo += pieceRows {
		p := piece{lo: lo, hi: min(lo+pieceRows, n)}
		sum.Reset()
		sum.Write(w.solver.digest)
		for i := p.lo; i < p.hi; i++ {
			hashes.Write(sum, w.a.RawRowView(i))
		}
		sum.Sum(p.key[:0])
		switch known, err := w.solver.folder.load(p.key, span(w.result, p.lo, p.hi)); {
		case err != nil:
			return err
		case known:
			p.done = p.hi - p.lo
		default:
			for i := p.lo; i < p.hi; i++ {
				w.open = append(w.open, i)
			}
		}
		w.pieces = append(w.pieces, p)
	}
	return nil
}

// run solves for what is not kept, keeps it, and hands all back in order.
func (w *window) run(ctx context.Context) error {
	if err := w.handBack(); err != nil || len(w.open) == 0 {
		return err
	}
	_, dim := w.a.Dims()
	return w.solver.inner.SolveTo(ctx, len(w.open), dim, func(lo, hi int) (*mat.Dense, error) {
		out := mat.NewDense(hi-lo, dim, nil)
		for k, i := range w.open[lo:hi] {
			out.SetRow(k, w.a.RawRowView(i))
		}
		return out, nil
	}, func(lo int, part *polar.Result) error { return w.take(ctx, lo, part) })
}

// take takes results of open right-hand sides. What makes a piece whole is kept, unless more time would have made it better.
func (w *window) take(ctx context.Context, lo int, part *polar.Result) error {
	for k := range part.Gap {
		i := w.open[lo+k]
		w.result.Paste(i, span(part, k, k+1))
		p := &w.pieces[i/pieceRows]
		if p.done++; p.done < p.hi-p.lo {
			continue
		}
		of := span(w.result, p.lo, p.hi)
		// Steps that time has cut short may end at the gap all the same, with other bytes.
		if slices.Contains(of.Status, polar.TimeLimit) || limits.Past(ctx) {
			continue
		}
		all, _ := numbers(of)
		if err := w.solver.folder.Keep(p.key, all...); err != nil {
			return err
		}
	}
	return w.handBack()
}

// handBack hands back the pieces that are done, up to the first that is not.
func (w *window) handBack() error {
	for ; w.handed < len(w.pieces); w.handed++ {
		p := &w.pieces[w.handed]
		if p.done < p.hi-p.lo {
			return nil
		}
		if err := w.emit(w.first+p.lo, span(w.result, p.lo, p.hi)); err != nil {
			return err
		}
	}
	return nil
}
