package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lsp"
)

func newLSP() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve editors: diagnostics, hover, completion and more over the Language Server Protocol",
		Long: "Serve an editor over the Language Server Protocol on standard input and output. Editors start this themselves; " +
			"see docs/editors.md. The log goes to standard error.",
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := lsp.Serve(cmd.Context(), cmd.InOrStdin(), os.Stdout, lsp.Options{
				Version: sipc.Version, Families: sipc.Families(), Pinned: sipc.PinnedFamilies, Log: cmd.ErrOrStderr(),
			})
			if errors.Is(err, lsp.ErrNoShutdown) {
				return cli.ExitError(cli.ExitFailed)
			}
			return err
		},
	}
	cmd.Flags().Bool("stdio", true, "speak over standard input and output, the only way there is")
	return cmd
}
