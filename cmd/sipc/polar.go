package main

import (
	"cmp"
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
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/report"
)

// defaultPolarGap is the gap that `sipc polar` aims at: problems on their own are wanted exactly.
const defaultPolarGap = 1e-10

// A solution is what `sipc polar` says of one right-hand side.
type solution struct {
	Value  report.Number   `json:"value"` // +Inf, null in JSON, where a = 0: no v satisfies the constraint
	Iota   []report.Number `json:"iota"`  // null where it overflows
	Gap    report.Number   `json:"gap"`   // null where nothing is proved
	Status string          `json:"status"`
}

// solutions is what `sipc polar --json` prints.
type solutions struct {
	Name    string  `json:"name,omitempty"`
	Seconds float64 `json:"seconds"`
	// The fields of the only right-hand side, where the file gives one vector.
	*solution
	// Solutions are those of a list of right-hand sides.
	Solutions []solution `json:"solutions,omitempty"`

	certificate *report.Certificate
	// beyond says which right-hand sides, by their places in the file, have no solution in floating point.
	beyond []string
}

func newPolar() *cobra.Command {
	var (
		gap            float64
		asJSON, accept bool
	)
	cmd := &cobra.Command{
		Use:   "polar PROBLEM.json",
		Short: "Solve a polar problem: value, embedding and certified gap",
		Long: `Solve min_v α‖v‖² + R(v)² subject to ⟨v, a⟩ = 1 for one right-hand side a, or a list of them, and print for each the
optimal value, the embedding iota = v/value, and the certified relative gap.

PROBLEM.json is one object: alpha, a (a vector, or a list of vectors) and terms, whose sum is R². A term has a kind (abs, pos, l2, lp or
l1), group_size (rows a group), weights (one a group) and Z (the rows, group after group); lp has p and c beside, and l1 has c.
"Problem files" in docs/mathematics.md says what each kind means.`,
		Example: `  echo '{"alpha": 1, "a": [1, 0], "terms": [{"kind": "abs", "group_size": 1, "weights": [1], "Z": [[1, 1]]}]}' > problem.json
  sipc polar problem.json`,
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
				err = json.NewEncoder(cli.Data(cmd.OutOrStdout())).Encode(out)
			} else {
				err = out.write(cmd.OutOrStdout())
			}
			if err = errors.Join(err, out.refused(args[0])); err != nil || accept {
				return err
			}
			return cli.Missed(cmd.Context(), cmp.Or(limits.Ended(cmd.Context()), out.shortfall()))
		},
	}
	cmd.Flags().Float64Var(&gap, "gap", defaultPolarGap, "the certified relative `gap` to reach")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cli.AcceptFlag(cmd, &accept)
	return cmd
}

func solvePolar(cmd *cobra.Command, path string, gap float64) (*solutions, error) {
	file, err := polar.OpenProblem(cmd.Context(), path)
	if missing, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, dataset.CannotOpen(path, missing)
	}
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	if err := file.Fits(cmd.Context()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	start := time.Now()
	problem, exponent := file.Problem.Rescaled()
	solver, err := polar.New(cmd.Context(), problem, polar.Settings{Gap: gap})
	if err != nil {
		return nil, cli.WrongInput(fmt.Errorf("%s: %w", path, err))
	}
	result, err := solver.Solve(cmd.Context(), file.RHS)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	result.Rescale(exponent)
	out := &solutions{Name: file.Name, Seconds: time.Since(start).Seconds()}
	out.certificate = report.SummarizeGaps(result.Gap, gap)
	for i, status := range result.Status {
		v := make([]report.Number, 0, len(result.Iota.RawRowView(i)))
		for _, x := range result.Iota.RawRowView(i) {
			v = append(v, report.Number(x))
		}
		out.Solutions = append(out.Solutions, solution{
			Value: report.Number(result.Value[i]), Iota: v, Gap: report.Number(result.Gap[i]), Status: status.String(),
		})
		switch {
		case status != polar.OutOfRange:
		case file.Single:
			out.beyond = append(out.beyond, "a")
		default:
			out.beyond = append(out.beyond, fmt.Sprintf("a[%d]", i))
		}
	}
	if file.Single {
		out.solution, out.Solutions = &out.Solutions[0], nil
	}
	return out, nil
}

// shortfall says by how much most right-hand sides miss the gap; empty where they do not.
func (s *solutions) shortfall() string {
	if !s.certificate.Missed() {
		return ""
	}
	return s.certificate.Shortfall("right-hand sides of the file")
}

// refused returns an error that names the right-hand sides whose solutions leave the range of floating point.
func (s *solutions) refused(path string) error {
	const most = 5
	if len(s.beyond) == 0 {
		return nil
	}
	places := strings.Join(s.beyond[:min(most, len(s.beyond))], ", ")
	if more := len(s.beyond) - most; more > 0 {
		places += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf("%s: %s: the value or the embedding is too large or too small for floating point; choose other units: divide a, or alpha and the weights, by a power of ten",
		path, places)
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
func vectorText(v []report.Number) string {
	const most = 8
	text := strings.Trim(fmt.Sprintf("%.6g", v[:min(most, len(v))]), "[]")
	if len(v) > most {
		text += fmt.Sprintf(" … (%d numbers)", len(v))
	}
	return text
}
