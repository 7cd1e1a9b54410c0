package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/blocks"
	"github.com/sipc-ml/sipc/runtime/model"
)

func newEmbed() *cobra.Command {
	var (
		a applying
		p planning
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
--accept-gap makes it 0. Where --time-limit ends the work before any embedding reached the gap, nothing is written.

With --blocks FOLDER the rows are planned in that folder as sipc plan does, computed block by block, and merged. The file has the same bytes.
Whatever ends the command, calling it again goes on with the blocks that are missing. It does so too after --time-limit ended it, which writes no FILE then.`,
		Args: cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.check(cmd); err != nil {
				return err
			}
			m, err := loadModel(cmd, args, out)
			if err != nil {
				return err
			}
			embed, stage := sipc.EmbedRows, "embed rows"
			if p.options.Features {
				embed, stage = sipc.FeatureRows, "compute features of rows"
			}
			rows, err := a.apply(cmd, stage, func(ctx context.Context, o sipc.ApplyOptions) (*sipc.Application, error) {
				if p.folder != "" {
					return p.embed(cmd, m, args, out, o)
				}
				return embed(ctx, m, args[1], out, o)
			})
			if err != nil {
				return err
			}
			if err := a.Write(cmd, rows); err != nil {
				return err
			}
			if !cmd.Flags().Changed("out") { // whoever named a file knows where it is
				fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s; --out FILE writes elsewhere\n", out)
			}
			return a.Judge(cmd, m, rows.Certificate)
		},
	}
	cmd.Flags().StringVar(&out, "out", out, "the `file` to write: NPY or CSV, by its ending .npy or .csv")
	cmd.Flags().BoolVar(&p.options.Features, "features", false, "write the features φ(x) in place of embeddings")
	cmd.Flags().StringVar(&p.folder, "blocks", "", "work in blocks of rows that stay in this `folder`, so that the same command goes on after it was stopped or killed")
	p.rowsFlag(cmd)
	a.flags(cmd, "print the certificate as one JSON object")
	return cmd
}

// embed embeds rows in blocks. What is done stays in the folder where the work is stopped.
func (p *planning) embed(cmd *cobra.Command, m *model.Model, args []string, out string, o sipc.ApplyOptions) (*sipc.Application, error) {
	p.options.Ending, p.options.Strict, p.options.Within = strings.ToLower(filepath.Ext(out)), o.Strict, true
	b, err := sipc.PlanRows(cmd.Context(), m, args[0], args[1], p.folder, p.options)
	if err != nil {
		return nil, err
	}
	b.Progress = o.Progress
	var receipts []*blocks.Receipt
	err = limits.Whole(cmd.Context(), func(ctx context.Context) (err error) {
		receipts, err = b.RunBlocks(ctx)
		return err
	})
	if limits.TimeOver(err) || cli.Interrupted(cmd.Context(), err) {
		fmt.Fprintf(cmd.ErrOrStderr(), "stopped; %s keeps the blocks that are done, and the same command goes on with the others\n", p.folder)
		return nil, cli.ExitError(cli.ExitFailed)
	}
	if err != nil {
		return nil, err
	}
	return b.Merge(cmd.Context(), receipts, out)
}
