package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/report"
)

// defaultPolarGap is the gap that `sipc polar` aims at: problems on their own are wanted exactly.
const defaultPolarGap = 1e-10

// A solution is what `sipc polar` says of one right-hand side.
type solution struct {
	Value  report.Number `json:"value"` // +Inf, null in JSON, where a = 0: no v satisfies the constraint
	Iota   []float64     `json:"iota"`
	Gap    report.Number `json:"gap"` // null where nothing is proved
	Status string        `json:"status"`
}

// solutions is what `sipc polar --json` prints.
type solutions struct {
	Name    string  `json:"name,omitempty"`
	Seconds float64 `json:"seconds"`
	// The fields of the only right-hand side, where the file gives one vector.
	*solution
	// Solutions are those of a list of right-hand sides.
	Solutions []solution `json:"solutions,omitempty"`
}

func newPolar() *cobra.Command {
	var (
		gap    float64
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "polar PROBLEM.json",
		Short: "Solve a polar problem: value, embedding and certified gap",
		Long: `Solve min_v α‖v‖² + R(v)² subject to ⟨v, a⟩ = 1 for one right-hand side a, or a list of them, and print for each the
optimal value, the embedding iota = v/value, and the certified relative gap.`,
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckGap(cmd, gap); err != nil {
				return err
			}
			out, err := solvePolar(cmd, args[0], gap)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(out)
			}
			return out.write(cmd.OutOrStdout())
		},
	}
	cmd.Flags().Float64Var(&gap, "gap", defaultPolarGap, "the certified relative `gap` to reach")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func solvePolar(cmd *cobra.Command, path string, gap float64) (*solutions, error) {
	file, err := polar.OpenProblem(path)
	if missing, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, dataset.CannotOpen(path, missing)
	}
	if err != nil {
		return nil, err
	}
	start := time.Now()
	problem, exponent := file.Problem.Rescaled()
	solver, err := polar.New(cmd.Context(), problem, polar.Settings{Gap: gap})
	if err != nil {
		return nil, err
	}
	result, err := solver.Solve(cmd.Context(), file.RHS)
	if err != nil {
		return nil, err
	}
	result.Rescale(exponent)
	out := &solutions{Name: file.Name, Seconds: time.Since(start).Seconds()}
	for i := range result.Gap {
		out.Solutions = append(out.Solutions, solution{
			Value: report.Number(result.Value[i]), Iota: result.Iota.RawRowView(i), Gap: report.Number(result.Gap[i]),
			Status: result.Status[i].String(),
		})
	}
	if file.Single {
		out.solution, out.Solutions = &out.Solutions[0], nil
	}
	return out, nil
}

func (s *solutions) write(w io.Writer) error {
	list := s.Solutions
	if s.solution != nil {
		list = []solution{*s.solution}
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "value\tgap\tstatus\tiota")
	for i := range list {
		fmt.Fprintf(t, "%.12g\t%.1e\t%s\t%s\n", list[i].Value, list[i].Gap, list[i].Status, vectorText(list[i].Iota))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%.3g s\n", s.Seconds)
	return err
}

// vectorText writes a vector for a table and cuts long ones.
func vectorText(v []float64) string {
	const most = 8
	text := strings.Trim(fmt.Sprintf("%.6g", v[:min(most, len(v))]), "[]")
	if len(v) > most {
		text += fmt.Sprintf(" … (%d numbers)", len(v))
	}
	return text
}
