package sipc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/host/lock"
)

// PluginFolder is where AddPlugin puts programs that it fetches, beside sipc.lock.
const PluginFolder = "sipc-plugins"

// A Plugin is a family that a sipc.lock pins.
type Plugin struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Path    string            `json:"path"`             // relative to the lock
	Source  string            `json:"source,omitempty"` // the address that it was fetched from, without query and user
	SHA256  map[string]string `json:"sha256"`           // by platform, such as linux/amd64
	State   PluginState       `json:"state"`
	Trusted bool              `json:"trusted"` // the user's own store holds the digest that is pinned for this platform
	// TrustUnknown says why it cannot be told whether the program is trusted; empty where it can.
	TrustUnknown string        `json:"trust_unknown,omitempty"`
	Actual       string        `json:"actual,omitempty"` // the program's SHA-256 where it is changed
	Before       *PluginBefore `json:"before,omitempty"` // of one that is added: what was pinned; nil where nothing was
	Lock         string        `json:"lock,omitempty"`   // of one that is added: the whole path of the sipc.lock that pins it
	Others       []string      `json:"others,omitempty"` // of one that is added: the paths of other programs that are pinned by its name
}

// A PluginState says what is with the program of a Plugin.
type PluginState string

// The states.
const (
	PluginPinned    PluginState = "pinned"    // it is the one that is pinned
	PluginChanged   PluginState = "changed"   // it is another one
	PluginMissing   PluginState = "missing"   // there is none
	PluginElsewhere PluginState = "elsewhere" // it is pinned for other platforms alone
)

// PluginBefore is what the lock said of a program before it was added.
type PluginBefore struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SHA256  string `json:"sha256,omitempty"` // on this platform; empty where it was not pinned here
	// Dropped are the other platforms whose digests are no longer pinned, as they were those of another version.
	Dropped []string `json:"dropped,omitempty"`
}

// AddOptions say how a plugin is added. The zero value adds it to the sipc.lock of the current folder.
type AddOptions struct {
	Dir    string // the folder of sipc.lock
	SHA256 string // the digest that the program must have, in hexadecimal; empty takes any
}

// lock returns the sipc.lock that is added to.
func (o *AddOptions) lock() *lock.File { return lock.New(filepath.Join(o.Dir, lock.Name)) }

// AddPlugin pins a program in sipc.lock and trusts it, by its path or by the address from which it is fetched into
// PluginFolder. It starts the program twice, to ask for its schema, unless its digest is not the one that is asked for. What the lock said
// of the program on this platform before no longer holds. Where it fails, lock and programs are as they were.
func AddPlugin(ctx context.Context, source string, o AddOptions) (*Plugin, error) {
	if o.Dir == "" {
		o.Dir = "."
	}
	if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: there is no such folder", o.Dir)
	}
	if raw, err := hex.DecodeString(o.SHA256); o.SHA256 != "" && (err != nil || len(raw) != sha256.Size) {
		return nil, fmt.Errorf("%q is not a SHA-256: 64 hex digits", o.SHA256)
	}
	if address := webAddress(source); address != nil {
		return addFetched(ctx, address, o)
	}
	if err := o.lock().Sweep(ctx, filepath.Join(o.Dir, PluginFolder)); err != nil {
		return nil, err
	}
	pin, err := ask(ctx, source, o)
	if err != nil {
		return nil, err
	}
	before, after, err := o.lock().Put(ctx, "", source, *pin)
	if err != nil {
		return nil, err
	}
	return added(source, after, before, o)
}

// addFetched fetches a program, asks it, and gives it its place.
func addFetched(ctx context.Context, address *url.URL, o AddOptions) (p *Plugin, err error) {
	name, err := programName(address)
	if err != nil {
		return nil, err
	}
	if err := safe(address, &o); err != nil {
		return nil, err
	}
	folder := filepath.Join(o.Dir, PluginFolder)
	stage, err := o.lock().Stage(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stage.Remove()) }()
	program, err := fetch(ctx, address, stage, name, &o)
	if err != nil {
		return nil, err
	}
	pin, err := ask(ctx, program, o)
	if err != nil {
		return nil, fmt.Errorf("what %s holds cannot be pinned: %w", bare(address), err)
	}
	pin.Source = bare(address)
	place := filepath.Join(folder, name)
	before, after, err := o.lock().Put(ctx, program, place, *pin)
	if err != nil {
		return nil, err
	}
	return added(place, after, before, o)
}

// ask starts a program to learn what is to be pinned.
func ask(ctx context.Context, program string, o AddOptions) (*lock.Pin, error) {
	log, err := pluginLog()
	if err != nil {
		return nil, err
	}
	store, err := lock.UserStore()
	if err != nil {
		return nil, err
	}
	o.SHA256 = strings.ToLower(o.SHA256)
	var schemas [2]*plugins.Schema
	for i := range schemas {
		if schemas[i], o.SHA256, err = introduced(ctx, program, host.Options{Log: log, SHA256: o.SHA256}); err != nil {
			return nil, err
		}
	}
	first, second := schemas[0], schemas[1]
	if !reflect.DeepEqual(first, second) {
		return nil, fmt.Errorf("family %s describes itself otherwise at each start: it was %s %s, and then %s %s; its author: let nothing in the schema hang on the time or on chance",
			program, first.Name, first.Version, second.Name, second.Version)
	}
	pin := &lock.Pin{Name: first.Name, Version: first.Version, SHA256: map[string]string{lock.Platform(): o.SHA256}}
	return pin, store.Add(o.SHA256, first.Name, first.Version)
}

// introduced starts a program, and returns its schema, which the language accepts, and its digest.
func introduced(ctx context.Context, program string, o host.Options) (*plugins.Schema, string, error) {
	process, err := host.Launch(ctx, program, o)
	if err != nil {
		return nil, "", err
	}
	schema, err := process.Describe(ctx)
	if err == nil {
		if faults := languageFaults(ctx, process); len(faults) > 0 {
			err = fmt.Errorf("family %s: %s", program, faults[0])
		}
	}
	return schema, process.Digest(), errors.Join(err, process.Close())
}

// added returns what was pinned, with the digest for this platform.
func added(place string, pin, before *lock.Pin, o AddOptions) (*Plugin, error) {
	key, err := o.lock().Key(place)
	if err != nil {
		return nil, err
	}
	whole, err := filepath.Abs(o.lock().Path())
	if err != nil {
		return nil, err
	}
	p := &Plugin{Name: pin.Name, Version: pin.Version, Path: key, Source: pin.Source, State: PluginPinned, Trusted: true, Lock: whole}
	p.SHA256 = map[string]string{lock.Platform(): pin.SHA256[lock.Platform()]}
	pins, err := o.lock().Pins()
	if err != nil {
		return nil, err
	}
	for _, other := range slices.Sorted(maps.Keys(pins)) {
		if other != key && pins[other].Name == pin.Name {
			p.Others = append(p.Others, other)
		}
	}
	if before == nil {
		return p, nil
	}
	p.Before = &PluginBefore{Name: before.Name, Version: before.Version, SHA256: before.SHA256[lock.Platform()]}
	for _, other := range slices.Sorted(maps.Keys(before.SHA256)) {
		if other != lock.Platform() && before.Version != pin.Version {
			p.Before.Dropped = append(p.Before.Dropped, other)
		}
	}
	return p, nil
}
