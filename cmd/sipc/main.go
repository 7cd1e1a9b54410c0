// Command sipc teaches a classifier what must not matter. Its commands are `sipc help`'s; one file here holds each.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// The exit statuses.
const (
	exitDone   = 0 // what was asked is done
	exitFailed = 1 // the work failed
	exitWrong  = 2 // the spec or the call is wrong
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run does what the program does, except for the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	f := failure{stdout: stdout, stderr: stderr, asJSON: wantsJSON(cmd)}
	return f.present(ctx, err)
}

func newRoot() *cobra.Command {
	var linear string
	root := &cobra.Command{
		Use:           "sipc",
		Short:         "Teach a classifier what must not matter",
		Long:          "sipc fits models that respect what a spec declares: invariances, proved convex, solved with a certificate.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          arguments(knownCommand),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return selectBLAS(linear, cmd.Flags().Changed("blas"))
		},
	}
	root.PersistentFlags().StringVar(&linear, "blas", "", "what does the linear `algebra`: "+
		strings.Join(blas.Names(), ", ")+" (default $"+blas.Variable+", else the fastest of ours)")
	root.PersistentFlags().BoolP(quietFlag, "q", false, "show no progress on standard error, which else gets a line every 5 s where it is no terminal (or as $"+
		progressVariable+" says: 30s, "+noProgress+")")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return &callError{cmd, err} })
	root.AddCommand(
		newInit(), newRun(), newCheck(), newExplain(), newFormat(), newPolar(), newPredict(), newEmbed(), newBench(), newReproduce(), newEval(), newREPL(), newLSP(), newPlugin(), newVersion(),
	)
	completeArguments(root)
	return root
}

// selectBLAS registers the linear algebra that the flag names, or else the environment.
func selectBLAS(name string, byFlag bool) error {
	asked := "--blas " + name
	if !byFlag {
		name = os.Getenv(blas.Variable)
		asked = blas.Variable + "=" + name
	}
	if err := blas.Select(name); err != nil {
		return &callError{nil, fmt.Errorf("%s: %w", asked, err)}
	}
	return nil
}

// knownCommand refuses what is no command.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = max(1, len(args[0])/3)
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("there is no command %s; did you mean %s?", args[0], near[0])
	}
	return fmt.Errorf("there is no command %s", args[0])
}

// A callError is a call that is wrong: an unknown flag, a missing argument, a spec that is not there.
type callError struct {
	cmd *cobra.Command // whose usage is shown; nil where that is no help
	err error
}

func (e *callError) Error() string {
	if e.cmd == nil {
		return e.err.Error()
	}
	return fmt.Sprintf("%v\n  usage: %s\n  help:  %s --help", e.err, e.cmd.UseLine(), e.cmd.CommandPath())
}

func (e *callError) Unwrap() error { return e.err }

// An exitError carries a status whose reason has been shown already.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// interrupted reports whether the user stopped the program.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}
