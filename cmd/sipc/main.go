// Command sipc teaches a classifier what must not matter. Its commands are `sipc help`'s; one file here holds each.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
)

func main() { os.Exit(cli.Main(newRoot())) }

func newRoot() *cobra.Command {
	return cli.Root(&cobra.Command{
		Use:     "sipc",
		Version: named(),
		Short:   "Teach a classifier what must not matter",
		Long:    "sipc fits models that respect what a spec declares: invariances, proved convex, solved with a certificate.",
	},
		newInit(), cli.BoundMemory(newInspect()), cli.BoundMemory(cli.BoundTime(newRun())), cli.BoundMemory(cli.BoundTime(newTune())), newCheck(), cli.BoundMemory(newExplain()), newFormat(), cli.BoundMemory(cli.BoundTime(newPolar())),
		cli.BoundMemory(cli.BoundTime(newPredict())), cli.BoundMemory(cli.BoundTime(newEmbed())), cli.BoundMemory(newPlan()), cli.BoundMemory(cli.BoundTime(newBlock())), newMerge(), newProve(), newExport(), newEval(), newREPL(), newLSP(), cli.BoundMemory(newServe()), newPlugin(), newMan(), newVersion(),
	)
}
