package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/serve/frame"
)

func newServe() *cobra.Command {
	var stdio bool
	cmd := &cobra.Command{
		Use:   "serve --stdio",
		Short: "Fit and apply models for another program, which speaks over a pipe",
		Long: `Fit and apply models for another program, such as the Python package, which sends columns of numbers and texts over standard input and gets
models and predictions over standard output. docs/stdio.md describes the messages. The process ends with its input.`,
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !stdio {
				return cli.WrongCall(cmd, errors.New("say over what to serve: --stdio"))
			}
			return frame.Serve(cmd.Context(), cmd.InOrStdin(), os.Stdout)
		},
	}
	cmd.Flags().BoolVar(&stdio, "stdio", false, "speak over standard input and output")
	return cmd
}
