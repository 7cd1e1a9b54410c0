package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench/surfaces"
)

func newBenchSurfaces() *cobra.Command {
	var (
		draws, first uint64
		rows         int
	)
	cmd := &cobra.Command{
		Use:   "surfaces SET",
		Short: "Drawn curves, surfaces and solids of known shape: free and proved fits against the truth",
		Long: `Draw rows of a function whose shape is known (options, curve, plane or solid), and fit it with and without that shape. Options are prices of
calls by strike and maturity. They are convex in strike with slopes between -1 and 0, and rise in maturity. The others rise in each of one, two
or three columns. A line of JSON tells of each fit: its error against the truth and on further rows, and where its shape is broken. The exit status is 1 if it is
broken where it is proved.`,
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := surfaces.Named(args[0])
			if err != nil {
				return cli.WrongInput(err)
			}
			if rows < 10 {
				return cli.WrongInput(fmt.Errorf("--rows %d: at least 10 are needed", rows))
			}
			for draw := first; draw < first+draws; draw++ {
				if err := surfaceOf(cmd, set, rows, draw); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.Uint64Var(&draws, "draws", 10, "how many draws")
	f.Uint64Var(&first, "first", 0, "the `seed` of the first draw; others have those after it")
	f.IntVar(&rows, "rows", 400, "how many rows to fit to")
	return cmd
}

// surfaceOf writes the lines of one draw. It returns an error if a shape is broken where it is proved.
func surfaceOf(cmd *cobra.Command, set *surfaces.Set, rows int, draw uint64) error {
	dir, err := os.MkdirTemp("", "sipc-lab-surfaces-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	job, err := surfaces.NewJob(set, rows, dir, draw)
	if err != nil {
		return err
	}
	for _, fit := range []string{surfaces.Free, surfaces.Proved} {
		line, err := job.Fit(cmd.Context(), fit)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(cli.Raw(cmd.OutOrStdout())).Encode(line); err != nil {
			return err
		}
		if line.Case != "" {
			return fmt.Errorf("%s, draw %d, %s: all statements are proved, but %s", line.Set, line.Draw, line.Kind, line.Case)
		}
	}
	return nil
}
