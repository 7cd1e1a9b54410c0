package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
)

// A planning is what commands ask of blocks.
type planning struct {
	options sipc.BlockOptions
	folder  string
}

// rowsFlag adds how many rows a block has.
func (p *planning) rowsFlag(cmd *cobra.Command) {
	cmd.Flags().IntVar(&p.options.Rows, "rows", 0, fmt.Sprintf("how many `rows` a block has (default %d, or those of the plan that is there)", sipc.DefaultBlockRows))
}

// check refuses a call that plans nothing.
func (p *planning) check(cmd *cobra.Command) error {
	switch named := cmd.Flags().Changed("rows"); {
	case named && p.folder == "":
		return cli.WrongCall(cmd, errors.New("--rows goes with --blocks"))
	case named && p.options.Rows < 1:
		return cli.WrongCall(cmd, fmt.Errorf("--rows is %d; a block has 1 row at least", p.options.Rows))
	}
	return nil
}

func newPlan() *cobra.Command {
	var p planning
	format := "npy"
	cmd := &cobra.Command{
		Use:   "plan MODEL DATA",
		Short: "Plan the embeddings of rows in blocks, for tasks of a cluster",
		Long: `Read and prepare all rows of DATA once, and leave in a folder all that their blocks need. Print the number of blocks. Then
sipc block computes a block, in any order and on any machine that has the folder, and sipc merge joins them. Where the folder holds the same plan
already, nothing is done; another plan is refused.`,
		Args: cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.folder == "" {
				return cli.WrongCall(cmd, errors.New("nothing says where the plan goes; name a folder with --folder"))
			}
			if format != "npy" && format != "csv" {
				return cli.WrongCall(cmd, fmt.Errorf("--format is %q; it is npy or csv", format))
			}
			p.options.Ending = "." + format
			b, err := p.plan(cmd, args)
			if err != nil {
				return err
			}
			for _, w := range b.Warnings() {
				fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "planned %d rows in blocks 0 to %d; next: sipc block %s --index I for each, and sipc merge %[3]s --out FILE\n", b.Plan.Rows(), len(b.Plan.Blocks)-1, p.folder)
			_, err = fmt.Fprintln(cmd.OutOrStdout(), len(b.Plan.Blocks))
			return err
		},
	}
	cmd.Flags().StringVar(&p.folder, "folder", "", "the `folder` of the plan")
	cmd.Flags().StringVar(&format, "format", format, "what the blocks make: npy or csv")
	cmd.Flags().BoolVar(&p.options.Features, "features", false, "plan the features φ(x) in place of embeddings")
	cmd.Flags().BoolVar(&p.options.Strict, "strict", false, "fail, and plan nothing, where rows hold texts or numbers that no training row has")
	p.rowsFlag(cmd)
	return cmd
}

// plan plans the rows of a call.
func (p *planning) plan(cmd *cobra.Command, args []string) (*sipc.RowBlocks, error) {
	if err := p.check(cmd); err != nil {
		return nil, err
	}
	m, err := loadModel(cmd, args, p.folder)
	if err != nil {
		return nil, err
	}
	progress, err := cli.NewProgress(cmd)
	if err != nil {
		return nil, err
	}
	defer progress.Close()
	progress.Stage("read and plan rows")
	return sipc.PlanRows(cmd.Context(), m, args[0], args[1], p.folder, p.options)
}
