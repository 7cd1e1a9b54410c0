package lock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/internal/flock"
)

func pinOf(name string) Pin {
	return Pin{Name: name, Version: "1.0.0", SHA256: map[string]string{Platform(): strings.Repeat("0", 64)}}
}

// holds asserts what a folder holds.
func holds(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if err != nil || strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("%s holds %v, want %v (%v)", dir, got, names, err)
	}
}

// The files that a killed process left behind hinder no one, and go; one that is held does, until the caller has enough.
func TestHeldLock(t *testing.T) {
	t.Parallel()
	lock := New(filepath.Join(t.TempDir(), Name))
	left := filepath.Join(filepath.Dir(lock.Path()), ".sipc.lock.held")
	for _, path := range []string{left, filepath.Join(filepath.Dir(lock.Path()), ".sipc.lock-8675309.part")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := lock.Put(t.Context(), "", "family", pinOf("a")); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Dir(lock.Path()), Name)
	release, err := lock.hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := lock.Put(ctx, "", "family", pinOf("b")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is held is changed: %v", err)
	}
	if _, err := flock.Await(t.Context(), left, 20*time.Millisecond); !errors.Is(err, flock.ErrHeld) {
		t.Errorf("patience ends in %v", err)
	}
	release()
	if _, _, err := lock.Put(t.Context(), "", "family", pinOf("c")); err != nil {
		t.Error(err)
	}
}

// A program and its pin change together, or neither does.
func TestInstall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock := New(filepath.Join(dir, Name))
	place := filepath.Join(dir, "programs", "family")
	install := func(content string) error {
		stage, err := lock.Stage(t.Context(), filepath.Dir(place))
		if err != nil {
			t.Fatal(err)
		}
		staged := filepath.Join(stage.Dir, "family")
		if err := os.WriteFile(staged, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err = lock.Put(t.Context(), staged, place, pinOf(content))
		if err := stage.Remove(); err != nil {
			t.Error(err)
		}
		return err
	}
	is := func(content, name string) {
		t.Helper()
		raw, err := os.ReadFile(place)
		pin, e := lock.Pin(place)
		if err != nil || e != nil || pin == nil || string(raw) != content || pin.Name != name {
			t.Errorf("the program is %q, its pin %+v, want %q; %v, %v", raw, pin, content, err, e)
		}
		holds(t, filepath.Dir(place), "family")
	}
	for _, content := range []string{"first", "second"} {
		if err := install(content); err != nil {
			t.Fatal(err)
		}
		is(content, content)
	}

	// A lock that is none.
	before, err := os.ReadFile(lock.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lock.Path(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := install("third"); err == nil {
		t.Error("a lock that is none is written")
	}
	if err := os.WriteFile(lock.Path(), before, 0o600); err != nil {
		t.Fatal(err)
	}
	is("second", "second")
}

// A lock that cannot take its place brings back the program that was there, or takes away the new one.
func TestInstallBringsBack(t *testing.T) {
	t.Parallel()
	for _, old := range []string{"", "old"} {
		dir := t.TempDir()
		lock, place, staged := New(filepath.Join(dir, Name)), filepath.Join(dir, "family"), filepath.Join(dir, "staged")
		if err := os.WriteFile(staged, []byte("new"), 0o600); err != nil {
			t.Fatal(err)
		}
		if old != "" {
			if err := os.WriteFile(place, []byte(old), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		moved := false
		_, err := lock.change(t.Context(), place, func(*Pin) (*Pin, error) { pin := pinOf("new"); return &pin, nil }, func() (func() error, error) {
			undo, err := exchange(staged, place)
			raw, _ := os.ReadFile(place)
			moved = string(raw) == "new"
			return undo, errors.Join(err, os.MkdirAll(filepath.Join(lock.Path(), "in the way"), 0o700))
		})
		if err == nil || !moved || !strings.Contains(err.Error(), "cannot be changed") {
			t.Errorf("moved %t, error %v", moved, err)
		}
		if raw, _ := os.ReadFile(place); string(raw) != old {
			t.Errorf("the program is %q, want %q", raw, old)
		}
	}
}

// What a killed process left of what it fetched is removed, and what a living one fetches is not.
func TestStagesAreSwept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, folder := New(filepath.Join(dir, Name)), filepath.Join(dir, "programs")
	for _, left := range []string{".fetched-1", ".fetched-2"} {
		if err := os.MkdirAll(filepath.Join(folder, left), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range [][]string{{".fetched-1", "family"}, {".fetched-2", ".held"}, {".fetched-2", "family"}, {"family"}} { // killed before and after it held it
		if err := os.WriteFile(filepath.Join(folder, filepath.Join(path...)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stage, err := lock.Stage(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, folder, filepath.Base(stage.Dir), "family")
	if err := lock.Sweep(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	holds(t, folder, filepath.Base(stage.Dir), "family")
	if err := stage.Remove(); err != nil {
		t.Fatal(err)
	}
	holds(t, folder, "family")
}

// A first use on another platform keeps what is pinned there, and where the program came from; it is not a way to pin another
// program.
func TestFirstUseOnAnotherPlatform(t *testing.T) {
	t.Parallel()
	lock := New(filepath.Join(t.TempDir(), Name))
	there := Pin{Name: "a", Version: "1.0.0", Source: "https://example.org/a", SHA256: map[string]string{"plan9/mips": strings.Repeat("1", 64)}}
	if _, _, err := lock.Put(t.Context(), "", "family", there); err != nil {
		t.Fatal(err)
	}
	for _, other := range []Pin{{Name: "a", Version: "1.0.1"}, {Name: "b", Version: "1.0.0"}} {
		if err := lock.Record(t.Context(), "family", other); err == nil || !strings.Contains(err.Error(), "as a 1.0.0 on other platforms, and here it is "+other.Name+" "+other.Version) {
			t.Errorf("another program is pinned: %v", err)
		}
	}
	if err := lock.Record(t.Context(), "family", pinOf("a")); err != nil {
		t.Fatal(err)
	}
	pin, err := lock.Pin("family")
	if err != nil || pin.Source != there.Source || len(pin.SHA256) != 2 {
		t.Errorf("pin %+v, %v", pin, err)
	}
	if _, again, err := lock.Put(t.Context(), "", "family", pinOf("a")); err != nil || again.Source != there.Source || len(again.SHA256) != 2 {
		t.Errorf("the same program pinned again: %+v, %v", again, err)
	}
	changed := pinOf("a")
	changed.SHA256[Platform()] = strings.Repeat("2", 64)
	if _, after, err := lock.Put(t.Context(), "", "family", changed); err != nil || after.Source != "" {
		t.Errorf("another program pinned: %+v, %v", after, err)
	}
}
