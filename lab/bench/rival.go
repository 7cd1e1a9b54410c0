package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A Comparison is what came of running rivals and the solver on one problem file in turn.
type Comparison struct {
	About
	File   string        `json:"file"`
	Target report.Number `json:"target"`
	Rounds int           `json:"rounds"`

	PerRHS       float64       `json:"seconds_per_rhs"` // of the solver, preparing in it: the median of the rounds
	EachRound    []float64     `json:"each_round"`
	Reached      int           `json:"reached"`
	WorstGap     report.Number `json:"worst_gap"`
	Rivals       []Rival       `json:"rivals"`
	Fastest      string        `json:"fastest"` // rival among those that reached the gap on all that they tried; empty where none did
	FastestRatio report.Number `json:"fastest_ratio"`
}

// A Rival is another program's outcome.
type Rival struct {
	Command   string        `json:"command"` // with its placeholders
	PerRHS    float64       `json:"seconds_per_rhs"`
	EachRound []float64     `json:"each_round"`
	Reached   int           `json:"reached"` // the least of the rounds
	Of        int           `json:"of"`
	Ratio     float64       `json:"ratio"`   // of its time per right-hand side to the solver's: the median over the rounds
	Differs   report.Number `json:"differs"` // the largest relative difference of its optimal values; null where it gives none
	ratios    []float64     // of the rounds
	said      rivalSays     // in the last round
	arguments []string      // with the placeholders filled in
}

// rivalSays is the last line that a rival prints.
type rivalSays struct {
	PerRHS  *float64  `json:"seconds_per_rhs"`
	Reached *int      `json:"reached"`
	Of      *int      `json:"of"`
	Value   []float64 `json:"value"`
}

// CompareOptions say how rivals are compared with the solver.
type CompareOptions struct {
	Gap      float64
	RHS      int      // so many of the file's right-hand sides; 0: all
	Commands []string // of the rivals; see Compare
	Rounds   int
	Progress func(stage string) // may be nil
}

// Compare solves the problem of a file and lets every rival have its turn, for so many rounds. The words of a command may hold
// {problem}, {gap} and {rhs}. The last line that it prints is a JSON object with seconds_per_rhs, reached and of. It may have
// value, a list of optimal values.
func Compare(ctx context.Context, path string, o CompareOptions) (*Comparison, error) {
	p, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := p.Limit(o.RHS); err != nil {
		return nil, err
	}
	c := &Comparison{About: p.About, File: path, Target: report.Number(o.Gap), Rounds: o.Rounds}
	for _, command := range o.Commands {
		words, err := split(command)
		if err != nil {
			return nil, err
		}
		c.Rivals = append(c.Rivals, Rival{Command: command, arguments: fill(words, path, o.Gap, p.About.RHS)})
	}
	progress := o.Progress
	if progress == nil {
		progress = func(string) {}
	}
	var own *solved
	for round := range o.Rounds {
		progress(fmt.Sprintf("round %d of %d: sipc", round+1, o.Rounds))
		if own, err = solve(ctx, p, o.Gap, nil); err != nil {
			return nil, err
		}
		c.EachRound = append(c.EachRound, own.seconds/float64(len(own.gaps)))
		for k := range c.Rivals {
			progress(fmt.Sprintf("round %d of %d: %s", round+1, o.Rounds, c.Rivals[k].arguments[0]))
			if err := c.Rivals[k].turn(ctx, c.EachRound[round]); err != nil {
				return nil, err
			}
		}
	}
	certificate := report.SummarizeGaps(own.gaps, o.Gap)
	c.PerRHS, c.Reached, c.WorstGap = median(c.EachRound), certificate.Reached, certificate.MaxGap
	c.conclude(own.values)
	return c, nil
}

// turn runs the rival once, beside which the solver took so long for each right-hand side.
func (r *Rival) turn(ctx context.Context, own float64) error {
	said, err := r.run(ctx)
	if err != nil {
		return err
	}
	r.said = *said
	r.EachRound = append(r.EachRound, *said.PerRHS)
	r.ratios = append(r.ratios, *said.PerRHS/own)
	if r.Of == 0 || *said.Reached < r.Reached {
		r.Reached = *said.Reached
	}
	r.Of = *said.Of
	return nil
}

// conclude sums up the rounds and finds the fastest rival that reached the gap.
func (c *Comparison) conclude(values []float64) {
	c.FastestRatio = report.Number(math.NaN())
	fastest := math.Inf(1)
	for k := range c.Rivals {
		r := &c.Rivals[k]
		r.PerRHS, r.Ratio, r.Differs = median(r.EachRound), median(r.ratios), report.Number(math.NaN())
		for i, v := range r.said.Value[:min(len(r.said.Value), len(values))] {
			r.Differs = report.Number(largest(float64(r.Differs), math.Abs(values[i]/v-1)))
		}
		if r.Of > 0 && r.Reached == r.Of && r.PerRHS < fastest {
			fastest, c.Fastest, c.FastestRatio = r.PerRHS, r.Command, report.Number(r.Ratio)
		}
	}
}

// largest returns the larger number; the first may be NaN.
func largest(a, b float64) float64 {
	if math.IsNaN(a) {
		return b
	}
	return max(a, b)
}

// patience is how long a rival that was told to end may still write.
const patience = 2 * time.Second

// run runs the rival and reads its last line.
func (r *Rival) run(ctx context.Context) (*rivalSays, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, r.arguments[0], r.arguments[1:]...) //nolint:gosec // the user's own command
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, patience
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	name := strings.Join(r.arguments, " ")
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("--compare: %s: %w%s", name, err, lastWords(stderr.Bytes(), stdout.Bytes()))
	}
	if err != nil {
		return nil, cli.WrongInput(fmt.Errorf("--compare: %s cannot be run: %w", r.arguments[0], err))
	}
	last := lastLine(stdout.Bytes())
	said := &rivalSays{}
	if err := json.Unmarshal([]byte(last), said); err != nil {
		return nil, fmt.Errorf("--compare: %s: its last line is not a JSON object with seconds_per_rhs, reached and of%s", name, lastWords(stdout.Bytes(), stderr.Bytes()))
	}
	if said.PerRHS == nil || said.Reached == nil || said.Of == nil || !(*said.PerRHS > 0) {
		return nil, fmt.Errorf("--compare: %s: its last line lacks one of seconds_per_rhs (above 0), reached and of%s", name, lastWords(stdout.Bytes()))
	}
	return said, nil
}

// lastWords returns the last line of the first output that has one.
func lastWords(outputs ...[]byte) string {
	for _, o := range outputs {
		if line := lastLine(o); line != "" {
			const most = 300
			if runes := []rune(line); len(runes) > most {
				line = string(runes[:most]) + " …"
			}
			return "; its last words: " + line
		}
	}
	return "; it said nothing"
}

func lastLine(output []byte) string {
	text := strings.TrimRight(string(output), " \t\r\n")
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// fill puts values for the placeholders.
func fill(words []string, path string, gap float64, rhs int) []string {
	r := strings.NewReplacer("{problem}", path, "{gap}", strconv.FormatFloat(gap, 'g', -1, 64), "{rhs}", strconv.Itoa(rhs))
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = r.Replace(w)
	}
	return out
}

// split cuts a command into words at blanks; quotes, single or double, keep blanks.
func split(command string) ([]string, error) {
	var (
		words []string
		word  strings.Builder
		quote rune
		begun bool
	)
	for _, c := range command + " " {
		blank := strings.ContainsRune(" \t\n", c)
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && strings.ContainsRune("'\"", c):
			quote, begun = c, true
		case quote == 0 && blank && begun:
			words = append(words, word.String())
			word.Reset()
			begun = false
		case quote != 0 || !blank:
			word.WriteRune(c)
			begun = true
		}
	}
	switch {
	case quote != 0:
		return nil, cli.WrongInput(fmt.Errorf("--compare is %q, with a quote that is not closed", command))
	case len(words) == 0 || words[0] == "":
		return nil, cli.WrongInput(errors.New("--compare is empty; it is a command such as 'python3 rival.py {problem} --gap {gap}'"))
	}
	return words, nil
}
