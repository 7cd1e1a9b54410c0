package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/blas"
)

// named names the program, as version and the flag of that name do.
func named() string {
	return fmt.Sprintf("sipc %s, %s %s/%s", sipc.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and what does the linear algebra",
		Args:  cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s, linear algebra: %s (%s)\n", named(), blas.Name(), blas.Detail())
			return err
		},
	}
}
