package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sipc-ml/sipc/plugins/host/process"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// An Error says that a family's process failed: it crashed, hung, flooded or answered what it must not. The process has
// been killed. Errors that a family reports by itself (a bad argument, say) are not of this kind.
type Error struct {
	Family string   // its name and path
	During string   // what it was doing, such as "in pairs"
	Reason string   // one line
	Words  []string // the last lines that it wrote to standard error

	stalled bool // it did not answer in time
}

// Error returns one line, and below it the last lines that the process wrote.
func (e *Error) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "family %s failed %s: %s", e.Family, e.During, e.Reason)
	if len(e.Words) > 0 {
		s.WriteString("; its last words:")
		for _, w := range e.Words {
			s.WriteString("\n    " + w)
		}
	}
	return s.String()
}

// describing is what a process does whose schema is asked for.
const describing = "while it describes itself"

// starting is what a process does that has not greeted.
const starting = "while it starts"

// Advice returns what the user and the author can do about a process that did not answer in time. It is empty for all
// other errors.
func (e *Error) Advice() string {
	switch {
	case !e.stalled:
		return ""
	case e.During == starting || e.During == describing:
		return "It has been killed; the file that SIPC_PLUGIN_LOG names keeps what it prints. Its author: call sdk.Serve (in Python, serve) at once, and read " +
			"what takes long in Open."
	}
	return "It has been killed; the file that SIPC_PLUGIN_LOG names keeps what it prints. Its author: yield chunks as they are ready, look at the " +
		"context in long loops (in Python, call.check()), and wait for no lock, input or network."
}

// Mend says what its user can do about it.
func (e *Error) Mend() string {
	if advice := e.Advice(); advice != "" {
		return advice
	}
	if e.During == describing {
		return "This is a fault of the family, and not of the spec: tell its author. sipc plugin verify, on its program, says what is wrong."
	}
	return "See that the program is the family that is meant, and built for this sipc; if it is, tell its author."
}

// unsound is an answer that breaks the contract.
type unsound struct{ err error }

func (u *unsound) Error() string { return u.err.Error() }

// yieldError is an error of the caller's own.
type yieldError struct{ err error }

func (y *yieldError) Error() string { return y.err.Error() }

// A call is what is asked of a process in one of its lives.
type call func(context.Context, *life, *watch) error

// do makes one call, under watch, and says what went wrong. If the process dies in it, it is started again, once, and the call
// is made anew.
func (p *Process) do(ctx context.Context, during string, longest time.Duration, f call) error {
	if err := p.state.alive(); err != nil {
		return err
	}
	for l := p.state.running(); ; {
		err := p.once(ctx, l, during, longest, f)
		var died *crash
		if !errors.As(err, &died) {
			return err
		}
		if l, err = p.startAgain(ctx, l, died); err != nil {
			return err
		}
	}
}

// first makes a call that belongs to a start: it is not made anew.
func (p *Process) first(ctx context.Context, l *life, during string, f call) error {
	err := p.once(ctx, l, during, p.options.Start, f)
	var died *crash
	if errors.As(err, &died) {
		return died.failure
	}
	return err
}

// once makes a call in one life. It fails with *crash where the process died in it.
func (p *Process) once(ctx context.Context, l *life, during string, longest time.Duration, f call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// The process is not told of ctx's deadline: it might act on it first, and would be blamed for the call's end.
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	stop := l.child.WhenGone(func() { cancel(process.ErrGone) })
	defer stop()
	err := f(inner, l, newWatch(inner, cancel, l.child, &p.options, longest))
	var own *yieldError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own.err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return p.judge(l, during, err, context.Cause(inner))
}

// judge turns the error of a call into the one to report, and kills the process where it is at fault.
func (p *Process) judge(l *life, during string, err, cause error) error {
	var stall *stalled
	var bad *unsound
	st, _ := status.FromError(err)
	var reason string
	died := false
	switch {
	case errors.As(cause, &stall):
		reason = stall.reason
	case errors.As(err, &bad):
		reason = bad.Error()
	case errors.Is(cause, process.ErrGone) || errors.Is(err, process.ErrGone) || l.child.HasEnded(time.Second, st.Code() == codes.Unavailable || errors.Is(err, io.EOF)):
		reason, died = l.child.HowEnded()
	case st.Code() == codes.InvalidArgument:
		return errors.New(process.ClipText(st.Message()))
	case st.Code() == codes.Unknown || st.Code() == codes.Internal:
		reason = "it reports: " + process.FirstLine(st.Message())
	default:
		reason = process.FirstLine(st.Message())
	}
	_ = l.end() // the reason matters more than a file that cannot be removed
	failure := &Error{Family: p.name(), During: during, Reason: reason, Words: l.child.Lines.Last(), stalled: stall != nil}
	if died {
		return &crash{failure}
	}
	return p.state.giveUp(failure)
}
