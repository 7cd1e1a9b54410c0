package sipc

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Bounds that contradict each other are a fault of the program, which no data cause. Put into a fit, they are told apart from gaps that are merely
// large by the table, JSON, the warnings and the reason for which a run fails; and the model and its files are written all the same.
func TestContradictionsAreTold(t *testing.T) {
	dir := t.TempDir()
	spec, data := filepath.Join(dir, "spec.inv"), filepath.Join(dir, "data.csv")
	var rows strings.Builder
	rows.WriteString("u,y\n")
	for i := range 24 {
		fmt.Fprintf(&rows, "%d,%d\n", i*i%11, i*5%7)
	}
	const text = "data { target y : real; split train = 12, test = 12 }\nkernel gaussian(width = 2)\nfeatures nystrom(landmarks = all)\n" +
		"invariance up = rms over x of pos(-d/d(u) f)\nregularize up\nlearn ridge\n"
	for path, content := range map[string]string{spec: text, data: rows.String()} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for method, want := range map[setting.Method]struct{ warning, missed string }{
		setting.Embed: {
			"12 of 24 embeddings did not reach the gap 1e-03; of 12 the bounds contradict each other, a fault of the program: nothing is proved there",
			"the gap 0.001 is missed by 12 of 12 embeddings of the training rows; the largest is unbounded",
		},
		setting.Risk: {
			"the bounds of the learner's minimum contradict each other, so that nothing is proved of it",
			"the gap 0.001 is missed by method risk: its bounds contradict each other",
		},
	} {
		t.Run(string(method), func(t *testing.T) {
			rep := contradicted(t, spec, RunOptions{Data: data, Method: method, Gap: 1e-3, Out: filepath.Join(dir, string(method))})
			if rep.Missed != want.missed || !slices.Contains(rep.Warnings, want.warning) {
				t.Errorf("missed: %q, warnings: %q", rep.Missed, rep.Warnings)
			}
			var table, file strings.Builder
			if err := rep.WriteTable(&table); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(table.String(), "the bounds contradict each other") {
				t.Error(table.String())
			}
			if err := rep.WriteJSON(&file); err != nil {
				t.Fatal(err)
			}
			var read struct {
				Certificate struct{ Count, Reached, Contradictions int }
			}
			if err := json.Unmarshal([]byte(file.String()), &read); err != nil {
				t.Fatal(err)
			}
			if c := read.Certificate; c.Contradictions == 0 || c.Contradictions != c.Count-c.Reached {
				t.Errorf("%+v in JSON", c)
			}
			if _, err := LoadModel(t.Context(), filepath.Join(dir, string(method), "model.sipc")); err != nil {
				t.Error(err)
			}
		})
	}
}

// contradicted returns the report of a run whose fit has bounds that contradict each other.
func contradicted(t *testing.T, path string, o RunOptions) *report.Report {
	t.Helper()
	spec, err := LoadSpec(t.Context(), path, SpecOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := spec.Close(); err != nil {
			t.Error(err)
		}
	})
	out, err := openOutlet(spec, o)
	if err != nil {
		t.Fatal(err)
	}
	j := newJournal(nil)
	s, err := settle(t.Context(), spec, o, j)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.fit(t.Context(), fitRequest{witnesses: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Gaps {
		f.Gaps[i] = math.NaN()
	}
	if fit := f.Model.Fit; !o.Method.Embeds() {
		fit.Gap, fit.Converged = math.NaN(), false
	}
	made, err := conclude(t.Context(), s, f, o, out, j)
	if err != nil {
		t.Fatal(err)
	}
	return made.Report
}
