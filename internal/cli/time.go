package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/limits"
)

// timeFlag bounds the time of a command.
const timeFlag = "time-limit"

// BoundTime gives a command the flag --time-limit. Its context then knows when to end with the best that there is.
func BoundTime(cmd *cobra.Command) *cobra.Command {
	var limit time.Duration
	cmd.Flags().DurationVar(&limit, timeFlag, 0, "end after this `time`, 90s or 2h, with the best results that there are, and with status 1 where they are not done (default none)")
	do := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed(timeFlag) {
			return do(cmd, args)
		}
		if limit <= 0 {
			return WrongCall(cmd, fmt.Errorf("--%s is %s; write a time above 0, such as 90s or 2h", timeFlag, limit))
		}
		ctx, stop := limits.WithTime(cmd.Context(), limit)
		defer stop()
		cmd.SetContext(ctx)
		return limits.Late(ctx, do(cmd, args))
	}
	return cmd
}
