package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/plugins/host/process"
)

// A program may have any name, those of the private directory's own files too.
func TestProgramsOfAnyName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tmp", "program", "[a] b", "-x"} {
		program := filepath.Join(t.TempDir(), name)
		put(t, program, "sipc-family-hierarchy")
		p, err := Launch(t.Context(), program, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		dir := p.state.running().dir.Path
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %s is left: %v", name, dir, err)
		}
	}
}

// A program that is too large is refused before it is copied, and so is one that grows meanwhile.
func TestLargePrograms(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "family")
	f, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(process.MaxProgram+1), f.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = Launch(t.Context(), program, Options{})
	if !errors.Is(err, process.ErrTooLarge) || !strings.Contains(err.Error(), program) || !strings.Contains(err.Error(), "larger than 1024 MiB") {
		t.Errorf("error %v", err)
	}
}
