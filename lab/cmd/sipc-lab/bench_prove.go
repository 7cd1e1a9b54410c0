package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench"
)

func newBenchProve() *cobra.Command {
	var (
		specs, first int
		limit        time.Duration
		asJSON       bool
	)
	cmd := &cobra.Command{
		Use:   "prove",
		Short: "Random specs with require, and predictions against what is proved of them",
		Long: `Fit random specs, each of which requires a statement, to random tables. Where all is proved, look for points of the region at which
predictions break it: at random ones first, and then by descent from the worst. Statements about slopes are looked at by values alone, which
follow from them on intervals. A call that is stopped tells what it has found. The exit status is 1 if a proved statement is broken.`,
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := os.MkdirTemp("", "sipc-lab-prove-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir) //nolint:errcheck // temporary
			counts := map[string]*bench.Attacked{}
			for seed := first; seed < first+specs; seed++ {
				err := bench.Attack(cmd.Context(), uint64(seed), limit, dir, counts) //nolint:gosec // a seed
				if cmd.Context().Err() != nil {
					break // what was found until now is told
				}
				if err != nil {
					return err
				}
			}
			return writeAttacked(cmd.OutOrStdout(), counts, asJSON)
		},
	}
	f := cmd.Flags()
	f.IntVar(&specs, "specs", 200, "how many specs to draw")
	f.IntVar(&first, "first", 0, "the `seed` of the first; others have those after it")
	f.DurationVar(&limit, "limit", 20*time.Second, "how long a run may take")
	f.BoolVar(&asJSON, "json", false, "print a JSON object for each kind of statement, on a line")
	return cmd
}

// writeAttacked writes a line for each kind of statement. It returns an error if a proved one is broken.
func writeAttacked(w io.Writer, counts map[string]*bench.Attacked, asJSON bool) error {
	broken := 0
	if !asJSON {
		fmt.Fprintf(w, "%-24s%7s%8s%9s%6s%7s%8s%10s%9s\n", "statement", "specs", "proved", "refuted", "open", "ended", "broken", "points", "seconds")
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		c := counts[kind]
		broken += c.Broken
		if asJSON {
			if err := json.NewEncoder(cli.Raw(w)).Encode(c); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%-24s%7d%8d%9d%6d%7d%8d%10d%9.0f\n", kind, c.Specs, c.Proved, c.Refuted, c.Open, c.Ended, c.Broken, c.Points, c.Seconds)
		for _, e := range c.Examples {
			fmt.Fprintf(w, "    %s\n", e)
		}
	}
	if broken > 0 {
		return fmt.Errorf("predictions break %d statements that are proved", broken)
	}
	return nil
}
