package size

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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

// A ManyJob is a run on rows of twenty columns.
type ManyJob struct {
	Command    []string // of sipc
	Dir        string   // for all files
	Learner    string
	Rows, Test int
	Gap        float64
	Kills      int // of a further run, which keeps what it has and goes on
}

// Fit draws training and test rows, and runs the spec on them. It kills a further run, and compares what comes of that.
func (j *ManyJob) Fit(ctx context.Context) (*Line, error) {
	spec, train, clean := filepath.Join(j.Dir, "many.inv"), filepath.Join(j.Dir, "many.csv"), filepath.Join(j.Dir, "test.csv")
	if err := os.WriteFile(spec, fmt.Appendf(nil, manySpec, j.Learner), 0o600); err != nil {
		return nil, err
	}
	for path, of := range map[string]struct {
		rows int
		seed uint64
	}{train: {j.Rows, 1}, clean: {j.Test, 2}} {
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
	call := []string{"run", spec, train, "--test", clean, "--gap", strconv.FormatFloat(j.Gap, 'g', -1, 64), "--max-memory", strconv.Itoa(manyPeak), "--quiet"}
	if j.Kills > 0 {
		call = append(call, "--embeddings", "none", "--out", filepath.Join(j.Dir, "whole"))
	}
	took, err := bench.Told(ctx, &told, j.Command, append(call, "--json")...)
	out := told.line(j.Rows, Signs, took)
	if j.Learner != Ridge {
		out.Fit += ", " + j.Learner
	}
	for _, r := range told.Required {
		if r.Answer == "proved" {
			out.Proved++
		}
	}
	if err == nil && j.Kills > 0 {
		err = j.kill(ctx, out, append(call[:len(call)-1], filepath.Join(j.Dir, "killed"), "--blocks", filepath.Join(j.Dir, "work")))
	}
	return out, err
}

// kill kills a call at times that are drawn, and lets it go on.
func (j *ManyJob) kill(ctx context.Context, to *Line, call []string) error {
	draw := rand.New(rand.NewPCG(uint64(j.Rows), 3)) //nolint:gosec // equal calls draw equal shares of a run
	began := time.Now()
	to.Asked = j.Kills
	for {
		most := math.Inf(1)
		if to.Kills < j.Kills {
			most = draw.Float64() * 3 * to.Wall / float64(j.Kills+1)
		}
		killed, err := j.runFor(ctx, most, call)
		if err != nil {
			return err
		}
		if !killed {
			break
		}
		to.Kills++
	}
	to.KilledWall, to.SameBytes = time.Since(began).Seconds(), true
	for _, name := range []string{"model.sipc", "predictions.csv"} {
		want, err := os.ReadFile(filepath.Join(j.Dir, "whole", name))
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join(j.Dir, "killed", name))
		if err != nil {
			return err
		}
		to.SameBytes = to.SameBytes && bytes.Equal(got, want)
	}
	return nil
}

// runFor runs a call, and kills it after so many seconds.
func (j *ManyJob) runFor(ctx context.Context, seconds float64, call []string) (killed bool, err error) {
	cmd := exec.CommandContext(ctx, j.Command[0], append(j.Command[1:len(j.Command):len(j.Command)], call...)...) //nolint:gosec // the caller's command
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return false, err
	}
	if !math.IsInf(seconds, 1) {
		defer time.AfterFunc(time.Duration(seconds*float64(time.Second)), func() { _ = cmd.Process.Kill() }).Stop()
	}
	if err = cmd.Wait(); err == nil {
		return false, nil
	}
	if cmd.ProcessState.ExitCode() < 0 && ctx.Err() == nil {
		return true, nil
	}
	return false, fmt.Errorf("sipc run --blocks: %w\n%s", err, stderr.String())
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
	if l.Asked > 0 {
		goals = append(goals, goal(fmt.Sprintf("the same bytes after %d of %d kills, in %.0f s by the clock", l.Kills, l.Asked, l.KilledWall), l.SameBytes && l.Kills == l.Asked))
	}
	if most, ok := mostWall[l.Rows]; ok {
		goals = append(goals, goal(fmt.Sprintf("at most %g s by the clock", most), l.Wall <= most), goal(fmt.Sprintf("at most %d MB", int64(manyPeak)/1e6), l.Peak <= manyPeak))
	}
	return strings.Join(goals, "; ")
}
