package lock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sipc-ml/sipc/internal/flock"
	"github.com/sipc-ml/sipc/internal/whole"
)

// holdPatience is how long a change of the lock waits for another process's.
const holdPatience = 10 * time.Second

// hold keeps others from changing the lock until release is called.
func (l *File) hold(ctx context.Context) (release func(), err error) {
	path := filepath.Join(filepath.Dir(l.path), "."+filepath.Base(l.path)+".held")
	release, err = flock.Await(ctx, path, holdPatience)
	switch {
	case errors.Is(err, flock.ErrHeld):
		return nil, fmt.Errorf("%s: another sipc has been changing it for %v: end that process, which holds %s, and try again", l.path, holdPatience, path)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be changed: %w", l.path, err)
	}
	return release, nil
}

// An edit is what becomes of a program's pin, which is nil where the lock does not know the program. Nil takes it out.
type edit func(before *Pin) (*Pin, error)

// A move brings a program to its place. undo brings back what was there before.
type move func() (undo func() error, err error)

// change changes what the lock says of a program, and moves the program with it: either both happen, or neither. It
// returns the pin from before. If the process is killed between the two, the new program is in place and the lock
// expects the old one. The next launch then refuses it with a *DigestError, which says how to go on.
func (l *File) change(ctx context.Context, key string, alter edit, bring move) (before *Pin, err error) {
	release, err := l.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	pins, err := l.Pins()
	if err != nil {
		return nil, err
	}
	if pin, ok := pins[key]; ok {
		before = &pin
	}
	after, err := alter(before)
	switch {
	case err != nil:
		return before, err
	case after != nil:
		pins[key] = *after
	case before == nil:
		return nil, nil
	default:
		delete(pins, key)
	}
	next, err := l.write(pins)
	if err != nil {
		return nil, l.cannot(key, err)
	}
	defer next.Discard()
	undo, err := bring()
	if err != nil {
		return nil, l.cannot(key, err)
	}
	if err := whole.Keep(next); err != nil {
		return nil, errors.Join(l.cannot(key, err), undo())
	}
	return before, nil
}

func (l *File) cannot(key string, err error) error {
	return fmt.Errorf("%s: the pin of %s cannot be changed: %w", l.path, key, err)
}

// write writes all of the lock beside it, so that little can fail when that takes its place.
func (l *File) write(pins map[string]Pin) (*whole.File, error) {
	raw, err := json.MarshalIndent(form{Version: formVersion, Families: pins}, "", "  ")
	if err != nil {
		return nil, err
	}
	next, err := whole.New(l.path, 0o644)
	if err != nil {
		return nil, err
	}
	if _, err := next.Write(append(raw, '\n')); err != nil {
		next.Discard()
		return nil, err
	}
	if err := next.Sync(); err != nil {
		next.Discard()
		return nil, err
	}
	return next, nil
}

// Record pins a program that is not pinned yet on this platform. What another process has pinned meanwhile stays, and counts. So
// does what is pinned on other platforms: a program that is another family or version than there is not pinned unasked.
func (l *File) Record(ctx context.Context, program string, pin Pin) error {
	key, err := l.Key(program)
	if err != nil {
		return err
	}
	_, err = l.change(ctx, key, func(before *Pin) (*Pin, error) {
		if before == nil {
			return &pin, nil
		}
		if want := before.SHA256[Platform()]; want != "" {
			return nil, l.compare(program, want, pin.SHA256[Platform()])
		}
		if before.Name != pin.Name || before.Version != pin.Version {
			return nil, fmt.Errorf("%s pins the program %s as %s %s on other platforms, and here it is %s %s; if that is meant, pin it: sipc plugin add --dir %s %s",
				l.path, program, before.Name, before.Version, pin.Name, pin.Version, filepath.Dir(l.path), program)
		}
		pin.Source = before.Source
		return pin.over(before), nil
	}, stay)
	return err
}

// Put pins a program anew, whatever the lock says of it on this platform, and gives what it said and says. Digests for other
// platforms stay if the version is the same; where the program came from, if it is the same program.
//
// A program that is staged is moved to its place. Where that fails, the one that was there is there still.
func (l *File) Put(ctx context.Context, staged, program string, pin Pin) (before, after *Pin, err error) {
	bring := stay
	if staged != "" {
		bring = func() (func() error, error) { return exchange(staged, program) }
	}
	key, err := l.Key(program)
	if err != nil {
		return nil, nil, err
	}
	before, err = l.change(ctx, key, func(before *Pin) (*Pin, error) {
		if before != nil && pin.Source == "" && strings.EqualFold(before.SHA256[Platform()], pin.SHA256[Platform()]) {
			pin.Source = before.Source
		}
		after = pin.over(before)
		return after, nil
	}, bring)
	return before, after, err
}

// Remove takes the pin of a program out of the lock, by its key; nil where there is none. The program stays where it is.
func (l *File) Remove(ctx context.Context, key string) (*Pin, error) {
	return l.change(ctx, key, func(*Pin) (*Pin, error) { return nil, nil }, stay)
}

// over returns a pin with the digests of the one before for other platforms, if they are of the same version.
func (p Pin) over(before *Pin) *Pin {
	digests := map[string]string{}
	if before != nil && before.Version == p.Version {
		maps.Copy(digests, before.SHA256)
	}
	maps.Copy(digests, p.SHA256)
	p.SHA256 = digests
	return &p
}

// stay returns the move of a program that is already in its place.
func stay() (undo func() error, err error) { return func() error { return nil }, nil }

// exchange moves a program to a place where another may be, which is kept beside it until its stage is removed. At no time is
// there none, but on file systems that have no links.
func exchange(from, place string) (undo func() error, err error) {
	aside := from + ".before"
	info, err := os.Lstat(place)
	switch {
	case errors.Is(err, os.ErrNotExist):
		undo = func() error { return os.Remove(place) }
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory", place)
	default:
		undo = func() error { return os.Rename(aside, place) }
		if os.Link(place, aside) != nil {
			if err := os.Rename(place, aside); err != nil {
				return nil, err
			}
		}
	}
	if err := os.Rename(from, place); err != nil {
		return nil, errors.Join(err, ignoreNone(undo()))
	}
	return undo, nil
}

func ignoreNone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
