package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench/blocks"
)

func newBenchBlocks() *cobra.Command {
	var (
		j       blocks.Job
		program string
	)
	cmd := &cobra.Command{
		Use:   "blocks MODEL DATA",
		Short: "Embeddings in blocks beside those at once: overhead, bytes, and kills",
		Long: `Embed all rows of DATA by sipc embed without blocks and with them, in turns, and print what blocks cost as a share. Then compute each block by
a task of its own, in a drawn order. At last kill a pool at drawn times, and let it go on. One JSON object tells whether all bytes were the same.`,
		Args: cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			for _, f := range []counted{{"rows", []int{j.Rows}}, {"rounds", []int{j.Rounds}}} {
				if err := f.check(cmd); err != nil {
					return err
				}
			}
			if j.Command = strings.Fields(program); len(j.Command) == 0 {
				return cli.WrongCall(cmd, errors.New("--sipc is empty; name the command of sipc"))
			}
			if j.Dir, err = os.MkdirTemp("", "sipc-lab-blocks-"); err != nil {
				return err
			}
			defer os.RemoveAll(j.Dir) //nolint:errcheck // temporary
			j.Model, j.Data = args[0], args[1]
			line, err := j.Run(cmd.Context())
			if err != nil {
				return err
			}
			return cli.WriteJSON(cmd.OutOrStdout(), line)
		},
	}
	f := cmd.Flags()
	f.IntVar(&j.Rows, "rows", sipc.DefaultBlockRows, "rows of a block")
	f.IntVar(&j.Rounds, "rounds", 5, "how many times both are measured")
	f.IntVar(&j.Kills, "kills", 20, "how many times a pool is killed")
	f.Uint64Var(&j.Seed, "seed", 0, "the `number` that times and orders are drawn by")
	f.StringVar(&program, "sipc", "sipc", "the `command` of sipc")
	return cmd
}
