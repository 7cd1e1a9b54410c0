package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/blas"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and what does the linear algebra",
		Args:  cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "sipc %s, %s %s/%s, linear algebra: %s (%s)\n",
				sipc.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, blas.Name(), blas.Detail())
			return err
		},
	}
}
