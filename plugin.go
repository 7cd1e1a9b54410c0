package sipc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sipc-ml/sipc/plugins/host"
)

// PluginFolder is where AddPlugin puts programs that it fetches, beside sipc.lock.
const PluginFolder = "sipc-plugins"

// A Plugin is a family that a sipc.lock pins.
type Plugin struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Path    string            `json:"path"`             // relative to the lock
	Source  string            `json:"source,omitempty"` // the address that it was fetched from
	SHA256  map[string]string `json:"sha256"`           // by platform, such as linux/amd64
	State   string            `json:"state"`            // pinned, changed, missing, or elsewhere: pinned for other platforms alone
}

// AddOptions say how a plugin is added. The zero value adds it to the sipc.lock of the current folder.
type AddOptions struct {
	Dir    string // the folder of sipc.lock
	SHA256 string // the digest that the program must have, in hexadecimal; empty takes any
	// Platform is the one that the digest is for, such as linux/arm64; empty stands for this one. For another one the program is
	// neither fetched nor started: its digest goes to what the lock knows of it already.
	Platform string
}

// AddPlugin pins a program in sipc.lock, by its path or by the address from which it is fetched into PluginFolder. It starts
// the program once, to ask for its name and version, unless its digest is not the one that is asked for. What the lock said
// of the program on this platform before no longer holds. Where it fails, lock and programs are as they were.
func AddPlugin(ctx context.Context, source string, o AddOptions) (*Plugin, error) {
	if o.Dir == "" {
		o.Dir = "."
	}
	if raw, err := hex.DecodeString(o.SHA256); o.SHA256 != "" && (err != nil || len(raw) != sha256.Size) {
		return nil, fmt.Errorf("%q is no SHA-256: 64 hex digits", o.SHA256)
	}
	if o.Platform != "" && o.Platform != platform() {
		return addElsewhere(source, o)
	}
	address, err := url.Parse(source)
	if err != nil || (address.Scheme != "https" && address.Scheme != "http") {
		return pin(ctx, source, source, "", o)
	}
	fetched, err := fetch(ctx, address, &o)
	if err != nil {
		return nil, err
	}
	p, err := pin(ctx, fetched, filepath.Join(o.Dir, PluginFolder, filepath.Base(fetched)), address.Redacted(), o)
	return p, errors.Join(err, os.RemoveAll(filepath.Dir(fetched)))
}

// pin starts a program, moves it to its place if it is elsewhere, and pins it there.
func pin(ctx context.Context, program, place, from string, o AddOptions) (*Plugin, error) {
	process, err := host.Launch(ctx, program, host.Options{Log: pluginLog(), SHA256: o.SHA256})
	if err != nil {
		return nil, err
	}
	schema, err := process.Describe(ctx)
	if err := errors.Join(err, process.Close()); err != nil {
		return nil, err
	}
	if program != place {
		if err := os.Rename(program, place); err != nil {
			return nil, err
		}
	}
	lock := host.NewLock(filepath.Join(o.Dir, host.LockName))
	entry := host.Pin{Name: schema.Name, Version: schema.Version, Source: from, SHA256: map[string]string{platform(): process.Digest()}}
	if err := lock.Put(place, entry); err != nil {
		return nil, err
	}
	return added(place, entry, o), nil
}

func added(place string, entry host.Pin, o AddOptions) *Plugin {
	relative, err := filepath.Rel(o.Dir, place)
	if err != nil {
		relative = place
	}
	return &Plugin{Name: entry.Name, Version: entry.Version, Path: relative, Source: entry.Source, SHA256: entry.SHA256, State: "pinned"}
}

// addElsewhere pins the digest that a program has on another platform.
func addElsewhere(source string, o AddOptions) (*Plugin, error) {
	if system, processor, ok := strings.Cut(o.Platform, "/"); !ok || system == "" || processor == "" || strings.Contains(processor, "/") {
		return nil, fmt.Errorf("%q is no platform: say one such as %s", o.Platform, platform())
	}
	if o.SHA256 == "" {
		return nil, fmt.Errorf("%s cannot be started here: say which --sha256 it has on %s, 64 digits", source, o.Platform)
	}
	place := source
	if address, err := url.Parse(source); err == nil && (address.Scheme == "https" || address.Scheme == "http") {
		place = filepath.Join(o.Dir, PluginFolder, path.Base(address.Path))
	}
	lock := host.NewLock(filepath.Join(o.Dir, host.LockName))
	entry, err := lock.Pin(place)
	if err != nil {
		return nil, err
	}
	if entry == nil {
		return nil, fmt.Errorf("%s does not know %s yet: add it on a platform where it can be started first", lock.Path(), place)
	}
	entry.SHA256 = map[string]string{o.Platform: strings.ToLower(o.SHA256)}
	if err := lock.Put(place, *entry); err != nil {
		return nil, err
	}
	return added(place, *entry, o), nil
}

func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// The bounds of what is fetched.
const (
	largestProgram = 512 << 20
	fetchTimeout   = 10 * time.Minute
	mostRedirects  = 10
)

// safe tells of an address from which anything might come. It holds for those that a server redirects to as well.
func safe(address *url.URL, o *AddOptions) error {
	host := address.Hostname()
	if address.Scheme == "http" && o.SHA256 == "" && host != "localhost" && host != "127.0.0.1" && host != "::1" {
		return fmt.Errorf("%s: what comes over http may be changed on its way; use https, or say which --sha256 it has", address.Redacted())
	}
	return nil
}

// fetch downloads a program into a folder of its own within PluginFolder.
func fetch(ctx context.Context, address *url.URL, o *AddOptions) (string, error) {
	if err := safe(address, o); err != nil {
		return "", err
	}
	name := path.Base(address.Path)
	if name == "." || name == "/" || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("%s: the address does not end in the name of a program", address.Redacted())
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if len(before) >= mostRedirects {
			return fmt.Errorf("it is redirected more than %d times", mostRedirects)
		}
		return safe(next.URL, o)
	}}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close() //nolint:errcheck // only read
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: the server answers %s", address.Redacted(), response.Status)
	}
	folder := filepath.Join(o.Dir, PluginFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	folder, err = os.MkdirTemp(folder, ".fetched-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(folder, name)
	if err := save(response.Body, program, o.SHA256); err != nil {
		return "", errors.Join(fmt.Errorf("%s: %w", address.Redacted(), err), os.RemoveAll(folder))
	}
	return program, nil
}

// save writes a program, if it is the one that is asked for.
func save(from io.Reader, program, want string) error {
	file, err := os.OpenFile(program, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(file, hash), io.LimitReader(from, largestProgram+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if n > largestProgram {
		return fmt.Errorf("it is larger than %d MiB", largestProgram>>20)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); want != "" && !strings.EqualFold(want, got) {
		return fmt.Errorf("it is not the program that was asked for\n    expected sha256 %s\n    actual   sha256 %s", want, got)
	}
	return nil
}

// ListPlugins are the families that the sipc.lock of folder dir pins, by their paths. No program is started.
func ListPlugins(dir string) ([]Plugin, error) {
	pins, err := host.NewLock(filepath.Join(dir, host.LockName)).Pins()
	if err != nil {
		return nil, err
	}
	out := []Plugin{}
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		pin := pins[name]
		p := Plugin{Name: pin.Name, Version: pin.Version, Path: name, Source: pin.Source, SHA256: pin.SHA256}
		if p.State, err = stateOf(filepath.Join(dir, filepath.FromSlash(name)), pin.SHA256[platform()]); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// stateOf compares a program with its digest.
func stateOf(program, want string) (string, error) {
	file, err := os.Open(program)
	if errors.Is(err, os.ErrNotExist) {
		return "missing", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // only read
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	switch {
	case want == "":
		return "elsewhere", nil
	case !strings.EqualFold(want, hex.EncodeToString(hash.Sum(nil))):
		return "changed", nil
	}
	return "pinned", nil
}
