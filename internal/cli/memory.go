package cli

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/limits"
)

// memoryFlag bounds the memory of a command.
const memoryFlag = "max-memory"

// From a forecast of much bytes on, garbage is collected when it is tidyPercent of what is in use. Large problems are large matrices,
// which cost the collector next to nothing, and a peak of twice of them is not a forecast.
const (
	much        = 64 << 20
	tidyPercent = 40
)

// BoundMemory gives a command the flag --max-memory. Its context then knows the bound, and garbage is collected before the bound
// is met.
func BoundMemory(cmd *cobra.Command) *cobra.Command {
	var size string
	cmd.Flags().StringVar(&size, memoryFlag, "", "refuse what would take more memory than this `size`, 2GiB or 500MiB (default four fifths of what the machine or its cgroup gives)")
	do := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		if cmd.Flags().Changed(memoryFlag) {
			bytes, err := limits.ParseMemory(size)
			if err != nil {
				return WrongCall(cmd, fmt.Errorf("--%s: %w", memoryFlag, err))
			}
			ctx = limits.WithMemory(ctx, bytes)
		}
		// Pages of files are memory that the collector does not know of. Fast readers have more for a moment than they may.
		most := limits.Memory(ctx)
		debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), max(most-2*limits.PagedBytes, most-most/8)))
		// Whoever sets GOGC has the say.
		if os.Getenv("GOGC") == "" {
			ctx = limits.WithForecasts(ctx, func(needs []limits.Need) {
				if limits.Sum(needs) > much {
					debug.SetGCPercent(tidyPercent)
				}
			})
		}
		cmd.SetContext(ctx)
		return do(cmd, args)
	}
	return cmd
}
