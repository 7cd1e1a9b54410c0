package host

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/sipc-ml/sipc/plugins/host/process"
)

// A watch makes every wait for the process end. While an answer is awaited, the process must answer within longest.
// Until it answers it must use its processor, or it counts as hanging after silence. All waits of a call together
// must end within whole; what this process does with an answer does not count.
type watch struct {
	// waiting is since when the process is waited for, in nanoseconds since began; 0 means that it is not.
	waiting atomic.Int64
	// waited is the time in all waits that have ended, in nanoseconds.
	waited  atomic.Int64
	began   time.Time
	child   *process.Child
	silence time.Duration
	longest time.Duration
	whole   time.Duration
}

// A stalled error says that a wait ended, for which the process is to blame.
type stalled struct{ reason string }

func (s *stalled) Error() string { return s.reason }

// newWatch watches until ctx is done, and cancels with a *stalled where the process hangs.
func newWatch(ctx context.Context, cancel context.CancelCauseFunc, c *process.Child, o *Options, longest time.Duration) *watch {
	w := &watch{began: time.Now().Add(-time.Nanosecond), child: c, silence: o.Silence, longest: longest, whole: o.Call}
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
	var p pulse
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
		now, start := time.Now(), w.began.Add(time.Duration(since))
		if since != p.wait {
			p = pulse{wait: since, busyUntil: start, used: -1}
		}
		reason := ""
		switch waited := now.Sub(start); {
		case waited > w.longest:
			reason = fmt.Sprintf("it did not answer within %v", w.longest)
		case time.Duration(w.waited.Load())+waited > w.whole:
			reason = fmt.Sprintf("its call did not end within %v", w.whole)
		case waited < w.silence/2: // reading what the process uses has its price
		case w.hangs(&p, now):
			reason = fmt.Sprintf("it hangs: for %v it neither answered nor used its processor", w.silence)
		}
		if reason != "" {
			cancel(&stalled{reason})
			return
		}
	}
}

// A pulse is what was seen of the process in one wait.
type pulse struct {
	wait      int64         // which wait
	busyUntil time.Time     // when the process was last seen to use its processor
	used      time.Duration // how much of it until then; below 0 before the first reading
}

// hangs looks whether the process uses its processor. The first reading is the baseline; half the silence lies behind, the other half
// is measured.
func (w *watch) hangs(p *pulse, now time.Time) bool {
	total, running, known := w.child.Usage()
	if !known || running || p.used < 0 || (total-p.used).Abs() >= minimalUse {
		p.busyUntil, p.used = now, total
	}
	return now.Sub(p.busyUntil) > w.silence/2
}

// minimalUse of the processor is what an idle process does not reach.
const minimalUse = 20 * time.Millisecond
