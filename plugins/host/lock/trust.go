package lock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sipc-ml/sipc/internal/whole"
)

// TrustVariable is the environment variable that names the folder of the user's store.
const TrustVariable = "SIPC_TRUST"

// A Store is a folder with the digests of the programs that its user trusts: one file for each, of that name. It lies
// outside of all repositories, as these bring locks of their own.
type Store struct{ dir string }

// UserStore returns the store of the user: the folder that TrustVariable names, or sipc/trusted among the settings of
// the user. The folder need not exist yet.
func UserStore() (*Store, error) {
	if dir := os.Getenv(TrustVariable); dir != "" {
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("%s is %s, which is another folder wherever sipc is called: let it name a whole path", TrustVariable, dir)
		}
		return StoreIn(dir), nil
	}
	settings, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("there is no folder for the programs that you trust: %w; let %s name one", err, TrustVariable)
	}
	return StoreIn(filepath.Join(settings, "sipc", "trusted")), nil
}

// StoreIn returns the store in a folder.
func StoreIn(dir string) *Store { return &Store{dir} }

// Holds reports whether the user trusts the program of a digest.
func (s *Store) Holds(digest string) (bool, error) {
	info, err := os.Stat(s.file(digest))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("it cannot be told whether you trust the program: %w", err)
	}
	return info.Mode().IsRegular(), nil
}

// Add trusts the program of a digest from now on. The file says what it called itself then.
func (s *Store) Add(digest, name, version string) error {
	err := os.MkdirAll(s.dir, 0o700)
	if err == nil {
		err = whole.Write(s.file(digest), []byte(name+" "+version+"\n"), 0o600)
	}
	if err != nil {
		return fmt.Errorf("the program cannot be trusted: %w; %s may name another folder", err, TrustVariable)
	}
	return nil
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

func (s *Store) file(digest string) string { return filepath.Join(s.dir, strings.ToLower(digest)) }

// A TrustError says that the user has not trusted a program.
type TrustError struct {
	Program, Lock string
	Store         string // the folder of what the user trusts
	Pinned        bool   // in the lock, which may be anybody's
	Trusted       bool   // by the user, as the store holds its digest
}

// Error says what lacks.
func (e *TrustError) Error() string {
	switch {
	case e.Pinned:
		return fmt.Sprintf("%s pins the program %s, but that may be anybody's word, and you have not trusted it: it is not in %s", e.Lock, e.Program, e.Store)
	case e.Trusted:
		return fmt.Sprintf("you have trusted the program %s, but %s does not pin it: another folder's lock does not count here", e.Program, e.Lock)
	}
	return fmt.Sprintf("you have not trusted the program %s, and %s does not pin it", e.Program, e.Lock)
}

// Mend says how to trust the program.
func (e *TrustError) Mend() string {
	add := fmt.Sprintf("sipc plugin add --dir %s %s", filepath.Dir(e.Lock), e.Program)
	if e.Trusted {
		return fmt.Sprintf("Pin it there: %s.", add)
	}
	return fmt.Sprintf("A program may do all that you may. If you trust it, say so once: %s. sipc run --trust trusts all programs of a spec.", add)
}

// Untrusted marks the error for those who need not know of locks.
func (e *TrustError) Untrusted() {}
