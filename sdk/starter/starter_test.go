package starter_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/plugins/verify"
	"github.com/sipc-ml/sipc/sdk/python"
	"github.com/sipc-ml/sipc/sdk/starter"
)

// in runs a program in a folder; Go builds with what is here, and asks no network.
func in(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GONOSUMDB=*", "GOWORK=off", "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
}

func verified(t *testing.T, program string) {
	t.Helper()
	r, err := verify.Run(t.Context(), program, verify.Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Checks {
		if c.Status != verify.Passed {
			t.Errorf("%s %s: %v %v", c.Name, c.Status, c.Findings, c.Notes)
		}
	}
}

// What is written in Go is formatted, passes vet and its tests, and keeps the contract.
func TestGo(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "families", "tides")
	if _, err := starter.Write(starter.Options{Language: "go", Name: "tides", Dir: dir, Version: "v0.1.0", Replace: root}); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "gofmt", "-l", dir).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("not formatted: %s %v", out, err)
	}
	in(t, dir, "go", "test", "./...") // which vets, too
	in(t, dir, "go", "build", "-o", "sipc-family-tides", ".")
	verified(t, filepath.Join(dir, "sipc-family-tides"))
}

// What is written in Python passes its tests and keeps the contract.
func TestPython(t *testing.T) {
	interpreter, err := python.Find(t.Context())
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(t.TempDir(), "tides")
	if _, err := starter.Write(starter.Options{Language: "python", Name: "tides", Dir: dir}); err != nil {
		t.Fatal(err)
	}
	in(t, dir, interpreter, "-m", "unittest")
	in(t, dir, interpreter, "-m", "sipc_family", "bundle", "family.py", "-o", "sipc-family-tides", "--python", interpreter)
	verified(t, filepath.Join(dir, "sipc-family-tides"))
}

func TestFiles(t *testing.T) {
	for language, want := range map[string][]string{
		"go":     {"README.md", "example.inv", "family.go", "family_test.go", "go.mod", "houses.csv", "main.go"},
		"python": {"README.md", "example.inv", "family.py", "houses.csv", "sipc_family/__init__.py", "sipc_family/family.binpb", "test_family.py"},
	} {
		dir := filepath.Join(t.TempDir(), "new")
		paths, err := starter.Write(starter.Options{Language: language, Name: "tides", Dir: dir, Version: "v0.1.0"})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			raw, err := os.ReadFile(filepath.Join(dir, w))
			if err != nil || !slices.Contains(paths, w) {
				t.Errorf("%s: %s is not written: %v, %v", language, w, paths, err)
			}
			if strings.Contains(string(raw), ".Name}}") {
				t.Errorf("%s: %s holds what is left of a template", language, w)
			}
		}
		if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
			t.Errorf("%s: beside the folder there is %v, %v", language, left, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	there := t.TempDir()
	for _, tt := range []struct {
		o    starter.Options
		want string
	}{
		{starter.Options{Language: "go", Name: "tides", Dir: there}, "is there already"},
		{starter.Options{Language: "perl", Name: "tides", Dir: filepath.Join(there, "x")}, `in "perl"`},
		{starter.Options{Language: "go", Name: "Tides", Dir: filepath.Join(there, "x")}, "small letters"},
		{starter.Options{Language: "go", Name: "../tides", Dir: filepath.Join(there, "x")}, "small letters"},
		{starter.Options{Language: "go", Dir: filepath.Join(there, "x")}, "is not a name"},
	} {
		if _, err := starter.Write(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.o, err, tt.want)
		}
	}
	if left, err := os.ReadDir(there); err != nil || len(left) > 0 {
		t.Errorf("there is %v, %v", left, err)
	}
}
