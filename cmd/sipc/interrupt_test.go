//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// clockTick is the unit of times in /proc on every Linux.
const clockTick = 10 * time.Millisecond

// An interruption is a call that takes long where it stands when the signal comes.
type interruption struct {
	name   string
	spec   string
	args   []string
	after  time.Duration
	signal os.Signal
}

const head = `data {
    target kind : class
    columns columns("c*")
    split train = 2500, test = 400
}
kernel gaussian(width = median)
`

var interruptions = []interruption{
	{
		"grounding", head + `features nystrom(landmarks = 200)
invariance slow = rms over pairs(count = 100n, choose = nearest, neighbours = 100) of max over λ in [0, 1] of |d/dλ f|
learn softmax
`, nil, 400 * time.Millisecond, os.Interrupt,
	},
	{
		"features", head + `features nystrom(landmarks = all)
invariance steady = rms over x of max over t in {move(c1, 0.3), move(c2, 0.3)}, c in labels of |f(t(x), c) - f(x, c)|
learn softmax
`, nil, 500 * time.Millisecond, os.Interrupt,
	},
	{
		"embedding", head + `features nystrom(landmarks = 300)
invariance slow = rms over pairs(count = 1n) of max over λ in [0, 1] of |d/dλ f|
learn softmax
`, []string{"--gap", "1e-12"}, 1500 * time.Millisecond, os.Interrupt,
	},
	{
		"first of several seeds", head + `features nystrom(landmarks = 300)
invariance slow = rms over pairs(count = 1n) of max over λ in [0, 1] of |d/dλ f|
learn softmax
`, []string{"--gap", "1e-12", "--seeds", "0..2"}, 1500 * time.Millisecond, os.Interrupt,
	},
	{
		"embedding, by SIGTERM", head + `features nystrom(landmarks = 1000)
invariance steady = rms over x of max over t in {move(c1, 0.3), move(c2, 0.3)}, c in labels of |f(t(x), c) - f(x, c)|
learn softmax
`, []string{"--gap", "1e-12", "--embeddings", "csv"}, 2 * time.Second, unix.SIGTERM,
	},
	{
		"learning", head + `features nystrom(landmarks = 1000)
learn svm(C = grid(10, 100, 1000, 10000, 100000))
method plain
`, nil, 1500 * time.Millisecond, os.Interrupt,
	},
}

// A signal ends the program within a second, with one line and the status of the signal, and leaves no file that it has begun.
func TestInterrupt(t *testing.T) {
	table := manyRows(3000, 40)
	for _, c := range interruptions {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "spec.inv"), []byte(c.spec))
			write(t, filepath.Join(dir, "data.csv"), table)
			p := start(t, dir, append([]string{"run", "spec.inv", "data.csv", "--out", "out"}, c.args...)...)
			time.Sleep(c.after)
			p.interrupt(c.signal)
			p.leaves("data.csv", "spec.inv", "tmp")
		})
	}
}

// What an earlier run wrote stays as it is.
func TestInterruptKeepsEarlierResults(t *testing.T) {
	c := interruptions[2]
	dir := t.TempDir()
	write(t, filepath.Join(dir, "spec.inv"), []byte(c.spec))
	write(t, filepath.Join(dir, "data.csv"), manyRows(3000, 40))
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o750); err != nil {
		t.Fatal(err)
	}
	for _, name := range results {
		write(t, filepath.Join(dir, "out", name), []byte("earlier"))
	}
	p := start(t, dir, append([]string{"run", "spec.inv", "data.csv", "--out", "out"}, c.args...)...)
	time.Sleep(c.after)
	p.interrupt(c.signal)
	p.leaves("data.csv", "out", "spec.inv", "tmp")
	files := contents(t, filepath.Join(dir, "out"))
	for _, name := range results {
		if string(files[name]) != "earlier" || len(files) != len(results) {
			t.Errorf("%s was touched; %d files", name, len(files))
		}
	}
}

// A family's process ends with the program, and its files go with it.
func TestInterruptEndsProcesses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "spec.inv"), []byte("use mixup from \"./sipc-family-mixup\"\n"+interruptions[2].spec))
	write(t, filepath.Join(dir, "data.csv"), manyRows(3000, 40))
	install(t, dir, "sipc-family-mixup")
	succeed(t, dir, nil, "plugin", "add", "sipc-family-mixup")
	p := start(t, dir, append([]string{"run", "spec.inv", "data.csv", "--out", "out"}, interruptions[2].args...)...)
	time.Sleep(1500 * time.Millisecond)
	p.interrupt(os.Interrupt)
	p.leaves("data.csv", "sipc-family-mixup", "sipc.lock", "spec.inv", "tmp")
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if env, err := os.ReadFile(path); err == nil && bytes.Contains(env, []byte("TMPDIR="+dir)) {
			t.Errorf("%s: a process is left", path)
		}
	}
}

// While it waits for data that do not come, a signal ends the program, too.
func TestInterruptWhileReading(t *testing.T) {
	for _, silent := range []bool{true, false} {
		t.Run(fmt.Sprintf("silent %t", silent), func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "spec.inv"), []byte(interruptions[0].spec))
			pipe := filepath.Join(dir, "data.csv")
			if err := unix.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			p := start(t, dir, "run", "spec.inv", "data.csv", "--out", "out")
			if silent {
				time.Sleep(200 * time.Millisecond)
			} else {
				w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until the program reads
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
				if _, err := w.Write(manyRows(200, 40)); err != nil {
					t.Fatal(err)
				}
			}
			p.interrupt(os.Interrupt)
			p.leaves("data.csv", "spec.inv", "tmp")
		})
	}
}

// manyRows is a table of classes.
func manyRows(rows, columns int) []byte {
	draw := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for j := range columns {
		fmt.Fprintf(&b, "c%d,", j)
	}
	b.WriteString("kind\n")
	for i := range rows {
		for j := range columns {
			v := draw.NormFloat64()
			if j%6 == i%6 {
				v++
			}
			fmt.Fprintf(&b, "%.3f,", v)
		}
		fmt.Fprintf(&b, "k%d\n", i%6)
	}
	return b.Bytes()
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A process is the program at work in a folder, its temporary files in the folder tmp there.
type process struct {
	t              *testing.T
	dir            string
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan error
}

func start(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	p := &process{t: t, dir: dir, ended: make(chan error, 1), cmd: exec.CommandContext(t.Context(), filepath.Join(programs, "sipc"), args...)}
	tmp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr, p.cmd.Env = dir, &p.stdout, &p.stderr, append(os.Environ(), "TMPDIR="+tmp)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	return p
}

// interrupt sends a signal and judges the end. It must come within a second, or, on a machine that does other work, within a
// second of processor time.
func (p *process) interrupt(s os.Signal) {
	p.t.Helper()
	select {
	case err := <-p.ended:
		p.t.Fatalf("the program ended before the signal: %v\n%s", err, &p.stderr)
	default:
	}
	used, known := processorTime(p.cmd.Process.Pid)
	began := time.Now()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
	select {
	case <-p.ended:
	case <-time.After(20 * time.Second):
		_ = p.cmd.Process.Kill()
		p.t.Fatal("the program goes on after the signal")
	}
	took := time.Since(began)
	work := p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime() - used
	p.t.Logf("ended after %v, %v of processor time", took, work)
	if took > time.Second && (!known || work > time.Second) {
		p.t.Errorf("the program ended after %v, %v of processor time", took, work)
	}
	want := 130
	if s == syscall.SIGTERM {
		want = 143
	}
	if code := p.cmd.ProcessState.ExitCode(); code != want {
		p.t.Errorf("exit status %d, want %d", code, want)
	}
	got := p.stderr.String()
	late := took > time.Second && strings.HasPrefix(got, "interrupted in the middle of its work;") // another line after the program's patience
	if got != "interrupted; nothing was written\n" && !late {
		p.t.Errorf("standard error: %q", got)
	}
	if p.stdout.Len() > 0 {
		p.t.Errorf("standard output: %q", p.stdout.String())
	}
}

// leaves judges what is in the folder after the end.
func (p *process) leaves(names ...string) {
	p.t.Helper()
	var got []string
	for _, dir := range []string{p.dir, filepath.Join(p.dir, "tmp")} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, e := range entries {
			got = append(got, e.Name())
		}
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		p.t.Errorf("there are %v, want %v", got, names)
	}
}

// processorTime is what a process has used so far, where the system tells.
func processorTime(pid int) (used time.Duration, known bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	_, after, _ := strings.Cut(string(stat), ") ") // the name before may hold spaces
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0, false
	}
	for _, f := range fields[11:13] { // user and system time
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, false
		}
		used += time.Duration(n) * clockTick
	}
	return used, true
}
