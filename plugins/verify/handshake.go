package verify

import (
	"context"
	"errors"
	"time"

	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/probe"
)

// whileDescribing is what the host says of failures whose cause is the schema.
const whileDescribing = "while it describes itself"

// handshake starts the program, twice at once, and ends one of them: the other must go on.
func handshake(ctx context.Context, s *suite) {
	began := time.Now()
	p, err := s.launch(ctx)
	if err != nil {
		unstarted(s, err)
		return
	}
	took := time.Since(began)
	s.process, s.digest = p, p.Digest()
	if s.schema, err = p.Describe(ctx); err != nil {
		s.findf("it starts, but cannot be asked: %v", err)
		return
	}
	s.check.Tried++
	s.notef("it starts in %d ms", took.Milliseconds())
	if !twice(ctx, s) {
		return
	}
	session, err := p.Open(ctx, probe.Table(rows, columns, 0, 1)) // Describe the host answers by itself
	if err == nil {
		err = session.Close()
	}
	if broke(err) {
		s.findf("it takes no data any more when another process of it has ended: %v", err)
	}
	s.check.Tried++
}

// twice starts a second process beside the first, asks it what it is, and ends it. It is false where it does not start.
func twice(ctx context.Context, s *suite) bool {
	second, err := s.launch(ctx)
	if err != nil {
		s.findf("a second process does not start beside the first: %v", err)
		return false
	}
	if s.second, err = second.Describe(ctx); err != nil {
		s.findf("a second process starts beside the first, but cannot be asked: %v", err)
	}
	began := time.Now()
	if err := second.Close(); err != nil {
		s.findf("it leaves files behind: %v", err)
	}
	if took := time.Since(began); took > 2*time.Second {
		s.findf("it takes %v to end", took.Round(time.Millisecond))
	}
	return true
}

// unstarted says why the program does not start: its own fault, or the caller's, or the schema's.
func unstarted(s *suite, err error) {
	var failed *host.Error
	switch {
	case !errors.As(err, &failed):
		s.refused = err
	case failed.During == whileDescribing:
		s.check.Tried++
		s.notef("it starts")
		s.undescribed = err
	default:
		s.findf("%v", err)
	}
}
