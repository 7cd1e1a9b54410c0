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
