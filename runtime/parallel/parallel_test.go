package parallel_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

func TestForCoversEveryIndexOnce(t *testing.T) {
	for _, procs := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(procs)
		for _, n := range []int{0, 1, 7, 64, 1000} {
			for _, grain := range []int{0, 1, 3, 64, 5000} {
				seen := make([]int, n)
				parallel.For(n, grain, func(lo, hi int) {
					if hi-lo > max(grain, 1) || hi <= lo {
						t.Errorf("run [%d, %d) with grain %d", lo, hi, grain)
					}
					for i := lo; i < hi; i++ {
						seen[i]++
					}
				})
				for i, c := range seen {
					if c != 1 {
						t.Fatalf("procs %d, n %d, grain %d: index %d was visited %d times", procs, n, grain, i, c)
					}
				}
			}
		}
		runtime.GOMAXPROCS(before)
	}
}

func TestForRaisesThePanicOfTheBody(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	defer func() {
		if r := recover(); r != "broken" {
			t.Fatalf("recovered %v", r)
		}
	}()
	parallel.For(100, 1, func(lo, _ int) {
		if lo == 41 {
			panic("broken")
		}
	})
	t.Fatal("no panic")
}

func TestAwaitDoesNotOutlastItsContext(t *testing.T) {
	done := false
	if err := parallel.Await(context.Background(), func() { done = true }); err != nil || !done {
		t.Errorf("the work was not awaited: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	started, release := make(chan bool), make(chan bool)
	defer close(release)
	go func() {
		<-started
		cancel()
	}()
	err := parallel.Await(ctx, func() {
		close(started)
		<-release
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled wait gave %v", err)
	}
	if err := parallel.Await(ctx, func() { t.Error("work began after its context had ended") }); !errors.Is(err, context.Canceled) {
		t.Errorf("a late wait gave %v", err)
	}
}

func TestAwaitRaisesThePanicOfTheWork(t *testing.T) {
	defer func() {
		if r := recover(); r != "broken" {
			t.Fatalf("recovered %v", r)
		}
	}()
	_ = parallel.Await(context.Background(), func() { panic("broken") })
	t.Fatal("no panic")
}
