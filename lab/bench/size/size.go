// Package size measures whole runs on images of ten digits as their rows grow. Method risk has an R over six moves. Beside it stands method
// plain, on the rows and on the rows with their copies under these moves. Method embed has the R of risk. All have the same rows, landmarks and test rows.
package size

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/lab/bench/digits"
)

// The runs, by name.
const (
	Risk   = "risk"
	Plain  = "plain"
	Copies = "plain on copies"
	Embed  = "embed"
	// Those of 24 moves have more functionals than are held at once, from 6,000 rows on.
	RiskOfMany   = "risk of 24 moves"
	CopiesOfMany = "plain on copies of 24 moves"
)

// Fits are the runs in their order. Embed is none of them, as it takes most of an hour, nor are those of 24 moves.
var Fits = []string{Risk, Plain, Copies}

const (
	head = `data { target digit : class; columns image(28, 28) }
kernel gaussian(width = 0.5 * median)
features nystrom(landmarks = 1000)
learn softmax
`
	steady = `invariance steady = rms over x of max over t in %s of max over c in labels of |f(t(x), c) - f(x, c)|
regularize steady
`
	moves = "{rotate(15deg), rotate(-15deg), shift(dx = 2), shift(dx = -2), shift(dy = 2), shift(dy = -2)}"
	many  = `{rotate(-20deg), rotate(-15deg), rotate(-10deg), rotate(-5deg), rotate(5deg), rotate(10deg), rotate(15deg), rotate(20deg), shift(dx = 1), shift(dx = -1), shift(dy = 1), shift(dy = -1),
    shift(dx = 1, dy = 1), shift(dx = 1, dy = -1), shift(dx = -1, dy = 1), shift(dx = -1, dy = -1), shift(dx = 2), shift(dx = -2), shift(dy = 2),
    shift(dy = -2), shift(dx = 2, dy = 2), shift(dx = 2, dy = -2), shift(dx = -2, dy = 2), shift(dx = -2, dy = -2)}`
)

// specs are those of the runs.
var specs = map[string]string{
	Risk:         head + fmt.Sprintf(steady, moves) + "method risk\n",
	Embed:        head + fmt.Sprintf(steady, moves) + "method embed\n",
	Plain:        head + "method plain\n",
	Copies:       head + "augment " + moves + "\nmethod plain\n",
	RiskOfMany:   head + fmt.Sprintf(steady, many) + "method risk\n",
	CopiesOfMany: head + "augment " + many + "\nmethod plain\n",
}

// A Line tells what a run took and came to.
type Line struct {
	Rows int    `json:"rows"`
	Fit  string `json:"fit"`
	bench.Took
	Gap        float64 `json:"gap"`
	Iterations int     `json:"iterations"`
	Accuracy   float64 `json:"accuracy"`
	Proved     int     `json:"proved,omitempty"` // statements, of the run that requires some
	// Kills are those of a further run that was to be killed Asked times, and KilledWall has the seconds of all its processes. SameBytes says whether its model and predictions are those of
	// the run.
	Asked      int     `json:"kills_asked,omitempty"`
	Kills      int     `json:"kills,omitempty"`
	KilledWall float64 `json:"killed_wall,omitempty"`
	SameBytes  bool    `json:"same_bytes,omitempty"`
}

// A Job is a draw of rows, on files in a folder.
type Job struct {
	rows              int
	dir, train, clean string
}

// NewJob draws training rows and test rows of all digits from the files of a folder.
func NewJob(folder, dir string, rows, test int) (*Job, error) {
	j := &Job{rows: rows, dir: dir, train: filepath.Join(dir, digits.Train), clean: filepath.Join(dir, digits.Test)}
	for name, n := range map[string]int{digits.Train: rows, digits.Test: test} {
		rng := rand.New(rand.NewPCG(uint64(n), 72)) //nolint:gosec // equal calls draw equal rows
		s, err := digits.Drawn(rng, filepath.Join(folder, name), nil, n)
		if err != nil {
			return nil, err
		}
		if err := s.Write(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// Fit runs one of the fits by the command of sipc, from the images to the report. More are further arguments.
func (j *Job) Fit(ctx context.Context, command []string, name string, gap float64, more ...string) (*Line, error) {
	text, ok := specs[name]
	if !ok {
		return nil, fmt.Errorf("%s is none of %s", name, strings.Join(Fits, ", "))
	}
	spec := filepath.Join(j.dir, "spec.inv")
	if err := os.WriteFile(spec, []byte(text), 0o600); err != nil {
		return nil, err
	}
	var told report
	call := []string{"run", spec, j.train + digits.Images, "--test", j.clean + digits.Images, "--gap", strconv.FormatFloat(gap, 'g', -1, 64), "--json", "--quiet"}
	if name == Embed {
		call = append(call, "--max-memory", strconv.Itoa(mostPeak))
	}
	took, err := bench.Told(ctx, &told, command, append(call, more...)...)
	return told.line(j.rows, name, took), err
}

// A report is what a run tells of itself, as far as lines have it.
type report struct {
	Metrics struct {
		Accuracy float64 `json:"accuracy"`
	} `json:"metrics"`
	Learner struct {
		Gap        float64 `json:"gap"`
		Iterations int     `json:"iterations"`
	} `json:"learner"`
	Certificate struct {
		MaxGap float64 `json:"max_gap"`
	} `json:"certificate"`
}

// line returns what a run took and came to.
func (r *report) line(rows int, fit string, took bench.Took) *Line {
	l := &Line{Rows: rows, Fit: fit, Took: took, Gap: r.Learner.Gap, Iterations: r.Learner.Iterations, Accuracy: r.Metrics.Accuracy}
	if fit == Embed { // the gap of its learner is next to nothing
		l.Gap = r.Certificate.MaxGap
	}
	return l
}

// What method risk is to come to: seconds of processors by rows. From fromRows on it is a share of the seconds on copies, and a peak.
var mostSeconds = map[int]float64{1000: 5, 10000: 60}

const (
	fromRows  = 20000
	mostShare = 2.0
	mostPeak  = 4 << 30
)

// Write writes lines as a table in Markdown. A line of method risk says which of the goals are not reached.
func Write(w io.Writer, lines []Line) {
	fmt.Fprintf(w, "| rows | run | s of processors | s | peak, MB | iterations | gap | accuracy | goals |\n|%s\n", strings.Repeat("---|", 9))
	for _, l := range lines {
		goals := ""
		switch l.Fit {
		case Risk, RiskOfMany:
			goals = strings.Join(goalsOf(&l, lines), "; ")
		case Embed:
			goals = goal(fmt.Sprintf("at most %d MB", int64(mostPeak)/1e6), l.Peak <= mostPeak)
		case Signs:
			goals = manyGoals(&l)
		}
		fmt.Fprintf(w, "| %d | %s | %.1f | %.1f | %d | %d | %.1e | %.2f %% | %s |\n",
			l.Rows, l.Fit, l.Seconds, l.Wall, l.Peak/1e6, l.Iterations, l.Gap, 100*l.Accuracy, goals)
	}
}

// goalsOf says which goals a line has, and whether it reaches them.
func goalsOf(l *Line, lines []Line) (goals []string) {
	if most, ok := mostSeconds[l.Rows]; ok && l.Fit == Risk {
		goals = append(goals, goal(fmt.Sprintf("at most %g s", most), l.Seconds <= most))
	}
	beside := map[string]string{Risk: Copies, RiskOfMany: CopiesOfMany}[l.Fit]
	for _, c := range lines {
		if c.Rows == l.Rows && c.Fit == beside && (l.Rows >= fromRows || l.Fit == RiskOfMany) {
			share := l.Seconds / c.Seconds
			goals = append(goals, goal(fmt.Sprintf("at most %g × the seconds on copies, here %.2f ×", mostShare, share), share <= mostShare))
		}
	}
	if l.Rows >= fromRows || l.Fit == RiskOfMany {
		goals = append(goals, goal(fmt.Sprintf("at most %d MB", int64(mostPeak)/1e6), l.Peak <= mostPeak))
	}
	return goals
}

// goal writes a goal, and says where it is missed.
func goal(text string, reached bool) string {
	if !reached {
		return "**not reached:** " + text
	}
	return text
}
