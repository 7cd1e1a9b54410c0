package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/report"
)

func newProve() *cobra.Command {
	var (
		o      sipc.ProveOptions
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "prove MODEL [STATEMENT...]",
		Short: "Decide whether a model keeps statements, everywhere on their regions",
		Long: `Decide whether a model keeps statements, everywhere on their regions: those that its spec requires, or those behind the model. The verdicts
follow from the numbers in the model file alone, by arithmetic with bounds of its rounding. A statement is proved, with a lower bound; refuted, at
a point that anybody can evaluate; or open, where the work that is allowed decides nothing. The exit status is 1 unless all are proved.

A STATEMENT is written as behind the word require of a spec, with or without a name. It knows the columns, types, categories, labels and
ranges of the model, and no let or definition of its spec. A spec without require will do. Write -- before a statement that begins with a minus sign.`,
		Example: `  sipc prove houses.sipc
  sipc prove houses.sipc 'rising = d/d(area) f >= 0 over x in box(area = [20, 400], others = box)' 'f(x) >= 0 over x in box'
  sipc prove houses.sipc --data houses.csv 'f(x) <= 900 over x in rows'`,
		Args: cli.Takes(1, cli.AnyNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Cells < 0 {
				return cli.WrongCall(cmd, fmt.Errorf("--cells is %d, and must be at least 0", o.Cells))
			}
			m, err := sipc.LoadModel(cmd.Context(), args[0])
			if err != nil {
				return cli.WrongInput(err)
			}
			if o.Statements = args[1:]; o.Data != "" && len(o.Statements) == 0 {
				return cli.WrongCall(cmd, errors.New("--data gives rows to statements behind the model, and there are none; those of the spec have theirs"))
			}
			progress, err := cli.NewProgress(cmd)
			if err != nil {
				return err
			}
			defer progress.Close()
			progress.Stage("prove")
			o.Progress = progress.Step
			found, err := sipc.Prove(cmd.Context(), m, o)
			progress.Clear()
			if err != nil {
				return err
			}
			for _, w := range found.Warnings {
				fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
			}
			if err := writeProving(cmd.OutOrStdout(), found, asJSON); err != nil {
				return err
			}
			if text := report.Unproved(found.Requirements); text != "" && len(o.Statements) > 0 {
				return errors.New(text)
			}
			return unproved(found.Requirements, "")
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cli.WrongCall(cmd, fmt.Errorf("%w; write -- before a statement that begins with a minus sign", err))
	})
	cmd.Flags().StringVar(&o.Data, "data", "", "the rows of a `file` are those that statements behind the model range over")
	cmd.Flags().IntVar(&o.Cells, "cells", 0, "look at `N` cells a statement at most (20000 if 0)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the verdicts as one JSON object")
	return cmd
}

// writeProving writes verdicts.
func writeProving(w io.Writer, p *sipc.Proving, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(cli.Data(w), p)
	}
	var b strings.Builder
	report.WriteRequirements(&b, p.Requirements)
	_, err := io.WriteString(w, b.String())
	return err
}
