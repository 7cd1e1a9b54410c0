package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/plugins/host/lock"
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
	pins := lock.New(filepath.Join(dir, lock.Name))
	if _, _, err := pins.Put(t.Context(), "", program, lock.Pin{Name: "hierarchy", Version: "1.0.0", SHA256: map[string]string{lock.Platform(): strings.Repeat("0", 64)}}); err != nil {
		t.Fatal(err)
	}
	var mismatch *lock.DigestError
	if _, err := Launch(t.Context(), program, Options{Lock: pins}); !errors.As(err, &mismatch) {
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
	first := p.state.running()
	if err := first.end(); err != nil {
		t.Fatal(err)
	}
	_, again := p.startAgain(c, first, &crash{&Error{Reason: "its process ended"}})
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
