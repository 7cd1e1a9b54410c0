// Package host runs families that are separate processes.
//
// A family's process is not trusted. Its program is copied to a private place, and the digest of the copy is compared
// with the one pinned in sipc.lock. The copy is what runs: in a process group, with little environment, standard output
// guarded, over mutually authenticated TLS. Every wait for it has an end, and every block that it sends is validated
// before use. A process that crashes, hangs, floods or lies is killed with its children. The call that it failed ends in
// one *Error that shows its last words. Nothing is left behind.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host/lock"
	"github.com/sipc-ml/sipc/plugins/host/process"
	"github.com/sipc-ml/sipc/plugins/internal/wire"
)

// Options say how a family's process is run. The zero value is the default.
type Options struct {
	// Name is the family's name, as in `use NAME from "PATH"`; a program that calls itself otherwise is refused. Empty
	// takes any.
	Name string
	// SHA256 is the digest that the program must have, in hexadecimal, to be started; empty takes any.
	SHA256 string
	// Lock and Store say together which programs may start: those that the lock pins and the user trusts. Nil where the
	// user named the program himself.
	Lock  *lock.File
	Store *lock.Store
	// Accept lets a program start that Lock does not pin yet, or that Store does not hold: see Keep.
	Accept bool
	// Silence is how long the process may neither answer nor use its processor while an answer is awaited; default 3 s.
	// It is watched where the platform tells (Linux).
	Silence time.Duration
	// Start, Answer and Call bound the time that the process may take. They are for its start, for one message of an
	// answer, and for all of a call together even if it is busy. Defaults are 20 s, 2 min and 30 min. What its caller
	// does with an answer does not count.
	Start, Answer, Call time.Duration
	// MaxChunk and MaxAnswer are how much the process may send in one chunk and in one answer, in bytes; default 256 MiB and 1 GiB.
	// An answer of Map is one block, which may be as large as an answer.
	MaxChunk, MaxAnswer int64
	// Memory bounds the memory that each of its processes may ask for, and that its group may hold together, in
	// bytes. Processor bounds how long each may use processors. Defaults are 4 GiB and 2 h. Both are limits on
	// platforms that have them (Linux).
	Memory    int64
	Processor time.Duration
	// Log receives what the process writes to its standard error, line by line. Each line begins with the family's
	// name, or with the program's if Name is empty. nil discards the output.
	Log io.Writer
	// Notice is told, in one line, that the process died and was started again; it may be nil.
	Notice func(string)
	// Dir is where the private directories are made; default that of temporary files.
	Dir string
	// Env is added to the process's environment. That otherwise holds PATH, LANG, LC_ALL, LC_CTYPE and TZ of this
	// one, a separate TMPDIR, and the handshake.
	Env []string
}

func (o Options) withDefaults() Options {
	o.Silence = or(o.Silence, 3*time.Second)
	o.Start = or(o.Start, 20*time.Second)
	o.Answer = or(o.Answer, 2*time.Minute)
	o.Call = or(o.Call, 30*time.Minute)
	o.Processor = or(o.Processor, 2*time.Hour)
	o.MaxChunk = or(o.MaxChunk, 256<<20)
	o.MaxAnswer = or(o.MaxAnswer, 1<<30)
	o.Memory = or(o.Memory, 4<<30)
	return o
}

// or returns a bound, or its default if it is none.
func or[T ~int64](bound, fallback T) T { return cmp.Or(max(0, bound), fallback) }

// process returns what the process itself is bound to.
func (o *Options) process() process.Options {
	return process.Options{Name: o.Name, Log: o.Log, Env: o.Env, Memory: o.Memory, Processor: o.Processor}
}

// A Process is a family that runs as a process. It implements plugins.Family; its answers are those of the family in
// process, bit by bit. Close ends it.
type Process struct {
	path    string // as the user gave it
	options Options
	digest  string
	pin     *lock.Pin // of the program; nil where the lock has none
	unknown bool      // the lock does not pin it, or the user did not trust it before
	schema  *plugins.Schema

	revive sync.Mutex // held by who starts it again
	state  state
}

var _ interface {
	plugins.Family
	io.Closer
} = (*Process)(nil)

// Launch starts the program at path and asks it for its schema. It fails with *Error where the program is at fault. It
// fails with *lock.DigestError where the program is not the one that the lock pins, and with *lock.TrustError where the user has not trusted it. Cancelling ctx ends the start, not the process: see Close.
//
// If the process dies in a later call, it is started again, once, and the call is made anew. If it dies again, the call fails
// with *Error, and so do all that follow.
func Launch(ctx context.Context, path string, options Options) (*Process, error) {
	p := &Process{path: path, options: options.withDefaults()}
	l, err := p.begin(ctx, p.approve)
	if err != nil {
		return nil, err
	}
	p.state.life, p.schema = l, l.schema
	if pin := p.pin; pin != nil && (pin.Name != p.schema.Name || pin.Version != p.schema.Version) {
		return nil, errors.Join(&Error{
			Family: p.name(), During: describing,
			Reason: fmt.Sprintf("it calls itself %s %s, and called itself %s %s when this very program was pinned", p.schema.Name, p.schema.Version, pin.Name, pin.Version),
		}, l.end())
	}
	return p, nil
}

// approve fails where the program of a digest may not start.
func (p *Process) approve(digest string) (err error) {
	p.digest = digest
	if want := p.options.SHA256; want != "" && !strings.EqualFold(want, digest) {
		return fmt.Errorf("family %s is not the program that was asked for, and was not run\n    expected sha256 %s\n    actual   sha256 %s", p.path, want, digest)
	}
	if p.options.Lock == nil {
		return nil
	}
	if p.pin, err = p.options.Lock.Check(p.path, digest); err != nil {
		return err
	}
	trusted, err := p.options.Store.Holds(digest)
	if err != nil {
		return err
	}
	p.unknown = p.pin == nil || !trusted
	if p.unknown && !p.options.Accept {
		return &lock.TrustError{Program: p.path, Lock: p.options.Lock.Path(), Store: p.options.Store.Dir(), Pinned: p.pin != nil, Trusted: trusted}
	}
	return nil
}

// Unknown tells whether the program started by Accept alone.
func (p *Process) Unknown() bool { return p.unknown }

// Keep pins the program in the lock and trusts it from now on. It belongs after its schema was found sound.
func (p *Process) Keep(ctx context.Context) error {
	if err := p.options.Store.Add(p.digest, p.schema.Name, p.schema.Version); err != nil {
		return err
	}
	return p.options.Lock.Record(ctx, p.path, lock.Pin{Name: p.schema.Name, Version: p.schema.Version, SHA256: map[string]string{lock.Platform(): p.digest}})
}

// Describe says what the family adds to the language.
func (p *Process) Describe(context.Context) (*plugins.Schema, error) {
	if err := p.state.alive(); err != nil {
		return nil, err
	}
	return p.schema, nil
}

// Open hands the process a data set.
func (p *Process) Open(ctx context.Context, data *plugins.Data) (plugins.Session, error) {
	s := &session{process: p, data: data, n: data.N(), features: data.Rows.Cols, labels: len(data.LabelNames)}
	err := p.do(ctx, "while it takes the data", p.options.Answer, func(ctx context.Context, l *life, w *watch) error {
		_, err := s.on(ctx, l, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.answers, _ = ctx.Value(answersKey{}).(*Answers)
	s.sum = sync.OnceValues(func() (wire.Sum, error) { return wire.DataSum(data) })
	return s, nil
}

// Name returns what the family calls itself, and its version.
func (p *Process) Name() (name, version string) { return p.schema.Name, p.schema.Version }

// Digest returns the SHA-256 of the program that runs, in hexadecimal.
func (p *Process) Digest() string { return p.digest }

// Failed tells whether the process was given up because of what it did.
func (p *Process) Failed() bool {
	var failed *Error
	return errors.As(p.state.alive(), &failed)
}

// Busy reports whether a thread of the process is on a processor, or in line for one, right now. Where the platform does not
// say so, known is false.
func (p *Process) Busy() (busy, known bool) { return p.state.running().child.Busy() }

// PID returns the number of the process.
func (p *Process) PID() int { return p.state.running().child.PID() }

// Close ends the process and whatever it started, and removes its files. Calls that are under way fail. When it returns nothing
// is left, even if the process was about to be started again.
func (p *Process) Close() error {
	l := p.state.close(fmt.Errorf("family %s: it is closed", p.name()))
	err := l.end()
	p.revive.Lock() // who starts it again sees that it is closed, and ends what it started
	defer p.revive.Unlock()
	return errors.Join(err, p.state.running().end())
}

// name returns what errors call the family.
func (p *Process) name() string {
	name := p.options.Name
	if name == "" && p.schema != nil {
		name = p.schema.Name
	}
	if name == "" {
		return filepath.Base(p.path)
	}
	return fmt.Sprintf("%s (%s)", name, p.path)
}
