package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench/signs"
)

func newBenchSigns() *cobra.Command {
	var (
		splits, first int
		fits          []string
		rivals        []string
	)
	cmd := &cobra.Command{
		Use:   "signs SET DATA",
		Short: "Tables whose columns have known signs: free, soft and proved fits, beside those of other programs",
		Long: `Split a table (auto-mpg, diabetes, heloc or seoul-bike) 70 to 30, and fit it without its signs, with them likely at the training rows, and
proved on the whole box of these. Fit the kernel of whole rows without the signs, too. With --rival another program fits the same rows:
lab/bench/signs/trees.py monotone trees of scikit-learn and XGBoost, lab/bench/signs/gam.R smooth curves of mgcv. A line of JSON tells of each fit: the loss on test rows, and at how many of them a sweep of some column
breaks its sign.`,
		Args: cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := signs.Named(args[0])
			if err != nil {
				return cli.WrongInput(err)
			}
			for split := first; split < first+splits; split++ {
				if err := signsOf(cmd, set, args[1], uint64(split), fits, rivals); err != nil { //nolint:gosec // a number of a split
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVar(&splits, "splits", 10, "how many splits")
	f.IntVar(&first, "first", 0, "the `number` of the first split; others follow it")
	f.StringSliceVar(&fits, "fits", signs.Fits, "the `fits` to make")
	f.StringArrayVar(&rivals, "rival", nil, "a `command` that fits other machines, as 'python3 lab/bench/signs/trees.py'; may be repeated")
	return cmd
}

// signsOf writes the lines of one split.
func signsOf(cmd *cobra.Command, set *signs.Set, data string, split uint64, fits, rivals []string) error {
	dir, err := os.MkdirTemp("", "sipc-lab-signs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	job, err := signs.NewJob(set, data, dir, split)
	if err != nil {
		return cli.WrongInput(err)
	}
	var lines []*signs.Line
	for _, fit := range fits {
		if !slices.Contains(signs.Fits, fit) {
			return cli.WrongInput(fmt.Errorf("no fit is called %q; there are %s", fit, strings.Join(signs.Fits, ", ")))
		}
		line, err := job.Fit(cmd.Context(), fit)
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	for _, rival := range rivals {
		more, err := job.Rivals(cmd.Context(), strings.Fields(rival))
		if err != nil {
			return err
		}
		lines = append(lines, more...)
	}
	for _, line := range lines {
		if err := json.NewEncoder(cli.Raw(cmd.OutOrStdout())).Encode(line); err != nil {
			return err
		}
	}
	return nil
}
