package durable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

// requestMemo is where a workflow keeps its request for those who find it.
const requestMemo = "request"

// Begin begins the workflow of a request. Where one of the same plan runs already it returns that, if it writes the same file.
func Begin(ctx context.Context, c client.Client, queue string, r Request) (run client.WorkflowRun, found bool, err error) {
	id := "sipc-" + r.Plan
	run, err = c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: queue, Memo: map[string]any{requestMemo: r}, WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, workflowName, r)
	var already *serviceerror.WorkflowExecutionAlreadyStarted
	if !errors.As(err, &already) {
		return run, false, err
	}
	about, err := c.DescribeWorkflow(ctx, id, "")
	if err != nil {
		return nil, false, err
	}
	info, other := about.RawResponse.GetWorkflowExecutionInfo(), Request{}
	if err := converter.GetDefaultDataConverter().FromPayload(info.GetMemo().GetFields()[requestMemo], &other); err != nil {
		return nil, false, fmt.Errorf("the workflow %s runs already, and is not ours: %w", id, err)
	}
	if other.Folder != r.Folder || other.Out != r.Out || info.GetTaskQueue() != queue {
		return nil, false, &EndedError{fmt.Sprintf("a workflow of this plan runs already: it writes %s of %s, by the queue %s; submit these, or wait until it has ended",
			other.Out, other.Folder, info.GetTaskQueue()), true}
	}
	return c.GetWorkflow(ctx, id, ""), true, nil
}

// An EndedError says why a workflow has no result.
type EndedError struct {
	text string
	Mend bool // by the user, before it is submitted again
}

// Error returns what the worker said that gave it up.
func (e *EndedError) Error() string { return e.text }

// Wait waits until a workflow has ended, also while the server is away.
func Wait(ctx context.Context, run client.WorkflowRun) (*Result, error) {
	for {
		out := &Result{}
		err := run.Get(ctx, out)
		var (
			said  *temporal.ApplicationError
			ended *temporal.WorkflowExecutionError
		)
		switch {
		case err == nil:
			return out, nil
		case errors.As(err, &said) && said.Type() == refused:
			return nil, &EndedError{said.Message(), true}
		case errors.As(err, &ended):
			return nil, &EndedError{err.Error(), false}
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !away(err):
			return nil, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// away reports whether an error says that the server cannot answer now.
func away(err error) bool {
	var (
		unavailable *serviceerror.Unavailable
		late        *serviceerror.DeadlineExceeded
		busy        *serviceerror.ResourceExhausted
	)
	return errors.As(err, &unavailable) || errors.As(err, &late) || errors.As(err, &busy) || errors.Is(err, context.DeadlineExceeded)
}

// Trouble says what keeps a workflow from going on; nothing where all is well.
func Trouble(ctx context.Context, c client.Client, queue string, run client.WorkflowRun) string {
	about, err := c.DescribeWorkflow(ctx, run.GetID(), "")
	if err != nil {
		return "the server does not answer: " + err.Error()
	}
	var worst *workflowpb.PendingActivityInfo
	for _, a := range about.RawResponse.GetPendingActivities() {
		if a.GetLastFailure() != nil && a.GetAttempt() > worst.GetAttempt() {
			worst = a
		}
	}
	if worst != nil {
		// The last worker may be the one that tries again.
		return "some work is tried again, as a worker failed: " + worst.GetLastFailure().GetMessage()
	}
	if about, err := c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_ACTIVITY); err == nil && len(about.GetPollers()) == 0 {
		return fmt.Sprintf("no worker asks the queue %s for work; sipc-temporal worker starts one", queue)
	}
	return ""
}
