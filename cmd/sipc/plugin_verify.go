package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/plugins/verify"
)

func newPluginVerify() *cobra.Command {
	var files, checks []string
	var asJSON, quick bool
	cmd := &cobra.Command{
		Use:   "verify PATH",
		Short: "Verify that a family's program keeps the contract",
		Long: `Run a family's program as a run of a spec would, on data made up for it, and ask everything that the contract promises: that it
starts and ends, describes itself, answers alike whenever it is asked, that maps keep labels, that derivatives agree with finite
differences, that answers do not hang on how the data are prepared, that functionals are bounded, that answers come in chunks, that it
stops when nobody waits, and that it stands bad cli.Arguments, empty data and large data. Each check passes, fails or is skipped; exit
status 1 if one fails. What could not be tried, or was refused, is said at the end. Nothing is pinned.

Arguments get their defaults, and values that their schema allows; a file can only be given: --file edges=edges.csv.`,
		Example: "  sipc plugin verify ./sipc-family-swaps\n  sipc plugin verify ./sipc-family-graph --file edges=edges.csv --json",
		Args:    cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			given, err := filesOf(files)
			if err != nil {
				return cli.WrongCall(cmd, err)
			}
			o := sipc.VerifyOptions{Quick: quick, Checks: checks, Files: given}
			if stderr, ok := cli.Raw(cmd.ErrOrStderr()).(*os.File); ok && term.IsTerminal(int(stderr.Fd())) {
				o.Progress = func(check string) { fmt.Fprintf(stderr, "\r\x1b[K%s …", check) }
				defer fmt.Fprint(stderr, "\r\x1b[K")
			}
			report, err := sipc.VerifyPlugin(cmd.Context(), args[0], o)
			if err != nil {
				return cli.WrongInput(err)
			}
			return reported(cmd.OutOrStdout(), report, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&files, "file", nil, "give this file for arguments of that name: `ARGUMENT=PATH`; may be repeated")
	f.StringSliceVar(&checks, "check", nil, "run this `check` alone, beside the handshake; may be repeated")
	f.BoolVar(&quick, "quick", false, "ask about large data of 4 MiB, and not of 64")
	f.BoolVar(&asJSON, "json", false, "print one JSON object instead of text")
	return cmd
}

// filesOf maps arguments to the paths of the files given for them.
func filesOf(given []string) (map[string]string, error) {
	out := map[string]string{}
	for _, f := range given {
		name, path, ok := strings.Cut(f, "=")
		if !ok || name == "" || path == "" {
			return nil, fmt.Errorf("--file %s: write ARGUMENT=PATH", f)
		}
		out[name] = path
	}
	return out, nil
}

// reported shows a report, and fails where a check did.
func reported(out io.Writer, report *verify.Report, asJSON bool) error {
	if !asJSON {
		writeVerified(out, report)
	} else if err := cli.WriteJSON(out, report); err != nil {
		return err
	}
	if !report.Passed {
		return cli.ExitError(cli.ExitFailed)
	}
	return nil
}

// writeVerified shows a report: a line for each check, what is wrong below it, what could not be tried, and the sum at the end.
func writeVerified(w io.Writer, r *verify.Report) {
	if r.Name != "" {
		fmt.Fprintf(w, "%s %s, sha256 %s\n\n", r.Name, r.Version, r.SHA256)
	}
	count := map[string]int{}
	var notRun []string
	for _, c := range r.Checks {
		count[c.Status]++
		if slices.Contains(c.Notes, verify.NotRun) {
			notRun = append(notRun, c.Name)
			continue
		}
		fmt.Fprintf(w, "%-7s  %-13s %s\n", c.Status, c.Name, c.Question)
		writeList(w, "         ", c.Findings)
		if c.Status == verify.Skipped {
			for _, n := range c.Notes {
				fmt.Fprintf(w, "           %s\n", n)
			}
		}
	}
	if len(notRun) > 0 {
		fmt.Fprintf(w, "%-7s  %s\n           %s\n", verify.Skipped, strings.Join(notRun, ", "), verify.NotRun)
	}
	if len(r.Untried) > 0 {
		fmt.Fprint(w, "\nnot tried, or refused:\n")
		writeList(w, "", r.Untried)
	}
	fmt.Fprintf(w, "\n%d passed, %d failed, %d skipped\n", count[verify.Passed], count[verify.Failed], count[verify.Skipped])
}

// writeList writes items, and the further lines of one below it.
func writeList(w io.Writer, indent string, items []string) {
	for _, item := range items {
		fmt.Fprintf(w, "%s- %s\n", indent, strings.ReplaceAll(item, "\n", "\n"+indent+"  "))
	}
}
