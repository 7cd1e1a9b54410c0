package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/internal/limits"
)

// indexVariables are what tasks of an array are told their number by: of Slurm, and of an Indexed Job of Kubernetes.
var indexVariables = []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}

func newBlock() *cobra.Command {
	index := -1
	cmd := &cobra.Command{
		Use:   "block FOLDER",
		Short: "Compute one block of a plan",
		Long: `Compute one block of the plan that a folder holds. Its part appears whole, and then its receipt. A block that has a receipt is
done, and nothing is computed. Without --index the block is that which $` + indexVariables[0] + ` or $` + indexVariables[1] + ` names.`,
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("index") {
				var err error
				if index, err = ownIndex(); err != nil {
					return cli.WrongCall(cmd, err)
				}
			}
			b, err := sipc.OpenRowBlocks(cmd.Context(), args[0])
			if err != nil {
				return cli.WrongInput(err)
			}
			progress, err := cli.NewProgress(cmd)
			if err != nil {
				return err
			}
			defer progress.Close()
			progress.Stage(fmt.Sprintf("block %d", index))
			b.Progress = progress.Step
			return limits.Whole(cmd.Context(), func(ctx context.Context) error {
				_, err := b.RunBlock(ctx, index)
				return err
			})
		},
	}
	cmd.Flags().IntVar(&index, "index", index, "the number of the block, from 0")
	return cmd
}

// ownIndex returns the number that this task of an array has.
func ownIndex() (int, error) {
	for _, name := range indexVariables {
		if text := os.Getenv(name); text != "" {
			index, err := strconv.Atoi(text)
			if err != nil {
				return 0, fmt.Errorf("%s=%s is no number of a block", name, text)
			}
			return index, nil
		}
	}
	return 0, errors.New("--index is missing, and neither " + indexVariables[0] + " nor " + indexVariables[1] + " is set")
}
