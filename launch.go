package sipc

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
)

// A launcher starts the plugins of a spec, pinned in the sipc.lock beside it.
type launcher struct {
	dir    string // of the spec
	notice func(string)
	lock   *host.Lock
}

// open starts the plugin of `use NAME from "PATH"`, PATH being relative to the spec.
func (l *launcher) open(ctx context.Context, path string) (plugins.Family, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.dir, path)
	}
	if l.lock == nil {
		l.lock = host.NewLock(filepath.Join(l.dir, host.LockName))
	}
	process, err := host.Launch(ctx, path, host.Options{Lock: l.lock})
	if err != nil {
		return nil, err
	}
	if process.FirstUse() && l.notice != nil {
		l.notice(fmt.Sprintf("%s is used for the first time; its SHA-256 is now pinned in %s", path, l.lock.Path()))
	}
	return process, nil
}

// OpenPinned starts the plugin of `use NAME from "PATH"` of a spec in folder dir, if the sipc.lock there pins it. One that is
// not pinned is not started: that is for a command which the user gives.
func OpenPinned(ctx context.Context, dir, path string) (plugins.Family, error) {
	l := &launcher{dir: dir, lock: host.NewLock(filepath.Join(dir, host.LockName))}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	key, err := filepath.Rel(dir, path)
	if err != nil {
		return nil, err
	}
	pins, err := l.lock.Pins()
	if err != nil {
		return nil, err
	}
	if len(pins[filepath.ToSlash(key)].SHA256) == 0 {
		return nil, fmt.Errorf("%s does not pin it yet; sipc check does, once", l.lock.Path())
	}
	return l.open(ctx, path)
}
