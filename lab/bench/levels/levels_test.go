package levels

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// asRival is the environment variable that makes a rival of this test.
const asRival = "SIPC_LAB_LEVELS_RIVAL"

// TestMain runs the tests, or is the program that TestRival runs. The levels of that fall from one to the next at every row.
func TestMain(m *testing.M) {
	if os.Getenv(asRival) == "" {
		os.Exit(m.Run())
	}
	var b strings.Builder
	for _, path := range os.Args[2:4] {
		text, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		b.WriteString(strings.Repeat("5,4,3,2,1\n", strings.Count(string(text), "\n")-1))
	}
	if err := os.WriteFile(os.Args[4], []byte(b.String()), 0o600); err != nil {
		panic(err)
	}
	fmt.Println("7 8 1 2 3 4 5")
}

// drawn writes rows whose spread differs from place to place, and returns their set and file.
func drawn(t *testing.T) (*Set, string) {
	t.Helper()
	set := &Set{
		Name: "drawn", Inputs: []string{"x"}, Target: "y", Knots: "I", Shape: []string{"rises = d/d(x) f(x, q) >= 0 over x in box, q in levels"},
		landmarks: "rows", widths: []float64{0.5}, costs: []float64{10, 20},
	}
	var b strings.Builder
	b.WriteString("z,x,y\n")
	for i := range 40 {
		x := float64(i) / 10
		fmt.Fprintf(&b, "0,%g,%g\n", x, math.Sin(2*x)+math.Sin(37*x)*math.Abs(math.Sin(x)))
	}
	path := filepath.Join(t.TempDir(), "drawn.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return set, path
}

// Levels of a free fit cross in the box of drawn rows. Those of a proved one do not, and those of a proved shape rise.
func TestFitsOfDrawnRows(t *testing.T) {
	set, path := drawn(t)
	job, err := NewJob(set, path, t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(job.test) != 12 || len(job.places) != steps1 {
		t.Errorf("%d test rows of 40, and %d places", len(job.test), len(job.places))
	}
	for _, fit := range []string{Free, Proved, Shape} {
		line, err := job.Fit(t.Context(), fit)
		if err != nil {
			t.Fatal(err)
		}
		statements := map[string]int{Free: 0, Proved: 4, Shape: 9}[fit]
		if line.Statements != statements || line.Proved != statements || line.Case != "" {
			t.Errorf("%s: %d of %d statements are proved; %s", fit, line.Proved, line.Statements, line.Case)
		}
		if (line.Places > 0) != (fit == Free) || (line.Bent > 0) != (fit != Shape) {
			t.Errorf("%s: levels cross at %v of the places, and at %v one falls", fit, line.Places, line.Bent)
		}
	}
}

// A place in the box at which proved levels cross is told, and one outside of it is not.
func TestBrokenProof(t *testing.T) {
	set, path := drawn(t)
	job, err := NewJob(set, path, t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	test, places := mat.NewDense(len(job.test), len(Levels), nil), mat.NewDense(len(job.places), len(Levels), nil)
	if told := job.broken(test, places); told != "" {
		t.Errorf("equal levels are told: %s", told)
	}
	places.Set(7, 2, -1e-12)
	if told := job.broken(test, places); !strings.Contains(told, "the quantile 0.3 is 0, and the quantile 0.5 is -1e-12") {
		t.Errorf("levels that cross are told as %q", told)
	}
	job.places[7][0] = 100
	if told := job.broken(test, places); told != "" {
		t.Errorf("levels that cross outside of the box are told: %s", told)
	}
}

// Another program's quantiles are measured like those of fits.
func TestRival(t *testing.T) {
	set, path := drawn(t)
	job, err := NewJob(set, path, t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(asRival, "yes")
	line, err := job.Rival(t.Context(), []string{os.Args[0]}, true)
	if err != nil {
		t.Fatal(err)
	}
	if line.Kind != RivalShape || line.Crossed != 1 || line.Places != 1 || line.Bent != 0 || line.Setting != "lambda = 1, 2, 3, 4, 5" || line.Choose != 7 || line.Seconds != 8 {
		t.Errorf("the line is %+v", line)
	}
	if _, err := job.Rival(t.Context(), []string{"true"}, false); err == nil || !strings.Contains(err.Error(), "quantreg.csv") {
		t.Errorf("a program that writes nothing: %v", err)
	}
}

// A set that is not known, a fit that a set does not have, and a file of another table are refused with what there is.
func TestRefusals(t *testing.T) {
	if _, err := Named("angel"); err == nil || !strings.Contains(err.Error(), `no set is called "angel"; there are engel,`) {
		t.Errorf("an unknown set: %v", err)
	}
	set, err := Named("CobarOre")
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Check(Shape); err == nil || !strings.Contains(err.Error(), "there are free, soft, proved") {
		t.Errorf("a fit that the set does not have: %v", err)
	}
	_, path := drawn(t)
	if _, err := NewJob(set, path, t.TempDir(), 0); err == nil || !strings.Contains(err.Error(), `CobarOre has a column "x1", and this file has z, x, y`) {
		t.Errorf("a file of another table: %v", err)
	}
}
