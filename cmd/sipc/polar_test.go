package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// solved is what both a golden file and `sipc polar --json` say of a problem.
type solved struct {
	Value float64   `json:"value"`
	Iota  []float64 `json:"iota"`
	Gap   float64   `json:"gap"`
}

func distance(a, b []float64) float64 {
	var sum float64
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum)
}

// The command solves every problem whose solution was found elsewhere: to 1e-6 in value, 1e-5 in ι, gap ≤ 1e-6.
func TestPolarSolvesTheGoldenProblems(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root, "runtime", "polar", "testdata", "golden", "*.json"))
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d golden files, %v", len(paths), err)
	}
	for _, path := range paths {
		if filepath.Base(path) == "index.json" {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			var want, got solved
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			out := succeed(t, t.TempDir(), nil, "polar", path, "--json")
			if err := json.Unmarshal(out.stdout, &got); err != nil {
				t.Fatal(err)
			}
			if e := math.Abs(got.Value/want.Value - 1); !(e <= 1e-6) {
				t.Errorf("value %v, want %v: off by %.1e", got.Value, want.Value, e)
			}
			if len(want.Iota) == 0 || len(got.Iota) != len(want.Iota) {
				t.Fatalf("iota has %d numbers, want %d", len(got.Iota), len(want.Iota))
			}
			if e := distance(got.Iota, want.Iota) / distance(want.Iota, make([]float64, len(want.Iota))); !(e <= 1e-5) {
				t.Errorf("iota is off by %.1e", e)
			}
			if !(got.Gap <= 1e-6) {
				t.Errorf("gap %.1e", got.Gap)
			}
		})
	}
}
