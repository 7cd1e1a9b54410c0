package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/report"
)

func newInspect() *cobra.Command {
	var (
		target string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "inspect DATA",
		Short: "Say what a data file holds: columns, types, gaps, ranges, classes",
		Long: `Say what a data file holds, a line for each column: its type, gaps and distinct values, the quantiles of numbers, the values that most
rows have. Below stand the target with its classes, and notes on what is odd: columns of one value or of another in each row, numbers that seem to
stand for gaps, rows that are there twice, columns that tell the target by themselves. Without --target the target is guessed as sipc init does.

Exit status: 0 done, 2 the call is wrong, or the data cannot be read.`,
		Example: "  sipc inspect examples/houses/houses.csv --target price",
		Args:    cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := sipc.Inspect(cmd.Context(), args[0], strings.TrimSpace(target))
			if wrong := new(sipc.DraftError); errors.As(err, &wrong) {
				return cli.WrongCall(nil, err)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), p)
			}
			return report.WriteProfile(cmd.OutOrStdout(), p)
		},
	}
	cmd.Flags().StringVar(&target, "target", "", "the `column` to learn, or several of 0 and 1 as labels: a,b or topic_*; without it one is guessed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the profile as one JSON object")
	return cmd
}
