package sipc

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/plugins/host/lock"
	"github.com/sipc-ml/sipc/plugins/host/process"
)

// ListPlugins returns the families that the sipc.lock of folder dir pins, by their paths. It starts no program.
func ListPlugins(dir string) ([]Plugin, error) {
	pins, err := lock.New(filepath.Join(dir, lock.Name)).Pins()
	if err != nil {
		return nil, err
	}
	out := []Plugin{}
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		pin := pins[name]
		p := Plugin{Name: pin.Name, Version: pin.Version, Path: name, Source: pin.Source, SHA256: pin.SHA256}
		if err := p.look(dir); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// Digest returns the SHA-256 that the program must have on this platform; empty if the lock has no digest for it.
func (p *Plugin) Digest() string { return p.SHA256[lock.Platform()] }

// program returns the program's path.
func (p *Plugin) program(dir string) string {
	if path := filepath.FromSlash(p.Path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, filepath.FromSlash(p.Path))
}

// trusts reports whether the store of the user has a digest.
func trusts(digest string) (bool, error) {
	store, err := lock.UserStore()
	if err != nil {
		return false, err
	}
	return store.Holds(digest)
}

// look compares the program with its digest, and asks whether the store has that. What a lock says is known without a store.
func (p *Plugin) look(dir string) (err error) {
	if p.Digest() != "" {
		if p.Trusted, err = trusts(p.Digest()); err != nil {
			p.TrustUnknown = err.Error()
		}
	}
	program := p.program(dir)
	info, err := os.Stat(program)
	switch {
	case errors.Is(err, os.ErrNotExist) || err == nil && !info.Mode().IsRegular():
		p.State = PluginMissing
		return nil
	case err != nil:
		return err
	case p.Digest() == "":
		p.State = PluginElsewhere
		return nil
	}
	file, err := os.Open(program)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	actual, err := process.Digest(io.Discard, file)
	if err != nil && !errors.Is(err, process.ErrTooLarge) { // which is another one too
		return err
	}
	p.State = PluginPinned
	if !strings.EqualFold(p.Digest(), actual) {
		p.State, p.Actual = PluginChanged, actual
	}
	return nil
}

// A PluginError says that programs are not those that a sipc.lock pins, or not there.
type PluginError struct {
	Lock    string   // the file
	Plugins []Plugin // that are changed or missing
}

// CheckPlugins fails with *PluginError where programs of ListPlugins(dir) are changed or missing.
func CheckPlugins(dir string, list []Plugin) error {
	e := &PluginError{Lock: filepath.Join(dir, lock.Name)}
	for _, p := range list {
		if p.State == PluginChanged || p.State == PluginMissing {
			e.Plugins = append(e.Plugins, p)
		}
	}
	if len(e.Plugins) == 0 {
		return nil
	}
	return e
}

// Error says of each program what is wrong, and how to mend it.
func (e *PluginError) Error() string {
	var b strings.Builder
	what := "a program that is"
	if len(e.Plugins) > 1 {
		what = fmt.Sprintf("%d programs that are", len(e.Plugins))
	}
	fmt.Fprintf(&b, "%s pins %s not as pinned", e.Lock, what)
	dir := filepath.Dir(e.Lock)
	for i := range e.Plugins {
		p := &e.Plugins[i]
		fmt.Fprintf(&b, "\n  %s (%s %s) is %s", p.Path, p.Name, p.Version, p.State)
		if p.State == PluginChanged {
			fmt.Fprintf(&b, "\n    expected sha256 %s\n    actual   sha256 %s", p.Digest(), p.Actual)
		}
		fmt.Fprintf(&b, "\n    %s", p.mend(dir))
	}
	return b.String()
}

// mend says how the program and its pin become one again.
func (p *Plugin) mend(dir string) string {
	again := ""
	if p.Source != "" {
		again = fmt.Sprintf(" the one that is pinned: sipc plugin add --dir %s %s", dir, p.Source)
		if p.Digest() != "" {
			again += " --sha256 " + p.Digest()
		}
	}
	if p.State == PluginChanged {
		e := &lock.DigestError{Program: p.program(dir), Lock: filepath.Join(dir, lock.Name)}
		if again != "" {
			again = "\n    Else fetch" + again
		}
		return e.Mend() + again
	}
	if again != "" {
		return "Fetch" + again
	}
	return fmt.Sprintf("Put it back, or take its pin out: sipc plugin remove --dir %s %s", dir, p.Path)
}
