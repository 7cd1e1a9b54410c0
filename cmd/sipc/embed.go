package main

import (
	"fmt"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
)

func newEmbed() *cobra.Command {
	out := "embeddings.npy"
	cmd := &cobra.Command{
		Use:   "embed MODEL DATA",
		Short: "Write the representations of rows under a model",
		Args:  arguments(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := sipc.LoadModel(args[0])
			if err != nil {
				return err
			}
			progress, err := newProgress(cmd)
			if err != nil {
				return err
			}
			defer progress.Close()
			progress.Stage("embed rows")
			c, err := sipc.EmbedRows(cmd.Context(), m, args[1], out, func(done, total int) { progress.Step(done, total) })
			progress.Clear()
			if err != nil {
				return err
			}
			if c != nil && c.Reached < c.Count {
				fmt.Fprintf(cmd.ErrOrStderr(), "warning: %d of %d embeddings did not reach the gap %.0e; the largest is %.2g\n",
					c.Count-c.Reached, c.Count, float64(c.Target), float64(c.MaxGap))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", out, "the `file` to write: NPY, or CSV where its name ends in .csv")
	return cmd
}
