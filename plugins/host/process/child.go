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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-plugin/runner"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/internal/wire"
)

// A Child is a program's process, with its own process group. The handshake is the library's; starting, watching and ending
// are ours, see Runner.
type Child struct {
	program string
	dir     string
	options Options
	Lines   *Lines // the last ones that it wrote

	env            []string
	stdio          [3]*os.File // the process's ends
	stdin          *os.File    // held open: its end tells the process that this one is gone
	stdout, stderr *os.File
	greeting       *io.PipeReader // the first line of stdout
	greeted        *io.PipeWriter

	gone context.Context // done when the process has ended
	went context.CancelFunc

	mu       sync.Mutex
	starting bool             // Start has begun
	ending   bool             // End has begun: what starts later is killed at once
	process  *os.Process      // nil before it runs
	ended    *os.ProcessState // nil before it has ended
	garbage  string           // the first line of stdout where it is not a greeting
	greets   wire.Greeting    // what it says where it is one
	flooding bool
	impostor bool           // another than who greeted answers
	holding  int64          // how much memory it held with its children, where that was too much
	holders  int            // and how many processes they were
	drained  sync.WaitGroup // readers of stdout and stderr
}

// New prepares the process of a program in a private directory.
func New(program, dir string, options Options) *Child {
	c := &Child{program: program, dir: dir, options: options, Lines: newLines(logName(program, options), options.Log)}
	c.gone, c.went = context.WithCancel(context.Background())
	c.greeting, c.greeted = io.Pipe()
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

// Prepare makes the process's directory and environment; env is the handshake's.
func (c *Child) Prepare(env []string) error {
	tmp := filepath.Join(c.dir, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return err
	}
	c.env = append(append(append(environment(), "TMPDIR="+tmp), c.options.Env...), env...)
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
		if errors.Is(err, os.ErrPermission) {
			return fmt.Errorf("it cannot be started: %w; if no program may run from there (noexec), let TMPDIR name another folder", err)
		}
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

// guardStdout hands the first line to the handshake, and drops what follows. A flood ends the process.
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
	if err == nil {
		_, _ = c.greeted.Write(line)
	}
	_ = c.greeted.Close()
	n, err := io.CopyN(io.Discard, r, floodLimit)
	if err == nil && n == floodLimit {
		c.mu.Lock()
		c.flooding = true
		c.mu.Unlock()
		c.kill()
	}
}

// GreetingError says why the handshake failed in words that help.
func (c *Child) GreetingError(err error) error {
	c.mu.Lock()
	garbage, greets, started := c.garbage, c.greets, c.process != nil
	c.mu.Unlock()
	text := err.Error()
	switch {
	case !started:
		return err
	case garbage != "":
		return fmt.Errorf("it is not a family for sipc, or prints before it serves: its first line on standard output is %q", garbage)
	case strings.HasPrefix(text, "incompatible API version"):
		return versionError(greets)
	case strings.Contains(text, "exited before we could connect") || strings.HasPrefix(text, "Unrecognized remote plugin message"):
		if c.HasEnded(500*time.Millisecond, true) {
			return ErrGone
		}
		return errors.New("it closes its standard output without a greeting")
	}
	return errors.New(FirstLine(text))
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
		_ = c.greeted.Close()
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
	_ = c.greeted.Close()
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

// Runner returns the process as the library runs it.
func (c *Child) Runner() runner.Runner { return running{c} }

// running is a Child as the library's runner.
type running struct{ c *Child }

// Start starts the process.
func (r running) Start(context.Context) error { return r.c.start() }

// Wait waits for the end of the process.
func (r running) Wait(context.Context) error {
	<-r.c.gone.Done()
	return nil
}

// Kill kills the process group.
func (r running) Kill(context.Context) error {
	r.c.kill()
	return nil
}

// Stdout returns the greeting alone.
func (r running) Stdout() io.ReadCloser { return r.c.greeting }

// Stderr returns an empty reader, as Lines takes what the process writes there.
func (running) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Name returns the program.
func (r running) Name() string { return r.c.program }

// ID returns the number of the process.
func (r running) ID() string { return strconv.Itoa(r.c.PID()) }

// Diagnose adds nothing: see GreetingError.
func (running) Diagnose(context.Context) string { return "" }

// PluginToHost takes addresses in the private directory alone.
func (r running) PluginToHost(network, address string) (string, string, error) {
	if network == "unix" && strings.HasPrefix(filepath.Clean(address), r.c.dir+string(filepath.Separator)) {
		return network, address, nil
	}
	return "", "", fmt.Errorf("it greets from the address %s %q, which is not the one it was given", network, Clip(address))
}

// HostToPlugin leaves addresses as they are.
func (running) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
