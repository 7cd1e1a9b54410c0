package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/report"
)

// mostSeeds bounds the seeds of a call: a slip of the hand asks for more.
const mostSeeds = 1000

// seedsOf returns the seeds that --seeds lists: numbers and ranges, 0..9,20; nil without the flag.
func seedsOf(cmd *cobra.Command, text string) ([]uint64, error) {
	if !cmd.Flags().Changed("seeds") {
		return nil, nil
	}
	wrong := func(what string) error {
		return cli.WrongCall(cmd, fmt.Errorf("--seeds is %q: %s; write a range or a list, 0..9 or 0,3,7", text, what))
	}
	if cmd.Flags().Changed("seed") {
		return nil, cli.WrongCall(cmd, fmt.Errorf("--seed and --seeds are both given; leave out one"))
	}
	if cmd.Flags().Changed("draw") {
		return nil, cli.WrongCall(cmd, errors.New("--draw and --seeds are both given; pictures are of one model"))
	}
	var out []uint64
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "..")
		if !isRange {
			to = from
		}
		a, errA := strconv.ParseUint(from, 10, 64)
		b, errB := strconv.ParseUint(to, 10, 64)
		switch {
		case errA != nil || errB != nil:
			return nil, wrong(fmt.Sprintf("%q is not a seed", part))
		case b < a:
			return nil, wrong(fmt.Sprintf("%s ends before it begins", part))
		case b-a >= mostSeeds || len(out)+int(b-a)+1 > mostSeeds: //nolint:gosec // a small difference
			return nil, wrong(fmt.Sprintf("these are more than %d seeds", mostSeeds))
		}
		for s := a; ; s++ {
			if slices.Contains(out, s) {
				return nil, wrong(fmt.Sprintf("seed %d stands there twice", s))
			}
			out = append(out, s)
			if s == b {
				break
			}
		}
	}
	return out, nil
}

// runSeeds runs a spec under several seeds and prints the summary. A seed that failed makes the status 1.
func runSeeds(cmd *cobra.Command, spec *sipc.Spec, o sipc.RunOptions, as runOutput, done func()) error {
	s, err := sipc.RunSeeds(cmd.Context(), spec, o, as.seeds)
	done()
	var cut *sipc.SeedsError
	switch {
	case cli.Interrupted(cmd.Context(), err) && o.Out != "" && errors.As(err, &cut) && cut.Done > 0:
		fmt.Fprintf(cmd.ErrOrStderr(), "interrupted; of seeds that were done before, the folders in %s stay; no summary was written\n", o.Out)
		return cli.ExitError(cli.ExitFailed)
	case err != nil:
		return err
	}
	s.All = as.all
	if as.json {
		err = s.WriteJSON(cli.Data(cmd.OutOrStdout()))
	} else {
		err = s.WriteTable(cmd.OutOrStdout())
	}
	if err != nil {
		return err
	}
	if o.Out != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s, and a folder for each seed beside it: %s%cseed-%d, …\n",
			filepath.Join(o.Out, "summary.json"), o.Out, os.PathSeparator, s.Seeds[0])
	}
	if len(s.Pages) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s\n", strings.Join(s.Pages, ", "))
	}
	if len(s.Failed) == 0 {
		return unprovedAt(cmd.Context(), s, as.accept)
	}
	f := s.Failed[0]
	return fmt.Errorf("%d of %d runs failed, and the others are summed up; the first, of seed %d: %s", len(s.Failed), len(as.seeds), f.Seed, f.Error)
}

// unprovedAt returns an error if a statement is not proved at a seed, or a gap is missed that accept does not take.
func unprovedAt(ctx context.Context, s *report.Summary, accept bool) error {
	switch {
	case len(s.Unproved) > 0:
		return fmt.Errorf("not all statements are proved: %s at seed %d; require less of them, or over a smaller region", s.Unproved[0].Text, s.Unproved[0].Seeds[0])
	case accept:
		return nil
	}
	return cli.Missed(ctx, s.Missed)
}
