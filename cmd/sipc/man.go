package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/internal/whole"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write man pages of all commands",
		Long:    "Write man pages of all commands into a folder, which is made where it is not there. `man -l FOLDER/sipc-run.1` shows one.",
		Example: "  sipc man ~/.local/share/man/man1",
		Args:    cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return cli.WrongInput(err)
			}
			n, err := writeMan(cmd.Root(), args[0])
			if err == nil {
				_, err = fmt.Fprintf(cmd.ErrOrStderr(), "wrote %d man pages into %s\n", n, args[0])
			}
			return err
		},
	}
}

// writeMan writes the man page of a command and of all below it, and returns how many these are. Pages have no date, so that they are the same
// bytes at every build.
func writeMan(cmd *cobra.Command, folder string) (n int, err error) {
	if !cmd.IsAvailableCommand() && cmd.HasParent() || cmd.IsAdditionalHelpTopicCommand() {
		return 0, nil
	}
	var page bytes.Buffer
	cmd.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Date: &time.Time{}, Source: "sipc " + sipc.Version, Manual: "sipc"}
	if err := doc.GenMan(cmd, header, &page); err != nil {
		return 0, err
	}
	text := bytes.Replace(page.Bytes(), []byte(`"Jan 0001"`), []byte(`""`), 1)
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	if err := whole.Write(filepath.Join(folder, name), text, 0o644); err != nil {
		return 0, err
	}
	n = 1
	for _, below := range cmd.Commands() {
		more, err := writeMan(below, folder)
		if n += more; err != nil {
			return n, err
		}
	}
	return n, nil
}
