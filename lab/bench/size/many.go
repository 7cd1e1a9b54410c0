package size

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/lab/bench"
)

// Many are rows of twenty columns and a group, of which yes or no is asked. Four columns have a sign that is true, and the groups differ.
const manyColumns = 20

// manySpec requires the four signs everywhere, and the same mean score in both groups, of some learner.
const manySpec = `data { target y : binary(no, yes); ignore group }
kernel     pairwise(gaussian(width = 1))
features   nystrom(landmarks = 1000)
invariance fair = |mean over x where group == "a" of f - mean over x where group == "b" of f|
regularize 10 * fair
require    first  = d/d(x1) f >= 0 over x in box
require    second = d/d(x2) f >= 0 over x in box
require    third  = d/d(x3) f <= 0 over x in box
require    fourth = d/d(x4) f <= 0 over x in box
learn      %s
method     risk
`

// Signs is the run with required signs and fairness, on rows that are drawn.
const Signs = "signs and fairness"

// Ridge is its learner. Others are named behind it.
const Ridge = "ridge(lambda = 1)"

// WriteRows draws rows as CSV. Equal calls write equal bytes, and more rows begin with those of fewer.
func WriteRows(w io.Writer, rows int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 20)) //nolint:gosec // equal calls draw equal rows
	b := bufio.NewWriterSize(w, 1<<20)
	for j := range manyColumns {
		fmt.Fprintf(b, "x%d,", j+1)
	}
	b.WriteString("group,y\n") //nolint:errcheck // Flush tells
	x, line := make([]float64, manyColumns), []byte(nil)
	for range rows {
		line = line[:0]
		for j := range x {
			x[j] = 2*rng.Float64() - 1
			line = append(strconv.AppendFloat(line, x[j], 'f', 4, 64), ',')
		}
		score := 1.5*x[0] + math.Tanh(3*x[1]) - x[2]*x[2]*x[2] - math.Exp(x[3])/2 + x[4]*x[5] + math.Sin(3*x[6]) + 0.3*x[7]
		line = append(line, pick(rng.Float64() < 0.5+0.2*x[7], "a,", "b,")...)
		line = append(line, pick(rng.Float64() < 1/(1+math.Exp(-2*score)), "yes\n", "no\n")...)
		b.Write(line) //nolint:errcheck // Flush tells
	}
	return b.Flush()
}

// pick returns one of two texts.
func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// FitMany draws training and test rows in a folder, and runs the spec of a learner on them by the command of sipc.
func FitMany(ctx context.Context, command []string, dir, learner string, rows, test int, gap float64) (*Line, error) {
	spec, train, clean := filepath.Join(dir, "many.inv"), filepath.Join(dir, "many.csv"), filepath.Join(dir, "test.csv")
	if err := os.WriteFile(spec, fmt.Appendf(nil, manySpec, learner), 0o600); err != nil {
		return nil, err
	}
	for path, of := range map[string]struct {
		rows int
		seed uint64
	}{train: {rows, 1}, clean: {test, 2}} {
		if err := writeFile(path, of.rows, of.seed); err != nil {
			return nil, err
		}
	}
	var told struct {
		report
		Required []struct {
			Answer string `json:"answer"`
		} `json:"required"`
	}
	took, err := bench.Told(ctx, &told, command, "run", spec, train, "--test", clean, "--gap", strconv.FormatFloat(gap, 'g', -1, 64),
		"--max-memory", strconv.Itoa(manyPeak), "--json", "--quiet")
	out := told.line(rows, Signs, took)
	if learner != Ridge {
		out.Fit += ", " + learner
	}
	for _, r := range told.Required {
		if r.Answer == "proved" {
			out.Proved++
		}
	}
	return out, err
}

// writeFile draws the rows of a file.
func writeFile(path string, rows int, seed uint64) error {
	f, err := os.Create(path) //nolint:gosec // a temporary folder
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // the second time
	if err := WriteRows(f, rows, seed); err != nil {
		return err
	}
	return f.Close()
}

// What a run with signs is to come to: seconds by the clock by rows, and a peak.
var mostWall = map[int]float64{1000000: 240, 10000000: 1800}

const (
	manyPeak = 3 << 30
	signs    = 4
)

// manyGoals says which goals a run with signs has, and whether it reaches them.
func manyGoals(l *Line) string {
	goals := []string{goal("4 signs proved", l.Proved == signs)}
	if most, ok := mostWall[l.Rows]; ok {
		goals = append(goals, goal(fmt.Sprintf("at most %g s by the clock", most), l.Wall <= most), goal(fmt.Sprintf("at most %d MB", int64(manyPeak)/1e6), l.Peak <= manyPeak))
	}
	return strings.Join(goals, "; ")
}
