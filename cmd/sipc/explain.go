package main

import (
	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/compiler"
)

func newExplain() *cobra.Command {
	var (
		sets []string
		seed uint64
	)
	cmd := &cobra.Command{
		Use:   "explain SPEC [DATA]",
		Short: "Print the regularizer: each invariance, what was proved of it, and what that implies",
		Args:  arguments(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := overrides(cmd, sets)
			if err != nil {
				return err
			}
			spec, err := loadSpec(cmd, args[0], set)
			if err != nil {
				return err
			}
			defer spec.Close() //nolint:errcheck // a plugin that does not end well has done its work
			data := ""
			if len(args) > 1 {
				data = args[1]
			}
			if !cmd.Flags().Changed("seed") && spec.Plan.HasSeed {
				seed = spec.Plan.Seed
			}
			explanation, err := spec.Explain(cmd.Context(), data, seed)
			if err != nil {
				return err
			}
			renderDiagnostics(cmd.ErrOrStderr(), spec.Path, spec.Source, spec.Diagnostics)
			return explanation.Write(cmd.OutOrStdout(), compiler.TextOptions{})
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override a let: `NAME=VALUE`; may be repeated")
	cmd.Flags().Uint64Var(&seed, "seed", 0, "the seed of every draw (default the spec's, else 0)")
	return cmd
}
