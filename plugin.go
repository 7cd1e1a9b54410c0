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

	"github.com/google/renameio/v2"

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
}

// AddPlugin pins a program in sipc.lock, by its path or by the address from which it is fetched into PluginFolder. It starts
// the program once, to ask for its name and version. What the lock said of the program before no longer holds.
func AddPlugin(ctx context.Context, source string, o AddOptions) (*Plugin, error) {
	if o.Dir == "" {
		o.Dir = "."
	}
	program, from := source, ""
	if address, err := url.Parse(source); err == nil && (address.Scheme == "https" || address.Scheme == "http") {
		if program, err = fetch(ctx, address, &o); err != nil {
			return nil, err
		}
		from = address.Redacted()
	}
	process, err := host.Launch(ctx, program, host.Options{Log: pluginLog()})
	if err != nil {
		return nil, errors.Join(err, unfetch(program, from))
	}
	digest := process.Digest()
	schema, err := process.Describe(ctx)
	if err = errors.Join(err, process.Close()); err != nil {
		return nil, errors.Join(err, unfetch(program, from))
	}
	if o.SHA256 != "" && !strings.EqualFold(o.SHA256, digest) {
		return nil, errors.Join(fmt.Errorf("%s is not the program that was asked for\n    expected sha256 %s\n    actual   sha256 %s",
			source, o.SHA256, digest), unfetch(program, from))
	}
	lock := host.NewLock(filepath.Join(o.Dir, host.LockName))
	pin := host.Pin{Name: schema.Name, Version: schema.Version, Source: from, SHA256: map[string]string{platform(): digest}}
	if err := lock.Put(program, pin); err != nil {
		return nil, errors.Join(err, unfetch(program, from))
	}
	relative, err := filepath.Rel(o.Dir, program)
	if err != nil {
		relative = program
	}
	return &Plugin{Name: pin.Name, Version: pin.Version, Path: relative, Source: from, SHA256: pin.SHA256, State: "pinned"}, nil
}

func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// unfetch removes a program that was fetched and is of no use.
func unfetch(program, from string) error {
	if from == "" {
		return nil
	}
	return os.Remove(program)
}

// The bounds of what is fetched.
const (
	largestProgram = 512 << 20
	fetchTimeout   = 10 * time.Minute
)

// fetch downloads a program into PluginFolder; it appears whole or not at all.
func fetch(ctx context.Context, address *url.URL, o *AddOptions) (string, error) {
	host := address.Hostname()
	if address.Scheme == "http" && o.SHA256 == "" && host != "localhost" && host != "127.0.0.1" && host != "::1" {
		return "", fmt.Errorf("%s: what comes over http may be changed on its way; use https, or say which --sha256 it has", address.Redacted())
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
	response, err := http.DefaultClient.Do(request)
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
	program := filepath.Join(folder, name)
	return program, save(response.Body, program, o.SHA256)
}

// save writes a program, if it is the one that is asked for.
func save(from io.Reader, program, want string) (err error) {
	file, err := renameio.NewPendingFile(program, renameio.WithPermissions(0o755))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Cleanup()) }()
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(file, hash), io.LimitReader(from, largestProgram+1))
	if err != nil {
		return err
	}
	if n > largestProgram {
		return fmt.Errorf("%s: it is larger than %d MiB", program, largestProgram>>20)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); want != "" && !strings.EqualFold(want, got) {
		return fmt.Errorf("%s is not the program that was asked for\n    expected sha256 %s\n    actual   sha256 %s", program, want, got)
	}
	return file.CloseAtomicallyReplace()
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
