package durable

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/blocks"
)

// A Host computes blocks on a machine that has the shared folder.
type Host struct {
	shared string
	// late is how long a receipt that another machine wrote may take to be seen, where the folder is one of a network.
	late time.Duration

	opening sync.Mutex
	open    map[string]*sipc.RowBlocks // by their folders
}

// mostOpen bounds the plans whose models are kept.
const mostOpen = 4

// NewHost returns a host with a shared folder.
func NewHost(shared string) *Host {
	return &Host{shared: shared, late: time.Minute, open: map[string]*sipc.RowBlocks{}}
}

// Register lets a worker do what workflows ask for.
func (h *Host) Register(r worker.Registry) {
	r.RegisterWorkflowWithOptions(rows, workflow.RegisterOptions{Name: workflowName})
	r.RegisterActivityWithOptions(h.block, activity.RegisterOptions{Name: blockName})
	r.RegisterActivityWithOptions(h.merge, activity.RegisterOptions{Name: mergeName})
}

// block computes a block, unless it is done.
func (h *Host) block(ctx context.Context, r Request, i int) error {
	return h.work(ctx, r, func(ctx context.Context, b *sipc.RowBlocks) error {
		_, err := b.RunBlock(ctx, i)
		return err
	})
}

// merge joins all blocks to the file that was asked for.
func (h *Host) merge(ctx context.Context, r Request) (*Result, error) {
	out := &Result{}
	return out, h.work(ctx, r, func(ctx context.Context, b *sipc.RowBlocks) error {
		path, err := h.path(r.Out)
		if err != nil {
			return err
		}
		receipts, err := b.Plan.Receipts(ctx, h.late, nil)
		if err != nil {
			return err
		}
		sum := sha256.New()
		done, err := b.Merge(ctx, receipts, path, sum)
		if err != nil {
			return err
		}
		out.Certificate, out.SHA256 = done.Certificate, hex.EncodeToString(sum.Sum(nil))
		return nil
	})
}

// work does some work with the plan of a request.
func (h *Host) work(ctx context.Context, r Request, do func(context.Context, *sipc.RowBlocks) error) error {
	return during(ctx, func(ctx context.Context) error {
		b, err := h.plan(ctx, r)
		if err != nil {
			return err
		}
		return do(ctx, b)
	})
}

// during does what an activity does, while the server is told that it goes on.
func during(ctx context.Context, do func(context.Context) error) error {
	within, end := beating(ctx)
	defer end()
	return judged(within, do(within))
}

// path returns where something of the shared folder lies. A request is no reason to leave that.
func (h *Host) path(name string) (string, error) {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return "", &blocks.Error{Path: name, Problem: "it is not in the shared folder", Mend: "submit what lies in that"}
	}
	return filepath.Join(h.shared, local), nil
}

// plan returns the plan of a request, which must be as it was submitted. Its model is read once.
func (h *Host) plan(ctx context.Context, r Request) (*sipc.RowBlocks, error) {
	dir, err := h.path(r.Folder)
	if err != nil {
		return nil, err
	}
	h.opening.Lock()
	defer h.opening.Unlock()
	path := filepath.Join(dir, blocks.PlanFile)
	sum, err := sipc.FileSum(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; see that --shared of this worker is what all machines share; where the plan was removed, cancel the workflow", err)
	}
	if err != nil {
		return nil, err
	}
	b := h.open[dir]
	if b == nil || b.Plan.SHA256() != sum {
		if b, err = sipc.OpenRowBlocks(ctx, dir); err != nil {
			return nil, err
		}
		if len(h.open) >= mostOpen {
			clear(h.open)
		}
		h.open[dir] = b
	}
	if b.Plan.SHA256() != r.Plan {
		return nil, &blocks.Error{Path: path, Problem: "this is another plan than the one that was submitted", Mend: "submit it"}
	}
	return b, nil
}

// errStopping ends the blocks of a worker that is stopped. Others compute them at once.
var errStopping = errors.New("the worker was stopped")

// beating returns a context that ends where the server wants an activity no longer, or the worker is stopped. Until end is called the server
// is told that the activity goes on.
func beating(ctx context.Context) (within context.Context, end func()) {
	within, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		beat := time.NewTicker(silence / 6)
		defer beat.Stop()
		for {
			select {
			case <-within.Done():
				return
			case <-activity.GetWorkerStopChannel(ctx):
				cancel(errStopping)
			case <-beat.C:
				activity.RecordHeartbeat(ctx)
			}
		}
	}()
	return within, func() {
		cancel(nil)
		<-ended
	}
}

// refused is the type of errors that the user must mend. No try without that would end otherwise.
const refused = "refused"

// judged returns an error as Temporal is told it. What may be of this machine alone, its memory, its folders or its program, another one may do. So
// only what the request or the content of its files has wrong is refused.
func judged(ctx context.Context, err error) error {
	var (
		wrong *blocks.Error
		here  *blocks.MachineError
	)
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), errStopping):
		return errStopping
	case errors.As(err, &wrong) && !errors.As(err, &here):
		return temporal.NewNonRetryableApplicationError(err.Error(), refused, nil)
	}
	return err
}
