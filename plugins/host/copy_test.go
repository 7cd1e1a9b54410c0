package host

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
)

// A program may have any name, those of the private directory's own files too.
func TestProgramsOfAnyName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tmp", "program", "[a] b", "-x"} {
		program := filepath.Join(t.TempDir(), name)
		put(t, program, "sipc-family-hierarchy")
		p, err := Launch(t.Context(), program, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		dir := p.running().dir.path
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %s is left: %v", name, dir, err)
		}
	}
}

// A program that is too large is refused before it is copied, and so is one that grows meanwhile.
func TestLargePrograms(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "family")
	f, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(MaxProgram+1), f.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = Launch(t.Context(), program, Options{})
	if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), program) || !strings.Contains(err.Error(), "larger than 1024 MiB") {
		t.Errorf("error %v", err)
	}
	for size, want := range map[int]error{99: nil, 100: nil, 101: ErrTooLarge, 5000: ErrTooLarge} {
		n, err := io.Copy(io.Discard, &bounded{bytes.NewReader(make([]byte, size)), 100})
		if !errors.Is(err, want) || err == nil && n != int64(size) {
			t.Errorf("of %d bytes %d are read, %v", size, n, err)
		}
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
	put(t, program, "sipc-family-hierarchy")
	d, err := newPrivateDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx := &forkable{Context: t.Context()}
	if _, _, err := d.copyProgram(ctx, program); err != nil {
		t.Fatal(err)
	}
	if ctx.could == 0 {
		t.Errorf("at none of %d times could the process fork", ctx.asked)
	}
	if err := d.remove(); err != nil {
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
	put(t, script, "sipc-family-hierarchy")
	for range 10 {
		dir, err := newPrivateDir(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		program, _, err := dir.copyProgram(ctx, script)
		if err != nil {
			t.Fatal(err)
		}
		c := newChild(program, dir.path, Options{}.withDefaults())
		if err := errors.Join(c.prepare(nil), c.Start(ctx)); err != nil {
			t.Errorf("the copy cannot be run: %v", err)
		}
		c.end()
		if err := dir.remove(); err != nil {
			t.Error(err)
		}
	}
}

// The log takes so much of one process, and says that it was cut; its last words are heard still.
func TestLogIsCut(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := newWords("swaps", &log)
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
	if said := w.last(); said[len(said)-1] != "the end" {
		t.Errorf("the last words are %q", said)
	}
}
