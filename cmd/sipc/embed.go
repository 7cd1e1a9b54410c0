package main

import (
	"fmt"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/report"
)

func newEmbed() *cobra.Command {
	var (
		o                        sipc.ApplyOptions
		features, asJSON, accept bool
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
--accept-gap makes it 0.`,
		Args: cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := sipc.LoadModel(args[0])
			if err != nil {
				return err
			}
			progress, err := cli.NewProgress(cmd)
			if err != nil {
				return err
			}
			defer progress.Close()
			embed, stage := sipc.EmbedRows, "embed rows"
			if features {
				embed, stage = sipc.FeatureRows, "compute features of rows"
			}
			progress.Stage(stage)
			o.Progress = progress.Step
			a, err := embed(cmd.Context(), m, args[1], out, o)
			progress.Clear()
			if err != nil {
				return err
			}
			tellWarnings(cmd, a)
			if c := a.Certificate; c != nil && c.Reached < c.Count {
				fmt.Fprintf(cmd.ErrOrStderr(), "warning: %d of %d embeddings did not reach the gap %.0e; the largest is %.2g\n",
					c.Count-c.Reached, c.Count, float64(c.Target), float64(c.MaxGap))
			}
			if asJSON {
				if err := writeApplication(cmd, a); err != nil {
					return err
				}
			}
			if !cmd.Flags().Changed("out") { // whoever named a file knows where it is
				fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s; --out FILE writes elsewhere\n", out)
			}
			return missedRows(a.Certificate, accept)
		},
	}
	acceptFlag(cmd, &accept)
	cmd.Flags().StringVar(&out, "out", out, "the `file` to write: NPY or CSV, by its ending .npy or .csv")
	cmd.Flags().BoolVar(&features, "features", false, "write the features φ(x) in place of embeddings")
	strictFlag(cmd, &o)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the certificate as one JSON object")
	return cmd
}

// missedRows returns the error of rows most of whose embeddings miss the model's gap, unless that is accepted.
func missedRows(c *report.Certificate, accept bool) error {
	if accept || !c.Missed() {
		return nil
	}
	return missed(c.Shortfall("embeddings of these rows"))
}
