package host

import (
	"context"
	"fmt"
	"reflect"
)

// A crash is the end of a process that no one asked for, in a call that may be made anew.
type crash struct{ failure *Error }

func (d *crash) Error() string { return d.failure.Error() }

// startAgain gives a process that died in its life l another one, once. What it is called for is deterministic, so that the
// calls that failed with it can be made anew. It fails where the process has died before.
func (p *Process) startAgain(ctx context.Context, l *life, d *crash) (*life, error) {
	p.revive.Lock()
	defer p.revive.Unlock()
	if now := p.state.running(); now != l { // another call that died with it was here before
		return now, p.state.alive()
	}
	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	before, err := p.state.restarts(cancel)
	if err != nil {
		return nil, err
	}
	if before {
		d.failure.Reason += ", and so it did before it was started again"
		return nil, p.state.giveUp(d.failure)
	}
	if p.options.Notice != nil {
		f := d.failure
		p.options.Notice(fmt.Sprintf("family %s failed %s: %s; it is started again", f.Family, f.During, f.Reason))
	}
	return p.liveAgain(ctx, starting, d)
}

// liveAgain gives the process another life in the context starting, which ends with ctx and when the process is closed.
func (p *Process) liveAgain(ctx, starting context.Context, d *crash) (*life, error) {
	next, err := p.resume(starting)
	cancelled := ctx.Err()
	if err == nil && cancelled == nil {
		if err = p.state.take(next); err == nil {
			return next, nil
		}
	}
	if next != nil {
		_ = next.end() // nobody else would
	}
	switch closed := p.state.alive(); {
	case cancelled != nil:
		_ = p.state.giveUp(d.failure)
		return nil, cancelled
	case closed != nil: // meanwhile
		return nil, closed
	}
	return nil, p.state.giveUp(err)
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
