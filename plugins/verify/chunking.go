package verify

import (
	"context"
	"errors"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/probe"
)

// chunking asks for many elements, and moves many points: more than one message of gRPC's usual size holds.
func chunking(ctx context.Context, s *suite) {
	for sub, p := range s.asked(ctx) {
		if sub.domain != nil {
			inChunks(ctx, s, p, &question{subject: sub, data: sub.data(s.sizes.rows, 9), seed: 7, derivative: sub.path()})
		} else {
			manyPoints(ctx, s, p, &question{subject: sub, data: sub.data(rows, 9)})
		}
	}
}

// inChunks looks at the chunks of a domain of many elements. Of an answer that is longer than four chunks may be, the rest is left.
func inChunks(ctx context.Context, s *suite, p plugins.Family, q *question) {
	a, err := q.upTo(ctx, p, 4*s.sizes.chunk, wholeCall)
	if err != nil {
		s.failed(q, "", err)
		return
	}
	s.check.Tried++
	if a.largest > s.sizes.chunk {
		s.faultf(q.subject, "", "a chunk holds %d MiB; yield chunks of a few megabytes", a.largest>>20)
	}
	s.notef("%v: %d elements in %d chunks, %.1f MiB", q.subject, a.elements, a.chunks, float64(a.bytes)/(1<<20))
}

// wholeCall is longer than the host lets a call take.
const wholeCall = 24 * time.Hour

// errEnough ends a call whose answer has been seen for long enough.
var errEnough = errors.New("enough is seen")

// upTo returns what is counted of the answer, or of its first most bytes, as far as they come in a while.
func (q *question) upTo(ctx context.Context, p plugins.Family, most int64, while time.Duration) (*answer, error) {
	began := time.Now()
	var seen answer
	bounded := *q
	bounded.forget = true
	bounded.stop = func(c *plugins.Chunk) error {
		if seen.count(c); seen.bytes > most || time.Since(began) > while {
			return errEnough
		}
		return nil
	}
	a, err := bounded.ask(ctx, p)
	switch {
	case err != nil && !errors.Is(err, errEnough):
		return nil, err
	case q.of != nil:
		seen.bytes = blockBytes(a.blocks[0])
	}
	return &seen, nil
}

// manyPoints moves points that the call brings by value: many, and the same few, must go the same way.
func manyPoints(ctx context.Context, s *suite, p plugins.Family, q *question) {
	few, err := q.ask(ctx, p)
	if err != nil {
		s.failed(q, "", err)
		return
	}
	at := &plugins.Block{Labels: q.data.Labels}
	for k := range s.sizes.points {
		label := int32(plugins.NoLabel)
		if len(q.data.Labels) > 0 {
			label = int32(k % rows)
		}
		at.Term(1, ^int32(at.Points.Append(q.data.Rows.Row(k%rows))), plugins.Evaluation, label)
		at.End()
	}
	large := *q
	large.at = at
	many, err := large.ask(ctx, p)
	if err != nil {
		s.faultf(q.subject, "", "it moves %d points, but not %d of %.1f MiB: %s", rows, s.sizes.points, float64(blockBytes(at))/(1<<20), told(err))
		return
	}
	s.check.Tried++
	f := probe.NewFunction(q.data.Rows.Cols, q.labels, 11)
	want, got := values(f, few.blocks, q.data), values(f, many.blocks, q.data)
	for k := range got {
		if far(got[k], want[k%rows]) {
			s.faultf(q.subject, "", "it moves the point %d of %d otherwise than the same row: f is %.6g there, not %.6g", k, s.sizes.points, got[k], want[k%rows])
			return
		}
	}
}
