package blocks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A MissingError tells of blocks that are not done.
type MissingError struct {
	Dir     string
	Missing []int
	Of      int
}

// shownMissing is how many blocks a message names.
const shownMissing = 5

// Error names the first of them.
func (e *MissingError) Error() string {
	var names []string
	for _, i := range e.Missing[:min(len(e.Missing), shownMissing)] {
		names = append(names, strconv.Itoa(i))
	}
	if len(e.Missing) > shownMissing {
		names = append(names, "…")
	}
	return fmt.Sprintf("%s: %d of %d blocks are not done: %s; run these, or wait for them (--wait 2h)", e.Dir, len(e.Missing), e.Of, strings.Join(names, ", "))
}

// pause is the time between two looks at what is missing.
const pause = 500 * time.Millisecond

// Receipts returns the receipts of all blocks, in order. It waits for those that are missing as long as patience allows, and returns a
// *MissingError then. It tells how many blocks are done, if told is not nil.
func (p *Plan) Receipts(ctx context.Context, patience time.Duration, told func(done, total int)) ([]*Receipt, error) {
	receipts, end := make([]*Receipt, len(p.Blocks)), time.Now().Add(patience)
	for {
		var missing []int
		for i, r := range receipts {
			if r != nil {
				continue
			}
			var err error
			if receipts[i], err = p.Receipt(i); errors.Is(err, fs.ErrNotExist) {
				missing = append(missing, i)
			} else if err != nil {
				return nil, err
			}
		}
		if told != nil {
			told(len(receipts)-len(missing), len(receipts))
		}
		if len(missing) == 0 {
			return receipts, nil
		}
		left := time.Until(end)
		if left <= 0 {
			return nil, &MissingError{p.dir, missing, len(p.Blocks)}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(left, pause)):
		}
	}
}

// Merge writes each output of all blocks, in the order of rows, to its writer. Receipts come in any order. It refuses those of another plan,
// blocks without one or with two, and outputs that were changed. What is written until an error is worth nothing.
func (p *Plan) Merge(ctx context.Context, receipts []*Receipt, to map[string]io.Writer) error {
	ordered, err := p.ordered(receipts)
	if err != nil {
		return err
	}
	for i, r := range ordered {
		for _, name := range p.Outputs {
			if err := read(ctx, to[name], p.output(i, name), r.Outputs[name], p.again(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ordered returns receipts in the order of blocks: one of each.
func (p *Plan) ordered(receipts []*Receipt) ([]*Receipt, error) {
	seen := make([]bool, len(p.Blocks))
	for _, r := range receipts {
		err := p.fits(r)
		if err == nil && seen[r.Index] {
			err = errors.New("there are two of this block")
		}
		if err != nil {
			return nil, &Error{p.Path(PlanFile), fmt.Sprintf("the receipt of block %d is refused: %v", r.Index, err), "hand over one of each block of this plan"}
		}
		seen[r.Index] = true
	}
	var missing []int
	for i, ok := range seen {
		if !ok {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		return nil, &MissingError{p.dir, missing, len(p.Blocks)}
	}
	return slices.SortedFunc(slices.Values(receipts), func(a, b *Receipt) int { return cmp.Compare(a.Index, b.Index) }), nil
}
