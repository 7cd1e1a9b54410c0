package diag

import (
	"errors"
	"fmt"
	"slices"
	"sort"
)

// ErrEdits is why a fix cannot be applied: its edits overlap, lie outside the source, or are for another file.
var ErrEdits = errors.New("the edits do not fit the source")

// Apply returns the source of a file after the edits of a fix. It fails with ErrEdits if edits overlap or are not of
// this file.
func (f *Fix) Apply(file string, source []byte) ([]byte, error) {
	edits := slices.Clone(f.Edits)
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].Span.Start.Offset < edits[j].Span.Start.Offset })
	var out []byte
	at := 0
	for _, e := range edits {
		from, to := e.Span.Start.Offset, e.Span.End.Offset
		if e.Span.File != file || from < at || to < from || to > len(source) {
			return nil, fmt.Errorf("%w: %s, bytes %d to %d", ErrEdits, e.Span.File, from, to)
		}
		out = append(append(out, source[at:from]...), e.New...)
		at = to
	}
	return append(out, source[at:]...), nil
}
