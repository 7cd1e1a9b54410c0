package main

import (
	"context"
	"testing"

	"go.temporal.io/sdk/testsuite"

	"github.com/sipc-ml/sipc/internal/limits"
)

// What --max-memory gives a worker bounds its blocks, which its end leaves alone.
func TestBlocksHaveTheBoundsOfTheirWorker(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	ctx, cancel := context.WithCancel(limits.WithMemory(t.Context(), 12345))
	cancel()
	env.SetWorkerOptions(options(ctx, nil))
	bytes := func(ctx context.Context) (int64, error) { return limits.Memory(ctx), ctx.Err() }
	env.RegisterActivity(bytes)
	value, err := env.ExecuteActivity(bytes)
	var got int64
	if err == nil {
		err = value.Get(&got)
	}
	if err != nil || got != 12345 {
		t.Error(got, err)
	}
}
