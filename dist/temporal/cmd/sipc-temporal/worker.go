package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/worker"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dist/temporal/durable"
	"github.com/sipc-ml/sipc/internal/cli"
)

func newWorker() *cobra.Command {
	var c connection
	cmd := &cobra.Command{
		Use:   "worker --shared FOLDER",
		Short: "Compute blocks until it is stopped",
		Long: `Ask the queue of a Temporal server for blocks, and compute them in the folder that all machines share. A worker uses all processors: one on each machine
will do. It may be killed. One that is stopped by SIGTERM or an interrupt hands back at once what it was at.`,
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.check(cmd); err != nil {
				return err
			}
			server, err := c.dial(cmd, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer server.Close()
			failed := make(chan error, 1)
			w := worker.New(server, c.queue, options(cmd.Context(), failed))
			durable.NewHost(c.shared).Register(w)
			if err := w.Start(); err != nil {
				return c.explained(cmd.Context(), err)
			}
			defer w.Stop()
			fmt.Fprintf(cmd.ErrOrStderr(), "the worker asks %s, queue %s, for blocks in %s\n", c.address, c.queue, c.shared)
			select {
			case <-cmd.Context().Done():
				return nil
			case err := <-failed:
				return c.explained(cmd.Context(), errors.Join(err))
			}
		},
	}
	c.flags(cmd)
	return cmd
}

// options returns those of a worker. Blocks have the bounds of a context, and its end is not theirs: a worker hands them back before.
func options(ctx context.Context, failed chan<- error) worker.Options {
	return worker.Options{
		BackgroundActivityContext:          context.WithoutCancel(ctx),
		MaxConcurrentActivityExecutionSize: sipc.BlocksAtOnce,
		MaxHeartbeatThrottleInterval:       2 * time.Second,
		WorkerStopTimeout:                  time.Second, // to tell the server of blocks that are not done
		OnFatalError:                       func(err error) { failed <- err },
	}
}
