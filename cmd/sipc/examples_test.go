package main

import (
	"encoding/json"
	"flag"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

var update = flag.Bool("update", false, "write the figures of the examples anew")

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
	{"shifts", "shifts.inv", "load.csv", nil, nil},
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

// figuresFile holds the figures of the examples.
var figuresFile = filepath.Join("testdata", "examples.json")

// figures are the metrics of a report and the values of its invariances, in four digits.
func figures(t *testing.T, report []byte) map[string]float64 {
	t.Helper()
	var r struct {
		Metrics     map[string]any
		Regularizer []struct {
			Name  string
			Value float64
		}
	}
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	keep := func(name string, v float64) {
		short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = short
	}
	for name, v := range r.Metrics {
		if v, ok := v.(float64); ok {
			keep("metrics."+name, v)
		}
	}
	for _, inv := range r.Regularizer {
		keep("value."+inv.Name, inv.Value)
	}
	return out
}

// sameFigures compares figures with those that are kept. Weights of specs are rounded, and embeddings good to their gap.
func sameFigures(t *testing.T, want, got map[string]float64) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if v, ok := got[name]; !ok || math.Abs(v-want[name]) > 2e-3*math.Abs(want[name])+1e-6 {
			t.Errorf("%s is %g, and was %g", name, v, want[name])
		}
	}
	if len(want) != len(got) {
		t.Errorf("there are %d figures, and were %d; run this test with -update", len(got), len(want))
	}
}

// keptFigures are those of the examples, by name; with -update, those that are there are written when the test ends.
func keptFigures(t *testing.T) map[string]map[string]float64 {
	t.Helper()
	kept := map[string]map[string]float64{}
	text, err := os.ReadFile(figuresFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !*update {
			return
		}
		text, err := json.MarshalIndent(kept, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(figuresFile, append(text, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	return kept
}

// Every example runs, reaches its certificates and reports the figures that are kept, those of method plain beside them. Those of
// two-digits, mixup and logic were first written down when the objective was ½(‖f‖² + w²R²) + C·Σ loss without n, with √n times the weights.
func TestExamples(t *testing.T) {
	kept := keptFigures(t)
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
			got := figures(t, out.stdout)
			if *update {
				kept[e.name] = got
			}
			sameFigures(t, kept[e.name], got)
			files := contents(t, filepath.Join(dir, "out"))
			sameFiles(t, files, files)
		})
	}
}
