package main

import (
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
		Use:   "prove MODEL",
		Short: "Decide whether a model keeps the statements that its spec requires, everywhere on their regions",
		Long: `Decide whether a model keeps the statements that its spec requires, everywhere on their regions. The verdicts follow from the numbers in
the model file alone, by arithmetic with bounds of its rounding. A statement is proved, with a lower bound; refuted, at a point that anybody can
evaluate; or open, where the work that is allowed decides nothing. The exit status is 1 unless all are proved.`,
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := sipc.LoadModel(cmd.Context(), args[0])
			if err != nil {
				return cli.WrongInput(err)
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
			if err := writeProving(cmd.OutOrStdout(), found, asJSON); err != nil {
				return err
			}
			return unproved(found.Requirements)
		},
	}
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
