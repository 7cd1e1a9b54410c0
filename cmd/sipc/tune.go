package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// tuneHelp says what tune does.
const tuneHelp = `Choose the numbers for which SPEC has grids, by cross-validation on the training rows of DATA, as run does. All combinations are shown,
the best first. Test rows are not looked at.

--rival tunes other machines on the same folds. --nested 5 tells what all of this is worth on new rows: each of five folds of the training rows is
predicted by models of the others, for which everything was chosen anew. Under split time they are models of the rows before the fold.
--out writes the spec with the chosen numbers in place of its grids.

A let can be left open from outside: --set 'width=grid(0.5, 1, 2)'.`

// A tuning is a call of tune.
type tuning struct {
	o             sipc.RunOptions
	sets, rivals  []string
	method, out   string
	baseline      string
	nested        int
	seed          uint64
	asJSON, trust bool
}

func newTune() *cobra.Command {
	var t tuning
	cmd := &cobra.Command{
		Use:     "tune SPEC DATA",
		Short:   "Choose the numbers that a spec leaves open, and write the spec that has them",
		Long:    tuneHelp,
		Example: "  sipc tune examples/houses/houses.inv examples/houses/houses.csv --nested 5 --rival ridge --out tuned.inv",
		Args:    cli.Takes(2, 2),
		RunE:    func(cmd *cobra.Command, args []string) error { return t.run(cmd, args[0], args[1]) },
	}
	f := cmd.Flags()
	f.StringVar(&t.out, "out", "", "write the spec with the chosen numbers to a `file`")
	f.IntVar(&t.nested, "nested", 0, "also report nested cross-validation in so many `folds`")
	f.StringArrayVar(&t.rivals, "rival", nil, "also tune another `machine` on the same folds: "+rivalNames()+"; may be repeated")
	f.StringVar(&t.baseline, "baseline", "", "in nested cross-validation also report a `method` without R: plain")
	f.Uint64Var(&t.seed, "seed", 0, "the seed of every draw (default the spec's, else 0)")
	f.StringArrayVar(&t.sets, "set", nil, "override a let of the spec: `NAME=VALUE`; may be repeated")
	f.StringVar(&t.method, "method", "", "override the spec's `method`")
	f.Float64Var(&t.o.Gap, "gap", 0, "the certified relative `gap` of fits (default 1e-3)")
	f.BoolVar(&t.trust, "trust", false, "trust the programs that the spec names, and pin them in sipc.lock, as plugin add does")
	f.BoolVar(&t.asJSON, "json", false, "print one JSON object instead of tables")
	return cmd
}

// check refuses flags that are wrong, and fills in the options.
func (t *tuning) check(cmd *cobra.Command, data string) (err error) {
	if err := checkRunFlags(cmd, &t.o, t.method, t.baseline, ""); err != nil {
		return err
	}
	switch {
	case cmd.Flags().Changed("nested") && t.nested < 2:
		return cli.WrongCall(cmd, fmt.Errorf("--nested is %d; nested cross-validation takes 2 folds or more", t.nested))
	case t.baseline != "" && t.nested == 0:
		return cli.WrongCall(cmd, errors.New("--baseline is given without --nested; only there are models compared on rows that chose nothing"))
	}
	if t.out != "" {
		if err := sipc.KeepsInputs([]string{t.out}, data); err != nil {
			return cli.WrongCall(cmd, err)
		}
	}
	if cmd.Flags().Changed("seed") {
		t.o.Seed = &t.seed
	}
	t.o.Data, t.o.Method, t.o.Baseline = data, setting.Method(t.method), t.baseline != ""
	t.o.Rivals, err = rivalsOf(cmd, t.rivals)
	return err
}

func (t *tuning) run(cmd *cobra.Command, path, data string) error {
	if err := t.check(cmd, data); err != nil {
		return err
	}
	progress, err := cli.NewProgress(cmd)
	if err != nil {
		return err
	}
	defer progress.Close()
	t.o.Progress = cli.Follow(progress)
	spec, err := soundSpec(cmd, path, t.sets, t.trust)
	if err != nil {
		return err
	}
	defer spec.Close() //nolint:errcheck // a plugin that does not end well has done its work
	if err := spec.GridElsewhere(); err != nil && t.out != "" {
		return cli.WrongInput(err)
	}
	t.o.Warn = func(d *diag.Diagnostic) {
		progress.Clear()
		cli.RenderSources(cmd.ErrOrStderr(), spec.Sources(), diag.List{d})
	}
	out, source, err := t.tune(cmd.Context(), spec)
	progress.Clear()
	if err != nil {
		return err
	}
	if t.asJSON {
		err = out.WriteJSON(cli.Data(cmd.OutOrStdout()))
	} else {
		err = out.WriteTable(cmd.OutOrStdout())
	}
	if err != nil || t.out == "" {
		return err
	}
	if err := replaceFile(t.out, func(w io.Writer) error { _, err := w.Write(source); return err }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s\n", t.out)
	return err
}

// tune chooses, and then does the same in folds where that is asked for.
func (t *tuning) tune(ctx context.Context, spec *sipc.Spec) (*report.Tuning, []byte, error) {
	out, source, err := sipc.Tune(ctx, spec, t.o)
	if err != nil || t.nested == 0 {
		return out, source, err
	}
	o := t.o
	o.Warn = nil // which has told of the spec already
	out.Nested, err = sipc.RunFolds(ctx, spec, o, t.nested)
	return out, source, err
}
