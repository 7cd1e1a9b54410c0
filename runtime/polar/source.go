package polar

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/mat"
)

const (
	// besideBytes bounds what the batches of pipelines beside each other take together. leastBeside is the least
	// number of tasks of such a batch.
	besideBytes = 64 << 20
	leastBeside = 32
)

// chunksAhead is how many chunks may wait for an earlier one to be done.
const chunksAhead = 16

// A source hands right-hand sides to pipelines and their results back in order.
type source struct {
	count, dim int
	next       func(lo, hi int) (*mat.Dense, error)
	emit       func(lo int, part *Result) error

	mu      sync.Mutex
	read    int // right-hand sides handed out
	emitted int // results handed back
	// done holds the chunks that wait for earlier ones, by their first right-hand side.
	done map[int]*chunk
	// moved is closed when emitted grows.
	moved chan struct{}
}

// solve runs as many pipelines as are worth it, and returns their first error.
func (s *Solver) solve(ctx context.Context, count, dim int, next func(lo, hi int) (*mat.Dense, error), emit func(lo int, part *Result) error) error {
	if s.r > 0 && dim != s.dim {
		return fmt.Errorf("polar: right-hand sides have dimension %d, the operator %d", dim, s.dim)
	}
	src := &source{count: count, dim: dim, next: next, emit: emit, done: map[int]*chunk{}, moved: make(chan struct{})}
	size, beside := s.batches(count)
	// Without a goroutine, so that a panic of the caller's functions reaches the caller.
	if beside == 1 {
		return (&pipeline{solver: s, source: src, size: size}).run(ctx)
	}
	group, ctx := errgroup.WithContext(ctx)
	for range beside {
		group.Go(func() error { return (&pipeline{solver: s, source: src, size: size}).run(ctx) })
	}
	return group.Wait()
}

// batches returns how many tasks a batch has, and how many pipelines run beside each other. With a single small
// batch, processors would wait for one another at every step longer than they work.
func (s *Solver) batches(count int) (size, beside int) {
	beside = 1
	if size = s.settings.Block; size == 0 {
		number := 8
		if _, ok := s.precise(); ok {
			number = 4
		}
		each := taskBytes(s.r, s.dim, number, s.descends)
		size = max(4, min(mostBatch, batchBytes/max(each, 1)))
		if size*each <= besideBytes && s.r > 0 {
			beside = max(1, min(runtime.GOMAXPROCS(0), size/leastBeside, count/leastBeside))
			size = (min(size, count) + beside - 1) / beside
		}
	}
	return max(1, min(size, count)), beside
}

// taskBytes returns the memory of one task of a batch with numbers of some bytes. It holds the differences of the acceleration,
// rows of the batch's matrices, and a descent.
func taskBytes(functionals, dim, number int, descends bool) int {
	each := number * ((2*memory+5)*functionals + 4*dim)
	if descends {
		each += 8 * descentVectors * dim
	}
	return each
}

// BatchBytes estimates the memory that solving for count right-hand sides takes beside the factors. These are batches in single
// precision, and the chunks of right-hand sides and results that are open.
func BatchBytes(functionals, dim, count int) float64 {
	each := taskBytes(functionals, dim, 4, descends(functionals, functionals, dim, leafWork*float64(functionals)))
	size := min(count, max(4, min(mostBatch, batchBytes/max(each, 1))))
	return float64(size) * (float64(each) + 16*openChunks*float64(dim))
}

// take hands out at most size right-hand sides, from number lo on. It hands out none at the end. If wait is false, it
// also hands out none while too many results wait for an earlier one.
func (s *source) take(ctx context.Context, size int, wait bool) (lo int, a *mat.Dense, err error) {
	for {
		s.mu.Lock()
		if s.read == s.count || s.read-s.emitted < chunksAhead*size {
			break
		}
		moved := s.moved
		s.mu.Unlock()
		if !wait {
			return 0, nil, nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return 0, nil, ctx.Err()
		}
	}
	defer s.mu.Unlock()
	lo = s.read
	hi := min(lo+size, s.count)
	if lo == hi {
		return lo, nil, nil
	}
	if a, err = s.next(lo, hi); err != nil {
		return lo, nil, err
	}
	if err := checkRows(a, lo, hi, s.dim); err != nil {
		return lo, nil, err
	}
	s.read = hi
	return lo, a, nil
}

// spent reports whether all right-hand sides are handed out.
func (s *source) spent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read == s.count
}

// put takes a chunk that is done, and hands back the results that no earlier chunk holds up.
func (s *source) put(c *chunk) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[c.lo] = c
	before := s.emitted
	for c := s.done[s.emitted]; c != nil; c = s.done[s.emitted] {
		delete(s.done, c.lo)
		s.emitted += len(c.part.Gap)
		if err := s.emit(c.lo, c.part); err != nil {
			return err
		}
	}
	if s.emitted > before {
		close(s.moved)
		s.moved = make(chan struct{})
	}
	return nil
}

// Solve embeds the rows of a (B×D). A gap that is not reached is not an error: Gap and Status report it.
func (s *Solver) Solve(ctx context.Context, a *mat.Dense) (*Result, error) {
	b, dim := a.Dims()
	out := s.NewResult(b, dim)
	done := 0
	err := s.solve(ctx, b, dim, func(lo, hi int) (*mat.Dense, error) {
		return span(a, lo, hi), nil
	}, func(lo int, part *Result) error {
		out.Paste(lo, part)
		done += len(part.Gap)
		if s.settings.Progress != nil {
			s.settings.Progress(done, b)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// SolveTo embeds count right-hand sides of dimension dim in blocks, so that memory does not grow with their number.
// next hands over rows lo … hi−1; emit takes the results of the block that begins at row lo.
//
// Both are called in ascending order, by one goroutine at a time, though not always the same. emit may keep its part;
// next must not change what it has handed over.
func (s *Solver) SolveTo(ctx context.Context, count, dim int, next func(lo, hi int) (*mat.Dense, error), emit func(lo int, part *Result) error) error {
	return s.solve(ctx, count, dim, next, func(lo int, part *Result) error {
		if s.settings.Progress != nil {
			s.settings.Progress(min(lo+len(part.Gap), count), count)
		}
		return emit(lo, part)
	})
}
