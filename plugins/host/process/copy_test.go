package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// own returns the program of the test, which takes several parts to copy.
func own(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// put copies a program to path.
func put(t *testing.T, path, program string) {
	t.Helper()
	raw, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o700); err != nil {
		t.Fatal(err)
	}
}

// forkable is a context that sees, whenever it is asked, whether this process could fork.
type forkable struct {
	context.Context
	could, asked int
}

func (f *forkable) Err() error {
	f.asked++
	if syscall.ForkLock.TryLock() {
		f.could++
		syscall.ForkLock.Unlock()
	}
	return nil
}

// While a program is copied, which may take long, other threads may start processes. (The other tests do: one success is proof.)
func TestCopyingHoldsUpNoForks(t *testing.T) {
	program := filepath.Join(t.TempDir(), "family")
	put(t, program, own(t))
	d, err := NewDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx := &forkable{Context: t.Context()}
	if _, _, err := d.CopyProgram(ctx, program); err != nil {
		t.Fatal(err)
	}
	if ctx.could == 0 {
		t.Errorf("at none of %d times could the process fork", ctx.asked)
	}
	if err := d.Remove(); err != nil {
		t.Error(err)
	}
}

// A copy can be run at once, whatever other threads start while it is written.
func TestCopiesAreNotBusy(t *testing.T) {
	var all sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer all.Wait()
	defer stop()
	for range 4 {
		all.Go(func() {
			for ctx.Err() == nil {
				_ = exec.CommandContext(ctx, "true").Run()
			}
		})
	}
	script := filepath.Join(t.TempDir(), "family")
	put(t, script, "/bin/true")
	for range 10 {
		dir, err := NewDir(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		program, _, err := dir.CopyProgram(ctx, script)
		if err != nil {
			t.Fatal(err)
		}
		c := New(program, dir.Path, Options{Memory: 1 << 30, Processor: time.Minute})
		if err := errors.Join(c.Prepare(nil), c.start()); err != nil {
			t.Errorf("the copy cannot be run: %v", err)
		}
		c.End()
		if err := dir.Remove(); err != nil {
			t.Error(err)
		}
	}
}

// The log takes so much of one process, and says that it was cut; its last words are heard still.
func TestLogIsCut(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := newLines("swaps", &log)
	if w.room != LogLimit {
		t.Errorf("the log takes %d bytes", w.room)
	}
	const limit = 20_000 // all of it would take long
	w.room = limit
	for range 100 {
		_, _ = io.WriteString(w, strings.Repeat("x", 250)+"\n")
	}
	_, _ = io.WriteString(w, "the end\n")
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if log.Len() > limit+100 || log.Len() < limit-300 {
		t.Errorf("the log has %d bytes", log.Len())
	}
	if last := lines[len(lines)-1]; last != "swaps: sipc cuts the log of this process here, after 16 MiB" {
		t.Errorf("the log ends in %q", last)
	}
	if n := strings.Count(log.String(), "cuts the log"); n != 1 {
		t.Errorf("it says %d times that it is cut", n)
	}
	if said := w.Last(); said[len(said)-1] != "the end" {
		t.Errorf("the last words are %q", said)
	}
}

// A program that is written to while it is copied is that of no digest but its own: what is hashed is what is copied, in one
// reading.
func TestChangedWhileItIsCopied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "family")
	put(t, program, own(t))
	d, err := NewDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	copied := filepath.Join(d.Path, "copy")
	to, err := os.Create(copied)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := Digest(to, &meddler{Reader: &cancellable{context.Background(), from}, program: program})
	if err := errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
	_, again, err := d.CopyProgram(t.Context(), executable(t, copied))
	if err != nil || digest != again {
		t.Errorf("the digest is %s, that of the copy %s, %v", digest, again, err)
	}
	if err := d.Remove(); err != nil {
		t.Error(err)
	}
}

func executable(t *testing.T, path string) string {
	t.Helper()
	other := path + "-2"
	if err := errors.Join(os.Rename(path, other), os.Chmod(other, 0o700)); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(filepath.Dir(filepath.Dir(path)), "moved")
	if err := os.Rename(other, moved); err != nil {
		t.Fatal(err)
	}
	return moved
}

// meddler writes to the program after its first part was read.
type meddler struct {
	io.Reader
	program string
	done    bool
}

func (m *meddler) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if !m.done {
		m.done = true
		f, e := os.OpenFile(m.program, os.O_WRONLY|os.O_APPEND, 0)
		if e != nil {
			return n, e
		}
		_, e = f.WriteString("malice")
		if e := errors.Join(e, f.Close()); e != nil {
			return n, e
		}
	}
	return n, err
}

// A program that grows while it is copied is refused too.
func TestBounded(t *testing.T) {
	for size, want := range map[int]error{99: nil, 100: nil, 101: ErrTooLarge, 5000: ErrTooLarge} {
		if _, err := digestOf(io.Discard, bytes.NewReader(make([]byte, size)), 100); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
