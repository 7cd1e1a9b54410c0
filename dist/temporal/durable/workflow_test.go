package durable

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"
)

// environment returns one that runs our workflow with activities that only count: no files are there.
func environment(block func(context.Context, Request, int) error) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions(rows, workflow.RegisterOptions{Name: workflowName})
	env.RegisterActivityWithOptions(block, activity.RegisterOptions{Name: blockName})
	env.RegisterActivityWithOptions(func(context.Context, Request) (*Result, error) {
		return &Result{SHA256: "merged"}, nil
	}, activity.RegisterOptions{Name: mergeName})
	return env
}

// Blocks are asked for in order, each once, and no more at a time than was asked for. Then they are merged.
func TestBlocksInFlight(t *testing.T) {
	const all, most = 40, 3
	var done [all]atomic.Int32
	var now, peak atomic.Int32
	env := environment(func(_ context.Context, r Request, i int) error {
		if r.Plan != "plan" || r.Folder != "work" {
			t.Errorf("asked for %+v", r)
		}
		n := now.Add(1)
		for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
		}
		done[i].Add(1)
		time.Sleep(time.Millisecond)
		now.Add(-1)
		return nil
	})
	env.ExecuteWorkflow(workflowName, Request{Folder: "work", Plan: "plan", Blocks: all, InFlight: most})
	var out Result
	if err := env.GetWorkflowResult(&out); err != nil || out.SHA256 != "merged" {
		t.Fatal(out, err)
	}
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Errorf("block %d was done %d times", i, n)
		}
	}
	if p := peak.Load(); p != most {
		t.Errorf("%d blocks at a time, want %d", p, most)
	}
}

// What fails for a while is tried until it does not.
func TestBlocksAreTriedAgain(t *testing.T) {
	var tries atomic.Int32
	env := environment(func(ctx context.Context, _ Request, i int) error {
		tries.Add(1)
		if int(activity.GetInfo(ctx).Attempt) <= i {
			return errors.New("the disk is full")
		}
		return nil
	})
	env.ExecuteWorkflow(workflowName, Request{Blocks: 4, InFlight: 4})
	if err := env.GetWorkflowError(); err != nil || tries.Load() != 1+2+3+4 {
		t.Errorf("%d tries; %v", tries.Load(), err)
	}
}

// What the user must mend is not tried again. It ends the other blocks, and nothing is merged.
func TestWhatIsRefusedEndsAll(t *testing.T) {
	var ended atomic.Int32
	env := environment(func(ctx context.Context, _ Request, i int) error {
		if i == 1 {
			return judged(ctx, &blocksError)
		}
		<-ctx.Done()
		ended.Add(1)
		return ctx.Err()
	})
	env.ExecuteWorkflow(workflowName, Request{Blocks: 9, InFlight: 3})
	var said *temporal.ApplicationError
	if err := env.GetWorkflowError(); !errors.As(err, &said) || said.Message() != blocksError.Error() || !said.NonRetryable() {
		t.Error(err)
	}
}

// More blocks than 500 at a time are refused.
func TestInFlightIsBounded(t *testing.T) {
	for _, n := range []int{0, MostInFlight + 1} {
		env := environment(nil)
		env.ExecuteWorkflow(workflowName, Request{Blocks: 1, InFlight: n})
		if err := env.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d blocks in flight", n)) {
			t.Error(err)
		}
	}
}

// Where its history is long, another run of the workflow goes on with the blocks that are left.
func TestLongHistoriesGoOn(t *testing.T) {
	const all = 5
	var done []int
	r := Request{Folder: "work", Blocks: all, InFlight: 1}
	for runs := 1; ; runs++ {
		env := environment(func(_ context.Context, _ Request, i int) error {
			done = append(done, i)
			return nil
		})
		env.SetContinueAsNewSuggested(true)
		env.ExecuteWorkflow(workflowName, r)
		var next *workflow.ContinueAsNewError
		if !errors.As(env.GetWorkflowError(), &next) {
			if err := env.GetWorkflowError(); err != nil || runs != all {
				t.Errorf("%d runs; %v", runs, err)
			}
			break
		}
		if err := converter.GetDefaultDataConverter().FromPayloads(next.Input, &r); err != nil || r.Folder != "work" || r.Next != runs {
			t.Fatal(r, err)
		}
	}
	if fmt.Sprint(done) != "[0 1 2 3 4]" {
		t.Error(done)
	}
}
