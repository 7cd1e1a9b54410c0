// Command sipc-lab measures sipc and runs the paper's experiments again. Its commands are `sipc-lab help`'s; one file here holds each.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
)

func main() { os.Exit(cli.Main(newRoot())) }

func newRoot() *cobra.Command {
	return cli.Root(&cobra.Command{
		Use:   "sipc-lab",
		Short: "Measure sipc, and run the paper's experiments again",
		Long:  "sipc-lab measures the solver and the examples' specs on real data, and runs the paper's experiments again.",
	}, newBench(), newReproduce())
}
