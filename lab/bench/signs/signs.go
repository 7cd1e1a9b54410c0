// Package signs compares fits of tables whose columns have known signs. A free one does without them, and a soft one makes them likely at the training
// rows. A proved one keeps them on the whole box of these. Trees with the same signs stand beside them, on the same splits, with settings chosen by folds of the same training
// rows. Of each fit it counts the test rows at which a sweep of a column breaks its sign.
package signs

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/lab/bench"
)

const (
	testShare  = 0.3
	sweepRows  = 100 // test rows whose columns are swept, at most
	sweepSteps = 21  // places of a sweep, from the least to the largest number of the training rows
	// broken is the step against a sign that counts, as a share of the extent of all sweeps. Rounding makes smaller ones.
	broken = 1e-9
)

// A Line is what one fit of one split came to.
type Line struct {
	Set     string  `json:"set"`
	Split   uint64  `json:"split"`
	Fit     string  `json:"fit"` // one of Fits, or a rival's name
	Measure string  `json:"measure"`
	Value   float64 `json:"value"`
	Broken  float64 `json:"broken"`           // share of swept test rows at which a sweep of some column breaks its sign
	Proved  int     `json:"proved,omitempty"` // statements, of as many as the set has signs
	Gap     float64 `json:"gap,omitempty"`
	Seconds float64 `json:"seconds"`        // with the choice of settings
	Last    float64 `json:"last,omitempty"` // seconds of a fit with the settings that were chosen, and of its proofs
	Setting string  `json:"setting,omitempty"`
}

// A Job is one split of a table, on files in a folder.
type Job struct {
	set                *Set
	split              uint64
	dir                string
	header             []string
	test               [][]string
	swept              int // rows of the test file that are swept
	train, hold, sweep string
	chosen             string // the learner that the free fit chose
}

// NewJob splits a table into files of training rows, test rows and sweeps.
func NewJob(s *Set, data, dir string, split uint64) (*Job, error) {
	all, err := read(data, s.Ignore)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(split, 70))
	header, rows := all[0], all[1:]
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	many := int(math.Round(testShare * float64(len(rows))))
	if c := slices.Index(header, s.Together); c >= 0 {
		header, many = without(header, c), grouped(rows, c, many)
		for i := range rows {
			rows[i] = without(rows[i], c)
		}
	}
	j := &Job{
		set: s, split: split, dir: dir, header: header, test: rows[:many], swept: min(many, sweepRows),
		train: filepath.Join(dir, "train.csv"), hold: filepath.Join(dir, "test.csv"), sweep: filepath.Join(dir, "sweeps.csv"),
	}
	train := rows[many:]
	for path, part := range map[string][][]string{j.train: train, j.hold: j.test, j.sweep: j.sweeps(train)} {
		if err := writeCSV(path, append([][]string{j.header}, part...)); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// grouped puts rows of one value of column c together, whole groups in the order of their first rows. It returns the number of rows of the
// first groups that have at least so many.
func grouped(rows [][]string, c, many int) int {
	order := map[string]int{}
	for i, row := range rows {
		if _, ok := order[row[c]]; !ok {
			order[row[c]] = i
		}
	}
	slices.SortStableFunc(rows, func(a, b []string) int { return cmp.Compare(order[a[c]], order[b[c]]) })
	for many < len(rows) && rows[many][c] == rows[many-1][c] {
		many++
	}
	return many
}

// without returns a row without one of its cells.
func without(row []string, c int) []string { return slices.Concat(row[:c], row[c+1:]) }

// read returns the header and the rows of a CSV file, gzipped or not, without the columns to ignore.
func read(path string, ignore []string) ([][]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // was read only
	from := io.Reader(file)
	if strings.HasSuffix(path, ".gz") {
		if from, err = gzip.NewReader(file); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	all, err := csv.NewReader(from).ReadAll()
	if err != nil || len(all) < 10 {
		return nil, fmt.Errorf("%s: %d rows: %w", path, len(all), errors.Join(err, errors.New("at least nine are needed")))
	}
	head := all[0]
	for i, row := range all {
		var kept []string
		for j, cell := range row {
			if !slices.Contains(ignore, head[j]) {
				kept = append(kept, cell)
			}
		}
		all[i] = kept
	}
	return all, nil
}

// writeCSV writes rows to a file.
func writeCSV(path string, rows [][]string) error {
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o600)
}

// signed returns the columns with signs, and the signs.
func (s *Set) signed() (columns []string, signs map[string]int) {
	signs = map[string]int{}
	for _, c := range s.Rises {
		signs[c] = 1
	}
	for _, c := range s.Falls {
		signs[c] = -1
	}
	return slices.Concat(s.Rises, s.Falls), signs
}

// sweeps returns rows for each swept test row and each column with a sign. In them this column goes from its least to its largest number in the
// training rows.
func (j *Job) sweeps(train [][]string) (out [][]string) {
	columns, _ := j.set.signed()
	for _, row := range j.test[:j.swept] {
		for _, name := range columns {
			c := slices.Index(j.header, name)
			low, high := math.Inf(1), math.Inf(-1)
			for _, r := range train {
				if v, err := strconv.ParseFloat(r[c], 64); err == nil && !slices.Contains(j.set.Gaps, v) {
					low, high = min(low, v), max(high, v)
				}
			}
			for k := range sweepSteps {
				moved := slices.Clone(row)
				moved[c] = strconv.FormatFloat(low+(high-low)*float64(k)/(sweepSteps-1), 'g', -1, 64)
				out = append(out, moved)
			}
		}
	}
	return out
}

// Fit fits the set's spec, and measures it. A proved fit is made again with what was chosen, as its own time is asked for. In large sets it takes
// what a free fit has chosen before.
func (j *Job) Fit(ctx context.Context, fit string) (*Line, error) {
	learner := j.set.learner()
	if j.set.large && j.chosen != "" && fit != Gaussian {
		learner = j.chosen
	}
	o, err := j.perform(ctx, fit, learner)
	if err != nil {
		return nil, err
	}
	swept, err := sipc.Predict(ctx, o.Model, j.sweep, sipc.ApplyOptions{})
	if err != nil {
		return nil, err
	}
	line := j.line(fit, column(o.Scores), column(swept.Predictions.Scores))
	line.Seconds, _ = o.Report.Timing.Get("total")
	if l := o.Report.Learner; l != nil {
		line.Gap, line.Setting = float64(l.Gap), l.Text
	}
	for _, r := range o.Report.Required {
		if r.Answer == "proved" {
			line.Proved++
		}
	}
	switch {
	case fit == Free:
		j.chosen = line.Setting
	case fit == Proved && learner == line.Setting:
		line.Last = line.Seconds
	case fit == Proved:
		again, err := j.perform(ctx, fit, line.Setting)
		if err != nil {
			return nil, err
		}
		line.Last, _ = again.Report.Timing.Get("total")
	}
	return line, nil
}

// perform runs the spec of a fit with a learner on the split.
func (j *Job) perform(ctx context.Context, fit, learner string) (*sipc.Outcome, error) {
	path := filepath.Join(j.dir, fit+".inv")
	if err := os.WriteFile(path, []byte(j.set.text(fit, learner)), 0o600); err != nil {
		return nil, err
	}
	spec, err := sipc.LoadSpec(ctx, path, sipc.SpecOptions{})
	if err != nil {
		return nil, err
	}
	o, err := sipc.Perform(ctx, spec, sipc.RunOptions{Data: j.train, Test: j.hold, Unmeasured: true})
	if err != nil {
		return nil, fmt.Errorf("%s, split %d, %s: %w", j.set.Name, j.split, fit, err)
	}
	return o, nil
}

// Rivals runs a command that fits other machines, as trees.py and gam.R do, and measures them.
func (j *Job) Rivals(ctx context.Context, command []string) ([]*Line, error) {
	_, signs := j.set.signed()
	job := map[string]any{"target": j.set.Target, "positive": nil, "signs": signs, "gaps": append([]float64{}, j.set.Gaps...)}
	if j.set.Positive != "" {
		job["positive"] = j.set.Positive
	}
	text, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	from, to := filepath.Join(j.dir, "job.json"), filepath.Join(j.dir, "out.json")
	if err := os.WriteFile(from, text, 0o600); err != nil {
		return nil, err
	}
	args := slices.Concat(command[1:], []string{j.train, j.hold, j.sweep, from, to})
	if out, err := exec.CommandContext(ctx, command[0], args...).CombinedOutput(); err != nil { //nolint:gosec // the caller's command
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
	}
	if text, err = os.ReadFile(to); err != nil {
		return nil, err
	}
	var machines map[string]struct {
		Test, Sweeps []float64
		Setting      string
		Seconds      float64 // with the choice of the setting
		Last         float64 // of the last fit
	}
	if err := json.Unmarshal(text, &machines); err != nil {
		return nil, fmt.Errorf("%s: %w", to, err)
	}
	var lines []*Line
	for _, name := range slices.Sorted(maps.Keys(machines)) {
		m := machines[name]
		if len(m.Test) != len(j.test) {
			return nil, fmt.Errorf("%s: %s has %d predictions for %d test rows", to, name, len(m.Test), len(j.test))
		}
		line := j.line(name, m.Test, m.Sweeps)
		line.Seconds, line.Last, line.Setting = m.Seconds, m.Last, m.Setting
		lines = append(lines, line)
	}
	return lines, nil
}

// column returns the scores of f.
func column(scores *mat.Dense) []float64 { return mat.Col(nil, 0, scores) }

// line measures scores of the test rows and of sweeps.
func (j *Job) line(fit string, scores, swept []float64) *Line {
	line := &Line{Set: j.set.Name, Split: j.split, Fit: fit, Measure: "rmse", Broken: j.broken(swept)}
	c := slices.Index(j.header, j.set.Target)
	if j.set.Positive == "" {
		for i, row := range j.test {
			v, _ := strconv.ParseFloat(row[c], 64) // which both read
			line.Value += (v - scores[i]) * (v - scores[i]) / float64(len(j.test))
		}
		line.Value = math.Sqrt(line.Value)
		return line
	}
	order := make([]int, len(scores))
	x := slices.Clone(scores)
	floats.Argsort(x, order)
	is := make([]bool, len(x))
	for i, at := range order {
		is[i] = j.test[at][c] == j.set.Positive
	}
	hits, alarms, _ := stat.ROC(nil, x, is, nil)
	line.Measure, line.Value = "auc", integrate.Trapezoidal(alarms, hits)
	return line
}

// broken returns the share of swept rows at which a sweep of some column goes against its sign.
func (j *Job) broken(swept []float64) float64 {
	columns, signs := j.set.signed()
	extent := floats.Max(swept) - floats.Min(swept)
	rows := map[int]bool{}
	for i := range len(swept) / sweepSteps {
		sign := float64(signs[columns[i%len(columns)]])
		s := swept[i*sweepSteps:][:sweepSteps]
		for k := 1; k < sweepSteps; k++ {
			if sign*(s[k]-s[k-1]) < -broken*extent {
				rows[i/len(columns)] = true
			}
		}
	}
	return float64(len(rows)) / float64(j.swept)
}

// A Sum has the means of a fit over splits, and of its differences from another fit of the same splits. Half is half the width of the 95 %
// interval of the difference, by Student's t. Last is the longest fit of what was chosen.
type Sum struct {
	Splits                int
	Mean, Broken, Seconds float64
	Last                  float64
	Difference, Half      float64
	// Relative are the differences of losses in shares of the other fit's loss. That of an AUC is what it lacks to 1.
	Relative []float64
}

// Summed sums the lines of one fit of a set up, beside those of the fit that it is compared with.
func Summed(lines []Line, set, fit, against string) (s Sum) {
	other := map[uint64]float64{}
	for _, l := range lines {
		if l.Set == set && l.Fit == against {
			other[l.Split] = l.Value
		}
	}
	var differences []float64
	for _, l := range lines {
		if l.Set != set || l.Fit != fit {
			continue
		}
		s.Splits++
		s.Mean, s.Broken, s.Seconds, s.Last = s.Mean+l.Value, s.Broken+l.Broken, s.Seconds+l.Seconds, max(s.Last, l.Last)
		if v, ok := other[l.Split]; ok {
			differences = append(differences, l.Value-v)
			if l.Measure == "auc" {
				s.Relative = append(s.Relative, (v-l.Value)/(1-v))
			} else {
				s.Relative = append(s.Relative, (l.Value-v)/v)
			}
		}
	}
	n := float64(s.Splits)
	s.Mean, s.Broken, s.Seconds = s.Mean/n, s.Broken/n, s.Seconds/n
	s.Difference, s.Half = bench.Pooled([][]float64{differences})
	return s
}
