package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench/labels"
)

func newBenchLabels() *cobra.Command {
	var (
		j       labels.Job
		program string
	)
	cmd := &cobra.Command{
		Use:   "labels",
		Short: "Runs with thousands of labels in a hierarchy, with R and without it",
		Long: `Draw a set with the shape of genes under the Gene Ontology: 79 numbers a row, some of them missing, and labels in a graph of 13 levels. Run the
whole program on it by methods plain and risk, R being that a label implies those above it. A line of JSON tells of each run: seconds of processor
time and by the clock, the peak of memory, the gap, and AU(PRC) on half as many test rows. GOMEMLIMIT bounds the garbage that waits in memory.`,
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			for _, f := range []counted{{"rows", []int{j.Rows}}, {"landmarks", []int{j.Landmarks}}} {
				if err := f.check(cmd); err != nil {
					return err
				}
			}
			if j.Labels < labels.Least {
				return cli.WrongCall(cmd, fmt.Errorf("--labels is %d; it must be at least %d", j.Labels, labels.Least))
			}
			if j.Dir, err = os.MkdirTemp("", "sipc-lab-labels-"); err != nil {
				return err
			}
			defer os.RemoveAll(j.Dir) //nolint:errcheck // temporary
			if j.Command = strings.Fields(program); len(j.Command) == 0 {
				return cli.WrongCall(cmd, errors.New("--sipc is empty; name the command of sipc"))
			}
			if err := j.Draw(); err != nil {
				return err
			}
			for _, method := range labels.Methods {
				line, err := j.Run(cmd.Context(), method)
				if err != nil {
					return err
				}
				if err := json.NewEncoder(cli.Raw(cmd.OutOrStdout())).Encode(line); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVar(&j.Rows, "rows", 1600, "training rows")
	f.IntVar(&j.Labels, "labels", 3600, "labels")
	f.IntVar(&j.Landmarks, "landmarks", 400, "landmarks of the kernel")
	f.Uint64Var(&j.Seed, "seed", 0, "the `number` that the set is drawn by")
	f.StringVar(&program, "sipc", "sipc", "the `command` of sipc")
	return cmd
}
