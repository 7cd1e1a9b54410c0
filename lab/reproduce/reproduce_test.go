package reproduce

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/rival"
)

// Every cell of the paper's tables has its figures, and every figure a cell.
func TestPublished(t *testing.T) {
	known := map[string]bool{}
	for _, table := range []Table{Table1, Table2, Table3} {
		for _, c := range Cells(table) {
			known[c.Name()] = true
			if _, ok := published[c.Name()][nameEmbed]; !ok {
				t.Errorf("the paper's figure of %s is missing", c.Name())
			}
		}
	}
	for name := range published {
		if !known[name] {
			t.Errorf("%s is not a cell", name)
		}
	}
	if len(known) != 2+18+9 {
		t.Errorf("%d cells", len(known))
	}
}

// All contenders of a table choose all of their setting in the same way: as many are compared, no two alike, by units on the same rows in
// the same folds, and none chooses anything within a unit.
func TestEqualEffort(t *testing.T) {
	const settings = 18
	for _, table := range []Table{Table1, Table2, Table3} {
		cell := Cells(table)[0]
		rows := (&Unit{cell, &Contender{}, Choice, 0}).draw()
		for _, k := range Contenders(table) {
			if len(k.Settings) != settings {
				t.Errorf("%s: %s compares %d settings, others %d", table, k.Name, len(k.Settings), settings)
			}
			texts := map[string]bool{}
			for number, s := range k.Settings {
				texts[k.Text(s)] = true
				if s.C <= 0 {
					t.Errorf("%s: %s leaves C open in setting %d", table, k.Name, number)
				}
				for _, kind := range []Kind{Choice, Run, Curve} {
					u := &Unit{cell, &k, kind, number}
					if spec := u.spec(s); strings.Contains(spec, "grid(") || strings.Contains(spec, "auto") {
						t.Errorf("%s: %s chooses within its unit %s:\n%s", table, k.Name, u.Name(), spec)
					}
				}
				if u := (&Unit{cell, &k, Choice, number}); u.draw() != rows || u.seed() != seedOfChoice || u.folds() != rival.ScoreFolds {
					t.Errorf("%s: %s compares its setting %d on other rows or folds", table, k.Name, number)
				}
			}
			if len(texts) != len(k.Settings) {
				t.Errorf("%s: %s compares %d settings under %d names", table, k.Name, len(k.Settings), len(texts))
			}
		}
	}
}

// Draws are fresh: no seed is one that was used before the protocol was settled, nor that of the rows of the choice.
func TestFreshDraws(t *testing.T) {
	for _, table := range []Table{Table1, Table2, Table3} {
		for r := range 1000 {
			u := &Unit{Cells(table)[0], &Contenders(table)[0], Run, r}
			if s := u.seed(); s < 100 || s == 1_000_003 || s == seedOfChoice {
				t.Fatalf("%s: run %d has the seed %d", table, r, s)
			}
		}
	}
}

// What R holds is declared: the copies of augment are the transformations of its setting, mixup has the paper's pairs beside those of one
// class, and labels have the paper's exclusions.
func TestForms(t *testing.T) {
	of := func(table Table, name string, setting int) string {
		all := Contenders(table)
		k := all[slices.IndexFunc(all, func(k Contender) bool { return k.Name == name })]
		return (&Unit{Cells(table)[0], &k, Run, 0}).spec(k.Settings[setting])
	}
	for _, c := range []struct {
		table   Table
		name    string
		setting int
		text    string
		has     bool
	}{
		{Table1, nameAugment, 0, "rotate(10deg)", true},
		{Table1, nameAugment, 0, "rotate(-10deg)", false},
		{Table1, nameAugment, 17, "rotate(-10deg)", true},
		{Table1, nameRisk, 17, "rotate(-10deg)", true},
		{Table2, nameRisk, 0, "rms over pairs(count = 500, choose = nearest_same_class)", true},
		{Table2, nameAnyPairs, 0, "max over pairs(count = 500) of max over λ in [0, 1] of |d/dλ f|", true},
		{Table3, nameRisk, 0, "* implications, 1.6 * exclusions", true},
		{Table3, nameClosed, 0, "decode   closure", true},
		{Table3, nameImplied, 0, "exclusions", false},
		{Table3, nameEmbed, 0, "exclusions", false},
	} {
		if spec := of(c.table, c.name, c.setting); strings.Contains(spec, c.text) != c.has {
			t.Errorf("%s, %s: %q is there: %t, want %t:\n%s", c.table, c.name, c.text, !c.has, c.has, spec)
		}
	}
}

func TestPaired(t *testing.T) {
	// Differences 1, 2, 3: mean 2, deviation 1, t(0.975, 2) = 4.302653.
	d := Paired([]float64{2, 4, 6}, []float64{1, 2, 3})
	if d.Mean != 2 || d.Runs != 3 || d.Wins != 3 || math.Abs(d.Half-4.302653/math.Sqrt(3)) > 1e-5 {
		t.Errorf("%+v", d)
	}
	if d := Paired([]float64{1}, []float64{2}); d.Mean != -1 || !math.IsNaN(d.Half) || d.Wins != 0 {
		t.Errorf("of one run: %+v", d)
	}
}

func TestCount(t *testing.T) {
	decisions := mat.NewDense(3, 3, []float64{
		0, 1, 1, // 1 without 0, 2 without 0, and 1 beside 2
		1, 1, 0,
		0, 0, 1, // 2 without 0
	})
	c := count(decisions, [][2]int{{1, 0}, {2, 0}}, [][2]int{{1, 2}})
	if !slices.Equal(c.Implications, []int{1, 2}) || !slices.Equal(c.Exclusions, []int{1}) || c.Any != [2]int{2, 1} {
		t.Errorf("%+v", c)
	}
}

func TestClock(t *testing.T) {
	cell, other := Cells(Table3)[0], Cells(Table3)[1]
	k := &Contender{Name: nameEmbed}
	var c clock
	for run := range 4 {
		c.expect(&Unit{cell, k, Run, run})
		c.expect(&Unit{other, k, Run, run})
	}
	if c.left() != 0 || c.total != 8 {
		t.Errorf("%v left of %d before anything is known", c.left(), c.total)
	}
	c.took(&Unit{cell, k, Run, 0}, 2)
	if got := c.left(); got != 14*time.Second {
		t.Errorf("%v left, want 14 s", got)
	}
	c.took(&Unit{other, k, Run, 0}, 4)
	if got := c.left(); got != (3*2+3*4)*time.Second {
		t.Errorf("%v left, want 18 s", got)
	}
	for run := range 4 {
		c.took(&Unit{other, k, Run, run}, 4)
	}
	if got := c.left(); got != 6*time.Second || c.done != 5 {
		t.Errorf("%v left and %d done, want 6 s and 5", got, c.done)
	}
}

// An interrupted reproduction loses nothing, does nothing twice, and comes to the same as one that was not interrupted.
func TestResume(t *testing.T) {
	data := taxonomyData(t)
	o := Options{Data: data, Out: t.TempDir(), Cells: []string{"enron-n100"}, Only: []string{nameML, nameMasking}, Runs: 3, Rows: 16, Settings: 2}
	whole, err := Reproduce(t.Context(), Cells(Table3), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := o
	interrupted.Out = t.TempDir()
	interrupted.Progress = func(p Progress) {
		if p.Done == 4 {
			cancel()
		}
	}
	if _, err := Reproduce(ctx, Cells(Table3), interrupted); err == nil {
		t.Fatal("it was not interrupted")
	}
	found := 0
	interrupted.Progress = func(p Progress) {
		if p.Found {
			found++
		}
	}
	again, err := Reproduce(t.Context(), Cells(Table3), interrupted)
	if err != nil {
		t.Fatal(err)
	}
	if found != 4 {
		t.Errorf("%d units were found done, want 4", found)
	}
	for _, r := range []struct {
		tables *Tables
		dir    string
	}{{whole, o.Out}, {again, interrupted.Out}} {
		if err := r.tables.writeRuns(r.dir, "all"); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"all-runs.csv", "all-choices.csv"} {
		if a, b := read(t, o.Out, name), read(t, interrupted.Out, name); a != b {
			t.Errorf("%s differs:\n%s\n%s", name, a, b)
		}
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Sets without a usable split are divided once and for all: no row is in both files.
func TestDivision(t *testing.T) {
	data := taxonomyData(t)
	s := &sources{data: data, out: t.TempDir(), known: map[string]*source{}}
	from, err := s.of(t.Context(), setWIPO)
	if err != nil {
		t.Fatal(err)
	}
	train, test := read(t, "", from.train), read(t, "", from.test)
	rows := func(text string) []string { return slices.Collect(splitLines(text)) }
	if len(rows(train)) != 54 || len(rows(test)) != 36 {
		t.Errorf("%d and %d rows", len(rows(train)), len(rows(test)))
	}
	for _, r := range rows(test) {
		if slices.Contains(rows(train), r) {
			t.Errorf("%q is in both", r)
		}
	}
}

// Who takes the choice of another has the same settings.
func TestChooser(t *testing.T) {
	for _, table := range []Table{Table1, Table2, Table3} {
		for _, k := range Contenders(table) {
			if got := k.chooser(table); !slices.Equal(got.Settings, k.Settings) || (k.Like != "" && got.Name != k.Like) {
				t.Errorf("%s takes the choice of %s among other settings", k.Name, got.Name)
			}
		}
	}
	dual := Contenders(Table1)[3]
	dual.Settings = dual.Settings[:2]
	if got := dual.chooser(Table1); got.Name != nameRisk || len(got.Settings) != 2 {
		t.Errorf("%s with %d settings chooses for two of dual", got.Name, len(got.Settings))
	}
}
