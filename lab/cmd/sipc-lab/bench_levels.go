package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench/levels"
)

func newBenchLevels() *cobra.Command {
	var (
		splits, first uint64
		fits, rival   string
	)
	cmd := &cobra.Command{
		Use:   "levels SET DATA",
		Short: "Quantiles at five levels: free, soft and proved fits, beside R's quantreg",
		Long: `Split a table (engel, GAGurine, mcycle, CobarOre or aircraft) 70 to 30, and fit quantiles at five levels. They are free to cross, or crossings
at training rows are costly, or it is proved that they do not cross in the whole box of these. With --rival another program fits them to the
same rows, as lab/bench/levels/quantreg.R does with R's quantreg. A line of JSON tells of each fit: the loss on test rows, and where levels
cross. The exit status is 1 if levels cross where it is proved that they do not.`,
		Args: cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := levels.Named(args[0])
			if err != nil {
				return cli.WrongInput(err)
			}
			wanted := set.Fits()
			if fits != "" {
				wanted = strings.Split(fits, ",")
			}
			for _, fit := range wanted {
				if err := set.Check(fit); err != nil {
					return cli.WrongInput(err)
				}
			}
			for split := first; split < first+splits; split++ {
				if err := levelsOf(cmd, set, args[1], split, wanted, strings.Fields(rival)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.Uint64Var(&splits, "splits", 20, "how many splits")
	f.Uint64Var(&first, "first", 0, "the `number` of the first split; others follow it")
	f.StringVar(&fits, "fits", "", "the `fits` to make, of free,soft,proved,proved-shape; without it all that the set has")
	f.StringVar(&rival, "rival", "", "a `command` that fits quantiles, 'Rscript lab/bench/levels/quantreg.R'")
	return cmd
}

// levelsOf writes the lines of one split. It returns an error if levels cross where it is proved that they do not.
func levelsOf(cmd *cobra.Command, set *levels.Set, data string, split uint64, fits, rival []string) error {
	dir, err := os.MkdirTemp("", "sipc-lab-levels-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	job, err := levels.NewJob(set, data, dir, split)
	if err != nil {
		return cli.WrongInput(err)
	}
	write := func(line *levels.Line, err error) error {
		if err != nil {
			return err
		}
		if err := json.NewEncoder(cli.Raw(cmd.OutOrStdout())).Encode(line); err != nil || line.Case == "" {
			return err
		}
		return fmt.Errorf("%s, split %d, %s: all statements are proved, but %s", line.Set, line.Split, line.Kind, line.Case)
	}
	for _, fit := range fits {
		if err := write(job.Fit(cmd.Context(), fit)); err != nil {
			return err
		}
	}
	if len(rival) == 0 {
		return nil
	}
	if err := write(job.Rival(cmd.Context(), rival, false)); err != nil || set.Knots == "" {
		return err
	}
	return write(job.Rival(cmd.Context(), rival, true))
}
