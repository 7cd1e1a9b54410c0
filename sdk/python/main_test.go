package python_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/sdk/python"
)

// interpreter is a Python that can run families; the test is skipped where there is none.
func interpreter(tb testing.TB) string {
	tb.Helper()
	path, err := python.Find(tb.Context())
	if err != nil {
		tb.Skip(err)
	}
	return path
}

// bundle makes a program of a family in testdata, and of the modules that it imports.
func bundle(tb testing.TB, source string, modules ...string) string {
	tb.Helper()
	interpreter := interpreter(tb)
	program := filepath.Join(tb.TempDir(), "sipc-family-test")
	arguments := append([]string{"-m", "sipc_family", "bundle", source, "-o", program, "--python", interpreter}, modules...)
	cmd := exec.CommandContext(tb.Context(), interpreter, arguments...)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return program
}

// launch runs a program until the end of the test.
func launch(tb testing.TB, program string, o host.Options) *host.Process {
	tb.Helper()
	tmp, err := os.MkdirTemp("/tmp", "s") //nolint:usetesting // paths of sockets must be short
	if err != nil {
		tb.Fatal(err)
	}
	o.Dir = tmp
	p, err := host.Launch(context.Background(), program, o)
	if err != nil {
		_ = os.RemoveAll(tmp)
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := p.Close(); err != nil {
			tb.Error(err)
		}
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			tb.Errorf("files are left: %v, %v", left, err)
		}
		_ = os.RemoveAll(tmp)
	})
	return p
}
