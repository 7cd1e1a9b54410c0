package size

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	}
	var b strings.Builder
	Write(&b, lines)
	got := strings.Split(b.String(), "\n")[2:]
	for i, want := range []string{
		"| **not reached:** at most 5 s |", "| at most 60 s |",
		"| at most 2 × the seconds on copies, here 0.99 ×; **not reached:** at most 4294 MB |", "|  |", "|  |",
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
	for _, fit := range Fits {
		fake := []string{"sh", "-c", `echo '{"metrics": {"accuracy": 0.5}, "learner": {"gap": 1e-4, "iterations": 7}}'`}
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
