package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/lab/reproduce"
)

// The parts of the paper that can be reproduced.
const (
	partFigures = "figures"
	partTheory  = "theory"
)

func reproducible() []string {
	return []string{string(reproduce.Table1), string(reproduce.Table2), string(reproduce.Table3), reproduce.Hierarchies, partFigures, partTheory}
}

// A reproduction is what the command is asked for.
type reproduction struct {
	options reproduce.Options
	seed    uint64
	date    string
}

func newReproduce() *cobra.Command {
	var r reproduction
	cmd := &cobra.Command{
		Use:   "reproduce [table1|table2|table3|hmc|figures|theory] --data DIR --out DIR",
		Short: "Run the experiments of the paper again, its figures beside ours",
		Long: `Run the experiments of the paper again. DIR of --data holds the data sets: mnist, usps and fashion with IDX files, enron,
reuters-k500 and wipo with multilabel LIBSVM files, labels.txt and hierarchy.txt, hmc with ARFF files; theory needs none. Without a name all parts
are made, but for those that have none of --cells or --only.

The folder of --out gets a page for each part, the figures of all runs as CSV, pictures as SVG, and a file for each piece of
work that is done. Stopped and started again with the same flags, the command does what is missing. Hyper-parameters are chosen on
training rows held out, as many for each contender; the page prints the search space.`,
		Example: "  sipc-lab reproduce table2 --data data --out results --cells 'mnist-n500-p500'",
		Args:    cli.Arguments(cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs)), ValidArgs: reproducible(),
		RunE: r.run,
	}
	r.flags(cmd)
	return cmd
}

// flags declares the command's flags.
func (r *reproduction) flags(cmd *cobra.Command) {
	f, o := cmd.Flags(), &r.options
	f.StringVar(&o.Data, "data", "", "the `folder` of the data sets")
	f.StringVar(&o.Out, "out", "reproduction", "the `folder` of the results")
	f.StringSliceVar(&o.Cells, "cells", nil, "only cells of these names, `patterns` such as mnist-n500-*")
	f.StringSliceVar(&o.Only, "only", nil, "only these `contenders`, such as embed,svm")
	f.IntVar(&o.Runs, "runs", 0, "how many draws of rows (default 10, of table1 5); hmc has one published split")
	f.IntVar(&o.Rows, "rows", 0, "as many rows in place of n, and pairs in proportion, to try things out")
	f.IntVar(&o.Settings, "settings", 0, "compare only the first settings of each search space")
	f.Uint64Var(&r.seed, "seed", 1, "the seed of the spaces of theory; runs of tables have seeds of their own")
	f.StringVar(&r.date, "date", "", "the date on the pages (default today)")
}

// run makes one part, or all.
func (r *reproduction) run(cmd *cobra.Command, args []string) error {
	if err := checkReproduce(cmd, &r.options, r.date, args); err != nil {
		return err
	}
	about := reproduce.About{Command: commandLine(cmd, args), Machine: machineText(), Date: r.date}
	if about.Date == "" {
		about.Date = time.Now().Format(time.DateOnly)
	}
	var err error
	if len(args) == 0 {
		err = reproduceAll(cmd, r.options, r.seed, about)
	} else {
		err = reproducePart(cmd, args[0], r.options, r.seed, about)
	}
	if _, ok := errors.AsType[*reproduce.NothingError](err); ok {
		err = cli.WrongInput(err)
	}
	return err
}

// reproduceAll makes all parts, but for those of which --cells and --only ask nothing. What no part has is wrong.
func reproduceAll(cmd *cobra.Command, o reproduce.Options, seed uint64, about reproduce.About) error {
	var nothing error
	asked := false
	for _, part := range reproducible() {
		if part == partTheory && !asked { // which has no cells
			return nothing
		}
		err := reproducePart(cmd, part, o, seed, about)
		if none, ok := errors.AsType[*reproduce.NothingError](err); ok {
			nothing = errors.Join(nothing, fmt.Errorf("%s: %w", part, none))
			continue
		}
		if err != nil {
			return err
		}
		asked = true
	}
	return nil
}

// idle returns the flags that the named part does not use, with the reason.
func idle(part string) (flags []string, why string) {
	switch part {
	case partTheory:
		return []string{"cells", "only", "runs", "rows", "settings"}, "theory has neither cells nor contenders, and draws its own spaces"
	case reproduce.Hierarchies:
		return []string{"runs", "seed"}, "each set of hmc has one run, on its published split"
	}
	return []string{"seed"}, "runs have seeds of their own"
}

// checkIdle refuses flags that the part that is named would pass over.
func checkIdle(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	flags, why := idle(args[0])
	for _, name := range flags {
		if cmd.Flags().Changed(name) {
			return cli.WrongCall(cmd, fmt.Errorf("--%s is of no use here: %s; leave it out", name, why))
		}
	}
	return nil
}

// isDate reports whether a date can stand on a page; none is today.
func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return text == "" || err == nil
}

func checkReproduce(cmd *cobra.Command, o *reproduce.Options, date string, args []string) error {
	needsData := len(args) == 0 || args[0] != partTheory
	if err := checkIdle(cmd, args); err != nil {
		return err
	}
	switch {
	case o.Data == "" && needsData:
		return cli.WrongCall(cmd, fmt.Errorf("name the folder of the data sets by --data"))
	case o.Out == "":
		return cli.WrongCall(cmd, fmt.Errorf("name the folder of the results by --out"))
	case o.Runs < 0 || o.Settings < 0, cmd.Flags().Changed("runs") && o.Runs == 0, cmd.Flags().Changed("settings") && o.Settings == 0:
		return cli.WrongCall(cmd, fmt.Errorf("--runs and --settings must be at least 1"))
	case !isDate(date):
		return cli.WrongCall(cmd, fmt.Errorf("--date is %q; write it as 2006-01-02", date))
	case o.Rows < 0 || (o.Rows > 0 && o.Rows < 8):
		return cli.WrongCall(cmd, fmt.Errorf("--rows is %d; it must be at least 8", o.Rows))
	}
	for _, name := range o.Only {
		if !slices.Contains(reproduce.ContenderNames(), name) {
			return cli.WrongCall(cmd, fmt.Errorf("--only names %q; there are %s", name, strings.Join(reproduce.ContenderNames(), ", ")))
		}
	}
	return nil
}

// quoted quotes a word for a shell where it must.
func quoted(word string) string {
	if strings.ContainsAny(word, " *?[]{}$\"\\") {
		return "'" + word + "'"
	}
	return word
}

// commandLine returns the command as a reader can give it again.
func commandLine(cmd *cobra.Command, args []string) string {
	out := []string{"sipc-lab", "reproduce"}
	out = append(out, args...)
	for _, name := range []string{"data", "cells", "only", "runs", "rows", "settings", "seed"} {
		if f := cmd.Flags().Lookup(name); f.Changed {
			out = append(out, "--"+name, quoted(strings.Trim(f.Value.String(), "[]")))
		}
	}
	return strings.Join(out, " ")
}

func machineText() string {
	m := bench.ThisMachine()
	cpu := m.CPU
	if cpu == "" {
		cpu = "unknown processor"
	}
	return fmt.Sprintf("%s, %d threads, %s/%s, linear algebra %s", cpu, runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH, m.BLAS)
}

func reproducePart(cmd *cobra.Command, part string, o reproduce.Options, seed uint64, about reproduce.About) error {
	if part == partTheory {
		t, err := reproduce.Analyse(cmd.Context(), seed)
		if err != nil {
			return err
		}
		if err := t.Write(o.Out, about); err != nil {
			return err
		}
		return wrote(cmd.OutOrStdout(), o.Out, part)
	}
	progress, err := cli.NewProgress(cmd)
	if err != nil {
		return err
	}
	defer progress.Close()
	o.Stage = cli.Follow(progress)
	o.Progress = func(p reproduce.Progress) {
		progress.Clear()
		fmt.Fprintln(cmd.ErrOrStderr(), progressLine(&p))
	}
	if part == reproduce.Hierarchies {
		return reproduceHierarchies(cmd, o, about)
	}
	cells := reproduce.FigureCells()
	if part != partFigures {
		cells = reproduce.Cells(reproduce.Table(part))
	}
	tables, err := reproduce.Reproduce(cmd.Context(), cells, o)
	progress.Clear()
	if err != nil {
		return stopped(cmd, err)
	}
	if err := tables.Write(o.Out, part, about); err != nil {
		return err
	}
	return wrote(cmd.OutOrStdout(), o.Out, part)
}

// reproduceHierarchies makes the part about hierarchical sets.
func reproduceHierarchies(cmd *cobra.Command, o reproduce.Options, about reproduce.About) error {
	table, err := reproduce.Classify(cmd.Context(), o)
	if err != nil {
		return stopped(cmd, err)
	}
	if err := table.Write(o.Out, about); err != nil {
		return err
	}
	return wrote(cmd.OutOrStdout(), o.Out, reproduce.Hierarchies)
}

// stopped says what is kept, where the work was interrupted.
func stopped(cmd *cobra.Command, err error) error {
	if !cli.Interrupted(cmd.Context(), err) {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "interrupted; what is done is kept, and the same command goes on from there")
	return cli.ExitError(cli.ExitFailed)
}

func wrote(w io.Writer, out, part string) error {
	_, err := fmt.Fprintln(w, filepath.Join(out, part+".md"))
	return err
}

// progressLine says which unit is done and how much is left.
func progressLine(p *reproduce.Progress) string {
	text := fmt.Sprintf("%d of %d  %s", p.Done, p.Total, p.Unit)
	if p.Found {
		return text + ": done before"
	}
	text = fmt.Sprintf("%s: %.1f s, about %s left", text, p.Seconds, p.Left)
	if p.Broken != "" {
		text += fmt.Sprintf("; done again, as its file was not a result: %s", p.Broken)
	}
	return text
}
