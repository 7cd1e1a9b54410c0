package reproduce

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// A store keeps results, one in a file.
type store struct{ dir string }

// load returns the result of a unit; nil means that there is none of this fingerprint. Broken says why a file holds no result; the unit is then
// done again.
func (s store) load(u *Unit, fingerprint string) (out *Result, broken string, err error) {
	out = &Result{}
	found, broken, err := s.read(u.Name(), out)
	if err != nil || !found || out.Fingerprint != fingerprint { // that of other rows, settings or data
		return nil, broken, err
	}
	if u.Kind == Choice && out.Score == nil || u.Kind == Run && len(out.Figures) == 0 {
		return nil, "it lacks what the unit came to", nil
	}
	return out, "", nil
}

// save writes a result, whole or not at all.
func (s store) save(u *Unit, r *Result) error { return s.write(u.Name(), r) }

// read reads a result, if there is one. Broken says why a file holds none; it is not found then.
func (s store) read(name string, into any) (found bool, broken string, err error) {
	text, err := os.ReadFile(filepath.Join(s.dir, name)) //nolint:gosec // in the folder that the user names
	if errors.Is(err, fs.ErrNotExist) {
		return false, "", nil
	}
	if err != nil {
		return false, "", fmt.Errorf("%w; remove it, and the unit will be done again", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return false, err.Error(), nil //nolint:nilerr // the unit is done again
	}
	return true, "", nil
}

// write writes a result, whole or not at all.
func (s store) write(name string, result any) error {
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // results are not secret
		return err
	}
	return renameio.WriteFile(path, append(text, '\n'), readable)
}
