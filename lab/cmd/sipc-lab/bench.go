package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/floats"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/examples"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A trial is one spec to be run on real data, for several seeds, beside method plain on the same rows and features.
type trial struct {
	name       string
	spec       string // its text
	dir        string // that the spec's files are relative to
	data, test string
	set        map[string]string
	gap        float64
	metrics    []string // to be shown
}

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the program on real data: accuracy, certificates, time",
		Args:  cli.Takes(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBenchTransform(), newBenchCopies(), newBenchSize(), newBenchOrbit(), newBenchQuadratic(), newBenchMixup(), newBenchTopics(), newBenchGraph(), newBenchPolar(), newBenchBLAS(), newBenchPlugins(), newBenchFuzz(), newBenchMemory(), newBenchProve(), newBenchSigns(), newBenchLevels(), newBenchSurfaces(), newBenchLabels(), newBenchBlocks())
	return cmd
}

// The files of MNIST and of the sets that come in its form.
const (
	trainImages = "train-images-idx3-ubyte.gz"
	testImages  = "t10k-images-idx3-ubyte.gz"
)

func newBenchTransform() *cobra.Command {
	var d draws
	cmd := &cobra.Command{
		Use:   "transform MNIST-FOLDER",
		Short: "The spec two-digits on MNIST: 4 against 9, and 2 against 3",
		Args:  cli.Takes(1, 1),
		Long:  "Run the spec two-digits on MNIST: 4 against 9, and 2 against 3, beside method plain.\n\n" + wanted(&bench.Digits),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.check(cmd); err != nil {
				return err
			}
			folder, err := bench.Digits.Find(args[0])
			if err != nil {
				return err
			}
			source, err := exampleSpec("two-digits", d.train)
			if err != nil {
				return err
			}
			for _, pair := range []string{"4, 9", "2, 3"} {
				spec, err := replaceOnce(source, "binary(4, 9)", "binary("+pair+")")
				if err != nil {
					return err
				}
				t := trial{
					name: pair, spec: spec, dir: folder, gap: d.gap, metrics: []string{"accuracy"},
					data: filepath.Join(folder, trainImages), test: filepath.Join(folder, testImages),
					set: map[string]string{"training": strconv.Itoa(d.train), "held_out": strconv.Itoa(d.test)},
				}
				if err := t.run(cmd, &d); err != nil {
					return err
				}
			}
			return d.values.write()
		},
	}
	d.flags(cmd, draws{seeds: 5, train: 1000, test: 1000, gap: 1e-3})
	return cmd
}

func newBenchMixup() *cobra.Command {
	var (
		d         draws
		landmarks int
	)
	cmd := &cobra.Command{
		Use:   "mixup MNIST-FOLDER",
		Short: "The spec mixup on the ten classes of MNIST",
		Long: `Run the spec mixup on the ten classes of MNIST: embed training and test rows for every class, learn, evaluate, and say how
long each stage took and how much memory was needed. --landmarks says how many features a class has, so that
--train 1000 --test 1000 --landmarks 1000 embeds 20,000 right-hand sides in 10,000 dimensions.

` + wanted(&bench.Digits),
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.check(cmd); err != nil {
				return err
			}
			if landmarks < 0 {
				return cli.WrongCall(cmd, fmt.Errorf("--landmarks is %d; it must be at least 1", landmarks))
			}
			folder, err := bench.Digits.Find(args[0])
			if err != nil {
				return err
			}
			spec, err := exampleSpec("mixup", d.train)
			if err != nil {
				return err
			}
			if landmarks > 0 {
				if spec, err = replaceOnce(spec, "landmarks = rows", "landmarks = "+strconv.Itoa(landmarks)); err != nil {
					return err
				}
			}
			t := trial{
				name: "ten classes", spec: spec, dir: folder, gap: d.gap, metrics: []string{"accuracy", "log_loss"},
				data: filepath.Join(folder, trainImages), test: filepath.Join(folder, testImages),
				set: map[string]string{"training": strconv.Itoa(d.train), "held_out": strconv.Itoa(d.test)},
			}
			if err := t.run(cmd, &d); err != nil {
				return err
			}
			return d.values.write()
		},
	}
	d.flags(cmd, draws{seeds: 1, train: 500, test: 500, gap: 1e-2})
	cmd.Flags().IntVar(&landmarks, "landmarks", 0, "landmarks, drawn from the rows and the points of the paths (default as the spec says: the rows alone)")
	return cmd
}

// topicsData is the data block of the spec topics for a multilabel LIBSVM file with its taxonomy.
const topicsData = `let training = 200
let held_out = 200
data {
    target labels("labels.txt") : multilabel
    split  train = training, test = held_out
}
let  topics = taxonomy("hierarchy.txt")
`

func newBenchTopics() *cobra.Command {
	var d draws
	cmd := &cobra.Command{
		Use:   "topics FOLDER",
		Short: "The spec topics on a folder of train.svm.gz, test.svm.gz, labels.txt and hierarchy.txt",
		Args:  cli.Takes(1, 1),
		Long:  "Run the spec topics, with its taxonomy read from a file, beside method plain.\n\n" + wanted(&bench.Topics),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.check(cmd); err != nil {
				return err
			}
			folder, err := bench.Topics.Find(args[0])
			if err != nil {
				return err
			}
			source, err := exampleSpec("topics", d.train)
			if err != nil {
				return err
			}
			_, rest, ok := strings.Cut(source, "\nkernel")
			if !ok {
				return errors.New("the spec topics has no kernel")
			}
			t := trial{
				name: filepath.Base(folder), spec: topicsData + "kernel" + rest, dir: folder, gap: d.gap,
				metrics: []string{"hamming_accuracy", "exact_match", "micro_f1", "auprc"},
				data:    filepath.Join(folder, "train.svm.gz"), test: filepath.Join(folder, "test.svm.gz"),
				set: map[string]string{"training": strconv.Itoa(d.train), "held_out": strconv.Itoa(d.test)},
			}
			if err := t.run(cmd, &d); err != nil {
				return err
			}
			return d.values.write()
		},
	}
	d.flags(cmd, draws{seeds: 1, train: 200, test: 200, gap: 1e-2})
	return cmd
}

// wanted says which files a folder is to hold.
func wanted(s *bench.Source) string {
	return "The folder, or its folder " + s.Name + ", holds " + s.Wanted() + "."
}

// draws are the rows that a measurement takes, how often, and the gap that it asks for.
type draws struct {
	seeds, train, test int
	gap                float64
	values             values
}

// flags adds the flags that set d to a command.
func (d *draws) flags(cmd *cobra.Command, defaults draws) {
	f := cmd.Flags()
	f.IntVar(&d.seeds, "seeds", defaults.seeds, "how many seeds, from 0 on")
	f.IntVar(&d.train, "train", defaults.train, "training rows")
	f.IntVar(&d.test, "test", defaults.test, "test rows")
	f.Float64Var(&d.gap, "gap", defaults.gap, "the certified relative gap to reach")
	d.values.flag(cmd)
}

// check returns the first fault of the flags as an error of the call.
func (d *draws) check(cmd *cobra.Command) error {
	for _, f := range []counted{{"seeds", []int{d.seeds}}, {"train", []int{d.train}}, {"test", []int{d.test}}} {
		if err := f.check(cmd); err != nil {
			return err
		}
	}
	return cli.CheckGap(cmd, d.gap)
}

// counted is a flag whose numbers count something.
type counted struct {
	flag   string
	values []int
}

// check returns an error of the call where a number counts nothing.
func (c *counted) check(cmd *cobra.Command) error {
	for _, v := range c.values {
		if v < 1 {
			return cli.WrongCall(cmd, fmt.Errorf("--%s holds %d; it must be at least 1", c.flag, v))
		}
	}
	return nil
}

// A weight is that of the invariance of an example, times √n for n training rows.
type weight struct {
	invariance string
	root       float64
}

// weights returns those at which the examples are measured.
func weights() map[string]weight {
	return map[string]weight{"two-digits": {"steady", 24}, "mixup": {"mixup", 10}, "topics": {"logic", 2}}
}

var regularizes = regexp.MustCompile(`(?m)^regularize .*$`)

// exampleSpec returns the spec of an example, with the weight at which it is measured on so many training rows.
func exampleSpec(name string, train int) (string, error) {
	text, err := examples.Specs.ReadFile(name + "/" + name + ".inv")
	if err != nil {
		return "", err
	}
	w := weights()[name]
	number := strconv.FormatFloat(w.root/math.Sqrt(float64(max(1, train))), 'f', -1, 64)
	return replaceOnce(string(text), regularizes.FindString(string(text)), "regularize "+number+" * "+w.invariance)
}

// replaceOnce replaces what must occur exactly once.
func replaceOnce(text, from, to string) (string, error) {
	if strings.Count(text, from) != 1 {
		return "", fmt.Errorf("the spec does not hold %q once", from)
	}
	return strings.Replace(text, from, to, 1), nil
}

// run runs the trial for the seeds and prints a line for each, and the means.
func (t *trial) run(cmd *cobra.Command, d *draws) error {
	var reports []*report.Report
	for seed := range d.seeds {
		r, err := t.once(cmd, uint64(seed))
		if err != nil {
			return err
		}
		reports = append(reports, r)
		fmt.Fprintf(cmd.ErrOrStderr(), "%s, seed %d: %s\n", t.name, seed, t.line(r))
	}
	return t.summary(cmd.OutOrStdout(), reports, &d.values)
}

func (t *trial) once(cmd *cobra.Command, seed uint64) (*report.Report, error) {
	spec := sipc.NewSpec(cmd.Context(), filepath.Join(t.dir, "bench.inv"), []byte(t.spec), sipc.SpecOptions{Set: t.set})
	if err := spec.Err(); err != nil {
		return nil, err
	}
	defer spec.Close() //nolint:errcheck // the specs use no plugin
	progress, err := cli.NewProgress(cmd)
	if err != nil {
		return nil, err
	}
	defer progress.Close()
	return sipc.Run(cmd.Context(), spec, sipc.RunOptions{
		Data: t.data, Test: t.test, Seed: &seed, Baseline: true, Gap: t.gap, Progress: cli.Follow(progress),
	})
}

// line returns a run on one line.
func (t *trial) line(r *report.Report) string {
	var parts []string
	for _, m := range t.metrics {
		v, _ := r.Metrics.Figures.Get(m)
		p, _ := r.Baseline.Metrics.Figures.Get(m)
		parts = append(parts, fmt.Sprintf("%s %.4f (plain %.4f)", m, v, p))
	}
	return fmt.Sprintf("%s, %d of %d gaps ≤ %.0e, largest %.2g, %.0f s", strings.Join(parts, ", "),
		r.Certificate.Reached, r.Certificate.Count, float64(r.Certificate.Target), float64(r.Certificate.MaxGap), total(r))
}

func total(r *report.Report) float64 {
	v, _ := r.Timing.Get("total")
	return v
}

// summary prints means and standard deviations over the seeds.
func (t *trial) summary(out io.Writer, reports []*report.Report, v *values) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	first := reports[0]
	fmt.Fprintf(w, "%s: %d training and %d test rows, %d dimensions, %d seeds\n", t.name, first.NTrain, first.NTest, first.Dim, len(reports))
	fmt.Fprintf(w, "\t%s\tplain\tdifference\n", first.Method)
	for _, m := range t.metrics {
		for k := -1; k < len(first.Under); k++ {
			name, rows := m, asTheyAre
			if k >= 0 {
				rows = first.Under[k].Transformation
				name = m + " under " + rows
			}
			own, plain := figuresOf(reports, m, k)
			spread(w, name, own, plain)
			v.add(t.name, rows, first.Method, m, own)
			v.add(t.name, rows, "plain", m, plain)
		}
	}
	reached, count, worst, slowest := 0, 0, 0.0, 0.0
	for _, r := range reports {
		reached, count = reached+r.Certificate.Reached, count+r.Certificate.Count
		worst, slowest = math.Max(worst, float64(r.Certificate.MaxGap)), math.Max(slowest, total(r))
	}
	fmt.Fprintf(w, "certificates\t%d of %d ≤ %.0e, largest %.2g\n", reached, count, float64(first.Certificate.Target), worst)
	fmt.Fprintf(w, "slowest run\t%.0f s, baseline included\n", slowest)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out, "stages of the last run: "+stages(reports[len(reports)-1]))
	fmt.Fprintln(out, "peak memory of the process: "+bytesText(bench.PeakMemory()))
	return nil
}

// stages returns the seconds that each stage of a run took.
func stages(r *report.Report) string {
	var parts []string
	for _, f := range r.Timing.Figures {
		parts = append(parts, fmt.Sprintf("%s %.1f s", f.Name, f.Value))
	}
	return strings.Join(parts, ", ")
}

// figuresOf returns a figure of the method and of plain by seed, under a numbered transformation. Below 0 means rows as they are.
func figuresOf(reports []*report.Report, metric string, under int) (own, plain []float64) {
	for _, r := range reports {
		m, p := r.Metrics, r.Baseline.Metrics
		if under >= 0 {
			m, p = r.Under[under].Metrics, r.Baseline.Under[under].Metrics
		}
		a, _ := m.Figures.Get(metric)
		b, _ := p.Figures.Get(metric)
		own, plain = append(own, a), append(plain, b)
	}
	return own, plain
}

// spread prints mean ± standard deviation of both methods and the mean of their differences.
func spread(w io.Writer, name string, a, b []float64) {
	d := make([]float64, len(a))
	floats.SubTo(d, a, b)
	am, as := meanDeviation(a)
	bm, bs := meanDeviation(b)
	dm, ds := meanDeviation(d)
	fmt.Fprintf(w, "%s\t%.4f ± %.4f\t%.4f ± %.4f\t%+.4f ± %.4f\n", name, am, as, bm, bs, dm, ds)
}

// meanDeviation returns the mean and the standard deviation of a sample, 0 for one number.
func meanDeviation(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(deviation)
}
