package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/runtime/metric"
)

// citationSpec says that papers which cite one another are mostly of one topic. All numbers are chosen on the valid rows.
const citationSpec = `data {
    target     topic : class
    split      by part
    unlabelled test
    normalize
}
kernel     gaussian(width = grid(0.3, 0.5, 1) * median)
features   nystrom(landmarks = rows)
learn      ridge(lambda = grid(0.1, 1, 10))
method     risk
invariance alike = norm(2) over (a, b) in graph("edges.csv"), y in labels of |f(a, y) - f(b, y)|
regularize grid(0.03, 0.1, 0.2, 0.3) * alike
`

func newBenchGraph() *cobra.Command {
	return &cobra.Command{
		Use:   "graph FOLDER",
		Short: "Citations as a graph of rows without labels, beside words alone and label propagation",
		Long: `Learn the topics of papers from a few labels, their words and their citations. Rows without a label and the features of test
rows are in R. Beside it stand the same learner without R, which has the words alone, and label propagation, which has the citations
alone. All are chosen on the valid rows.

` + wanted(&bench.Citations),
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := bench.Citations.Find(args[0])
			if err != nil {
				return err
			}
			dir, err := os.MkdirTemp("", "sipc-graph-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir) //nolint:errcheck // a copy
			g, err := bench.ReadCitations(folder, dir)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			spec := sipc.NewSpec(ctx, filepath.Join(dir, "graph.inv"), []byte(citationSpec), sipc.SpecOptions{})
			defer spec.Close() //nolint:errcheck // it has no plugins
			rep, err := sipc.Run(ctx, spec, sipc.RunOptions{Data: filepath.Join(dir, "papers.csv"), Baseline: true, Unmeasured: true})
			if err != nil {
				return err
			}
			alpha, spread := g.Propagate()
			own, _ := rep.Metrics.Figures.Get(metric.Accuracy)
			plain, _ := rep.Baseline.Metrics.Figures.Get(metric.Accuracy)
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%d training, %d valid and %d test rows, %d edges; accuracy on the test rows\n", rep.NTrain, rep.NValid, rep.NTest, len(g.Edges))
			fmt.Fprintf(out, "words and citations   %.3f   %s, gap %.2g\n", own, rep.Grid.Chosen, float64(rep.Certificate.MaxGap))
			fmt.Fprintf(out, "words alone           %.3f   the same features, R = 0\n", plain)
			fmt.Fprintf(out, "citations alone       %.3f   label propagation, alpha = %g\n", spread, alpha)
			seconds, _ := rep.Timing.Get("total")
			fmt.Fprintf(out, "%.0f s\n", seconds)
			return nil
		},
	}
}
