// Package durable embeds rows in blocks by a workflow of Temporal. Whoever is killed, a worker, the server or who asked for it, the work goes on.
// A workflow keeps some blocks at work until all have a receipt, and then has them merged. It carries paths and digests alone: rows and
// results lie in a folder that all machines share. Two workers may compute one block, since files appear whole and their bytes are the same.
package durable

import (
	"cmp"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sipc-ml/sipc/runtime/report"
)

// The names by which Temporal knows the workflow and its activities.
const (
	workflowName = "sipc-rows"
	blockName    = "sipc-block"
	mergeName    = "sipc-merge"
)

// MostInFlight bounds the blocks of a workflow that workers are asked for at a time. A server bounds them too, by 2000.
const MostInFlight = 500

const (
	// silence is how long a worker may not be heard of before its blocks are given to another one.
	silence = 6 * time.Second
	// longest bounds one try, as Temporal wants a bound. It is above what the merge of the largest plans takes: silence ends tries of workers that are gone.
	longest = 7 * 24 * time.Hour
)

// A Request asks for all rows of a plan.
type Request struct {
	Folder   string `json:"folder"` // of the plan, from the shared folder, with slashes
	Plan     string `json:"plan"`   // the SHA-256 of plan.json
	Blocks   int    `json:"blocks"`
	Out      string `json:"out"` // the file to write, from the shared folder
	InFlight int    `json:"in_flight"`
	Next     int    `json:"next,omitempty"` // the first block that earlier runs of the workflow left
}

// A Result is the file that was written.
type Result struct {
	SHA256      string              `json:"sha256"`
	Certificate *report.Certificate `json:"certificate"` // nil of features
}

// rows has all blocks computed, and then merged. A history grows with each block, and has a bound. When the server says that it is near, another run of
// the workflow goes on with the blocks that are left.
func rows(ctx workflow.Context, r Request) (*Result, error) {
	if r.InFlight < 1 || r.InFlight > MostInFlight {
		return nil, temporal.NewNonRetryableApplicationError(fmt.Sprintf("%d blocks in flight are asked for; 1 to %d can be", r.InFlight, MostInFlight), refused, nil)
	}
	left, err := eachBlock(ctx, r)
	switch {
	case err != nil:
		return nil, err
	case left < r.Blocks:
		r.Next = left
		return nil, workflow.NewContinueAsNewError(ctx, workflowName, r)
	}
	out := &Result{}
	return out, workflow.ExecuteActivity(watched(ctx, "merge"), mergeName, r).Get(ctx, out)
}

// eachBlock has blocks computed, in their order, so many at a time. It returns the first block that is left for another run. The first error ends it.
func eachBlock(ctx workflow.Context, r Request) (next int, failed error) {
	ctx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	free, atWork := workflow.NewSemaphore(ctx, int64(r.InFlight)), workflow.NewWaitGroup(ctx)
	for next = r.Next; next < r.Blocks; next++ {
		err := free.Acquire(ctx, 1)
		if failed = cmp.Or(failed, err); failed != nil || next > r.Next && workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			break
		}
		atWork.Add(1)
		i := next
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer atWork.Done()
			defer free.Release(1)
			err := workflow.ExecuteActivity(watched(ctx, fmt.Sprintf("block-%d", i)), blockName, r, i).Get(ctx, nil)
			if err != nil && failed == nil {
				failed = err
				cancel()
			}
		})
	}
	atWork.Wait(ctx)
	return next, failed
}

// watched says how an activity is watched and tried again. Only what the user must mend is not.
func watched(ctx workflow.Context, id string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ActivityID:          id,
		HeartbeatTimeout:    silence,
		StartToCloseTimeout: longest,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second},
	})
}
