package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
)

func newEmbed() *cobra.Command {
	var (
		a        applying
		features bool
	)
	out := "embeddings.npy"
	cmd := &cobra.Command{
		Use:   "embed MODEL DATA",
		Short: "Write the representations of rows under a model",
		Long: `Write the representations of all rows of DATA under MODEL: ι(x), or ι(x, y) for every label y, times the number that metrics.json
calls scale. Methods risk and dual learn f itself and make none.

With --features, write the features φ(x) in their place, whatever the method. The kernel of the norm is
G(x′, x) = ⟨ι(x), φ(x′)⟩, the function G(·, x) at x′: the inner products of both files over the scale. It is symmetric where R is quadratic.

Where more than half of the embeddings miss the gap of the model, the exit status is 1, and the file is written all the same;
--accept-gap makes it 0. Where --time-limit ends the work before any embedding reached the gap, nothing is written.`,
		Args: cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := loadModel(cmd, args, out)
			if err != nil {
				return err
			}
			embed, stage := sipc.EmbedRows, "embed rows"
			if features {
				embed, stage = sipc.FeatureRows, "compute features of rows"
			}
			rows, err := a.apply(cmd, stage, func(ctx context.Context, o sipc.ApplyOptions) (*sipc.Application, error) {
				return embed(ctx, m, args[1], out, o)
			})
			if err != nil {
				return err
			}
			if err := a.write(cmd, rows); err != nil {
				return err
			}
			if !cmd.Flags().Changed("out") { // whoever named a file knows where it is
				fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s; --out FILE writes elsewhere\n", out)
			}
			return a.judge(cmd, m, rows.Certificate)
		},
	}
	cmd.Flags().StringVar(&out, "out", out, "the `file` to write: NPY or CSV, by its ending .npy or .csv")
	cmd.Flags().BoolVar(&features, "features", false, "write the features φ(x) in place of embeddings")
	a.flags(cmd, "print the certificate as one JSON object")
	return cmd
}
