package host

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program that is replaced after its digest was taken and before it runs does not get in: the copy runs that was digested.
func TestSwappedBetweenCheckAndLaunch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "family")
	put(t, program, "sipc-family-hierarchy")
	p := &Process{path: program, options: Options{}.withDefaults()}
	l, err := p.begin(t.Context(), func(string) error {
		put(t, program, "sipc-family-mixup")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if l.schema.Name != "hierarchy" {
		t.Errorf("the family %s runs, want the one whose digest was taken", l.schema.Name)
	}
	if err := l.end(); err != nil {
		t.Error(err)
	}
	lock := NewLock(filepath.Join(dir, LockName))
	if _, _, err := lock.Put(t.Context(), program, Pin{Name: "hierarchy", Version: "1.0.0", SHA256: map[string]string{platform(): strings.Repeat("0", 64)}}); err != nil {
		t.Fatal(err)
	}
	var mismatch *DigestError
	if _, err := Launch(t.Context(), program, Options{Lock: lock}); !errors.As(err, &mismatch) {
		t.Errorf("a program of another digest ends in %v", err)
	}
}

// A call that is cancelled at the very moment when its process was started again leaves no process and no file behind.
func TestCancelledWhenItIsStartedAgain(t *testing.T) {
	t.Parallel()
	never := &lateContext{Context: t.Context()}
	if err := never.startAgain(t); err != nil {
		t.Fatal(err)
	}
	last := &lateContext{Context: t.Context(), cancelled: never.asked}
	if err := last.startAgain(t); !errors.Is(err, context.Canceled) || last.asked < never.asked {
		t.Errorf("error %v, asked %d times of %d", err, last.asked, never.asked)
	}
}

// startAgain starts a process again in this context, and looks at what is left when it is closed.
func (c *lateContext) startAgain(t *testing.T) error {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "s") //nolint:usetesting // paths of sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p, err := Launch(t.Context(), filepath.Join(os.Getenv("SIPC_TEST_PROGRAMS"), "sipc-family-hierarchy"), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	first := p.running()
	if err := first.end(); err != nil {
		t.Fatal(err)
	}
	_, again := p.startAgain(c, first, &death{&Error{Reason: "its process ended"}})
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
	return again
}

// A lateContext counts how often it is asked whether it is cancelled, and is from some time on; 0 stands for never.
type lateContext struct {
	context.Context
	asked, cancelled int
}

func (c *lateContext) Done() <-chan struct{} { return nil }

func (c *lateContext) Err() error {
	if c.asked++; c.cancelled > 0 && c.asked >= c.cancelled {
		return context.Canceled
	}
	return nil
}

// put copies one of the tests' programs to path, in place of what is there.
func put(t *testing.T, path, name string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(os.Getenv("SIPC_TEST_PROGRAMS"), name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", raw, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// A program that is written to while it is copied is that of no digest but its own: what is hashed is what is copied, in one
// reading.
func TestChangedWhileItIsCopied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "family")
	put(t, program, "sipc-family-hierarchy")
	d, err := newPrivateDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	copied := filepath.Join(d.path, "copy")
	to, err := os.Create(copied)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := copyHashed(to, &meddler{Reader: &cancellable{context.Background(), from}, program: program})
	if err := errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
	_, again, err := d.copyProgram(t.Context(), executable(t, copied))
	if err != nil || digest != again {
		t.Errorf("the digest is %s, that of the copy %s, %v", digest, again, err)
	}
	if err := d.remove(); err != nil {
		t.Error(err)
	}
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
