package verify

import (
	"context"
	"slices"
	"sync"

	"github.com/sipc-ml/sipc/plugins"
)

// together is how many calls are made at the same time.
const together = 4

// determinism asks the same again: in the same session, in another one, in another process, at other nodes, and beside other calls.
func determinism(ctx context.Context, s *suite) {
	p := s.sound(ctx)
	if p == nil {
		return
	}
	other, err := s.launch(ctx)
	if err != nil {
		s.findf("%v", err)
		return
	}
	defer other.Close() //nolint:errcheck // what it leaves behind is the host's affair
	for _, sub := range s.subjects() {
		q := &question{subject: sub, data: sub.data(rows, 1), seed: 7, derivative: sub.path()}
		first, err := q.ask(ctx, p)
		s.usual[sub.String()] = err
		if err != nil {
			s.failed(q, "", err)
			if broke(err) {
				s.fails[sub.String()] = true
			}
			if p = s.sound(ctx); p == nil {
				return
			}
			continue
		}
		asksRepeatedly(ctx, s, p, other, q, first)
	}
	if s.check.Tried == 0 && len(s.notes.all) > 0 {
		s.notes.all = slices.Insert(s.notes.all, 0, &line{text: "no call was answered"})
	}
}

// asksRepeatedly asks in every way again what was answered first.
func asksRepeatedly(ctx context.Context, s *suite, p, other plugins.Family, q *question, first *answer) {
	s.check.Tried++
	s.answered[q.name()] = true
	askedAgain(ctx, s, p, q, first)
	compare(s, q, "in another process", first)(q.ask(ctx, other))
	beside(ctx, s, p, q, first)
	if q.path() {
		otherNodes(ctx, s, p, q, first)
	}
}

// askedAgain asks twice more in one session of its own.
func askedAgain(ctx context.Context, s *suite, p plugins.Family, q *question, first *answer) {
	session, err := plugins.Open(ctx, p, q.data, q.needs())
	if err != nil {
		s.faultf(q.subject, "", "a second session is refused: %s", told(err))
		return
	}
	defer session.Close() //nolint:errcheck // looked at elsewhere
	for _, where := range []string{"in another session", "again in the same session"} {
		compare(s, q, where, first)(q.askIn(ctx, session))
	}
}

// compare holds an answer against the first.
func compare(s *suite, q *question, where string, first *answer) func(*answer, error) {
	return func(a *answer, err error) {
		if err != nil {
			s.faultf(q.subject, "", "it fails %s: %s", where, told(err))
		} else if d := first.difference(a, q.places()); d != "" {
			s.faultf(q.subject, "", "it answers otherwise %s: %s", where, d)
		}
	}
}

// beside asks while the same and another question are being answered.
func beside(ctx context.Context, s *suite, p plugins.Family, q *question, first *answer) {
	noise := *q
	noise.seed, noise.data = 8, q.subject.data(rows+3, 2)
	answers, errs := make([]*answer, together), make([]error, together)
	var wg sync.WaitGroup
	for i := range together {
		wg.Go(func() {
			if i%2 == 1 {
				_, _ = noise.ask(ctx, p)
			}
			answers[i], errs[i] = q.ask(ctx, p)
		})
	}
	wg.Wait()
	for i := range together {
		compare(s, q, "beside other calls", first)(answers[i], errs[i])
	}
}

// otherNodes asks for the path at more nodes: the elements stay, and so do the functionals at the nodes that stay.
func otherNodes(ctx context.Context, s *suite, p plugins.Family, q *question, first *answer) {
	more := *q
	more.nodes = []float64{0, 0.25, 0.5, 1}
	a, err := more.ask(ctx, p)
	switch {
	case err != nil:
		s.faultf(q.subject, "", "it fails at other nodes: %s", told(err))
		return
	case a.elements != first.elements:
		s.faultf(q.subject, "", "it has %d elements at three nodes and %d at four: elements must not depend on nodes", first.elements, a.elements)
		return
	}
	x, y := first.prints(q.places()), a.prints(q.places())
	for k := range x {
		for e := range len(x[k]) / 3 {
			for node, other := range []int{0, 2, 3} {
				if i, j := 3*e+node, 4*e+other; i < len(x[k]) && j < len(y[k]) && x[k][i] != y[k][j] {
					s.faultf(q.subject, "", "element %d is another one where more nodes are asked for", e)
					return
				}
			}
		}
	}
}
