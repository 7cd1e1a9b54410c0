package reproduce

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/metric"
)

// hierarchyData are two small sets, one with a valid split, whose classes depend on the features and whose leaves are rare.
func hierarchyData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, Hierarchies), 0o755); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, part := range []struct { // in this order: they share a generator
		name  string
		count int
	}{{"cellcycle_FUN.train", 40}, {"cellcycle_FUN.valid", 20}, {"cellcycle_FUN.test", 30}, {"Enron_corr_trainvalid", 45}, {"Enron_corr_test", 30}} {
		var text strings.Builder
		text.WriteString("% a comment\n@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute class hierarchical 1/1,1/2,2,2/1\n\n@DATA\n")
		for i := range part.count {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			class := "2"
			switch {
			case i%17 == 0:
				class = "1/1@2/1"
			case a > 0.2:
				class = "1/1"
			case b > 0.5:
				class = "1/2@2"
			}
			gap := fmt.Sprint(b)
			if i%11 == 0 {
				gap = "?"
			}
			fmt.Fprintf(&text, "%v,%s,%s\n", a, gap, class)
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text.String())); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, Hierarchies, part.name+".arff.gz"), b.Bytes())
	}
	return dir
}

// The whole part on small data: interrupted and gone on with it comes to the same, nothing is done twice, no implication is
// broken after the closure, and what was learnt is better than chance.
func TestHierarchies(t *testing.T) {
	data := hierarchyData(t)
	o := Options{Data: data, Out: t.TempDir(), Cells: []string{"cellcycle", "enron"}, Settings: 2}
	whole, err := Classify(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := o
	interrupted.Out = t.TempDir()
	interrupted.Progress = func(p Progress) {
		if p.Done == 5 {
			cancel()
		}
	}
	if _, err := Classify(ctx, interrupted); err == nil {
		t.Fatal("it was not interrupted")
	}
	found, last := 0, Progress{}
	interrupted.Progress = func(p Progress) {
		if last = p; p.Found {
			found++
		}
	}
	again, err := Classify(t.Context(), interrupted)
	if err != nil {
		t.Fatal(err)
	}
	if found != 5 || last.Done != last.Total || last.Total != 2*(2+2*(2+1)) {
		t.Errorf("%d units were found done, want 5; %d of %d at the end", found, last.Done, last.Total)
	}
	for k, dir := range []string{o.Out, interrupted.Out} {
		if err := []*HierarchyTable{whole, again}[k].Write(dir, About{Command: "c"}); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := read(t, o.Out, "hmc.csv"), read(t, interrupted.Out, "hmc.csv"); a != b || !strings.Contains(a, "rows_violating") {
		t.Errorf("hmc.csv differs:\n%s\n%s", a, b)
	}
	for _, s := range whole.Sets {
		checkHierarchy(t, s)
	}
	page := read(t, o.Out, "hmc.md")
	for _, want := range []string{"| cellcycle | plain | 60 / 30 | 5 |", "| enron | risk | 45 / 30 | 5 |", "the published valid split", "a third of the training rows", "| 0 of 30 |"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

func checkHierarchy(t *testing.T, s *HierarchyResult) {
	t.Helper()
	trained := map[string]int{"cellcycle": 40, "enron": 30}[s.Set]
	for _, r := range s.Kernels {
		if r.NTrain != trained {
			t.Errorf("%s: settings are compared on %d rows, want %d: those held out and the test rows are not among them", s.Set, r.NTrain, trained)
		}
	}
	for _, e := range s.Entries {
		chance := 0.45 // the mean of the labels
		if e.Run.Violating != 0 || e.Run.area() < chance || !e.Run.Reached {
			t.Errorf("%s, %s: %d rows break an implication, the area is %.3f, the gap %v", s.Set, e.Contender, e.Run.Violating, e.Run.area(), e.Run.Gap)
		}
		if _, ok := e.Run.Open.Get(metric.AUPRC); !ok {
			t.Errorf("%s, %s: no figure before the closure", s.Set, e.Contender)
		}
		compared := e.Choices
		if e.Contender == namePlain {
			compared = slices.Concat([]*HierarchyRun{preferred(s.Kernels)}, e.Choices)
		}
		chosen := slices.IndexFunc(compared, func(r *HierarchyRun) bool { return r.Setting.String() == e.Chosen.String() })
		for _, c := range compared {
			if chosen < 0 || c.area() > compared[chosen].area() {
				t.Errorf("%s, %s: chosen is %s, and %s is better", s.Set, e.Contender, e.Chosen.String(), c.Setting.String())
			}
		}
	}
}

// Both contenders compare as many settings of their own, and all units have names of their own.
func TestHierarchySearchIsEqual(t *testing.T) {
	for _, s := range kernelSettings() {
		if a, b := len(refined(namePlain, s)), len(refined(nameRisk, s)); a != b {
			t.Errorf("plain compares %d settings, risk %d", a, b)
		}
		var specs []string
		for _, first := range kernelSettings() {
			specs = append(specs, first.spec(namePlain, 100, false))
		}
		for _, c := range hierarchyContenders() {
			for _, s := range refined(c, s) {
				specs = append(specs, s.spec(c, 100, false))
			}
		}
		slices.Sort(specs)
		if n := len(specs); len(slices.Compact(specs)) != n {
			t.Errorf("around %s a setting is compared twice", s.String())
		}
	}
}

// Standardized features are preferred where nothing else is clearly better on the rows held out.
func TestStandardizedFeaturesArePreferred(t *testing.T) {
	if s := kernelSettings()[0]; !slices.Equal(s.Prepare, []string{standardize}) {
		t.Errorf("the search begins with %s", s.String())
	}
	run := func(area float64, prepare ...string) *HierarchyRun {
		return &HierarchyRun{Setting: HierarchySetting{Prepare: prepare}, Figures: metric.Figures{{Name: metric.AUPRC, Value: area}}}
	}
	for want, runs := range map[float64][]*HierarchyRun{
		0.229: {run(0.230), run(0.229, standardize), run(0.225, standardize), run(0.235, "normalize")},
		0.250: {run(0.230), run(0.229, standardize), run(0.250, "normalize")},
		0.240: {run(0.230), run(0.240, "normalize")},
	} {
		if got := preferred(runs).area(); got != want {
			t.Errorf("chosen is the one of %v, want %v", got, want)
		}
	}
}

func TestNoSuchHierarchy(t *testing.T) {
	_, err := Classify(t.Context(), Options{Data: t.TempDir(), Out: t.TempDir(), Cells: []string{"yeast"}})
	if err == nil || !strings.Contains(err.Error(), "cellcycle, derisi") {
		t.Errorf("%v; it should name the sets that there are", err)
	}
	_, err = Classify(t.Context(), Options{Data: t.TempDir(), Out: t.TempDir(), Cells: []string{"eisen"}})
	if err == nil || !strings.Contains(err.Error(), "eisen_FUN.train.arff.gz") {
		t.Errorf("%v; it should name the file that is missing", err)
	}
}

// Label sets break no implication with or without R, and the closure changes nothing.
func TestHierarchiesOfLabelSets(t *testing.T) {
	sets, err := chosenSets([]string{"cellcycle"})
	if err != nil {
		t.Fatal(err)
	}
	files, err := hierarchyFilesOf(t.Context(), &sets[0], hierarchyData(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	first := HierarchySetting{Kernel: gaussian, Width: 0.5, C: 10}
	for _, c := range hierarchyContenders() {
		for _, s := range refined(c, first) {
			u := hierarchyUnit{set: &sets[0], files: files, contender: c, step: runStep, setting: s}
			r, err := u.do(t.Context(), "", nil)
			if err != nil {
				t.Fatalf("%s, %s: %v", c, s.String(), err)
			}
			open, _ := r.Open.Get(metric.AUPRC)
			if r.Violating != 0 || r.OpenViolating != 0 || !r.Reached || r.area() < 0.45 || open != r.area() {
				t.Errorf("%s, %s: %d rows break an implication, %d before the closure, the areas are %v and %v, the gap %v",
					c, s.String(), r.Violating, r.OpenViolating, r.area(), open, r.Gap)
			}
		}
	}
}
