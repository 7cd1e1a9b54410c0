// Package parallel runs loops on all processors without changing what they compute.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// For splits [0, n) into runs of grain consecutive indices and calls body once for each, from at most GOMAXPROCS
// goroutines, the caller's among them. The last run may be shorter. The bounds of the runs depend on n and grain alone.
// So a body that writes only to places of its own run gives the same bits for any number of processors. A panic of body
// is raised again in the caller.
func For(n, grain int, body func(lo, hi int)) {
	grain = max(grain, 1)
	runs := (n + grain - 1) / grain
	workers := min(runtime.GOMAXPROCS(0), runs)
	if workers <= 1 {
		for lo := 0; lo < n; lo += grain {
			body(lo, min(lo+grain, n))
		}
		return
	}
	var (
		next   atomic.Int64
		group  sync.WaitGroup
		once   sync.Once
		raised any
	)
	work := func() {
		defer func() {
			if r := recover(); r != nil {
				once.Do(func() { raised = r })
				next.Store(int64(runs))
			}
		}()
		for run := int(next.Add(1)) - 1; run < runs; run = int(next.Add(1)) - 1 {
			body(run*grain, min((run+1)*grain, n))
		}
	}
	for range workers - 1 {
		group.Go(work)
	}
	work() // the caller's stack has grown already, and nobody has to wake it
	group.Wait()
	if raised != nil {
		panic(raised) //nolint:forbidigo // the body's own panic, handed on
	}
}

// Await runs work that cannot be interrupted, and waits until it is done or ctx ends. In the latter case it returns
// ctx's error at once, while work goes on. What it writes to must not be used any more.
func Await(ctx context.Context, work func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		work()
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case raised := <-done:
		if raised != nil {
			panic(raised) //nolint:forbidigo // the work's own panic, handed on
		}
		return nil
	}
}
