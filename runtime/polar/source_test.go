package polar

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// Many right-hand sides on several processors are solved by pipelines beside each other. Their bits are those of one pipeline,
// and they come in order.
func TestPipelinesBesideEachOther(t *testing.T) {
	const count, dim = 400, 12
	rng := rand.New(rand.NewPCG(12, 1))
	rows, rhs := operator(t, gaussian(rng, 24, dim)), gaussian(rng, count, dim)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, a := range map[string]Operator{"double": rows, "single": newDense32(rows)} {
		p := Problem{Alpha: 0.02, A: a, Gauge: nested()["rms of max"]}
		for _, gap := range []float64{1e-3, 1e-7} {
			runtime.GOMAXPROCS(1)
			want := solve(t, p, Settings{Gap: gap, Multipliers: true}, rhs)
			runtime.GOMAXPROCS(4)
			s, err := New(t.Context(), p, Settings{Gap: gap, Multipliers: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, beside := s.batches(count); beside != 4 {
				t.Fatalf("%d pipelines", beside)
			}
			seen := 0
			err = s.SolveTo(t.Context(), count, dim, func(lo, hi int) (*mat.Dense, error) {
				return span(rhs, lo, hi), nil
			}, func(lo int, part *Result) error {
				if lo != seen {
					t.Errorf("results from %d on came where %d was due", lo, seen)
				}
				seen += len(part.Gap)
				hi := lo + len(part.Gap)
				if !mat.Equal(part.Iota, span(want.Iota, lo, hi)) || !mat.Equal(part.Multipliers, span(want.Multipliers, lo, hi)) ||
					!slices.Equal(part.Gap, want.Gap[lo:hi]) || !slices.Equal(part.Iterations, want.Iterations[lo:hi]) {
					t.Errorf("%s, gap %g: other bits from %d on", name, gap, lo)
				}
				return nil
			})
			if err != nil || seen != count {
				t.Errorf("%d of %d, %v", seen, count, err)
			}
		}
	}
}

// What goes wrong with one pipeline ends all, and a second solve is none the worse for the context of the first.
func TestPipelinesEndTogether(t *testing.T) {
	const count, dim = 2000, 12
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	rng := rand.New(rand.NewPCG(12, 2))
	p := Problem{Alpha: 0.02, A: operator(t, gaussian(rng, 24, dim)), Gauge: nested()["rms of max"]}
	s, err := New(t.Context(), p, Settings{Gap: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	rhs := gaussian(rng, count, dim)
	whole := func(lo, hi int) (*mat.Dense, error) { return span(rhs, lo, hi), nil }
	keep := func(int, *Result) error { return nil }
	broken := errors.New("broken")
	after := func(lo int) error {
		if lo > 500 {
			return broken
		}
		return nil
	}
	if err := s.SolveTo(t.Context(), count, dim, whole, func(lo int, _ *Result) error { return after(lo) }); !errors.Is(err, broken) {
		t.Errorf("an error of emit came out as %v", err)
	}
	broke := func(lo, hi int) (*mat.Dense, error) { return span(rhs, lo, hi), after(lo) }
	if err := s.SolveTo(t.Context(), count, dim, broke, keep); !errors.Is(err, broken) {
		t.Errorf("an error of next came out as %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stop := func(lo, hi int) (*mat.Dense, error) {
		if lo > 500 {
			cancel()
		}
		return span(rhs, lo, hi), nil
	}
	if err := s.SolveTo(ctx, count, dim, stop, keep); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v", err)
	}
	if res, err := s.Solve(t.Context(), rhs); err != nil || res.MaxGap() > 1e-3 {
		t.Errorf("a later solve: %v", err)
	}
}

// Results that wait for an earlier one are bounded: who has nothing else to do waits, the others are told so.
func TestSourceWaitsForTheFirst(t *testing.T) {
	rhs := mat.NewDense(chunksAhead+2, 1, nil)
	src := &source{
		count: chunksAhead + 2, dim: 1, done: map[int]*chunk{}, moved: make(chan struct{}),
		next: func(lo, hi int) (*mat.Dense, error) { return span(rhs, lo, hi), nil },
		emit: func(int, *Result) error { return nil },
	}
	done := func(lo int) *chunk { return &chunk{lo: lo, part: &Result{Gap: make([]float64, 1)}} }
	for k := range chunksAhead {
		if lo, a, err := src.take(t.Context(), 1, true); lo != k || a == nil || err != nil {
			t.Fatalf("%d: %v, %v", lo, a, err)
		}
		if k > 0 {
			if err := src.put(done(k)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, a, err := src.take(t.Context(), 1, false); a != nil || err != nil {
		t.Fatalf("too many are handed out: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, _, err := src.take(ctx, 1, true); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("the wait ended with %v", err)
	}
	taken := make(chan int)
	go func() {
		lo, _, _ := src.take(t.Context(), 1, true)
		taken <- lo
	}()
	if err := src.put(done(0)); err != nil {
		t.Fatal(err)
	}
	if lo := <-taken; lo != chunksAhead || src.emitted != chunksAhead || len(src.done) != 0 {
		t.Errorf("right-hand side %d is next, %d results are handed back, %d wait", lo, src.emitted, len(src.done))
	}
}

// The embedding of a multiple is the multiple of the embedding, also where squares overflow or vanish.
func TestRightHandSidesOfAnySize(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 3))
	rhs := gaussian(rng, 3, 12)
	for name, p := range map[string]Problem{
		"regularized": {Alpha: 0.05, A: operator(t, gaussian(rng, 24, 12)), Gauge: nested()["sum of max"]}, "plain": {Alpha: 0.05},
	} {
		want := solve(t, p, Settings{Multipliers: true}, rhs)
		for _, exponent := range []int{-900, -300, 300, 900} {
			var scaled mat.Dense
			scaled.Scale(math.Ldexp(1, exponent), rhs)
			got := solve(t, p, Settings{Multipliers: true}, &scaled)
			if gap := got.MaxGap(); !(gap <= 1e-6) {
				t.Errorf("%s times 2^%d: gap %v", name, exponent, gap)
			}
			var back mat.Dense
			back.Scale(math.Ldexp(1, -exponent), got.Iota)
			if !mat.EqualApprox(&back, want.Iota, 1e-4*mat.Norm(want.Iota, 2)) {
				t.Errorf("%s: the embedding of 2^%d times a is not 2^%d times that of a", name, exponent, exponent)
			}
		}
	}
}
