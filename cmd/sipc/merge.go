package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/dataset"
)

func newMerge() *cobra.Command {
	var (
		a    applying
		out  string
		wait time.Duration
	)
	cmd := &cobra.Command{
		Use:   "merge FOLDER --out FILE",
		Short: "Join the blocks of a plan to one file",
		Long: `Join the parts of all blocks of the plan that a folder holds to FILE, which has the bytes that sipc embed would write. A part that is
missing or was changed is refused, and FILE not touched. With --wait it waits for blocks that other tasks still compute.

The certificate, and the exit status where more than half of the embeddings miss the gap of the model, are those of sipc embed.`,
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return cli.WrongCall(cmd, errors.New("nothing says what to write; name a file with --out"))
			}
			b, err := sipc.OpenRowBlocks(cmd.Context(), args[0])
			if err != nil {
				return cli.WrongInput(err)
			}
			if err := sipc.KeepsInputs([]string{out}, b.Sources()...); err != nil {
				return cli.WrongCall(cmd, err)
			}
			if err := b.Makes(out); err != nil { // before it waits for hours
				return err
			}
			if _, err := os.Stat(filepath.Dir(out)); err != nil {
				return dataset.CannotWrite(out, err)
			}
			rows, err := a.apply(cmd, "wait for blocks", func(ctx context.Context, o sipc.ApplyOptions) (*sipc.Application, error) {
				receipts, err := b.Plan.Receipts(ctx, wait, o.Progress)
				if err != nil {
					return nil, err
				}
				return b.Merge(ctx, receipts, out)
			})
			if err != nil {
				return err
			}
			if err := a.Write(cmd, rows); err != nil {
				return err
			}
			return a.Judge(cmd, b.Model, rows.Certificate)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the `file` to write, which ends as the plan says, in .npy or .csv")
	cmd.Flags().DurationVar(&wait, "wait", 0, "how long to wait for blocks that are not done yet: 10m, 2h")
	cli.AcceptFlag(cmd, &a.Accept)
	cmd.Flags().BoolVar(&a.AsJSON, "json", false, "print the certificate as one JSON object")
	return cmd
}
