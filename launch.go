package sipc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/host/lock"
	"github.com/sipc-ml/sipc/runtime/report"
)

// PluginLog is the environment variable that names the file to which what plugins print is appended.
const PluginLog = "SIPC_PLUGIN_LOG"

// A launcher starts the plugins of a spec, pinned in the sipc.lock beside it.
type launcher struct {
	dir    string // of the spec
	notice func(string)
	accept bool // programs that are not trusted yet
	lock   *lock.File

	mu        sync.Mutex
	processes []*host.Process
}

func newLauncher(dir string, o SpecOptions) *launcher {
	return &launcher{dir: dir, notice: o.Notice, accept: o.Trust, lock: lock.New(filepath.Join(dir, lock.Name))}
}

// open starts the plugin of `use NAME from "PATH"`, PATH being relative to the spec.
func (l *launcher) open(ctx context.Context, path string) (plugins.Family, error) {
	if _, err := l.pinned(); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.dir, path)
	}
	log, err := pluginLog()
	if err != nil {
		return nil, err
	}
	store, err := lock.UserStore()
	if err != nil {
		return nil, err
	}
	process, err := host.Launch(ctx, path, host.Options{Lock: l.lock, Store: store, Accept: l.accept, Log: log, Notice: l.notice})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.processes = append(l.processes, process)
	l.mu.Unlock()
	if process.Unknown() {
		if err := l.keep(ctx, process, path); err != nil {
			return nil, errors.Join(err, process.Close())
		}
	}
	return process, nil
}

// keep pins and trusts a program, unless the language refuses what it adds: then the spec that uses it has errors.
func (l *launcher) keep(ctx context.Context, process *host.Process, path string) error {
	if len(languageFaults(ctx, process)) > 0 {
		return nil
	}
	if err := process.Keep(ctx); err != nil {
		return err
	}
	if l.notice != nil {
		l.notice(fmt.Sprintf("%s is trusted from now on; its SHA-256 is pinned in %s", path, l.lock.Path()))
	}
	return nil
}

// pinned returns the paths of the families that the lock knows, by name, sorted. It fails with *lockError.
func (l *launcher) pinned() (map[string][]string, error) {
	pins, err := l.lock.Pins()
	if err != nil {
		return nil, &lockError{err}
	}
	out := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(pins)) {
		name := pins[path].Name
		out[name] = append(out[name], filepath.FromSlash(path))
	}
	return out, nil
}

// pins returns the programs that a spec started, as the lock pins them, in the order in which they were started. It fails with *lockError.
func (s *Spec) pins() ([]report.Pin, error) {
	if s.launcher == nil || len(s.launcher.processes) == 0 {
		return nil, nil
	}
	locked, err := s.launcher.lock.Pins()
	if err != nil {
		return nil, &lockError{err}
	}
	var out []report.Pin
	for _, process := range s.launcher.processes {
		name, version := process.Name()
		for _, path := range slices.Sorted(maps.Keys(locked)) {
			if pin := locked[path]; pin.Name == name && pin.Version == version && pin.SHA256[lock.Platform()] == process.Digest() {
				out = append(out, report.Pin{Name: name, Version: version, Program: path, Source: pin.Source, SHA256: pin.SHA256})
				break
			}
		}
	}
	return out, nil
}

// PinnedFamilies returns the paths of the families that the sipc.lock of folder dir pins, by the names by which `use
// NAME` finds them.
func PinnedFamilies(dir string) (map[string][]string, error) {
	return newLauncher(dir, SpecOptions{}).pinned()
}

// A lockError says that a sipc.lock cannot be read.
type lockError struct{ err error }

// Error returns the reason.
func (e *lockError) Error() string { return e.err.Error() }

// Unwrap returns the reason.
func (e *lockError) Unwrap() error { return e.err }

// Mend says what to do about it.
func (e *lockError) Mend() string {
	return "Bring " + lock.Name + " back as it was, from version control say; or remove it, and add its programs again: sipc plugin add."
}

// pluginLog returns where the output of plugins goes; nil if the environment names no file. It fails with *logError
// if that file cannot be written, since nobody would notice later.
func pluginLog() (io.Writer, error) {
	name := os.Getenv(PluginLog)
	if name == "" {
		return nil, nil
	}
	log := appended(name)
	if _, err := log.Write(nil); err != nil {
		return nil, &logError{err}
	}
	return log, nil
}

// A logError says that what plugins print cannot be kept.
type logError struct{ err error }

// Error returns the reason.
func (e *logError) Error() string {
	return fmt.Sprintf("what it prints cannot be kept: %v; %s names the file", e.err, PluginLog)
}

// Mend says what to do about it.
func (e *logError) Mend() string {
	return "Let " + PluginLog + " name a file that can be written, in a folder that is there, or unset it."
}

// appended is a file that is open only while something is written to it.
type appended string

// Write appends to the file.
func (a appended) Write(p []byte) (int, error) {
	file, err := os.OpenFile(string(a), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := file.Write(p)
	return n, errors.Join(err, file.Close())
}

// specError returns an error of the spec, or of a plugin that it uses.
func (s *Spec) specError(list diag.List) *SpecError {
	return &SpecError{Diagnostics: list, Sources: s.Sources(), Path: s.Path}
}
