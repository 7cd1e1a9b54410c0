package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/sipc-ml/sipc/internal/cli"
)

// An outcome is what came of a trial.
type outcome struct {
	Trial   string  `json:"trial"`
	Blocks  int     `json:"blocks"`
	Before  int     `json:"blocks_before"` // how many were done when it began
	Same    bool    `json:"same_bytes"`    // as those of the pool
	Retries int     `json:"retries"`       // of activities, by the workflow's history
	Found   bool    `json:"found"`         // whether a second submit found the workflow of the first
	Wall    float64 `json:"wall"`
}

// A trial disturbs work in the middle.
type trial struct {
	name    string
	disturb func(ctx context.Context, s *site) error
}

var trials = []trial{
	{"kill -9 a worker", func(_ context.Context, s *site) error {
		s.workers[0].kill()
		return nil
	}},
	{"no worker for 3 s", func(ctx context.Context, s *site) error {
		s.dismiss()
		time.Sleep(3 * time.Second)
		return s.hire(ctx, 2)
	}},
	{"SIGSTOP a worker, then CONT", func(_ context.Context, s *site) error {
		err := s.workers[0].Process.Signal(syscall.SIGSTOP)
		time.Sleep(10 * time.Second) // longer than the silence after which its blocks are another's
		if err != nil {
			return err
		}
		return s.workers[0].Process.Signal(syscall.SIGCONT)
	}},
	{"kill -9 the server, and a worker while it is away", func(ctx context.Context, s *site) error {
		s.server.kill()
		s.workers[0].kill()
		time.Sleep(3 * time.Second)
		return s.serve(ctx)
	}},
}

func newTrials() *cobra.Command {
	var s site
	cmd := &cobra.Command{
		Use:   "trials MODEL DATA",
		Short: "Kill and stop workers and the server in the middle of the work",
		Long: `Embed all rows of DATA by sipc embed, and then by a server with two workers, once for each trial, which disturbs it when a quarter is done. Print a line
of JSON for each. The status is 1 where bytes differ, nothing was tried again, or a second submit did
not find the workflow of the first.`,
		Args: cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.at(cmd, args, func() error { return s.try(cmd.Context(), cmd.OutOrStdout()) })
		},
	}
	s.flags(cmd)
	return cmd
}

// try does all trials.
func (s *site) try(ctx context.Context, w io.Writer) error {
	if _, err := s.pool(ctx, "pool.npy"); err != nil {
		return err
	}
	if err := s.serve(ctx); err != nil {
		return err
	}
	var bad error
	for _, t := range trials {
		o, err := s.disturbed(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if err := cli.WriteJSON(w, o); err != nil {
			return err
		}
		if !o.Same || !o.Found || o.Retries < 1 {
			bad = fmt.Errorf("%s: the bytes are the same: %t; a second submit found the first: %t; %d activities were tried again", o.Trial, o.Same, o.Found, o.Retries)
		}
	}
	return bad
}

// disturbed does a trial.
func (s *site) disturbed(ctx context.Context, t trial) (*outcome, error) {
	folder, out := s.path("work"), s.path("merged.npy")
	defer os.RemoveAll(folder) //nolint:errcheck // the next trial would say so
	if _, err := s.plan(ctx, folder); err != nil {
		return nil, err
	}
	if err := s.hire(ctx, 2); err != nil {
		return nil, err
	}
	defer s.dismiss()
	began := time.Now()
	submit, err := begin(ctx, s.temporal, s.submit(folder, out)...)
	if err != nil {
		return nil, err
	}
	o := &outcome{Trial: t.name, Blocks: count(folder, "in")}
	for o.Before = 0; o.Before <= o.Blocks/4; o.Before = count(folder, "out") {
		select {
		case <-submit.ended:
			return nil, fmt.Errorf("it ended before it was disturbed: %w", submit.wait())
		case <-time.After(20 * time.Millisecond):
		}
	}
	second, err := run(ctx, s.temporal, append(s.submit(folder, out), "--detach")...)
	if err != nil {
		return nil, err
	}
	if err := t.disturb(ctx, s); err != nil {
		return nil, err
	}
	if err := submit.wait(); err != nil {
		return nil, err
	}
	o.Found = strings.HasPrefix(second.said.String(), "found the workflow")
	o.Wall = time.Since(began).Seconds()
	if o.Retries, err = s.retries(ctx, filepath.Join(folder, "plan.json")); err != nil {
		return nil, err
	}
	o.Same, err = same(out, s.path("pool.npy"))
	return o, err
}

// count returns how many files of blocks a folder holds: their rows, or their receipts.
func count(folder, of string) int {
	ending := map[string]string{"in": "rows", "out": "json"}[of]
	paths, _ := filepath.Glob(filepath.Join(folder, of, "*."+ending)) // the pattern is one
	return len(paths)
}

// same reports whether two files have the same SHA-256.
func same(paths ...string) (bool, error) {
	var sums []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return false, err
		}
		sum := sha256.Sum256(text)
		sums = append(sums, hex.EncodeToString(sum[:]))
	}
	return sums[0] == sums[1], nil
}

// retries counts the tries of activities beyond the first, in all runs of the workflow of a plan.
func (s *site) retries(ctx context.Context, plan string) (count int, err error) {
	text, err := os.ReadFile(plan)
	if err != nil {
		return 0, err
	}
	c, err := s.dial()
	if err != nil {
		return 0, err
	}
	defer c.Close()
	id := fmt.Sprintf("sipc-%x", sha256.Sum256(text))
	about, err := c.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return 0, err
	}
	for run := about.GetWorkflowExecutionInfo().GetFirstRunId(); run != ""; {
		n, next, err := retriesOf(ctx, c, id, run)
		if err != nil {
			return 0, err
		}
		count, run = count+n, next
	}
	return count, nil
}

// retriesOf counts those of one run, and returns the run that goes on with it.
func retriesOf(ctx context.Context, c client.Client, id, run string) (count int, next string, err error) {
	for events := c.GetWorkflowHistory(ctx, id, run, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
		e, err := events.Next()
		if err != nil {
			return 0, "", err
		}
		if a := e.GetActivityTaskStartedEventAttributes(); a != nil {
			count += int(a.GetAttempt()) - 1
		}
		if a := e.GetWorkflowExecutionContinuedAsNewEventAttributes(); a != nil {
			next = a.GetNewExecutionRunId()
		}
	}
	return count, next, nil
}
