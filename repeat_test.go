package sipc_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/report"
)

const tossed = `
data { target side : class; split train = 30, test = 20 }
kernel gaussian
features nystrom(landmarks = rows)
learn softmax
invariance steady = rms over x, t in {move(u, 0.5)}, c in labels of |f(t(x), c) - f(x, c)|
invariance idle   = rms over x of |f|
regularize steady
`

func load(t *testing.T, text string) *sipc.Spec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spec.inv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	spec, err := sipc.LoadSpec(t.Context(), path, sipc.SpecOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spec.Close() })
	return spec
}

// Data are read once, a diagnostic is told once, and each seed is what it is by itself.
func TestRunSeeds(t *testing.T) {
	spec, data := load(t, tossed), toss(t, 60)
	opened, told := 0, 0
	o := sipc.RunOptions{Data: data, Baseline: true, Warn: func(*diag.Diagnostic) { told++ }}
	o.Open = func(ctx context.Context, path string) (*dataset.Table, error) {
		opened++
		return dataset.Open(ctx, path)
	}
	s, err := sipc.RunSeeds(t.Context(), spec, o, []uint64{4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	if opened != 1 || told != 1 || s.SameRows || len(s.Failed) > 0 {
		t.Errorf("opened %d times, told %d times, %+v", opened, told, s)
	}
	seed := uint64(5)
	alone, err := sipc.Run(t.Context(), spec, sipc.RunOptions{Data: data, Seed: &seed})
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range alone.Metrics.Figures {
		if got := s.Metrics[k]; got.Metric != f.Name || got.Values[1] != report.Number(f.Value) {
			t.Errorf("%s of seed 5 is %v by itself, among others %+v", f.Name, f.Value, got)
		}
	}
}

// The page and its card are of all seeds, appear once at the end, and have the baseline. Stopped before, nothing is there.
func TestRunSeedsWritesOnePage(t *testing.T) {
	spec, folder := load(t, tossed), t.TempDir()
	o := sipc.RunOptions{Data: toss(t, 60), Report: filepath.Join(folder, "page.html")}
	empty := func(when string) {
		if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
			t.Errorf("%s there are %v, %v", when, entries, err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	defer stop()
	o.Progress = func(stage string, _, _ int) {
		if strings.HasPrefix(stage, "seed 9 (2 of 2): ") {
			stop()
		}
	}
	if _, err := sipc.RunSeeds(stopped, spec, o, []uint64{3, 9}); !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	empty("after the first seed of two")
	o.Progress = func(stage string, _, _ int) { empty("at " + stage) }
	s, err := sipc.RunSeeds(t.Context(), spec, o, []uint64{3, 9})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{o.Report, filepath.Join(folder, "page.md")}; !slices.Equal(s.Pages, want) || len(s.Contenders) != 1 {
		t.Errorf("pages %v, beside %v", s.Pages, s.Contenders)
	}
	raw, err := os.ReadFile(o.Report)
	if err != nil || !strings.Contains(string(raw), "2 seeds") {
		t.Errorf("the page is not of both seeds: %v", err)
	}
	o.Report = filepath.Join(folder, "page.txt")
	o.Progress = func(stage string, _, _ int) { t.Errorf("%s began, though the page cannot be written", stage) }
	if _, err := sipc.RunSeeds(t.Context(), spec, o, []uint64{3, 9}); err == nil || !strings.Contains(err.Error(), "page.txt: a report is a page of HTML") {
		t.Errorf("%v", err)
	}
}

// While there is nothing to write, no folder is there: a process that is killed then leaves none.
func TestRunMakesItsFolderLate(t *testing.T) {
	above := filepath.Join(t.TempDir(), "above")
	o := sipc.RunOptions{Data: toss(t, 60), Out: filepath.Join(above, "out")}
	o.Open = func(ctx context.Context, path string) (*dataset.Table, error) {
		if entries, err := os.ReadDir(filepath.Dir(above)); err != nil || len(entries) > 0 {
			t.Errorf("before there are results there are %v, %v", entries, err)
		}
		return dataset.Open(ctx, path)
	}
	if _, err := sipc.Run(t.Context(), load(t, tossed), o); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(o.Out, "metrics.json")); err != nil {
		t.Error(err)
	}
	for _, out := range []string{filepath.Join(o.Data, "out"), filepath.Join(above, strings.Repeat("long", 100))} {
		o.Out, o.Open = out, nil
		if _, err := sipc.Run(t.Context(), load(t, tossed), o); err == nil || !strings.HasPrefix(err.Error(), out+": the folder for the results cannot be made: ") {
			t.Errorf("%v", err)
		}
	}
}

// Stopped at the second seed, what the first wrote is there, and nothing of the second and no summary.
func TestRunSeedsHeedsItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := filepath.Join(t.TempDir(), "out")
	o := sipc.RunOptions{Data: toss(t, 60), Out: out, Progress: func(stage string, _, _ int) {
		if strings.HasPrefix(stage, "seed 9 (2 of 3): ") {
			cancel()
		}
	}}
	if _, err := sipc.RunSeeds(ctx, load(t, tossed), o, []uint64{3, 9, 1}); !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 1 || entries[0].Name() != "seed-3" {
		t.Errorf("%v, %v", entries, err)
	}
}
