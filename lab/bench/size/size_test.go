package size

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/lab/bench/digits"
)

// Goals are those of method risk at their numbers of rows, and what is missed is said.
func TestTableSaysWhatIsMissed(t *testing.T) {
	lines := []Line{
		{Rows: 1000, Fit: Risk, Took: bench.Took{Seconds: 5.1}},
		{Rows: 10000, Fit: Risk, Took: bench.Took{Seconds: 59}},
		{Rows: 20000, Fit: Risk, Took: bench.Took{Seconds: 99, Peak: 5 << 30}},
		{Rows: 20000, Fit: Plain, Took: bench.Took{Seconds: 1}},
		{Rows: 20000, Fit: Copies, Took: bench.Took{Seconds: 100}},
		{Rows: 20000, Fit: Embed, Took: bench.Took{Seconds: 9999, Peak: 3 << 30}},
		{Rows: 1000, Fit: RiskOfMany, Took: bench.Took{Seconds: 90, Peak: 3 << 30}},
		{Rows: 1000, Fit: CopiesOfMany, Took: bench.Took{Seconds: 30}},
	}
	var b strings.Builder
	Write(&b, lines)
	got := strings.Split(b.String(), "\n")[2:]
	for i, want := range []string{
		"| **not reached:** at most 5 s |", "| at most 60 s |",
		"| at most 2 × the seconds on copies, here 0.99 ×; **not reached:** at most 4294 MB |", "|  |", "|  |", "| at most 4294 MB |",
		"| **not reached:** at most 2 × the seconds on copies, here 3.00 ×; at most 4294 MB |", "|  |",
	} {
		if !strings.HasSuffix(got[i], want) {
			t.Errorf("%s\ndoes not end in %s", got[i], want)
		}
	}
}

// A run gets its rows and its spec, and the line has what the run tells.
func TestFitTellsOfARun(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	for _, name := range []string{digits.Train, digits.Test} {
		s := &digits.Set{Images: make([]byte, 3*28*28), Digits: []byte{1, 2, 3}}
		if err := s.Write(filepath.Join(from, name)); err != nil {
			t.Fatal(err)
		}
	}
	j, err := NewJob(from, dir, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, fit := range append(Fits[:len(Fits):len(Fits)], Embed, RiskOfMany, CopiesOfMany) {
		fake := []string{"sh", "-c", `echo '{"metrics": {"accuracy": 0.5}, "learner": {"gap": 1e-4, "iterations": 7}, "certificate": {"max_gap": 1e-4}}'`}
		line, err := j.Fit(t.Context(), fake, fit, 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		if line.Rows != 2 || line.Fit != fit || line.Accuracy != 0.5 || line.Gap != 1e-4 || line.Iterations != 7 || !(line.Wall > 0) {
			t.Errorf("%+v", line)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "spec.inv")); err != nil || string(text) != specs[fit] {
			t.Errorf("%s: the spec is %s, %v", fit, text, err)
		}
	}
	if _, err := NewJob(from, dir, 4, 1); err == nil {
		t.Error("four rows of three were drawn")
	}
}

// The same rows are drawn again, more rows begin with them, and columns and answers are what the spec names.
func TestManyRowsAreDrawnAlike(t *testing.T) {
	var few, more strings.Builder
	for b, n := range map[*strings.Builder]int{&few: 50, &more: 80} {
		if err := WriteRows(b, n, 1); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(few.String()), "\n")
	if !strings.HasPrefix(more.String(), few.String()) || len(lines) != 51 {
		t.Errorf("%d lines, that do not begin those of more rows", len(lines))
	}
	for _, l := range lines {
		if cells := strings.Split(l, ","); len(cells) != manyColumns+2 {
			t.Errorf("%d cells in %s", len(cells), l)
		}
	}
	if other := (&strings.Builder{}); WriteRows(other, 50, 2) != nil || other.String() == few.String() {
		t.Error("another seed draws the same rows")
	}
}

// A run with signs tells how many are proved, and the table which goals that reaches.
func TestSignsOfManyRows(t *testing.T) {
	answers := `{"metrics": {"accuracy": 0.8}, "learner": {"gap": 1e-4, "iterations": 0}, "required": [{"answer": "proved"}, {"answer": "open"}, {"answer": "proved"}]}`
	job := ManyJob{Command: []string{"sh", "-c", "echo '" + answers + "'"}, Dir: t.TempDir(), Learner: Ridge, Rows: 5, Test: 3, Gap: 1e-3}
	line, err := job.Fit(t.Context())
	if err != nil || line.Proved != 2 || line.Rows != 5 || line.Accuracy != 0.8 {
		t.Fatalf("%+v, %v", line, err)
	}
	for _, c := range []struct {
		line Line
		want string
	}{
		{*line, "**not reached:** 4 signs proved"},
		{Line{Rows: 1e6, Proved: 4, Took: bench.Took{Wall: 239, Peak: 2 << 30}}, "4 signs proved; at most 240 s by the clock; at most 3221 MB"},
		{Line{Rows: 1e7, Proved: 4, Took: bench.Took{Wall: 1801, Peak: 4 << 30}}, "4 signs proved; **not reached:** at most 1800 s by the clock; **not reached:** at most 3221 MB"},
	} {
		if got := manyGoals(&c.line); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// A run that is killed goes on until it ends, and its results are compared.
func TestKillsOfManyRows(t *testing.T) {
	for content, same := range map[string]bool{"one": true, "$RANDOM$$": false} {
		// The run that keeps what it has takes longer, until it was killed twice.
		script := `while [ "$1" != --out ]; do shift; done; mkdir -p "$2"; echo {}; echo ` + content + ` | tee "$2/model.sipc" > "$2/predictions.csv"
case "$3" in --blocks) mkdir "$4" && exec sleep 60; mkdir "$4.2" && exec sleep 60; sleep 0;; *) sleep 0.1; ;; esac`
		job := ManyJob{Command: []string{"bash", "-c", script, "sipc"}, Dir: t.TempDir(), Learner: Ridge, Rows: 5, Test: 3, Kills: 2}
		line, err := job.Fit(t.Context())
		if err != nil || line.Kills != 2 || line.SameBytes != same || line.KilledWall <= 0 {
			t.Errorf("%s: %+v, %v", content, line, err)
		}
	}
}

// The spec of many rows is one, under ridge and others.
func TestSpecOfManyRows(t *testing.T) {
	for _, learner := range []string{Ridge, "logistic(C = 1)"} {
		path := filepath.Join(t.TempDir(), "many.inv")
		if err := os.WriteFile(path, fmt.Appendf(nil, manySpec, learner), 0o600); err != nil {
			t.Fatal(err)
		}
		spec, err := sipc.LoadSpec(t.Context(), path, sipc.SpecOptions{})
		if err != nil || spec.Diagnostics.HasErrors() {
			t.Errorf("%v, %v", err, spec)
		}
	}
}
