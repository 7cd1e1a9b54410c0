// Package copies compares models of digits that may be turned, scaled and shifted a little. One side is sipc with an R over the orbit of these moves. The
// other side is a support vector machine on moved copies of the rows. Both have the same training rows, and choose their settings by folds of
// these. Both are measured on the same test rows, as they are and moved.
package copies

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/lab/bench/digits"
)

// A Line tells what a machine came to in a draw.
type Line struct {
	Set     string  `json:"set,omitempty"` // of images, where they are not MNIST's
	Digits  string  `json:"digits"`
	Rows    int     `json:"rows"`
	Draw    uint64  `json:"draw"`
	Fit     string  `json:"fit"`
	Clean   float64 `json:"clean"` // shares of test rows that are right
	Moved   float64 `json:"moved"`
	Seconds float64 `json:"seconds"` // of processors, for the choice and the fit
	Last    float64 `json:"last,omitempty"`
	Setting string  `json:"setting,omitempty"`
}

// A Cell is a pair of digits, or all, and a number of training rows.
type Cell struct {
	Digits []byte // empty: all ten
	Rows   int
}

// ParseCell reads a cell as it is written: 4-9:60, or all:500.
func ParseCell(text string) (Cell, error) {
	which, rows, _ := strings.Cut(text, ":")
	c := Cell{}
	if which != "all" {
		for d := range strings.SplitSeq(which, "-") {
			v, err := strconv.ParseUint(d, 10, 8)
			if err != nil || v > 9 {
				return c, fmt.Errorf("%s: %q is not a digit; write 4-9:60 or all:500", text, d)
			}
			c.Digits = append(c.Digits, byte(v))
		}
	}
	var err error
	if c.Rows, err = strconv.Atoi(rows); err != nil || c.Rows < 10 || len(c.Digits) == 1 || len(c.Digits) > 2 {
		return c, fmt.Errorf("%s: a cell has two digits or all, and 10 rows or more, as in 4-9:60 or all:500", text)
	}
	return c, nil
}

// String names the digits of a cell.
func (c *Cell) String() string {
	if len(c.Digits) == 0 {
		return "all"
	}
	return fmt.Sprintf("%d against %d", c.Digits[0], c.Digits[1])
}

// Folds and Strengths are those among which every machine chooses. Widths are shares of the median distance.
const Folds = 5

var (
	strengths = []float64{1, 10, 100}
	widths    = []float64{0.35, 0.5, 0.7}
)

// mostChosen is the most rows of which settings are chosen by folds. Machines on more have the middle ones.
const mostChosen = 5000

// What specs are made of.
const (
	axes = "{rotate(15deg), rotate(-15deg), scale(0.1), scale(-0.1), shift(dx = 2), shift(dx = -2), shift(dy = 2), shift(dy = -2)}"
	all  = "orbit {rotate([-15deg, 15deg]), scale([-0.1, 0.1]), shift(dx = [-2, 2], dy = [-2, 2])}"
	head = "data { target digit : TARGET; columns image(28, 28) }\nfeatures nystrom(landmarks = all)\n"
	// free is a machine without R, and held one with it: nine settings of each are chosen from.
	free = head + "kernel gaussian(width = grid(0.35, 0.5, 0.7) * median)\nlearn svm(C = grid(1, 10, 100))\nmethod plain\n"
	// whole is for all rows of a file, where folds take too long. A few settings were fitted to 50,000 of its training rows and judged on the others.
	whole = "data { target digit : TARGET; columns image(28, 28) }\nkernel gaussian(width = 0.4 * median)\nfeatures nystrom(landmarks = 6000)\n"
	small = "orbit(moves = 4) {rotate([-8deg, 8deg]), scale([-0.05, 0.05]), shift(dx = [-1, 1], dy = [-1, 1])}"
	held  = head + "kernel gaussian(width = 0.5 * median)\nlearn svm(C = grid(1, 10, 100))\nregularize grid(16, 64, 256) * steady\n"
)

// steady declares that moves do not matter: norm is rms or max, over the moves of a row.
func steady(norm, moves string) string {
	return "invariance steady = rms over x of " + norm + " over t in " + moves + " of SIZE\n"
}

// Fits are the specs that are compared, by name.
var Fits = map[string]string{
	"plain":             free,
	"orbit":             held + steady("rms", all) + "method risk\n",
	"moves":             held + steady("rms", axes) + "method risk\n",
	"max of moves":      held + steady("max", axes) + "method risk\n",
	"orbit by warp":     held + steady("rms", all) + "method warp\n",
	"orbit and augment": held + steady("rms", all) + "augment " + strings.Replace(all, "orbit", "orbit(moves = 8)", 1) + "\nmethod risk\n",
	"augment":           free + "augment " + strings.Replace(all, "orbit", "orbit(moves = 24)", 1) + "\n",
	"whole":             whole + "learn svm(C = 1.4, loss = squared)\n" + steady("rms", small) + "regularize 1.4 * steady\nmethod risk\n",
	"whole plain":       whole + "learn svm(C = 17, loss = squared)\nmethod plain\n",
	"orbit and under":   strings.Replace(held, "grid(1, 10, 100))", "grid(1, 10, 100)) under "+axes, 1) + steady("rms", all) + "method risk\n",
}

// Rivals are the machines on copies, by name.
var Rivals = []string{"8 copies", "24 random copies", "24 random copies averaged", "64 random copies", "no copies"}

// A Job is one draw of rows, on files in a folder.
type Job struct {
	cell                Cell
	set                 string
	draw                uint64
	dir                 string
	train, clean, moved string // beginnings of the names of files
}

// NewJob draws the training rows of a cell from the training file of a folder, and test rows from its test file. The name of a set stands in
// the job's lines.
func NewJob(folder, set, dir string, c Cell, draw uint64, test int) (*Job, error) {
	j := &Job{cell: c, set: set, draw: draw, dir: dir, train: filepath.Join(dir, "train"), clean: filepath.Join(dir, "clean"), moved: filepath.Join(dir, "moved")}
	rng := rand.New(rand.NewPCG(draw, 71))
	rows, err := digits.Drawn(rng, filepath.Join(folder, digits.Train), c.Digits, c.Rows)
	if err != nil {
		return nil, err
	}
	held, err := digits.Drawn(rng, filepath.Join(folder, digits.Test), c.Digits, test)
	if err != nil {
		return nil, err
	}
	return j, errors.Join(rows.Write(j.train), held.Write(j.clean), held.Turned().Write(j.moved))
}

// Fit runs a spec by the command of sipc, from the images to the report. The model then predicts the moved rows.
func (j *Job) Fit(ctx context.Context, command []string, name string) (*Line, error) {
	target, size := "class", "norm(2) over c in labels of |f(t(x), c) - f(x, c)|"
	if len(j.cell.Digits) == 2 {
		target, size = fmt.Sprintf("binary(%d, %d)", j.cell.Digits[0], j.cell.Digits[1]), "|f(t(x)) - f(x)|"
	}
	spec, out := filepath.Join(j.dir, "spec.inv"), filepath.Join(j.dir, "out")
	if err := os.WriteFile(spec, []byte(strings.NewReplacer("TARGET", target, "SIZE", size).Replace(Fits[name])), 0o600); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	run := struct {
		Metrics figures `json:"metrics"`
		Grid    struct {
			Chosen string `json:"chosen"`
		} `json:"grid"`
	}{}
	took, err := bench.Told(ctx, &run, command, "run", spec, j.train+digits.Images, "--test", j.clean+digits.Images, "--seed", strconv.FormatUint(j.draw, 10), "--out", out, "--json", "--quiet")
	if err != nil {
		return nil, err
	}
	line := j.line(name)
	line.Clean, line.Seconds, line.Setting = run.Metrics.Accuracy, took.Seconds, run.Grid.Chosen
	moved := struct {
		Metrics figures `json:"metrics"`
	}{}
	_, err = bench.Told(ctx, &moved, command, "predict", filepath.Join(out, "model.sipc"), j.moved+digits.Images, "--json", "--quiet", "--out", filepath.Join(j.dir, "moved.csv"))
	line.Moved = moved.Metrics.Accuracy
	return line, err
}

// figures are those of a report.
type figures struct {
	Accuracy float64 `json:"accuracy"`
}

func (j *Job) line(fit string) *Line {
	return &Line{Set: j.set, Digits: j.cell.String(), Rows: j.cell.Rows, Draw: j.draw, Fit: fit}
}

// Rivals runs a command that fits machines to copies, as copies.py does.
func (j *Job) Rivals(ctx context.Context, command, names []string) ([]*Line, error) {
	path := filepath.Join(j.dir, "job.json")
	c, w := strengths, widths
	if j.cell.Rows > mostChosen {
		c, w = c[1:2], w[1:2]
	}
	text, err := json.Marshal(map[string]any{"seed": j.draw, "folds": Folds, "strengths": c, "widths": w, "machines": names})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, err
	}
	run := exec.CommandContext(ctx, command[0], slices.Concat(command[1:], []string{j.train, j.clean, j.moved, path})...) //nolint:gosec // the caller's command
	var stderr bytes.Buffer
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, stderr.Bytes())
	}
	var lines []*Line
	for from := json.NewDecoder(bytes.NewReader(out)); from.More(); {
		line := j.line("")
		if err := from.Decode(line); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(command, " "), err)
		}
		lines = append(lines, line)
	}
	return lines, nil
}
