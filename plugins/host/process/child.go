// Package process runs a program that is not trusted. It runs a private copy in a new process group, with little
// environment, bounded memory and processor time, and standard output guarded. It leaves nothing of the program behind.
package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/internal/wire"
)

// A Child is a program's process, with its own process group.
type Child struct {
	program string
	dir     string
	options Options
	Lines   *Lines // the last ones that it wrote

	env            []string
	stdio          [3]*os.File // the process's ends
	stdin          *os.File    // held open: its end tells the process that this one is gone
	stdout, stderr *os.File
	greeted        chan struct{} // closed when the first line of stdout is there, or will never be

	gone context.Context // done when the process has ended
	went context.CancelFunc

	mu       sync.Mutex
	starting bool             // Start has begun
	ending   bool             // End has begun: what starts later is killed at once
	process  *os.Process      // nil before it runs
	ended    *os.ProcessState // nil before it has ended
	garbage  string           // the first line of stdout where it is no greeting
	greets   wire.Greeting    // what it says where it is one
	flooding bool
	impostor bool           // another than who greeted answers
	holding  int64          // how much memory it held with its children, where that was too much
	holders  int            // and how many processes they were
	drained  sync.WaitGroup // readers of stdout and stderr
}

// New prepares the process of a program in a private directory.
func New(program, dir string, options Options) *Child {
	c := &Child{program: program, dir: dir, options: options, Lines: newLines(logName(program, options), options.Log), greeted: make(chan struct{})}
	c.gone, c.went = context.WithCancel(context.Background())
	return c
}

// Options say how a process is run.
type Options struct {
	Name      string        // before each line of the log; empty takes the program's
	Log       io.Writer     // receives what the process writes to its standard error; nil discards it
	Env       []string      // added to PATH, LANG, LC_ALL, LC_CTYPE, TZ, a TMPDIR of its own, and the handshake
	Memory    int64         // bytes that each process of the group may ask for, and that all may hold together
	Processor time.Duration // that each may use
}

// environment returns what the process inherits.
func environment() []string {
	var out []string
	for _, key := range []string{"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"} {
		if v, ok := os.LookupEnv(key); ok {
			out = append(out, key+"="+v)
		}
	}
	return out
}

// Speaks are the versions of the contract that this sipc speaks.
var Speaks = wire.Versions{Oldest: plugins.OldestVersion, Newest: plugins.ContractVersion}

// ErrGone says that a process has ended.
var ErrGone = errors.New("the process ended")

// logName returns the name of the process in the log.
func logName(program string, o Options) string {
	if o.Name != "" {
		return o.Name
	}
	return filepath.Base(program)
}

// Prepare makes the process's directories and environment. The process is to trust one certificate alone, in PEM.
func (c *Child) Prepare(certificate string) error {
	tmp, socket := filepath.Join(c.dir, "tmp"), filepath.Join(c.dir, "socket")
	if err := errors.Join(os.Mkdir(tmp, 0o700), os.Mkdir(socket, 0o700)); err != nil {
		return err
	}
	c.env = append(append(environment(), "TMPDIR="+tmp), c.options.Env...)
	c.env = append(c.env, wire.CookieKey+"="+wire.CookieValue, "PLUGIN_PROTOCOL_VERSIONS="+Speaks.Offer(),
		"PLUGIN_UNIX_SOCKET_DIR="+socket, "PLUGIN_CLIENT_CERT="+certificate)
	return nil
}

// command returns the command that runs the process.
func (c *Child) command() *exec.Cmd {
	return &exec.Cmd{
		Path: c.program, Args: []string{filepath.Base(c.program)}, Dir: filepath.Join(c.dir, "tmp"), Env: c.env,
		Stdin: c.stdio[0], Stdout: c.stdio[1], Stderr: c.stdio[2], SysProcAttr: ownGroup(),
	}
}

// start starts the process. One thread starts it and waits for its end, as on Linux the process dies with that thread.
func (c *Child) start() error {
	ours, theirs, err := pipes()
	if err != nil {
		return err
	}
	c.mu.Lock()
	if c.ending {
		c.mu.Unlock()
		closeAll(ours[:])
		closeAll(theirs[:])
		return errors.New("it is ended before it starts")
	}
	c.starting, c.stdio = true, theirs
	c.stdin, c.stdout, c.stderr = ours[0], ours[1], ours[2]
	c.drained.Add(2)
	c.mu.Unlock()
	started := make(chan error, 1)
	go c.live(started)
	err = <-started
	closeAll(theirs[:])
	if err != nil {
		closeAll(ours[:])
		c.drained.Add(-2)
		return fmt.Errorf("it cannot be started: %w", err)
	}
	go func() { defer c.drained.Done(); _, _ = io.Copy(c.Lines, c.stderr) }()
	go func() { defer c.drained.Done(); c.guardStdout() }()
	go c.boundMemory()
	return nil
}

// pipes returns three pipes: standard input, output and error.
func pipes() (ours, theirs [3]*os.File, err error) {
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours[:])
			closeAll(theirs[:])
			return ours, theirs, err
		}
		ours[i], theirs[i] = r, w
		if i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	return ours, theirs, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// firstLineLimit bounds a greeting, floodLimit what may come after it on standard output.
const (
	firstLineLimit = 8 << 10
	floodLimit     = 1 << 20
)

// guardStdout reads the first line, and drops what follows. A flood ends the process.
func (c *Child) guardStdout() {
	r := bufio.NewReaderSize(c.stdout, firstLineLimit)
	line, err := r.ReadSlice('\n')
	greeting, ok := wire.ParseGreeting(string(line))
	c.mu.Lock()
	c.greets = greeting
	if len(line) > 0 && (err != nil || !ok) {
		c.garbage = Clip(strings.TrimSpace(string(line)))
	}
	c.mu.Unlock()
	close(c.greeted)
	n, err := io.CopyN(io.Discard, r, floodLimit)
	if err == nil && n == floodLimit {
		c.mu.Lock()
		c.flooding = true
		c.mu.Unlock()
		c.kill()
	}
}

// Greet starts the process and returns its greeting. It fails with ErrGone if the process ends without one, and with the cause of ctx.
func (c *Child) Greet(ctx context.Context) (wire.Greeting, error) {
	if err := c.start(); err != nil {
		return wire.Greeting{}, err
	}
	select {
	case <-c.greeted:
	case <-ctx.Done():
		if !errors.Is(context.Cause(ctx), ErrGone) {
			return wire.Greeting{}, context.Cause(ctx)
		}
		select { // its first line may be on its way, and tells more
		case <-c.greeted:
		case <-time.After(time.Second):
		}
	}
	return c.accept()
}

// accept returns the greeting, or says what is wrong with it in words that help.
func (c *Child) accept() (wire.Greeting, error) {
	c.mu.Lock()
	garbage, g := c.garbage, c.greets
	c.mu.Unlock()
	switch {
	case garbage != "":
		return g, fmt.Errorf("it is no family for sipc, or prints before it serves: its first line on standard output is %q", garbage)
	case g == wire.Greeting{} && c.HasEnded(500*time.Millisecond, true):
		return g, ErrGone
	case g == wire.Greeting{}:
		return g, errors.New("it closes its standard output without a greeting")
	case g.Core != 1:
		return g, fmt.Errorf("it greets by core version %d of the handshake, and not by version 1", g.Core)
	case g.Version < Speaks.Oldest || g.Version > Speaks.Newest:
		return g, versionError(g)
	case g.Network != "unix" || !strings.HasPrefix(filepath.Clean(g.Socket), c.dir+string(filepath.Separator)):
		return g, fmt.Errorf("it greets from the address %s %q, which is not the one it was given", Clip(g.Network), Clip(g.Socket))
	}
	return g, nil
}

// versionError says that there is no version of the contract that both sides speak.
func versionError(g wire.Greeting) error {
	theirs := wire.Versions{Oldest: g.Version, Newest: g.Version} // the newest that it speaks, where it says no more
	if g.Speaks != nil {
		theirs = *g.Speaks
	}
	mend := "build the family anew with a newer kit"
	if theirs.Newest > Speaks.Newest {
		mend = "update sipc, or take an older release of the family"
	}
	return fmt.Errorf("it speaks %v of the contract, and this sipc %v: %s", theirs, Speaks, mend)
}

// Unmask ends a process in whose place another one answers.
func (c *Child) Unmask() {
	c.mu.Lock()
	c.impostor = true
	c.mu.Unlock()
	c.kill()
}

// WhenGone calls f when the process has ended, unless stop is called before.
func (c *Child) WhenGone(f func()) (stop func() bool) { return context.AfterFunc(c.gone, f) }

// HasEnded tells whether the process has ended; where it likely has, it waits a little to see it.
func (c *Child) HasEnded(patience time.Duration, likely bool) bool {
	if likely {
		select {
		case <-c.gone.Done():
		case <-time.After(patience):
		}
	}
	return c.gone.Err() != nil
}

// HowEnded says how the process ended, and whether it died: nothing that it would surely do again ended it.
func (c *Child) HowEnded() (how string, died bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.flooding:
		return "it floods its standard output, which is not its own", false
	case c.impostor:
		return "it answers with another certificate than that of its greeting", false
	case c.holding > 0:
		return fmt.Sprintf("it holds %d MiB of memory in %d processes, more than the %d MiB that they may hold together", c.holding>>20, c.holders, c.options.Memory>>20), false
	case c.ended == nil:
		return "its process ended", true
	case c.ended.Success() && c.greets == wire.Greeting{}:
		return "it ended by itself before it greeted: does its main program call sdk.Serve (in Python, serve)?", true
	case c.ended.Success():
		return "its process ended by itself", true
	case c.ended.UserTime()+c.ended.SystemTime() >= c.options.Processor:
		return fmt.Sprintf("it used processors for %v, the most that it may", c.options.Processor), false
	case c.Lines.outOfMemory():
		return fmt.Sprintf("its process ended: %v; it asked for more memory than the %d MiB that it may have", c.ended, c.options.Memory>>20), false
	}
	return "its process ended: " + c.ended.String(), true
}

// kill kills the process group.
func (c *Child) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process != nil && c.ended == nil {
		killGroup(c.process)
	}
}

// endPatience is how long a killed process may take to be gone.
const endPatience = 2 * time.Second

// End kills the process and what it started, and waits until it is gone and has said what it had to say.
func (c *Child) End() {
	c.mu.Lock()
	c.ending = true
	starting, files := c.starting, []*os.File{c.stdin, c.stdout, c.stderr}
	c.mu.Unlock()
	if !starting {
		return
	}
	c.kill()
	c.HasEnded(endPatience, true)
	silent := make(chan struct{})
	go func() { defer close(silent); c.drained.Wait() }()
	select {
	case <-silent:
	case <-time.After(endPatience):
	}
	closeAll(files)
}

// PID returns the number of the process, 0 before it runs.
func (c *Child) PID() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process == nil {
		return 0
	}
	return c.process.Pid
}
