package cli

import (
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/limits"
)

// memoryFlag bounds the memory of a command.
const memoryFlag = "max-memory"

// BoundMemory gives a command the flag --max-memory. Its context then knows the bound, and garbage is collected before the bound
// is met.
func BoundMemory(cmd *cobra.Command) *cobra.Command {
	var size string
	cmd.Flags().StringVar(&size, memoryFlag, "", "refuse what would take more memory than this `size`, 2GiB or 500MiB (default four fifths of what the machine or its cgroup gives)")
	do := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed(memoryFlag) {
			bytes, err := limits.ParseSize(size)
			if err != nil {
				return WrongCall(cmd, err)
			}
			cmd.SetContext(limits.WithMemory(cmd.Context(), bytes))
			debug.SetMemoryLimit(bytes)
		}
		return do(cmd, args)
	}
	return cmd
}
