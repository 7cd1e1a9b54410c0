package sipc

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/plugins/host/lock"
)

// RemovePlugin takes a family out of the sipc.lock of folder dir. which is its name, or the path of its program, as
// the lock has it or relative to the working directory. The program itself stays. RemovePlugin returns what the lock
// said of it.
func RemovePlugin(ctx context.Context, dir, which string) (*Plugin, error) {
	file := lock.New(filepath.Join(dir, lock.Name))
	pins, err := file.Pins()
	if err != nil {
		return nil, err
	}
	key, err := keyOf(file, pins, which)
	if err != nil {
		return nil, err
	}
	pin, err := file.Remove(ctx, key)
	switch {
	case err != nil:
		return nil, err
	case pin == nil:
		return nil, fmt.Errorf("%s does not pin %s any more: another sipc took it out", file.Path(), which)
	}
	p := &Plugin{Name: pin.Name, Version: pin.Version, Path: key, Source: pin.Source, SHA256: pin.SHA256}
	if err := p.look(dir); err != nil {
		return nil, err
	}
	return p, nil
}

// keyOf returns the key of the one program that which means.
func keyOf(file *lock.File, pins map[string]lock.Pin, which string) (string, error) {
	var named []string
	names := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(pins)) {
		if names[pins[key].Name] = true; pins[key].Name == which {
			named = append(named, key)
		}
	}
	switch len(named) {
	case 1:
		return named[0], nil
	case 0:
	default:
		return "", fmt.Errorf("%s pins several programs by the name %s: %s; say which by its path", file.Path(), which, strings.Join(named, ", "))
	}
	key, err := file.Key(which)
	if err != nil {
		return "", err
	}
	for _, k := range []string{which, key} {
		if _, ok := pins[k]; ok {
			return k, nil
		}
	}
	if len(names) == 0 {
		return "", fmt.Errorf("%s pins no family", file.Path())
	}
	return "", fmt.Errorf("%s does not pin %s; it pins %s", file.Path(), which, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
}
