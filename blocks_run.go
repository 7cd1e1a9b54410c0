package sipc

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/whole"
	"github.com/sipc-ml/sipc/runtime/blocks"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// RunBlock computes a block, unless it is done, and returns its receipt.
func (b *RowBlocks) RunBlock(ctx context.Context, i int) (*blocks.Receipt, error) {
	r, err := b.Plan.Run(ctx, i, b.compute)
	return r, cannotWrite(err)
}

// BlocksAtOnce is how many blocks of a process are at work: one computes, while another is read or put on the disk.
const BlocksAtOnce = 2

// RunBlocks computes all blocks that are not done, and returns the receipts of all.
func (b *RowBlocks) RunBlocks(ctx context.Context) ([]*blocks.Receipt, error) {
	receipts, err := b.Plan.Pool(ctx, BlocksAtOnce, b.compute)
	return receipts, cannotWrite(err)
}

// compute computes a block.
func (b *RowBlocks) compute(ctx context.Context, t *blocks.Running) error {
	x, err := b.rows(ctx, t)
	if err != nil {
		return err
	}
	captions, err := b.captions(ctx, t)
	if err != nil {
		return err
	}
	lines := newLines(t.Output(partOutput), b.job.Ending, func(to []string, k int) []string { return append(to, captions[k]...) })
	b.one.Lock()
	defer b.one.Unlock()
	_, err = eachRow(ctx, b.Model, b.rep, &dataset.Set{X: x, Rows: make([]int, t.Rows)}, b.progress(t), func(p represent.Batch) error {
		if err := lines.write(p); err != nil || b.job.Features {
			return err
		}
		_, err := t.Output(gapsOutput).Write(appendBits(nil, p.Gap))
		return err
	})
	if err != nil {
		return err
	}
	return lines.flush()
}

// progress returns what is told of a block that is at work.
func (b *RowBlocks) progress(t *blocks.Running) func(done, total int) {
	if b.Progress == nil {
		return nil
	}
	return func(done, _ int) { b.Progress(t.First+done/b.rep.PerRow(), b.Plan.Rows()) }
}

// rows returns the prepared rows of a block.
func (b *RowBlocks) rows(ctx context.Context, t *blocks.Running) (*mat.Dense, error) {
	switch {
	case b.set != nil:
		return b.set.X.Slice(t.First, t.First+t.Rows, 0, b.job.Columns).(*mat.Dense), nil //nolint:forcetypeassert // a slice of a Dense is one
	case !hasRows(&t.Block):
		return nil, b.without()
	}
	raw, err := t.Read(ctx, rowsInput)
	if err != nil {
		return nil, err
	}
	if len(raw) != 8*t.Rows*b.job.Columns {
		return nil, b.contradicts()
	}
	return mat.NewDense(t.Rows, b.job.Columns, numbersOf(raw)), nil
}

// captions returns what stands before each line of CSV of a block; nil in NPY.
func (b *RowBlocks) captions(ctx context.Context, t *blocks.Running) (lines [][]string, err error) {
	if b.job.Ending != csvEnding {
		return nil, nil
	}
	if b.set != nil {
		return (&caption{set: b.set, perRow: b.rep.PerRow()}).lines(t.First, t.First+t.Rows), nil
	}
	raw, err := t.Read(ctx, captionsInput)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &lines); err != nil || len(lines) != t.Rows*b.rep.PerRow() {
		return nil, b.contradicts()
	}
	return lines, nil
}

// contradicts returns the error of a plan that does not fit its own files, which nobody makes but by hand.
func (b *RowBlocks) contradicts() error {
	return &blocks.Error{Path: b.Plan.Path(""), Problem: "the plan contradicts its files", Mend: planAnew}
}

// numbersOf returns the numbers of which appendBits made bytes.
func numbersOf(raw []byte) []float64 {
	out := make([]float64, len(raw)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return out
}

// Makes returns an error where the blocks do not make the format of a file, as the ending of its name has it.
func (b *RowBlocks) Makes(out string) error {
	if ending, err := endingOf(out); err != nil || ending != b.job.Ending {
		return &blocks.Error{Path: out, Problem: "the blocks make a file of another format", Mend: "let its name end in " + b.job.Ending}
	}
	return nil
}

// Merge joins the parts of all blocks to one file, which ends as the plan says, and sums up their gaps. Others are handed the bytes of the file, too.
func (b *RowBlocks) Merge(ctx context.Context, receipts []*blocks.Receipt, out string, others ...io.Writer) (*Application, error) {
	if err := b.Makes(out); err != nil {
		return nil, err
	}
	file, err := whole.New(out, resultMode)
	if err != nil {
		return nil, cannotWrite(err)
	}
	s := newLines(io.MultiWriter(append([]io.Writer{file}, others...)...), b.job.Ending, nil)
	s.file = file
	defer s.discard()
	if _, err := s.buf.Write(b.job.Head); err != nil {
		return nil, cannotWrite(err)
	}
	var gaps bytes.Buffer
	if err := b.Plan.Merge(ctx, receipts, map[string]io.Writer{partOutput: s.buf, gapsOutput: &gaps}); err != nil {
		return nil, cannotWrite(err)
	}
	return b.Merged(certificate(numbersOf(gaps.Bytes()), b.rep)), appear(s)
}

// Merged returns what is known of all rows when they are merged, with the certificate of that.
func (b *RowBlocks) Merged(c *report.Certificate) *Application {
	return &Application{Warnings: b.job.Warnings, Unseen: b.job.Unseen, Certificate: c}
}
