package reproduce

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/runtime/report"
)

// A choice that two contenders share is done once, counted once, and its time is that of the contender whose it is.
func TestSharedChoice(t *testing.T) {
	data := t.TempDir()
	writeImages(t, filepath.Join(data, setMNIST))
	var last Progress
	var units []string
	o := Options{
		Data: data, Out: t.TempDir(), Cells: []string{"mnist-4-9-*"}, Only: []string{nameDual, nameRisk}, Runs: 1, Rows: 10, Settings: 2,
		Progress: func(p Progress) { last, units = p, append(units, p.Unit) },
	}
	tables, err := Reproduce(t.Context(), Cells(Table1), o)
	if err != nil {
		t.Fatal(err)
	}
	if last.Done != 4 || last.Total != 4 || last.Left != 0 || len(slices.Compact(slices.Sorted(slices.Values(units)))) != 4 || len(units) != 4 {
		t.Errorf("%d of %d units, %v left: %v; want two choices and two runs", last.Done, last.Total, last.Left, units)
	}
	dual, risk := tables.Cells[0].Entries[0], tables.Cells[0].Entries[1]
	if len(dual.Choices) != 2 || dual.Seconds() != dual.Runs[0].Seconds {
		t.Errorf("dual took %g s, want those of its run, %g", dual.Seconds(), dual.Runs[0].Seconds)
	}
	if want := risk.Choices[0].Seconds + risk.Choices[1].Seconds + risk.Runs[0].Seconds; risk.Seconds() != want {
		t.Errorf("risk took %g s, want %g", risk.Seconds(), want)
	}
}

// A unit that two entries share is counted once.
func TestClockCountsOnce(t *testing.T) {
	cell := Cells(Table1)[0]
	risk := &Contender{Name: nameRisk}
	var c clock
	for range 2 {
		c.expect(&Unit{cell, risk, Choice, 0})
	}
	c.expect(&Unit{cell, risk, Choice, 1})
	c.took(&Unit{cell, risk, Choice, 0}, 3)
	c.took(&Unit{cell, risk, Choice, 0}, 3)
	if c.total != 2 || c.done != 1 || c.left() != 3*time.Second {
		t.Errorf("%d of %d, %v left", c.done, c.total, c.left())
	}
}

// The page says which fits stopped before they converged, and only then.
func TestUnsolvedOnThePage(t *testing.T) {
	cell := Cells(Table1)[0]
	run := func(converged bool, gap float64) *Result {
		return &Result{Solution: &Solution{converged, report.Number(gap)}}
	}
	c := &CellResult{Cell: cell, Entries: []*Entry{
		{Contender: &Contender{Name: nameSVM}, Runs: []*Result{run(true, 1e-9), {}}}, // of one no solution is known
		{Contender: &Contender{Name: nameDual}, Runs: []*Result{run(false, 0.076), run(true, 0), run(false, 0.01)}},
		{Contender: &Contender{Name: nameEmbed}, Runs: []*Result{run(true, 0)}, Curve: run(false, 0.5)},
	}}
	var b strings.Builder
	c.unsolved(&b)
	want := "Stopped before the learner converged: dual in 2 of 3 runs (gap up to 7.6e-02); embed in the fit of its losses (gap 5.0e-01).\n\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	b.Reset()
	c.Entries = c.Entries[:1]
	if c.unsolved(&b); b.Len() > 0 {
		t.Errorf("%q where all converged", b.String())
	}
}

// Runs keep how near to its minimum the learner came, of methods and of rivals.
func TestSolutionIsKept(t *testing.T) {
	o := Options{
		Data: taxonomyData(t), Out: t.TempDir(), Cells: []string{"enron-n100"}, Only: []string{nameML, nameHR, nameMasking, nameEmbed, nameRisk},
		Runs: 1, Rows: 16, Settings: 1,
	}
	tables, err := Reproduce(t.Context(), Cells(Table3), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range tables.Cells[0].Entries {
		if s := e.Runs[0].Solution; s == nil || !s.Converged || !(s.Gap >= 0 && s.Gap < 0.01) {
			t.Errorf("%s: %+v", e.Contender.Name, s)
		}
	}
}

// The files of a data set are read once, those of another in their place, and one that could not be read is tried again.
func TestShelf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	var s shelf
	s.turn("a")
	if _, err := s.open(t.Context(), path); err == nil {
		t.Error("a file that is not there was read")
	}
	write(t, path, []byte("x,y\n1,2\n"))
	first, err := s.open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.open(t.Context(), path); err != nil || again != first {
		t.Errorf("it was read again: %v", err)
	}
	s.turn("a")
	if again, _ := s.open(t.Context(), path); again != first {
		t.Error("it was read again for the same data set")
	}
	s.turn("b")
	if again, _ := s.open(t.Context(), path); again == first {
		t.Error("the table of another data set was kept")
	}
}
