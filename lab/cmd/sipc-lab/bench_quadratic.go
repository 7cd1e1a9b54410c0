package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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
	alone            string // the method of a run in this very process
}

// A task is a learner of the benchmark, with its target among digits.
type task struct {
	target, learner string
	joint           bool // f has labels
}

// squareTasks have each learner of classes whose loss method risk knows.
var squareTasks = []task{
	{"digit : binary(4, 9)", "svm(C = 10)", false},
	{"digit : binary(4, 9)", "logistic(C = 10)", false},
	{"digit : class", "svm(C = 10)", true},
	{"digit : class", "softmax(C = 10)", true},
	{"digit : class", "ridge(lambda = 0.1)", true},
}

// squareMoves are those of the benchmark's R.
const squareMoves = "{rotate(10deg), rotate(-10deg), shift(dx = 2), shift(dx = -2), shift(dy = 2), shift(dy = -2)}"

func newBenchQuadratic() *cobra.Command {
	var s squares
	cmd := &cobra.Command{
		Use:   "quadratic MNIST-FOLDER",
		Short: "What an R of squares costs beside no R, for every learner of classes",
		Long: `Run specs on MNIST whose R is a norm(2) over labels and six moves, by methods risk and warp, and the same spec without R by method
plain. Each run is a process of its own, from reading the images to the report. Print one table in Markdown: seconds of processor time, and
how many times those of plain they are.

` + wanted(&bench.Digits),
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.alone != "" {
				return s.measure(cmd, args[0])
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
	f.IntSliceVar(&s.train, "train", []int{250, 1000}, "numbers of training rows")
	f.IntSliceVar(&s.landmarks, "landmarks", []int{250}, "numbers of landmarks")
	f.IntVar(&s.test, "test", 500, "test rows")
	f.StringVar(&s.alone, "alone", "", "run a spec by this method in this process")
	_ = f.MarkHidden("alone") // there is such a flag
	return cmd
}

// spent holds the time and the figures of a run.
type spent struct {
	Seconds float64       `json:"seconds"`
	Gap     report.Number `json:"gap"`
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
	out := spent{Seconds: bench.Spent().Seconds()}
	if rep.Certificate != nil {
		out.Gap = rep.Certificate.MaxGap
	}
	return json.NewEncoder(cli.Raw(cmd.OutOrStdout())).Encode(&out)
}

// run prints the table, a line for each learner and size.
func (s *squares) run(cmd *cobra.Command, folder string) error {
	fmt.Fprint(cmd.OutOrStdout(), "| learner | target | n | landmarks | plain, s | risk, s | × plain | gap | warp, s | × plain |\n|"+strings.Repeat("---|", 10)+"\n")
	for _, t := range squareTasks {
		for _, n := range s.train {
			for _, d := range s.landmarks {
				if err := s.line(cmd, folder, &t, n, d); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// line prints a line of the table.
func (s *squares) line(cmd *cobra.Command, folder string, t *task, n, landmarks int) error {
	fmt.Fprintf(cmd.OutOrStdout(), "| %s | %s | %d | %d |", t.learner, strings.TrimPrefix(t.target, "digit : "), n, landmarks)
	plain := 0.0
	for _, method := range []setting.Method{setting.Plain, setting.Risk, setting.Warp} {
		got, err := child(cmd, folder, t.spec(n, s.test, landmarks, method != setting.Plain), method)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), " %.2f |", got.Seconds)
		if method == setting.Plain {
			plain = got.Seconds
			continue
		}
		fmt.Fprintf(cmd.OutOrStdout(), " %.2f |", got.Seconds/plain)
		if method == setting.Risk {
			fmt.Fprintf(cmd.OutOrStdout(), " %.1e |", float64(got.Gap))
		}
	}
	fmt.Fprintln(cmd.OutOrStdout())
	return nil
}

// spec returns a spec, with R or without.
func (t *task) spec(n, test, landmarks int, regularized bool) string {
	text := fmt.Sprintf("data { target %s; columns image(28, 28); split train = %d, test = %d }\nkernel gaussian(width = 0.5 * median)\n"+
		"features nystrom(landmarks = %d)\nlearn %s\n", t.target, n, test, landmarks, t.learner)
	if !regularized {
		return text
	}
	over, at := "", ""
	if t.joint {
		over, at = " norm(2) over c in labels of", ", c"
	}
	return text + fmt.Sprintf("invariance steady = rms over x of%s norm(2) over t in %s of |f(t(x)%s) - f(x%s)|\nregularize 2 * steady\n", over, squareMoves, at, at)
}

// child runs a spec by a method in a process of its own.
func child(cmd *cobra.Command, folder, text string, method setting.Method) (*spent, error) {
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
	out := &spent{}
	return out, json.Unmarshal(stdout.Bytes(), out)
}
