package limits

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// A clock says when work is to end with the best that it has.
type clock struct {
	limit time.Duration // of the whole command
	end   time.Time
	now   func() time.Time
	met   *atomic.Bool // that it was over while there was work left
	whole *clock       // of which this is a part; nil: of none
}

// meet notes that the time was over while there was work left.
func (c *clock) meet() {
	for ; c != nil; c = c.whole {
		c.met.Store(true)
	}
}

// clockKey finds the clock of a context.
type clockKey struct{}

// WithTime returns a context whose work is to end after a time, with the best that it has. It is not cancelled at once: solvers
// ask [Over], and [Whole] serves work that has nothing to give before it is done. Work that goes on for much longer all the
// same is cancelled, by a [TimeError].
func WithTime(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	late := limit + max(GraceSeconds*time.Second, time.Duration(GraceShare*float64(limit)))
	ctx, stop := context.WithTimeoutCause(ctx, late, &TimeError{limit})
	return WithClock(ctx, limit, time.Now), stop
}

// WithClock does what WithTime does, but for cancelling, by a clock of the caller's.
func WithClock(ctx context.Context, limit time.Duration, now func() time.Time) context.Context {
	return context.WithValue(ctx, clockKey{}, &clock{limit: limit, end: now().Add(limit), now: now, met: new(atomic.Bool)})
}

// clockOf returns the clock of a context, nil where its time has no limit.
func clockOf(ctx context.Context) *clock {
	c, _ := ctx.Value(clockKey{}).(*clock)
	return c
}

// Share returns a context whose work is to end after a share of the time that is left.
func Share(ctx context.Context, share float64) context.Context {
	c := clockOf(ctx)
	if c == nil {
		return ctx
	}
	own, now := *c, c.now()
	own.end = now.Add(time.Duration(share * float64(max(0, c.end.Sub(now)))))
	return context.WithValue(ctx, clockKey{}, &own)
}

// Part does what Share does for work that is told apart: Ended says of it alone whether its time was over.
func Part(ctx context.Context, share float64) context.Context {
	c := clockOf(ctx)
	if c == nil {
		return ctx
	}
	ctx = Share(ctx, share)
	own := clockOf(ctx)
	own.met, own.whole = new(atomic.Bool), c
	return ctx
}

// Over reports whether the time of a context is over. Whoever asks has work left, and ends it if so.
func Over(ctx context.Context) bool {
	over := Past(ctx)
	if over {
		clockOf(ctx).meet()
	}
	return over
}

// Past reports whether the time of a context is over, to whoever may be done all the same.
func Past(ctx context.Context) bool {
	c := clockOf(ctx)
	return c != nil && !c.now().Before(c.end)
}

// Whole does work that gives nothing before it is done. When the time of ctx is over it cancels the work, and returns a
// [TimeError]. Until then nobody tells the work that its time has an end.
func Whole(ctx context.Context, do func(context.Context) error) error {
	c := clockOf(ctx)
	if c == nil {
		return do(ctx)
	}
	over := &TimeError{c.limit}
	hard, stop := context.WithTimeoutCause(context.WithValue(ctx, clockKey{}, (*clock)(nil)), c.end.Sub(c.now()), over)
	defer stop()
	err := do(hard)
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(context.Cause(hard), over) {
		return err
	}
	c.meet()
	return over
}

// A TimeError says that the time of a command was over before there was anything to give. It may be that of the first part alone: others would have had too little.
type TimeError struct{ limit time.Duration }

// Late returns the TimeError that cancelled the work of a context made by WithTime, if err says that something did; else err.
func Late(ctx context.Context, err error) error {
	if late, ok := errors.AsType[*TimeError](context.Cause(ctx)); ok && errors.Is(err, context.DeadlineExceeded) {
		return late
	}
	return err
}

// TimeOver reports whether an error says that the time was over.
func TimeOver(err error) bool {
	_, over := errors.AsType[*TimeError](err)
	return over
}

// Error names the limit, and how to get on.
func (e *TimeError) Error() string {
	return fmt.Sprintf("the time limit of %s leaves no time for a result: allow more by --time-limit, or ask for less by a wider gap, or by fewer rows, landmarks, required statements or combinations",
		e.limit)
}

// Ended says that the time of a command ended work before it was done; empty where it did not.
func Ended(ctx context.Context) string {
	c := clockOf(ctx)
	if c == nil || !c.met.Load() {
		return ""
	}
	return fmt.Sprintf("the time limit of %s ended the work before it was done", c.limit)
}
