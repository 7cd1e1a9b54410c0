package host

import (
	"context"
	"errors"
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
	if err := p.alive(); err != nil {
		return nil, err
	}
	if now := p.running(); now != l { // another call that died with it was here before
		return now, nil
	}
	p.mu.Lock()
	before := p.again
	p.again = true
	p.mu.Unlock()
	if before {
		d.failure.Reason += ", and so it did before it was started again"
		return nil, p.giveUp(d.failure)
	}
	if p.options.Notice != nil {
		f := d.failure
		p.options.Notice(fmt.Sprintf("family %s failed %s: %s; it is started again", f.Family, f.During, f.Reason))
	}
	next, err := p.resume(ctx)
	if ctx.Err() != nil {
		if err == nil {
			_ = next.end() // nobody would
		}
		_ = p.giveUp(d.failure)
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, p.giveUp(err)
	}
	p.mu.Lock()
	p.life = next
	closed := p.dead
	p.mu.Unlock()
	if closed != nil { // meanwhile
		return nil, errors.Join(closed, next.end())
	}
	return next, nil
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
