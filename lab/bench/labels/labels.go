package labels

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Line tells what a run of the whole program came to.
type Line struct {
	Method     string             `json:"method"`
	Rows       int                `json:"rows"`
	Labels     int                `json:"labels"`
	Landmarks  int                `json:"landmarks"`
	Processors float64            `json:"processors"` // seconds of all of them
	Wall       float64            `json:"wall"`       // seconds
	Peak       int64              `json:"peak"`       // of memory, in bytes
	Gap        float64            `json:"gap"`
	Reached    bool               `json:"reached"`
	Iterations int                `json:"iterations"`
	AUPRC      float64            `json:"auprc"`
	Stages     map[string]float64 `json:"stages"` // seconds by the clock
}

// Methods are those that are compared.
var Methods = []string{"plain", "risk"}

const spec = `data {
    target  labels(data) : multilabel
    missing mean
    standardize
}
kernel   gaussian(width = median)
features nystrom(landmarks = LANDMARKS)
invariance logic = rms over x of max over (child, parent) in edges(taxonomy(data)) of implies(child, parent)
regularize 1 * logic
learn    ridge(lambda = 0.1)
method   METHOD
decode   closure
`

// A Job is a drawn set in a folder, and the command of sipc that runs on it.
type Job struct {
	Shape

	Landmarks int
	Dir       string
	Command   []string
}

// Draw writes the training rows, and half as many test rows.
func (j *Job) Draw() error {
	test := j.Shape
	test.Rows = max(1, test.Rows/2)
	for part, s := range []Shape{j.Shape, test} {
		file, err := os.Create(j.file(part))
		if err != nil {
			return err
		}
		if err := s.Write(file, uint64(part)); err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}

// file returns where a part stands.
func (j *Job) file(part int) string { return filepath.Join(j.Dir, fmt.Sprintf("part%d.arff", part)) }

// Run runs the program by a method, from the files to the report.
func (j *Job) Run(ctx context.Context, method string) (*Line, error) {
	path := filepath.Join(j.Dir, method+".inv")
	text := strings.NewReplacer("LANDMARKS", strconv.Itoa(j.Landmarks), "METHOD", method).Replace(spec)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, err
	}
	args := []string{"run", path, j.file(0), "--test", j.file(1), "--out", filepath.Join(j.Dir, method), "--json", "--quiet", "--accept-gap"}
	c := exec.CommandContext(ctx, j.Command[0], slices.Concat(j.Command[1:], args)...) //nolint:gosec // the caller's command
	var stderr bytes.Buffer
	c.Stderr = &stderr
	start := time.Now()
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(j.Command, " "), err, stderr.Bytes())
	}
	line := &Line{Method: method, Rows: j.Rows, Labels: j.Labels, Landmarks: j.Landmarks, Wall: time.Since(start).Seconds()}
	line.Processors = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		line.Peak = usage.Maxrss << 10
	}
	err = line.read(out)
	return line, err
}

// read takes what the report of a run says.
func (l *Line) read(text []byte) error {
	var said struct {
		Timing  map[string]any `json:"timing"`
		Learner struct {
			Gap        float64 `json:"gap"`
			Reached    bool    `json:"converged"`
			Iterations int     `json:"iterations"`
		} `json:"learner"`
		Metrics struct {
			AUPRC float64 `json:"auprc"`
		} `json:"metrics"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return err
	}
	l.Gap, l.Reached, l.Iterations, l.AUPRC = said.Learner.Gap, said.Learner.Reached, said.Learner.Iterations, said.Metrics.AUPRC
	l.Stages = map[string]float64{}
	for name, v := range said.Timing {
		if seconds, ok := v.(float64); ok && name != "total" {
			l.Stages[name] = seconds
		}
	}
	return nil
}

// Table writes lines as a table in Markdown.
func Table(w io.Writer, lines []Line) {
	fmt.Fprint(w, "| method | rows | labels | landmarks | processors, s | by the clock, s | memory, GiB | gap | iterations | AU(PRC) |\n|", strings.Repeat("---|", 10), "\n")
	for _, l := range lines {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %.0f | %.0f | %.1f | %.1e | %d | %.4f |\n",
			l.Method, l.Rows, l.Labels, l.Landmarks, l.Processors, l.Wall, float64(l.Peak)/(1<<30), l.Gap, l.Iterations, l.AUPRC)
	}
}
