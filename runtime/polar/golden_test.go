package polar

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// want is what a golden file knows about its solution.
type want struct {
	Value float64   `json:"value"`
	Iota  []float64 `json:"iota"`
}

func golden(t *testing.T) map[string]*File {
	t.Helper()
	paths, err := filepath.Glob("testdata/golden/*.json")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d golden files, %v", len(paths), err)
	}
	files := map[string]*File{}
	for _, p := range paths {
		if filepath.Base(p) == "index.json" {
			continue
		}
		f, err := OpenProblem(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		files[p] = f
	}
	return files
}

func TestGolden(t *testing.T) {
	for path, f := range golden(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var w want
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &w); err != nil {
				t.Fatal(err)
			}
			s, err := New(t.Context(), f.Problem, Settings{Gap: 1e-12})
			if err != nil {
				t.Fatal(err)
			}
			res, err := s.Solve(t.Context(), f.RHS)
			if err != nil {
				t.Fatal(err)
			}
			if e := math.Abs(res.Value[0]/w.Value - 1); !(e <= 1e-6) {
				t.Errorf("value %v, want %v: off by %.1e", res.Value[0], w.Value, e)
			}
			var diff mat.VecDense
			known := mat.NewVecDense(len(w.Iota), w.Iota)
			diff.SubVec(res.Iota.RowView(0), known)
			if e := diff.Norm(2) / known.Norm(2); !(e <= 1e-5) {
				t.Errorf("iota is off by %.1e", e)
			}
			if !(res.Gap[0] <= 1e-6) {
				t.Errorf("gap %.1e", res.Gap[0])
			}
			t.Logf("%d iterations, %d Newton steps, gap %.1e, %v", res.Iterations[0], res.Newton[0], res.Gap[0], res.Status[0])
		})
	}
}
