package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/report"
)

// An orbits is a call of `sipc-lab bench orbit`: R over an orbit beside R over moves that are listed or drawn.
type orbits struct {
	train  []int
	test   int
	weight float64
}

// benchOrbit holds all moves of the benchmark.
const benchOrbit = "{rotate([-15deg, 15deg]), scale([-0.1, 0.1]), shift(dx = [-2, 2], dy = [-2, 2])}"

// overMoves are the invariances that are compared, by what they are called. The last one is the maximum over the orbit.
var overMoves = [][2]string{
	{"six fixed moves, max", "max over t in {rotate(15deg), rotate(-15deg), shift(dx = 2), shift(dx = -2), shift(dy = 2), shift(dy = -2)}"},
	{"24 drawn moves, rms", "rms over t in orbit(moves = 24) " + benchOrbit},
	{"orbit, max", "max over t in orbit " + benchOrbit},
}

func newBenchOrbit() *cobra.Command {
	var o orbits
	cmd := &cobra.Command{
		Use:   "orbit MNIST-FOLDER",
		Short: "A maximum over an orbit beside fixed and drawn moves, on MNIST",
		Long: `Run specs on MNIST, 4 against 9, by method risk: R is a maximum over six fixed moves, a root mean square over 24 moves of each row that are drawn from an orbit of
turns, scalings and shifts, or the maximum over this orbit. Print one table in Markdown: accuracy, R of the fit, the maximum over the orbit that a search finds at f, iterations, functionals, fits, and
seconds of processor time. For the first two the search is a measure, and in its time.

` + wanted(&bench.Digits),
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, c := range []counted{{"train", o.train}, {"test", []int{o.test}}} {
				if err := c.check(cmd); err != nil {
					return err
				}
			}
			if !(o.weight > 0) {
				return cli.WrongCall(cmd, fmt.Errorf("--weight is %g; it must be positive", o.weight))
			}
			folder, err := bench.Digits.Find(args[0])
			if err != nil {
				return err
			}
			return o.run(cmd, folder)
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&o.train, "train", []int{60, 100}, "numbers of training rows")
	f.IntVar(&o.test, "test", 500, "test rows")
	f.Float64Var(&o.weight, "weight", 1, "weight of R")
	return cmd
}

// run prints the table, a line for each R and number of rows.
func (o *orbits) run(cmd *cobra.Command, folder string) error {
	out := cmd.OutOrStdout()
	fmt.Fprintln(out, "| n | R over | accuracy | R | max over the orbit | gap | iterations | functionals | members | active | fits | s |\n|"+strings.Repeat("---|", 12))
	for _, n := range o.train {
		for i, over := range overMoves {
			before := bench.Spent()
			rep, err := o.report(cmd, folder, n, over[1], i < len(overMoves)-1)
			if err != nil {
				return err
			}
			accuracy, _ := rep.Metrics.Figures.Get(metric.Accuracy)
			s := &rep.Regularizer[0]
			w := s.Searched
			if w == nil {
				w = rep.Measures[0].Searched
			}
			fmt.Fprintf(out, "| %d | %s | %.2f | %.3f | %.3f | %.0e | %d | %d | %s | %.1f |\n", n, over[0], 100*accuracy, float64(s.Value), float64(w.Value),
				float64(rep.Certificate.MaxGap), rep.Learner.Iterations, s.Functionals, foundIn(w), (bench.Spent() - before).Seconds())
		}
	}
	return nil
}

// foundIn returns the cells that say how members were found. They are empty where there are none.
func foundIn(w *report.Searched) string {
	if w.Fits == 0 {
		return "– | – | 1"
	}
	return fmt.Sprintf("%d | %d | %d", w.Members, w.Active, w.Fits)
}

// report runs a spec whose R is over some moves, with a measure of the maximum over the orbit or without.
func (o *orbits) report(cmd *cobra.Command, folder string, n int, over string, measured bool) (*report.Report, error) {
	text := fmt.Sprintf("data { target digit : binary(4, 9); columns image(28, 28); split train = %d, test = %d }\nkernel gaussian(width = 0.5 * median)\n"+
		"features nystrom(landmarks = all)\nmethod risk\nlearn svm(C = 1)\ninvariance steady = rms over x of %s of |f(t(x)) - f(x)|\nregularize %g * steady\n", n, o.test, over, o.weight)
	if measured {
		text += "measure worst = rms over x of max over t in orbit " + benchOrbit + " of |f(t(x)) - f(x)|\n"
	}
	spec := sipc.NewSpec(cmd.Context(), filepath.Join(folder, "bench.inv"), []byte(text), sipc.SpecOptions{})
	defer spec.Close() //nolint:errcheck // it has no plugins
	if err := spec.Err(); err != nil {
		return nil, err
	}
	return sipc.Run(cmd.Context(), spec, sipc.RunOptions{Data: filepath.Join(folder, trainImages), Test: filepath.Join(folder, testImages)})
}
