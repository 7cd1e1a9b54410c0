package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/lab/fuzz"
)

// A fuzzBench is a call of `sipc-lab bench fuzz`.
type fuzzBench struct {
	campaign fuzz.Campaign
	one      uint64
	keep     string
	asJSON   bool
	alone    bool // run the cases in this very process
}

// fuzzMemory is what a case may take.
const fuzzMemory = 2 << 30

func newBenchFuzz() *cobra.Command {
	var b fuzzBench
	cmd := &cobra.Command{
		Use:   "fuzz",
		Short: "A campaign of random specs, tables, models, problems and messages against the program",
		Long: `Run random cases and look for panics, hangs, gaps that are missed without a word, and certificates that do not hold.
Kinds of cases:

  whole    a spec with any construct of the language, a table of 5 to 60 rows, any method, and the model applied
  polar    a polar problem, as JSON, spoilt now and then, or with a gauge of any shape
  risk     a risk with a gauge of any shape
  learner  what a learner minimizes
  crafted  a model file that was changed, under digests that fit
  editor   messages to the language server about a spec

A case is drawn from its seed, and --one SEED runs it again and shows it. Cases run in processes of their own, each on one
processor. Certificates are computed anew in arithmetic of 400 bits, from solutions and their multipliers. Faults are told as they
are found, and the exit status is then 1.`,
		Example: `  sipc-lab bench fuzz --for 1h
  sipc-lab bench fuzz --one 4711`,
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := b.check(cmd); err != nil {
				return cli.WrongCall(cmd, err)
			}
			return b.run(cmd)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&b.campaign.For, "for", 5*time.Minute, "how long to begin further cases")
	f.Uint64Var(&b.campaign.Runs, "runs", 0, "how many cases to run, in place of --for")
	f.Uint64Var(&b.campaign.First, "seed", 1, "the seed of the first case; others follow")
	f.Uint64Var(&b.one, "one", 0, "run the case of this `seed` alone, and show it")
	f.StringVar(&b.keep, "keep", "", "with --one: a `folder` for the case's spec, data and what else it wrote")
	f.StringVar(&b.campaign.Kind, "kind", "", "run cases of one `kind`: "+strings.Join(fuzz.Kinds(), ", "))
	f.DurationVar(&b.campaign.Limit, "limit", 20*time.Second, "how long a case may take")
	f.IntVar(&b.campaign.Jobs, "jobs", runtime.NumCPU(), "how many processes run cases")
	f.BoolVar(&b.asJSON, "json", false, "print one JSON object")
	f.BoolVar(&b.alone, "alone", false, "run the cases in this process")
	_ = f.MarkHidden("alone") // there is such a flag
	return cmd
}

func (b *fuzzBench) check(cmd *cobra.Command) error {
	k := &b.campaign
	switch {
	case k.Kind != "" && !slices.Contains(fuzz.Kinds(), k.Kind):
		return fmt.Errorf("--kind is %q; it may be %s", k.Kind, strings.Join(fuzz.Kinds(), ", "))
	case k.Limit <= 0 || k.For <= 0 || k.Jobs < 1:
		return errors.New("--limit, --for and --jobs must be positive")
	}
	if cmd.Flags().Changed("one") {
		k.First, k.Runs, b.alone = b.one, 1, true
	}
	if b.keep != "" {
		if !cmd.Flags().Changed("one") {
			return errors.New("--keep goes with --one")
		}
		if err := os.MkdirAll(b.keep, 0o750); err != nil {
			return err
		}
	}
	if k.Runs > 0 {
		k.For = 0
	}
	return nil
}

func (b *fuzzBench) run(cmd *cobra.Command) error {
	if b.alone {
		return b.here(cmd)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	k := &b.campaign
	k.Command = func(first, count uint64) []string {
		words := []string{program, "bench", "fuzz", "--alone", "--seed", strconv.FormatUint(first, 10), "--runs", strconv.FormatUint(count, 10), "--limit", k.Limit.String()}
		if k.Kind != "" {
			words = append(words, "--kind", k.Kind)
		}
		return words
	}
	k.Found = func(c *fuzz.Case) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s %d: %s after %.1f s, %d rows %s\n", c.Kind, c.Seed, c.End, c.Took.Seconds(), c.Rows, c.Method)
		for _, text := range slices.Concat([]string{firstLines(c.Message, 12), c.Silent}, c.Wrong, c.Faults) {
			if text != "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "  %s\n", strings.ReplaceAll(text, "\n", "\n  "))
			}
		}
	}
	out, err := k.Run(cmd.Context())
	if err != nil {
		return err
	}
	if b.asJSON {
		err = cli.WriteJSON(cli.Raw(cmd.OutOrStdout()), out)
	} else {
		err = out.Write(cmd.OutOrStdout())
	}
	if err == nil && len(out.Found) > 0 {
		return fmt.Errorf("%d cases are not sound; --one SEED runs one again", len(out.Found))
	}
	return err
}

// firstLines returns the first lines of a text.
func firstLines(text string, count int) string {
	lines := strings.SplitN(text, "\n", count+1)
	return strings.Join(lines[:min(count, len(lines))], "\n")
}

// here runs the cases in this process. One that does not end ends the process behind it.
func (b *fuzzBench) here(cmd *cobra.Command) error {
	debug.SetMemoryLimit(fuzzMemory)
	k, out := &b.campaign, json.NewEncoder(cli.Raw(cmd.OutOrStdout()))
	ctx := limits.WithMemory(cmd.Context(), fuzzMemory)
	for seed := k.First; seed < k.First+k.Runs && ctx.Err() == nil; seed++ {
		c := fuzz.Run(ctx, seed, fuzz.Options{Kind: k.Kind, Limit: k.Limit, Keep: b.keep})
		if cmd.Flags().Changed("one") {
			out.SetIndent("", "  ")
		} else if c.Sound() {
			c.Text = ""
		}
		if err := out.Encode(c); err != nil {
			return err
		}
		if c.End == fuzz.Deaf {
			return cli.ExitError(cli.ExitFailed)
		}
	}
	return ctx.Err()
}
