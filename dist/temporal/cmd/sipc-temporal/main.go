// Command sipc-temporal embeds the rows of a plan by a workflow of Temporal. Its commands are `sipc-temporal help`'s; one file here holds each.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
)

func main() { os.Exit(cli.Main(newRoot())) }

func newRoot() *cobra.Command {
	return cli.Root(&cobra.Command{
		Use:   "sipc-temporal",
		Short: "Embed rows in blocks by Temporal",
		Long: `sipc-temporal embeds rows that sipc plan has planned, by a workflow of a Temporal server. Workers compute blocks on machines that share a folder.
Workers, the server and whoever submitted may be killed: the work goes on, and the file has the bytes of sipc embed.`,
	}, newSubmit(), cli.BoundMemory(newWorker()))
}
