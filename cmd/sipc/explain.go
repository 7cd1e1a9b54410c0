package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/report"
)

// explainFlags holds the flags of explain.
type explainFlags struct {
	sets          []string
	seed          uint64
	asJSON        bool
	model         string
	data          string
	draw, against string
	surfaces      int
	test          string
	top           int
}

func newExplain() *cobra.Command {
	var o explainFlags
	cmd := &cobra.Command{
		Use:   "explain SPEC [DATA] | CODE | WORD | --model MODEL",
		Short: "Show the proof of each invariance and its norm ball, whether data obey it, and what is active on a fit",
		Long: `Draw the proof that each invariance is convex, a node a line: the expression, its kind and sign, its place in the spec and the
rule; say whether R is a seminorm and where it is differentiable; and write out S, the norm ball behind it.

With DATA, ask whether each invariance is true of the labels of the training rows: how many rows break it, and which of its
statements they break most often.

With --model and the model.sipc that sipc run --out wrote, show what each invariance comes to on the fit, and which of its
members are active: which rows, implications, edges, transformations or places on a path. Of additive and pairwise kernels, list columns
and pairs by the variance of their curves and surfaces.

Where SPEC is -, it is read from standard input.

With a CODE such as E401, print what the message means, with a wrong and a right example. With a WORD of the language or of a built-in
family, such as increasing, implies or rotate, print its definition or what it means.`,
		Example: "  sipc explain examples/topics/topics.inv examples/topics/documents.csv\n  sipc explain E401\n  sipc explain convex",
		Args:    o.check,
		RunE:    func(cmd *cobra.Command, args []string) error { return explain(cmd, args, &o) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.sets, "set", nil, "override a let: `NAME=VALUE`; may be repeated")
	f.Uint64Var(&o.seed, "seed", 0, "the seed of every draw (default the spec's, else 0)")
	f.StringVar(&o.test, "test", "", "a `file` of test rows; with it every row of DATA is a training row")
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object instead of text")
	f.StringVar(&o.model, "model", "", "a `file` that sipc run --out wrote, in place of a spec")
	f.StringVar(&o.data, "data", "", "with --model: a `file` of rows over which the parts of f are measured, in place of training rows")
	f.StringVar(&o.draw, "draw", "", "with --model: draw its curves and surfaces into a `folder`, and a page index.html that shows them")
	f.StringVar(&o.against, "against", "", "with --draw: another `model` to draw beside, in place of the same without what is required")
	f.IntVar(&o.surfaces, "surfaces", 6, "with --draw: draw the `N` surfaces of the largest variance")
	f.IntVar(&o.top, "top", 5, "show the first `N` statements or members of each invariance, and parts of f (without it 12)")
	return cmd
}

// check reports flags and arguments that do not go together.
func (o *explainFlags) check(cmd *cobra.Command, args []string) error {
	if err := o.checkDrawing(cmd); err != nil {
		return err
	}
	switch {
	case o.top < 1:
		return cli.WrongCall(cmd, fmt.Errorf("--top is %d; it must be at least 1", o.top))
	case o.model == "":
		return cli.Takes(1, 2)(cmd, args)
	case len(args) > 0 || len(o.sets) > 0 || cmd.Flags().Changed("seed") || o.test != "":
		return cli.WrongCall(cmd, errors.New("--model takes no spec, data, --test, --set or --seed: the model knows its own"))
	}
	return nil
}

// checkDrawing reports flags about pictures and rows that do not go together.
func (o *explainFlags) checkDrawing(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	switch {
	case o.model == "" && o.data != "":
		return cli.WrongCall(cmd, errors.New("--data goes with --model; without it data follow the spec"))
	case o.model == "" && changed("draw"):
		return cli.WrongCall(cmd, errors.New("--draw goes with --model: a spec has no curves before it is run; sipc run has --draw too"))
	case !changed("draw") && (changed("against") || changed("surfaces")):
		return cli.WrongCall(cmd, errors.New("--against and --surfaces go with --draw"))
	case changed("draw") && (o.draw == "" || o.asJSON):
		return cli.WrongCall(cmd, errors.New("--draw names a folder, and goes without --json"))
	case o.surfaces < 1:
		return cli.WrongCall(cmd, fmt.Errorf("--surfaces is %d; it must be at least 1", o.surfaces))
	}
	return nil
}

func explain(cmd *cobra.Command, args []string, o *explainFlags) error {
	if o.model != "" {
		return explainModel(cmd, o)
	}
	if page, err := pageOf(cmd.Context(), args[0]); err != nil {
		return cli.WrongCall(cmd, err)
	} else if page != "" && len(args) == 1 {
		return explainWord(cmd, page, o.asJSON)
	}
	spec, err := soundSpec(cmd, args[0], o.sets, false)
	if err != nil {
		return err
	}
	defer spec.Close() //nolint:errcheck // a plugin that does not end well has done its work
	on := sipc.ExplainOptions{Test: o.test}
	if len(args) > 1 {
		on.Data = args[1]
	}
	if cmd.Flags().Changed("seed") {
		on.Seed = &o.seed
	}
	out, err := spec.Explain(cmd.Context(), on)
	if err != nil {
		return err
	}
	warnings := append(append(diag.List{}, spec.Diagnostics...), out.Warnings...)
	cli.RenderSources(cmd.ErrOrStderr(), spec.Sources(), warnings)
	if o.asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), explained(out, o.top))
	}
	return writeExplanation(cmd.OutOrStdout(), out, o.top)
}

// usualParts is how many parts of f are shown where --top says nothing.
const usualParts = 12

// explainModel shows what each invariance comes to on a fit, and its active members.
func explainModel(cmd *cobra.Command, o *explainFlags) error {
	if o.draw != "" {
		return draw(cmd, o)
	}
	w, err := sipc.Witnesses(cmd.Context(), o.model, o.data)
	if err != nil {
		return cli.WrongInput(err)
	}
	parts := w.Components
	if w = w.Top(o.top); !cmd.Flags().Changed("top") {
		w.Components = parts.Top(usualParts)
	}
	if o.asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), w)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), w.Text())
	return err
}

// draw draws a model's function into a folder.
func draw(cmd *cobra.Command, o *explainFlags) error {
	on := sipc.DrawOptions{Data: o.data, Surfaces: o.surfaces}
	m, err := sipc.LoadModel(cmd.Context(), o.model)
	if err == nil && o.against != "" {
		on.Against, err = sipc.LoadModel(cmd.Context(), o.against)
	}
	if err != nil {
		return cli.WrongInput(err)
	}
	paths, err := sipc.Draw(cmd.Context(), m, o.draw, on)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "wrote %s and %d pictures that it shows\n", paths[0], len(paths)-1)
	return err
}

// explainedJSON holds what explain --json prints.
type explainedJSON struct {
	*compiler.Explanation
	Rows int           `json:"rows,omitempty"` // of the training data
	Lint []report.Lint `json:"lint,omitempty"`
}

func explained(e *sipc.Explanation, top int) *explainedJSON {
	out := &explainedJSON{Explanation: e.Explanation, Rows: e.Rows, Lint: append([]report.Lint(nil), e.Lint...)}
	for i := range out.Lint {
		out.Lint[i].Keep(top)
	}
	return out
}

func writeExplanation(w io.Writer, e *sipc.Explanation, top int) error {
	text := e.Shown()
	if e.Lint != nil {
		text += fmt.Sprintf("\nAre they true of the labels of the %d training rows?\n\n%s", e.Rows, report.LintText(e.Lint, top))
	}
	_, err := io.WriteString(w, text)
	return err
}
