package lock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/sipc-ml/sipc/internal/flock"
)

// A Stage is a folder in which a program is fetched before it takes its place in the same parent folder. It belongs
// to the process that made it. If that is killed, making the next stage removes its folder, and so does Sweep.
type Stage struct {
	Dir  string
	held *os.File
}

// stagePrefix begins the names of stages, stageHeld is the file in one that its owner holds. No program's name begins with a dot.
const (
	stagePrefix = ".fetched-"
	stageHeld   = ".held"
)

// Stage makes a stage in a folder, which is made too where there is none.
func (l *File) Stage(ctx context.Context, folder string) (*Stage, error) {
	release, err := l.hold(ctx) // so that no one sweeps a stage that is not held yet
	if err != nil {
		return nil, err
	}
	defer release()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	sweepStages(folder)
	dir, err := os.MkdirTemp(folder, stagePrefix)
	if err != nil {
		return nil, err
	}
	held, err := flock.File(filepath.Join(dir, stageHeld), os.O_CREATE)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Stage{Dir: dir, held: held}, nil
}

// Remove removes the stage.
func (s *Stage) Remove() error { return errors.Join(os.RemoveAll(s.Dir), s.held.Close()) }

// Sweep removes the stages in a folder that no living process owns.
func (l *File) Sweep(ctx context.Context, folder string) error {
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	release, err := l.hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	sweepStages(folder)
	return nil
}

func sweepStages(folder string) {
	entries, _ := os.ReadDir(folder) // as far as it goes
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), stagePrefix) {
			continue
		}
		dir := filepath.Join(folder, e.Name())
		held, err := flock.File(filepath.Join(dir, stageHeld), 0)
		if err == nil || errors.Is(err, os.ErrNotExist) {
			_ = os.RemoveAll(dir)
		}
		if err == nil {
			_ = held.Close()
		}
	}
}
