package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/lab/reproduce"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// copies are runs of the spec two-digits at fixed weights and one fixed strength. Beside them stand method plain, and the same machine on
// copies of the rows under the spec's transformations.
type copies struct {
	train       []int // numbers of training rows
	weights     []int // times √n
	seeds, test int
	strength    float64 // C of every learner
	gap         float64
	values      values
}

func newBenchCopies() *cobra.Command {
	var c copies
	cmd := &cobra.Command{
		Use:   "copies MNIST-FOLDER",
		Short: "R of the spec two-digits beside copies of the rows, on MNIST",
		Long: `Run the spec two-digits on MNIST, 4 against 9 and 2 against 3, by method risk at fixed weights; and beside it the same kernel
machine with R = 0, on the rows (plain) and on the rows with their copies under the spec's transformations (augment). No setting is
chosen, and every row and copy is a landmark. Print one table in Markdown: per cent of accuracy, and paired differences ± half of their 95 % interval.

` + wanted(&bench.Digits),
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.check(cmd); err != nil {
				return err
			}
			folder, err := bench.Digits.Find(args[0])
			if err != nil {
				return err
			}
			return c.run(cmd, folder)
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&c.train, "train", []int{60, 100, 250}, "numbers of training rows")
	f.IntSliceVar(&c.weights, "weights", []int{4, 16, 64}, "weights of R, over √n for n training rows")
	f.IntVar(&c.seeds, "seeds", 5, "how many seeds, from 0 on")
	f.IntVar(&c.test, "test", 1900, "test rows")
	f.Float64Var(&c.strength, "strength", 1, "C of every learner")
	f.Float64Var(&c.gap, "gap", model.DefaultGap, "the certified relative gap to reach")
	c.values.flag(cmd)
	return cmd
}

// check returns the first fault of the flags as an error of the call.
func (c *copies) check(cmd *cobra.Command) error {
	for _, f := range []counted{{"train", c.train}, {"weights", c.weights}, {"seeds", []int{c.seeds}}, {"test", []int{c.test}}} {
		if err := f.check(cmd); err != nil {
			return err
		}
	}
	if !(c.strength > 0) || math.IsInf(c.strength, 1) {
		return cli.WrongCall(cmd, fmt.Errorf("--strength is %g; it must be positive", c.strength))
	}
	return cli.CheckGap(cmd, c.gap)
}

// run prints the table, each cell as soon as it is known.
func (c *copies) run(cmd *cobra.Command, folder string) error {
	out := cmd.OutOrStdout()
	fmt.Fprint(out, "| digits, n | test rows | plain |")
	for _, w := range c.weights {
		fmt.Fprintf(out, " R at %d/√n − plain |", w)
	}
	fmt.Fprintf(out, " augment − plain | R at %d/√n − augment |\n|%s\n", c.weights[len(c.weights)-1], strings.Repeat("---|", 5+len(c.weights)))
	for _, pair := range []string{"4, 9", "2, 3"} {
		for _, n := range c.train {
			if err := c.cell(cmd, folder, pair, n); err != nil {
				return err
			}
		}
	}
	return c.values.write()
}

// cell prints the lines of a pair of digits and a number of training rows.
func (c *copies) cell(cmd *cobra.Command, folder, pair string, n int) error {
	var at []*report.Summary // by weight
	for k, w := range c.weights {
		s, err := c.summarize(cmd, folder, pair, n, w, k == 0)
		if err != nil {
			return err
		}
		if len(s.Failed) > 0 { // its figures would be paired with those of other seeds
			return fmt.Errorf("%s, n = %d, weight %d/√n, seed %d: %s", pair, n, w, s.Failed[0].Seed, s.Failed[0].Error)
		}
		tellMissed(cmd, fmt.Sprintf("%s, n = %d, weight %d/√n", pair, n, w), s)
		at = append(at, s)
	}
	name := strings.Replace(pair, ",", " against", 1) + ", " + strconv.Itoa(n)
	first := name
	for under := -1; under < len(at[0].Under); under++ {
		rows := asTheyAre
		if under >= 0 {
			rows = at[0].Under[under].Transformation
		}
		fmt.Fprintf(cmd.OutOrStdout(), "| %s | %s |", first, rows)
		writeCopies(cmd.OutOrStdout(), at, under)
		c.keep(name, rows, at, under)
		first = ""
	}
	return nil
}

// tellMissed writes at which seeds a gap was missed: that of R, or that of a machine beside it.
func tellMissed(cmd *cobra.Command, of string, s *report.Summary) {
	for _, seed := range s.GapsMissed {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s, seed %d: R missed its gap\n", of, seed)
	}
	for _, c := range s.Contenders {
		for _, seed := range c.GapsMissed {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s, seed %d: %s missed its gap\n", of, seed, c.Name)
		}
	}
}

// writeCopies ends a line of the table: that of the test rows under a transformation, or as they are where its number is below 0.
func writeCopies(out io.Writer, at []*report.Summary, under int) {
	plain, augment := contender(at[0], 0, under), contender(at[0], 1, under)
	fmt.Fprintf(out, " %.2f |", 100*stat.Mean(plain, nil))
	var own []float64
	for _, s := range at {
		own = accuracies(s, under)
		writeDifference(out, own, plain)
	}
	writeDifference(out, augment, plain)
	writeDifference(out, own, augment)
	fmt.Fprintln(out)
}

// keep keeps the accuracies of a line, seed by seed.
func (c *copies) keep(cell, rows string, at []*report.Summary, under int) {
	add := func(contender string, bySeed []float64) { c.values.add(cell, rows, contender, metric.Accuracy, bySeed) }
	add("plain", contender(at[0], 0, under))
	for k, w := range c.weights {
		add(fmt.Sprintf("R at %d/√n", w), accuracies(at[k], under))
	}
	add("augment", contender(at[0], 1, under))
}

// accuracies returns the accuracy of a method, seed by seed.
func accuracies(s *report.Summary, under int) []float64 {
	of := s.Metrics
	if under >= 0 {
		of = s.Under[under].Metrics
	}
	k := slices.IndexFunc(of, func(m report.Spread) bool { return m.Metric == metric.Accuracy })
	return numbers(&of[k])
}

// contender returns the accuracy of a contender, seed by seed.
func contender(s *report.Summary, c, under int) []float64 {
	of := s.Contenders[c].Metrics
	if under >= 0 {
		of = s.Contenders[c].Under[under].Metrics
	}
	k := slices.IndexFunc(of, func(m report.Compared) bool { return m.Metric == metric.Accuracy })
	return numbers(&of[k].Spread)
}

func numbers(s *report.Spread) []float64 {
	var out []float64
	for _, v := range s.Values {
		out = append(out, float64(v))
	}
	return out
}

// writeDifference writes a − b in points, with its interval where there are two seeds or more.
func writeDifference(out io.Writer, a, b []float64) {
	d := reproduce.Paired(a, b)
	text := strings.Replace(fmt.Sprintf("%+.2f", 100*d.Mean), "-", "−", 1)
	if text == "−0.00" {
		text = "+0.00"
	}
	if d.Runs > 1 {
		text += fmt.Sprintf(" ± %.2f", 100*d.Half)
	}
	fmt.Fprintf(out, " %s |", text)
}

// summarize runs the spec at a weight under all seeds, with the contenders or without.
func (c *copies) summarize(cmd *cobra.Command, folder, pair string, n, weight int, beside bool) (*report.Summary, error) {
	text, err := c.spec(pair, n, weight)
	if err != nil {
		return nil, err
	}
	set := map[string]string{"training": strconv.Itoa(n), "held_out": strconv.Itoa(c.test)}
	spec := sipc.NewSpec(cmd.Context(), filepath.Join(folder, "bench.inv"), []byte(text), sipc.SpecOptions{Set: set})
	if err := spec.Err(); err != nil {
		return nil, err
	}
	defer spec.Close() //nolint:errcheck // the spec uses no plugin
	progress, err := cli.NewProgress(cmd)
	if err != nil {
		return nil, err
	}
	defer progress.Close()
	o := sipc.RunOptions{
		Data: filepath.Join(folder, trainImages), Test: filepath.Join(folder, testImages), Method: setting.Risk, Gap: c.gap,
		Baseline: beside, Progress: cli.Follow(progress),
	}
	if beside {
		o.Rivals = []sipc.RivalOptions{{Name: rival.Augment, Setting: &rival.Setting{C: c.strength}}}
	}
	seeds := make([]uint64, c.seeds)
	for k := range seeds {
		seeds[k] = uint64(k)
	}
	return sipc.RunSeeds(cmd.Context(), spec, o, seeds)
}

// everyPoint is how many points a training row and its copies are.
const everyPoint = 9

// spec returns the spec two-digits for other digits, at a weight and a strength. Every row and every copy is a landmark, so that every fit is
// the minimum over the whole space, with R, without it and with copies.
func (c *copies) spec(pair string, n, weight int) (string, error) {
	text, err := exampleSpec("two-digits", n)
	if err != nil {
		return "", err
	}
	root := strconv.FormatFloat(float64(weight)/math.Sqrt(float64(n)), 'f', -1, 64)
	for _, r := range []struct{ from, to string }{
		{regularizes.FindString(text), "regularize " + root + " * " + weights()["two-digits"].invariance},
		{"landmarks = all", "landmarks = " + strconv.Itoa(everyPoint*n)},
		{"binary(4, 9)", "binary(" + pair + ")"},
		{"svm(C = 1)", "svm(C = " + strconv.FormatFloat(c.strength, 'f', -1, 64) + ")"},
	} {
		if text, err = replaceOnce(text, r.from, r.to); err != nil {
			return "", err
		}
	}
	return text, nil
}
