package verify

import (
	"context"
	"errors"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
)

// A family is looked at so often, with so long a pause between, to see whether it works.
const looks, pause = 12, 8 * time.Millisecond

// cancellation cancels calls: before they are answered, and within the answer. The host returns at once; the family must stop
// working soon, and answer afterwards as it did before.
func cancellation(ctx context.Context, s *suite) {
	for sub, p := range s.asked(ctx) {
		small := &question{subject: sub, data: sub.data(rows, 13), seed: 7}
		before, err := small.ask(ctx, p)
		if err != nil {
			s.failed(small, "", err)
			continue
		}
		alike, err := small.ask(ctx, p)
		if err != nil || before.difference(alike, sub.places()) != "" {
			before = nil // that is another check's finding
		}
		big := &question{subject: sub, data: sub.data(s.sizes.rows, 13), seed: 7, derivative: sub.path(), forget: true}
		cancelled(ctx, s, p, big)
		stopsEarly(ctx, s, p, big)
		asBefore(ctx, s, p, small, before)
		s.check.Tried++
	}
}

// cancelled cancels a call after a moment, and another one at its first chunk.
func cancelled(ctx context.Context, s *suite, p plugins.Family, q *question) {
	for _, after := range []time.Duration{time.Millisecond, 30 * time.Millisecond} {
		inner, cancel := context.WithTimeout(ctx, after)
		returnsInTime(inner, s, p, q)
		cancel()
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	first := *q
	first.stop = func(*plugins.Chunk) error {
		cancel()
		return nil
	}
	returnsInTime(inner, s, p, &first)
}

// returnsInTime makes a call that is cancelled, and looks at how it ends.
func returnsInTime(ctx context.Context, s *suite, p plugins.Family, q *question) {
	_, err := q.ask(ctx, p)
	if err != nil && broke(err) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		s.faultf(q.subject, "", "a cancelled call ends the process: %s", told(err))
	}
}

// stopsEarly waits until the family is idle.
func stopsEarly(ctx context.Context, s *suite, p *host.Process, q *question) {
	for began := time.Now(); working(ctx, p); {
		if time.Since(began) > s.sizes.patience {
			s.faultf(q.subject, "", "%v after its call was cancelled it is still at work; look at the context inside long loops", s.sizes.patience)
			return
		}
	}
	if _, known := p.Busy(); !known {
		s.notef("whether it stops its work is not known: the platform does not tell")
	}
}

// working looks at a process several times, and tells whether it was at work each time.
func working(ctx context.Context, p *host.Process) bool {
	for range looks {
		if busy, known := p.Busy(); !busy || !known || ctx.Err() != nil {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// asBefore asks again what was asked before calls were cancelled.
func asBefore(ctx context.Context, s *suite, p plugins.Family, q *question, before *answer) {
	const where = "after a call that was cancelled"
	a, err := q.ask(ctx, p)
	if before == nil {
		before = a // then it is enough that it answers
	}
	compare(s, q, where, before)(a, err)
}
