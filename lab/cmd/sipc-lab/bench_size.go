package main

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/lab/bench/size"
)

// A sizeCall is a call of `sipc-lab bench size`.
type sizeCall struct {
	rows, many    []int
	fits          []string
	test          int
	gap           float64
	program, from string
	learn         string // of rows of twenty columns
	blocks        string // of fits by embed
	kills         int
}

func newBenchSize() *cobra.Command {
	var s sizeCall
	cmd := &cobra.Command{
		Use:   "size [MNIST-FOLDER]",
		Short: "Whole runs as rows grow: an R over six moves, beside plain on rows and on their copies, and required signs",
		Long: `Draw training rows of MNIST's ten digits, and run sipc on them with 1,000 landmarks: method risk with an R over six moves, method plain, and
method plain on the rows and their six copies. --fits embed runs method embed in their place, which takes most of an hour for 20,000 rows; --blocks keeps its embeddings.
--fits "risk of 24 moves,plain on copies of 24 moves" have four times as many moves. Draw rows of twenty columns, of which four have signs that are required, and that belong to two
groups whose mean scores are to be the same. A line of JSON tells of each run: seconds, peak memory, gap and accuracy on test
rows. --table FILE prints the lines of a file as a table. Without a folder only the rows of twenty columns are drawn.

` + wanted(&bench.Digits),
		Args: cli.Takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.from != "" {
				lines, err := linesOf[size.Line](s.from)
				if err == nil {
					size.Write(cmd.OutOrStdout(), lines)
				}
				return err
			}
			return s.run(cmd, args)
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&s.rows, "rows", []int{1000, 10000, 20000}, "`numbers` of training rows")
	f.IntSliceVar(&s.many, "many", []int{10000, 100000, 1000000}, "`numbers` of rows of twenty columns")
	f.StringSliceVar(&s.fits, "fits", size.Fits, "the runs")
	f.IntVar(&s.test, "test", 1000, "test rows")
	f.Float64Var(&s.gap, "gap", 1e-3, "the gap of method risk")
	f.StringVar(&s.blocks, "blocks", "", "a `folder` that keeps the embeddings of --fits embed, so that the same command goes on; the line is of the last process alone")
	f.IntVar(&s.kills, "kills", 0, "how often a further run on rows of twenty columns is killed, which goes on by --blocks")
	f.StringVar(&s.learn, "learn", size.Ridge, "the `learner` of rows of twenty columns, such as logistic(C = 1)")
	f.StringVar(&s.program, "sipc", "sipc", "the `command` of sipc")
	f.StringVar(&s.from, "table", "", "a `file` of lines to print as a table; nothing is run")
	return cmd
}

// run writes a line for each run.
func (s *sizeCall) run(cmd *cobra.Command, data []string) error {
	if len(data) > 0 {
		folder, err := bench.Digits.Find(data[0])
		if err != nil {
			return err
		}
		for _, rows := range s.rows {
			if err := s.draw(cmd, folder, rows); err != nil {
				return err
			}
		}
	}
	for _, rows := range s.many {
		if err := s.drawMany(cmd, rows); err != nil {
			return err
		}
	}
	return nil
}

// drawMany writes the line of a number of rows of twenty columns.
func (s *sizeCall) drawMany(cmd *cobra.Command, rows int) error {
	dir, err := os.MkdirTemp("", "sipc-lab-size-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	job := size.ManyJob{Command: strings.Fields(s.program), Dir: dir, Learner: s.learn, Rows: rows, Test: 10 * s.test, Gap: s.gap, Kills: s.kills}
	line, err := job.Fit(cmd.Context())
	if err != nil {
		return err
	}
	return json.NewEncoder(cli.Raw(cmd.OutOrStdout())).Encode(line)
}

// draw writes the lines of a number of rows.
func (s *sizeCall) draw(cmd *cobra.Command, folder string, rows int) error {
	dir, err := os.MkdirTemp("", "sipc-lab-size-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	job, err := size.NewJob(folder, dir, rows, s.test)
	if err != nil {
		return cli.WrongInput(err)
	}
	write := json.NewEncoder(cli.Raw(cmd.OutOrStdout()))
	for _, fit := range s.fits {
		var more []string
		if fit == size.Embed && s.blocks != "" {
			more = []string{"--blocks", s.blocks}
		}
		line, err := job.Fit(cmd.Context(), strings.Fields(s.program), fit, s.gap, more...)
		if err == nil {
			err = write.Encode(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
