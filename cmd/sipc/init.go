package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
)

func newInit() *cobra.Command {
	var (
		targets []string
		out     string
	)
	cmd := &cobra.Command{
		Use:   "init DATA",
		Short: "Write a first spec for data, with notes on what to declare",
		Long: `Write a first spec for DATA: its target and task, how its columns are prepared, and a learner whose strength the training rows choose. It runs as
it is. Statements that may be true of the columns stand there as comments; taking the # of one away declares it. Without --target the target is guessed: the column called target, label, class, y, outcome or response, or else the
last. Several columns of 0 and 1 are labels of one multilabel target: --target a,b or --target 'topic_*'. A column of the words train, valid and test
splits the rows. The spec is NAME.inv in this folder for data NAME.csv; a file that is there is never replaced.

Exit status: 0 done, 1 the spec cannot be written, 2 the call is wrong, or the data cannot be read.`,
		Example: "  sipc init examples/houses/houses.csv --target price --out first.inv",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && len(targets) == 0 {
				return cli.WrongCall(cmd, fmt.Errorf("the column to learn is a flag: sipc init %s --target %s", word(args[0]), word(args[1])))
			}
			return cli.Takes(1, 1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			draft, err := sipc.NewDraft(cmd.Context(), args[0], strings.Join(targets, ","))
			if wrong := new(sipc.DraftError); errors.As(err, &wrong) {
				return cli.WrongCall(nil, err)
			}
			if err != nil {
				return err
			}
			if out == "-" {
				_, err = io.WriteString(cli.Data(cmd.OutOrStdout()), draft.Text)
				return err
			}
			if out == "" {
				out = specName(args[0])
			}
			if err := writeDraft(out, draft.Text); err != nil {
				return err
			}
			tellDraft(cmd, draft, out, args[0])
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&targets, "target", nil, "the `column` to learn, or several of 0 and 1 as labels: a,b or topic_*; without it one is guessed")
	cmd.Flags().StringVar(&out, "out", "", "the `file` to write, - for standard output (default NAME.inv in this folder)")
	return cmd
}

// specName returns the spec's file for a data file: houses.inv for data/houses.csv.gz.
func specName(data string) string {
	name, _, _ := strings.Cut(filepath.Base(data), ".")
	if name == "" {
		name = "first"
	}
	return name + ".inv"
}

// writeDraft writes a file that is not there yet.
func writeDraft(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // a spec is not a secret, and umask decides
	if errors.Is(err, fs.ErrExist) {
		return cli.WrongCall(nil, fmt.Errorf("%s is there already and stays as it is; --out FILE writes another", path))
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(path) // a part of a spec is none
	}
	return err
}

// tellDraft says what was written, and how to go on from there.
func tellDraft(cmd *cobra.Command, draft *sipc.Draft, spec, data string) {
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "wrote %s: target %s", spec, draft.Target)
	if draft.Why != "" {
		fmt.Fprintf(out, " (%s; --target takes another)", draft.Why)
	}
	if n := len(draft.LeftOut); n > 0 {
		const shown = 5
		fmt.Fprintf(out, "\nignored: %s", strings.Join(draft.LeftOut[:min(n, shown)], ", "))
		if n > shown {
			fmt.Fprintf(out, " and %d more", n-shown)
		}
	}
	fmt.Fprintf(out, "\nIt runs as it is:\n  sipc run %s %s\nTake away the # of what is true of these rows, and see what that does:\n  sipc run %s %s --baseline plain\n",
		word(spec), word(data), word(spec), word(data))
}

// word returns an argument as a shell takes it.
func word(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
