package host

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// A watch sees to it that every wait for the process ends. While an answer is awaited, the process must answer within
// longest; and unless it answers it must use its processor, or it counts as hanging after silence. All waits of a call together
// end within whole: what this process does with an answer does not count.
type watch struct {
	waiting atomic.Int64 // since when, in nanoseconds since began; 0: the process is not waited for
	waited  atomic.Int64 // in all waits that have ended, in nanoseconds
	began   time.Time
	child   *child
	silence time.Duration
	longest time.Duration
	whole   time.Duration
}

// A stalled error says that a wait ended.
type stalled struct{ reason string }

func (s *stalled) Error() string { return s.reason }

// newWatch watches until ctx is done, and cancels with a *stalled where the process hangs.
func newWatch(ctx context.Context, cancel context.CancelCauseFunc, c *child, longest time.Duration) *watch {
	w := &watch{began: time.Now().Add(-time.Nanosecond), child: c, silence: c.options.Silence, longest: longest, whole: c.options.Call}
	go w.run(ctx, cancel)
	return w
}

// wait calls f, which waits for the process.
func (w *watch) wait(f func() error) error {
	since := int64(time.Since(w.began))
	w.waiting.Store(since)
	defer func() {
		w.waiting.Store(0)
		w.waited.Add(int64(time.Since(w.began)) - since)
	}()
	return f()
}

func (w *watch) run(ctx context.Context, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(max(time.Millisecond, min(w.silence, w.longest, w.whole)/16))
	defer ticker.Stop()
	var wait int64          // the wait that the rest is about
	var busyUntil time.Time // when the process was last seen to use its processor
	used := time.Duration(-1)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		since := w.waiting.Load()
		if since == 0 {
			continue
		}
		now := time.Now()
		start := w.began.Add(time.Duration(since))
		if since != wait {
			wait, busyUntil, used = since, start, -1
		}
		if now.Sub(start) > w.longest {
			cancel(&stalled{fmt.Sprintf("it did not answer within %v", w.longest)})
			return
		}
		if time.Duration(w.waited.Load())+now.Sub(start) > w.whole {
			cancel(&stalled{fmt.Sprintf("its call did not end within %v", w.whole)})
			return
		}
		if now.Sub(start) < w.silence/2 {
			continue // reading what the process uses has its price
		}
		// The first reading is the baseline; half the silence lies behind, the other half is measured.
		total, running, known := w.child.usage()
		if !known || running || used < 0 || (total-used).Abs() >= minimalUse {
			busyUntil, used = now, total
		}
		if now.Sub(busyUntil) > w.silence/2 {
			cancel(&stalled{fmt.Sprintf("it hangs: for %v it neither answered nor used its processor", w.silence)})
			return
		}
	}
}

// minimalUse of the processor is what an idle process does not reach.
const minimalUse = 20 * time.Millisecond
