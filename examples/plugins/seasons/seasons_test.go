package seasons_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins/verify"
	"github.com/sipc-ml/sipc/sdk/python"
)

// run runs Python with the package sipc_family.
func run(t *testing.T, interpreter string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), interpreter, args...)
	cmd.Env = append(os.Environ(), "PYTHONPATH=../../../sdk/python", "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// The family passes its own tests, keeps the contract, and does on the example what its README says.
func TestExample(t *testing.T) {
	interpreter, err := python.Find(t.Context())
	if err != nil {
		t.Skip(err)
	}
	run(t, interpreter, "-m", "unittest")
	dir := t.TempDir()
	program := filepath.Join(dir, "sipc-family-seasons")
	run(t, interpreter, "-m", "sipc_family", "bundle", "seasons.py", "-o", program, "--python", interpreter)
	verified, err := sipc.VerifyPlugin(t.Context(), program, sipc.VerifyOptions{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range verified.Checks {
		want := verify.Passed
		if c.Name == "derivative" || c.Name == "labels" { // it has no path, and no maps
			want = verify.Skipped
		}
		if c.Status != want {
			t.Errorf("%s %s: %v %v", c.Name, c.Status, c.Findings, c.Notes)
		}
	}
	for _, name := range []string{"seasons.inv", "past.csv", "later.csv"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SIPC_TRUST", t.TempDir())
	if _, err := sipc.AddPlugin(t.Context(), filepath.Join(dir, "sipc-family-seasons"), sipc.AddOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	spec, err := sipc.LoadSpec(t.Context(), filepath.Join(dir, "seasons.inv"), sipc.SpecOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer spec.Close()
	if !bytes.Equal(dsl.Format(spec.File), spec.Source) {
		t.Error("seasons.inv is not in the canonical layout: sipc fmt -w mends it")
	}
	report, err := sipc.Run(t.Context(), spec, sipc.RunOptions{
		Data: filepath.Join(dir, "past.csv"), Test: filepath.Join(dir, "later.csv"), Baseline: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	embed, _ := report.Metrics.Figures.Get("rmse")
	plain, known := report.Baseline.Metrics.Figures.Get("rmse")
	if !known || !(embed < 0.75*plain) || report.Certificate.Reached != report.Certificate.Count {
		t.Errorf("RMSE %v, without the family %v; certificate %+v", embed, plain, report.Certificate)
	}
}
