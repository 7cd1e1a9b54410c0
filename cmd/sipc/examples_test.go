package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// An example is one of the folder examples, with the arguments that make it smaller where a test of it would take long.
type example struct {
	name, spec, data string
	smaller          []string // for the test that it runs
	smallest         []string // for tests that run it several times
}

var committed = []example{
	{"two-digits", "two-digits.inv", "digits.csv.gz", nil, []string{"--set", "held_out=60"}},
	{"mixup", "mixup.inv", "digits.csv.gz", nil, []string{"--set", "training=20", "--set", "held_out=10"}},
	{"logic", "logic.inv", "animals.csv", nil, nil},
	// In full it takes some 6 s, for the embeddings of 5880 pairs of rows and labels.
	{
		"topics", "topics.inv", "documents.csv",
		[]string{"--set", "held_out=100"},
		[]string{"--set", "training=50", "--set", "held_out=30"},
	},
	{"houses", "houses.inv", "houses.csv", nil, nil},
}

// folder is a copy of the example's folder, so that nothing is written beside the original, and with the plugin of houses.
func (e *example) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", e.name))); err != nil {
		t.Fatal(err)
	}
	if e.name != "houses" {
		return dir
	}
	for _, name := range []string{"sipc.lock", "sipc-family-swaps"} { // of an author who built the plugin
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	install(t, dir, "sipc-family-swaps")
	return dir
}

// install puts a program of the tests into a folder.
func install(t *testing.T, dir, program string) {
	t.Helper()
	if err := os.Symlink(filepath.Join(programs, program), filepath.Join(dir, program)); err != nil {
		t.Fatal(err)
	}
}

// Every example runs, reaches its certificates and reports the same figures for method plain.
func TestExamples(t *testing.T) {
	for _, e := range committed {
		t.Run(e.name, func(t *testing.T) {
			dir := e.folder(t)
			out := succeed(t, dir, nil, append([]string{"run", e.spec, e.data, "--json", "--baseline", "plain", "--out", "out"}, e.smaller...)...)
			var report struct {
				Metrics     map[string]any `json:"metrics"`
				Baseline    struct{ Metrics map[string]any }
				Certificate struct {
					Reached, Count int
					Target         float64
					MaxGap         float64 `json:"max_gap"`
				}
				Regularizer []struct {
					Name        string
					Functionals int
					Value       *float64
				}
			}
			if err := json.Unmarshal(out.stdout, &report); err != nil {
				t.Fatal(err)
			}
			if c := report.Certificate; c.Count == 0 || c.Reached != c.Count || !(c.MaxGap <= c.Target) {
				t.Errorf("certificate %+v", c)
			}
			if len(report.Metrics) == 0 || len(report.Baseline.Metrics) == 0 {
				t.Errorf("metrics %v, of the baseline %v", report.Metrics, report.Baseline.Metrics)
			}
			for _, r := range report.Regularizer {
				if r.Functionals == 0 || r.Value == nil {
					t.Errorf("invariance %+v", r)
				}
			}
			files := contents(t, filepath.Join(dir, "out"))
			sameFiles(t, files, files)
		})
	}
}
