package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A squares is a call of `sipc-lab bench quadratic`: runs under an R of squares beside method plain of a spec without R.
type squares struct {
	train, landmarks []int
	test             int
	from             string
	alone            string // the method of a run in this very process
}

// squareLearners are those of classes.
var squareLearners = []string{"svm", "softmax", "logistic", "ridge"}

// squareMoves are those that R is taken over, by their names in the table.
var squareMoves = []struct{ name, norm, moves string }{
	{"6 moves", "norm(2)", "{rotate(15deg), rotate(-15deg), shift(dx = 2), shift(dx = -2), shift(dy = 2), shift(dy = -2)}"},
	{"an orbit, 24 moves", "rms", "orbit {rotate([-15deg, 15deg]), shift(dx = [-2, 2], dy = [-2, 2])}"},
}

func newBenchQuadratic() *cobra.Command {
	var s squares
	cmd := &cobra.Command{
		Use:   "quadratic MNIST-FOLDER",
		Short: "What an R of squares costs beside no R, for every learner of classes",
		Long: `Run specs on MNIST whose R is a norm(2) over labels and moves, by methods risk, warp and embed, and the same spec without R by method plain. Each
run is a process of its own, from reading the images to the report. A line of JSON tells of each: seconds of processor time, and the largest gap.
--table FILE prints the lines of a file as a table in Markdown, with how many times those of plain the seconds are.

` + wanted(&bench.Digits),
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case s.alone != "":
				return s.measure(cmd, args[0])
			case s.from != "":
				return s.table(cmd)
			}
			for _, c := range []counted{{"train", s.train}, {"landmarks", s.landmarks}, {"test", []int{s.test}}} {
				if err := c.check(cmd); err != nil {
					return err
				}
			}
			folder, err := bench.Digits.Find(args[0])
			if err != nil {
				return err
			}
			return s.run(cmd, folder)
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&s.train, "train", []int{500, 1000}, "numbers of training rows")
	f.IntSliceVar(&s.landmarks, "landmarks", []int{500}, "numbers of landmarks")
	f.IntVar(&s.test, "test", 1000, "test rows")
	f.StringVar(&s.from, "table", "", "a `file` of lines to print as a table; nothing is run")
	f.StringVar(&s.alone, "alone", "", "run a spec by this method in this process")
	_ = f.MarkHidden("alone") // there is such a flag
	return cmd
}

// measure runs the spec that the input holds on the images of a folder and prints what that took.
func (s *squares) measure(cmd *cobra.Command, folder string) error {
	text, err := io.ReadAll(cmd.InOrStdin())
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	spec := sipc.NewSpec(ctx, filepath.Join(folder, "bench.inv"), text, sipc.SpecOptions{})
	defer spec.Close() //nolint:errcheck // it has no plugins
	rep, err := sipc.Run(ctx, spec, sipc.RunOptions{
		Data: filepath.Join(folder, trainImages), Test: filepath.Join(folder, testImages), Method: setting.Method(s.alone),
	})
	if err != nil {
		return err
	}
	out := bench.Square{Seconds: bench.Spent().Seconds(), Gap: report.Number(math.NaN())}
	if rep.Certificate != nil {
		out.Gap = rep.Certificate.MaxGap
	}
	return json.NewEncoder(cli.Raw(cmd.OutOrStdout())).Encode(&out)
}

// run writes a line for each run.
func (s *squares) run(cmd *cobra.Command, folder string) error {
	for _, learner := range squareLearners {
		for at := range squareMoves {
			for _, n := range s.train {
				for _, d := range s.landmarks {
					if err := s.methods(cmd, folder, bench.Square{Learner: learner, Moves: squareMoves[at].name, Rows: n, Landmarks: d}, at); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// methods writes a line for each method, of method plain first.
func (s *squares) methods(cmd *cobra.Command, folder string, of bench.Square, moves int) error {
	write := json.NewEncoder(cli.Raw(cmd.OutOrStdout()))
	for _, method := range append([]setting.Method{setting.Plain}, bench.SquareMethods...) {
		got, err := child(cmd, folder, s.spec(&of, moves, method != setting.Plain), method)
		if err != nil {
			return err
		}
		of.Method, of.Seconds, of.Gap = method, got.Seconds, got.Gap
		if err := write.Encode(&of); err != nil {
			return err
		}
	}
	return nil
}

// table prints the lines of a file.
func (s *squares) table(cmd *cobra.Command) error {
	file, err := os.Open(s.from)
	if err != nil {
		return cli.WrongInput(err)
	}
	defer file.Close() //nolint:errcheck // was read only
	var runs []bench.Square
	for from := json.NewDecoder(file); ; {
		var one bench.Square
		if err := from.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return cli.WrongInput(fmt.Errorf("%s: %w", s.from, err))
		}
		runs = append(runs, one)
	}
	return bench.WriteSquares(cmd.OutOrStdout(), runs)
}

// spec returns a spec with R over some of the moves, or without.
func (s *squares) spec(of *bench.Square, moves int, regularized bool) string {
	text := fmt.Sprintf("data { target digit : class; columns image(28, 28); split train = %d, test = %d }\nkernel gaussian(width = 0.5 * median)\n"+
		"features nystrom(landmarks = %d)\nlearn %s\n", of.Rows, s.test, of.Landmarks, of.Learner)
	if !regularized {
		return text
	}
	m := squareMoves[moves]
	return text + fmt.Sprintf("invariance steady = rms over x of %s over t in %s of norm(2) over c in labels of |f(t(x), c) - f(x, c)|\nregularize 1 * steady\n", m.norm, m.moves)
}

// child runs a spec by a method in a process of its own.
func child(cmd *cobra.Command, folder, text string, method setting.Method) (*bench.Square, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(cmd.Context(), program, "bench", "quadratic", "--alone", string(method), folder)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(text), &stdout, &stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("method %s: %w\n%s", method, err, stderr.String())
	}
	out := &bench.Square{}
	return out, json.Unmarshal(stdout.Bytes(), out)
}
