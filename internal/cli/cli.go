// Package cli starts the project's programs: it checks arguments, shows progress and errors, and chooses the exit status.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/blas"
)

// The exit statuses.
const (
	ExitDone   = 0 // what was asked is done
	ExitFailed = 1 // the work was begun, and failed or is not done
	ExitWrong  = 2 // the call, or an input that it names, cannot be used
	// A program that a signal ended has 128 and the signal's number: 130 after an interrupt, 143 after SIGTERM. So has one whose reader has
	// gone, without a word: 141, as after SIGPIPE.
)

// Main runs a program's commands with the arguments of the process, and returns its exit status. A first interrupt cancels the context, a second ends the
// program at once.
func Main(root *cobra.Command) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := &stopped{<-signals}
		signal.Stop(signals)
		cancel(s)
		s.insist(time.After(patience), os.Stderr, os.Exit) //nolint:forbidigo // main waits for what does not end
	}()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // which would end the program before it has put in order what it leaves
	return run(ctx, root, os.Args[1:], &printed{w: os.Stdout, nowhere: closed()}, os.Stderr)
}

// patience is how long after a signal the program may go on. Then the process ends in the middle of its work. Results are
// put in their places whole or not at all, and families end with the program that started them.
const patience = 1800 * time.Millisecond

// stopped is the cause of a context that a signal ended.
type stopped struct{ signal os.Signal }

// Error names the signal.
func (s *stopped) Error() string { return s.signal.String() }

// Unwrap makes the cause one of cancellation.
func (s *stopped) Unwrap() error { return context.Canceled }

// status returns that of a program which the signal ended, by the convention of shells.
func (s *stopped) status() int {
	if s.signal == syscall.SIGTERM {
		return 128 + int(syscall.SIGTERM)
	}
	return 128 + int(syscall.SIGINT)
}

// insist ends the process after a time.
func (s *stopped) insist(after <-chan time.Time, stderr io.Writer, exit func(status int)) {
	<-after
	fmt.Fprintln(stderr, "interrupted in the middle of its work; files of earlier results are as they were")
	exit(s.status())
}

// run does what the program does, except for the process around it.
func run(ctx context.Context, root *cobra.Command, args []string, out *printed, stderr io.Writer) int {
	ctx, out.end = context.WithCancelCause(ctx)
	defer out.end(nil)
	var stdout io.Writer = &cleaned{w: out}
	stderr = &cleaned{w: stderr}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if errors.Is(out.err, syscall.EPIPE) { // its reader has gone, as head does when it has enough
		return 128 + int(syscall.SIGPIPE)
	}
	if err == nil || out.err != nil && errors.Is(context.Cause(ctx), out.err) {
		err = out.err
	}
	if err == nil {
		return ExitDone
	}
	f := failure{stdout: stdout, stderr: stderr, asJSON: wantsJSON(cmd)}
	status := f.present(ctx, err)
	if s := new(stopped); errors.As(context.Cause(ctx), &s) {
		return s.status()
	}
	return status
}

// Root gives a program's first command what all programs share: the flags --blas and --quiet, and errors that show the usage. A command
// that only groups others shows its help.
func Root(root *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	var linear string
	root.SilenceUsage, root.SilenceErrors = true, true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := namesFiles(cmd); err != nil {
			return err
		}
		return selectBLAS(linear, cmd.Flags().Changed("blas"))
	}
	root.PersistentFlags().StringVar(&linear, "blas", "", "what does the linear `algebra`: "+
		strings.Join(blas.Tiers(), ", ")+" (default $"+blas.Variable+", else the fastest of ours)")
	root.PersistentFlags().BoolP(quietFlag, "q", false, "show no progress on standard error, which else gets a line every 10 s where it is not a terminal (or as $"+
		progressVariable+" says: 30s, "+noProgress+")")
	root.SetFlagErrorFunc(wrongFlag)
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(commands...)
	root.InitDefaultCompletionCmd()
	for _, cmd := range append(root.Commands(), root) {
		if cmd.HasSubCommands() && !cmd.Runnable() {
			cmd.Args = Arguments(knownCommand)
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
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

// knownCommand refuses what is not a command.
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

// WrongCall returns the error of a call that is wrong. Its text shows the usage of cmd, if not nil.
func WrongCall(cmd *cobra.Command, err error) error { return &callError{cmd, err} }

// WrongInput returns the error of an input that the call names and that cannot be used; nil where there is none.
func WrongInput(err error) error {
	if err == nil {
		return nil
	}
	return &inputError{err}
}

// An inputError is an input that cannot be used.
type inputError struct{ error }

func (e *inputError) Unwrap() error { return e.error }

// A callError is a call that is wrong: an unknown flag, a missing argument, a spec that is not there.
type callError struct {
	cmd *cobra.Command // whose usage is shown; nil where that does not help
	err error
}

func (e *callError) Error() string {
	if e.cmd == nil {
		return e.err.Error()
	}
	return fmt.Sprintf("%v\n  usage: %s\n  help:  %s --help", e.err, e.cmd.UseLine(), e.cmd.CommandPath())
}

func (e *callError) Unwrap() error { return e.err }

// An ExitError carries a status whose reason has been shown already.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Interrupted reports whether the user stopped the program.
func Interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && !limits.TimeOver(context.Cause(ctx)) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}

// WriteJSON writes one object, as people can read it.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(Data(w))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// CheckGap refuses a --gap that is not a relative gap.
func CheckGap(cmd *cobra.Command, gap float64) error {
	if cmd.Flags().Changed("gap") && !(gap > 0 && gap < 1) {
		return &callError{cmd, fmt.Errorf("--gap is %g; it must lie between 0 and 1, such as 1e-3", gap)}
	}
	return nil
}
