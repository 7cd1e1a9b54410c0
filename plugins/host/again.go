package host

import (
	"context"
	"fmt"
	"reflect"
)

// A death is the end of a process that no one asked for, in a call that may be made anew.
type death struct{ failure *Error }

func (d *death) Error() string { return d.failure.Error() }

// startAgain gives a process that died in its life l another one, once. What it is called for is deterministic, so that the
// calls that failed with it can be made anew. It fails where the process has died before.
func (p *Process) startAgain(ctx context.Context, l *life, d *death) (*life, error) {
	p.revive.Lock()
	defer p.revive.Unlock()
	if now := p.running(); now != l { // another call that died with it was here before
		return now, p.alive()
	}
	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	before, err := p.restarts(cancel)
	if err != nil {
		return nil, err
	}
	if before {
		d.failure.Reason += ", and so it did before it was started again"
		return nil, p.giveUp(d.failure)
	}
	if p.options.Notice != nil {
		f := d.failure
		p.options.Notice(fmt.Sprintf("family %s failed %s: %s; it is started again", f.Family, f.During, f.Reason))
	}
	return p.liveAgain(ctx, starting, d)
}

// liveAgain gives the process another life in the context starting, which ends with ctx and when the process is closed.
func (p *Process) liveAgain(ctx, starting context.Context, d *death) (*life, error) {
	next, err := p.resume(starting)
	cancelled := ctx.Err()
	if err == nil && cancelled == nil {
		if err = p.take(next); err == nil {
			return next, nil
		}
	}
	if next != nil {
		_ = next.end() // nobody else would
	}
	switch closed := p.alive(); {
	case cancelled != nil:
		_ = p.giveUp(d.failure)
		return nil, cancelled
	case closed != nil: // meanwhile
		return nil, closed
	}
	return nil, p.giveUp(err)
}

// restarts notes that the process is to be started again, and how that start is aborted. It tells whether it was before, and fails
// where it was closed or given up.
func (p *Process) restarts(abort context.CancelFunc) (before bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, p.again, p.abort = p.again, true, abort
	return before, p.dead
}

// take makes next the process's life, unless it was closed meanwhile.
func (p *Process) take(next *life) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead == nil {
		p.life = next
	}
	return p.dead
}

// resume starts the very program that ran before.
func (p *Process) resume(ctx context.Context) (*life, error) {
	const during = "when it was to be started again"
	next, err := p.begin(ctx, func(digest string) error {
		if digest != p.digest {
			return &Error{Family: p.name(), During: during, Reason: fmt.Sprintf("its program was changed meanwhile: its sha256 was %s and is %s", p.digest, digest)}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(p.schema, next.schema) {
		_ = next.end()
		return nil, &Error{Family: p.name(), During: during, Reason: "it describes itself otherwise than before"}
	}
	return next, nil
}

// giveUp makes err the answer to every later call.
func (p *Process) giveUp(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead == nil {
		p.dead = err
	}
	return err
}
