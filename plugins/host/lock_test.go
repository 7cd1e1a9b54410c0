package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/host/lock"
)

// install copies a program to a directory of the test's own.
func install(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(programs, name))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, raw, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLock(t *testing.T) {
	s := newScene(t)
	program := install(t, "sipc-family-hierarchy")
	pins := lock.New(filepath.Join(filepath.Dir(program), lock.Name))
	o := s.options(short(), "")
	o.Lock, o.Store = pins, storeOf(t)
	launch := func() (*host.Process, error) {
		p, err := host.Launch(t.Context(), program, o)
		if err == nil && p.Unknown() {
			err = p.Keep(t.Context())
		}
		if err == nil {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
		return p, err
	}
	var untrusted *lock.TrustError
	if _, err := launch(); !errors.As(err, &untrusted) || untrusted.Pinned {
		t.Errorf("a program that nobody trusts ends in %v", err)
	}
	o.Accept = true
	first, err := launch()
	if err != nil || !first.Unknown() {
		t.Fatalf("first use: %v", err)
	}
	o.Accept = false
	raw, err := os.ReadFile(pins.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"./sipc-family-hierarchy"`, `"name": "hierarchy"`, `"version": "1.0.0"`, first.Digest()} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the lock lacks %s:\n%s", want, raw)
		}
	}
	second, err := launch()
	if err != nil || second.Unknown() {
		t.Errorf("second use: %v", err)
	}
	if again, _ := os.ReadFile(pins.Path()); !bytes.Equal(again, raw) {
		t.Errorf("the second use changes the lock:\n%s", again)
	}
	trusting := o.Store
	o.Store = storeOf(t) // of somebody else, who got the lock with the program
	if _, err := launch(); !errors.As(err, &untrusted) || !untrusted.Pinned {
		t.Errorf("a program that somebody else trusts ends in %v", err)
	}
	o.Store = trusting
	f, err := os.OpenFile(program, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("malice"); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	_, err = launch()
	var mismatch *lock.DigestError
	if !errors.As(err, &mismatch) || mismatch.Expected != first.Digest() || mismatch.Actual == first.Digest() ||
		!strings.Contains(err.Error(), mismatch.Actual) || !strings.Contains(err.Error(), mismatch.Expected) {
		t.Errorf("a changed program ends in %v", err)
	}
}

// storeOf returns the store of a user who trusts nothing yet.
func storeOf(t *testing.T) *lock.Store {
	t.Helper()
	return lock.StoreIn(t.TempDir())
}

// A program that calls itself otherwise than when it was pinned is refused.
func TestVersionThatChanges(t *testing.T) {
	s := newScene(t)
	program := install(t, "sipc-family-hierarchy")
	o := s.options(short(), "")
	o.Lock, o.Store, o.Accept = lock.New(filepath.Join(filepath.Dir(program), lock.Name)), storeOf(t), true
	p, err := host.Launch(t.Context(), program, o)
	if err != nil {
		t.Fatal(err)
	}
	pin := lock.Pin{Name: "hierarchy", Version: "0.9.0", SHA256: map[string]string{lock.Platform(): p.Digest()}}
	if _, _, err := o.Lock.Put(t.Context(), "", program, pin); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := host.Launch(t.Context(), program, o); err == nil || !strings.Contains(err.Error(), "called itself hierarchy 0.9.0 when this very program was pinned") {
		t.Errorf("it is run: %v", err)
	}
}

// A program that fails its start is not pinned.
func TestLockDoesNotPinWhatFails(t *testing.T) {
	s := newScene(t)
	pins := lock.New(filepath.Join(t.TempDir(), lock.Name))
	o := s.options(short(), "garbage")
	o.Lock, o.Store, o.Accept = pins, storeOf(t), true
	if _, err := host.Launch(t.Context(), filepath.Join(programs, "sipc-family-faulty"), o); err == nil {
		t.Fatal("no error")
	}
	if _, err := os.Stat(pins.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a lock is written: %v", err)
	}
}

func TestLockThatIsNone(t *testing.T) {
	s := newScene(t)
	for text, want := range map[string]string{
		"{":                             "it is not a lock",
		`{"version": 2}`:                "its form is version 2",
		`{"version": 1, "plugins": {}}`: "it is not a lock",
	} {
		path := filepath.Join(t.TempDir(), lock.Name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := s.options(short(), "")
		o.Lock, o.Store = lock.New(path), storeOf(t)
		_, err := host.Launch(t.Context(), filepath.Join(programs, "sipc-family-mixup"), o)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one that says %q", text, err, want)
		}
	}
}

// A pipe in the place of a lock would be waited for.
func TestLockThatIsNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), lock.Name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := lock.New(path).Pins(); err == nil || !strings.Contains(err.Error(), "it is not a lock, but a special file") {
		t.Errorf("error %v", err)
	}
}

const pinsEach = 25

// pinMany pins programs one by one: what a process of TestProcessesPinAtOnce does.
func pinMany(path, name string) int {
	for i := range pinsEach {
		pin := lock.Pin{Name: name, Version: "1.0.0", SHA256: map[string]string{"plan9/mips": strings.Repeat("0", 64)}}
		if _, _, err := lock.New(path).Put(context.Background(), "", filepath.Join(filepath.Dir(path), name+"-"+itoa(i)), pin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

// Processes that pin at the same time lose no pin, and leave the lock alone in its folder.
func TestProcessesPinAtOnce(t *testing.T) {
	t.Parallel()
	pins := lock.New(filepath.Join(t.TempDir(), lock.Name))
	const processes = 4
	var all sync.WaitGroup
	for i := range processes {
		pinner := exec.CommandContext(t.Context(), os.Args[0])
		pinner.Env = append(os.Environ(), "SIPC_TEST_PINNER=p"+itoa(i), "SIPC_TEST_LOCK="+pins.Path())
		all.Go(func() {
			if out, err := pinner.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	if pinned, err := pins.Pins(); err != nil || len(pinned) != processes*pinsEach {
		t.Errorf("%d pins of %d, %v", len(pinned), processes*pinsEach, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(pins.Path())); err != nil || len(entries) != 1 {
		t.Errorf("%v is left, %v", entries, err)
	}
}

// The bytes that are verified are those that run: a program that is replaced while it starts does not get in.
func TestPrivateCopyRuns(t *testing.T) {
	s := newScene(t)
	program := install(t, "sipc-family-mixup")
	p, err := host.Launch(t.Context(), program, s.options(short(), ""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	running, err := os.Readlink("/proc/" + itoa(p.PID()) + "/exe")
	if err != nil {
		t.Skip("no /proc here")
	}
	if !strings.HasPrefix(running, s.tmp) || !strings.HasSuffix(running, " (deleted)") {
		t.Errorf("%s runs, want a private copy that is removed by now", running)
	}
}
