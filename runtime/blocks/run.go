package blocks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/whole"
)

// A Receipt says that a block is done. It is small, and names what was computed by digests.
type Receipt struct {
	Plan    string             `json:"plan"` // the SHA-256 of plan.json
	Program string             `json:"program"`
	Index   int                `json:"index"`
	Rows    int                `json:"rows"`
	Outputs map[string]Content `json:"outputs"`
}

// A Work computes a block from its inputs. What it writes must depend on these alone.
type Work func(ctx context.Context, t *Running) error

// A Running is a block at work.
type Running struct {
	Block
	Index int

	plan    *Plan
	outputs map[string]*file
}

// Read returns an input of the block. It returns an *Error where that is not what the plan says.
func (t *Running) Read(ctx context.Context, name string) ([]byte, error) {
	want := t.Inputs[name]
	b := bytes.NewBuffer(make([]byte, 0, max(0, min(want.Bytes, limits.RowBytes))))
	err := read(ctx, b, t.plan.input(t.Index, name), want, anew)
	return b.Bytes(), err
}

// Output returns where an output of the block is written.
func (t *Running) Output(name string) io.Writer { return t.outputs[name] }

// Run does the work of a block, unless it is done. Outputs and then the receipt appear whole, when all of them are written.
func (p *Plan) Run(ctx context.Context, i int, work Work) (*Receipt, error) {
	if err := p.has(i); err != nil {
		return nil, err
	}
	if r, err := p.Receipt(i); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	t := &Running{Block: p.Blocks[i], Index: i, plan: p, outputs: map[string]*file{}}
	defer t.discard()
	for _, name := range p.Outputs {
		f, err := begin(p.output(i, name))
		if err != nil {
			return nil, err
		}
		t.outputs[name] = f
	}
	if err := work(ctx, t); err != nil {
		return nil, err
	}
	return t.done(ctx)
}

// done lets the outputs of a block appear, and then its receipt.
func (t *Running) done(ctx context.Context) (*Receipt, error) {
	r := &Receipt{Plan: t.plan.sum, Program: t.plan.Program, Index: t.Index, Rows: t.Rows, Outputs: map[string]Content{}}
	for name, f := range t.outputs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		content, err := f.keep()
		if err != nil {
			return nil, err
		}
		r.Outputs[name] = content
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return r, whole.Write(t.plan.receipt(t.Index), append(raw, '\n'), mode)
}

// discard takes away what did not appear.
func (t *Running) discard() {
	for _, f := range t.outputs {
		f.to.Discard()
	}
}

// Pool does the work of the blocks that are not done, so many at a time, and returns the receipts of all. The first error ends it.
func (p *Plan) Pool(ctx context.Context, workers int, work Work) ([]*Receipt, error) {
	receipts := make([]*Receipt, len(p.Blocks))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for i := range p.Blocks {
		group.Go(func() (err error) {
			if err = within.Err(); err == nil {
				receipts[i], err = p.Run(within, i, work)
			}
			return err
		})
	}
	return receipts, group.Wait()
}

// Receipt reads the receipt of a block. Where there is none, the error is [fs.ErrNotExist]. One that does not fit the plan, or whose outputs
// are not there, is an *Error.
func (p *Plan) Receipt(i int) (*Receipt, error) {
	path := p.receipt(i)
	raw, err := limits.Read(path, limits.ReceiptBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, unreadable(path, err, p.again(i))
	}
	r := &Receipt{}
	if err = strict(raw, r); err == nil {
		err = p.fits(r)
	}
	if err == nil && r.Index != i {
		err = fmt.Errorf("it is that of block %d", r.Index)
	}
	for name, want := range r.Outputs {
		if info, e := os.Stat(p.output(i, name)); err == nil && (e != nil || info.Size() != want.Bytes) {
			err = fmt.Errorf("%s is not there with its %d bytes", p.output(i, name), want.Bytes)
		}
	}
	if err != nil {
		return nil, &Error{path, "the receipt cannot be used: " + err.Error(), p.again(i)}
	}
	return r, nil
}

// Done counts the blocks that have a receipt, whatever that is worth.
func (p *Plan) Done() (count int) {
	files, _ := os.ReadDir(filepath.Join(p.dir, outputs)) // without the folder nothing is done
	for _, f := range files {
		if filepath.Ext(f.Name()) == "."+receipt {
			count++
		}
	}
	return count
}

// fits returns an error where a receipt is not of this plan.
func (p *Plan) fits(r *Receipt) error {
	switch {
	case r.Plan != p.sum:
		return errors.New("it is of another plan")
	case r.Program != p.Program:
		return fmt.Errorf("%s computed it, and the plan is of %s", r.Program, p.Program)
	}
	if err := p.has(r.Index); err != nil {
		return err
	}
	if rows := p.Blocks[r.Index].Rows; r.Rows != rows {
		return fmt.Errorf("it tells of %d rows, and block %d has %d", r.Rows, r.Index, rows)
	}
	if len(r.Outputs) != len(p.Outputs) || slices.ContainsFunc(p.Outputs, func(name string) bool { return r.Outputs[name].SHA256 == "" }) {
		return fmt.Errorf("its outputs are not %q", p.Outputs)
	}
	return nil
}

// has returns an error where there is no such block.
func (p *Plan) has(i int) error {
	if i < 0 || i >= len(p.Blocks) {
		return &Error{p.Path(PlanFile), fmt.Sprintf("there is no block %d", i), fmt.Sprintf("the blocks are 0 to %d", len(p.Blocks)-1)}
	}
	return nil
}

// again says how to mend what is left of a block. One without inputs is not for tasks: who planned it computes it.
func (p *Plan) again(i int) string {
	if len(p.Blocks[i].Inputs) == 0 {
		return fmt.Sprintf("remove %s, and call the same command again", p.receipt(i))
	}
	return fmt.Sprintf("remove %s, and run block %d again", p.receipt(i), i)
}

func (p *Plan) receipt(i int) string { return p.output(i, receipt) }
