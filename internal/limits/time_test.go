package limits_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/internal/limits"
)

// Shares are of the time that is left, and whoever has the whole limit knows that a part of it was over.
func TestTimeIsShared(t *testing.T) {
	now := time.Now()
	all := limits.WithClock(t.Context(), 8*time.Second, func() time.Time { return now })
	half := limits.Share(all, 0.5)
	now = now.Add(5 * time.Second)
	rest := limits.Share(all, 0.5)
	if limits.Over(rest) || limits.Ended(all) != "" {
		t.Fatal("the time is over before its end")
	}
	if !limits.Over(half) || limits.Over(all) {
		t.Error("half of the time is not over, or all of it is")
	}
	if limits.Ended(all) == "" || limits.Ended(t.Context()) != "" {
		t.Error("nobody knows that a part was over, or one without a limit does")
	}
	if now = now.Add(2 * time.Second); !limits.Over(rest) || limits.Over(t.Context()) {
		t.Error("a share of the rest does not end, or a context without a limit does")
	}
}

// Work that gives nothing before it is done is cancelled at the end of its time, and is not told of that before.
func TestWholeWorkIsCancelled(t *testing.T) {
	now := time.Now()
	ctx := limits.WithClock(t.Context(), time.Second, func() time.Time { return now })
	now = now.Add(time.Hour)
	own := errors.New("another")
	for _, c := range []struct {
		ctx  context.Context
		err  error
		over bool
	}{{ctx, nil, true}, {ctx, own, false}, {t.Context(), own, false}} {
		err := limits.Whole(c.ctx, func(ctx context.Context) error {
			if limits.Over(ctx) {
				t.Error("the work is told of its end")
			}
			if c.err != nil {
				return c.err
			}
			<-ctx.Done()
			return ctx.Err()
		})
		if limits.TimeOver(err) != c.over || !c.over && !errors.Is(err, c.err) {
			t.Errorf("the work ends with %v", err)
		}
		if ended := limits.Ended(ctx) != ""; !ended {
			t.Error("nobody knows that the time was over")
		}
	}
}

// The end of one part's time is known to it and to the whole, and not to the parts after it.
func TestPartsAreToldApart(t *testing.T) {
	now := time.Now()
	all := limits.WithClock(t.Context(), 8*time.Second, func() time.Time { return now })
	first := limits.Part(all, 0.5)
	now = now.Add(5 * time.Second)
	if !limits.Over(limits.Share(first, 1)) {
		t.Fatal("the first part is not over")
	}
	second := limits.Part(all, 1)
	if limits.Ended(first) == "" || limits.Ended(all) == "" || limits.Ended(second) != "" || limits.Over(second) {
		t.Error("parts are not told apart")
	}
}
