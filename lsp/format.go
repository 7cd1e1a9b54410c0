package lsp

import (
	"bytes"
	"context"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/sipc-ml/sipc/dsl"
)

// format lays the document out the canonical way, by edits of the lines that change. A document with faults is left alone.
func (s *session) format(_ context.Context, d *document) []TextEdit {
	edits := []TextEdit{}
	syntax := d.syntax()
	if syntax.faults.HasErrors() {
		return edits
	}
	formatted := dsl.Format(syntax.file)
	if bytes.Equal(formatted, []byte(d.text.src)) {
		return edits
	}
	before, after := strings.SplitAfter(d.text.src, "\n"), strings.SplitAfter(string(formatted), "\n")
	starts := make([]int, len(before)+1)
	for i, line := range before {
		starts[i+1] = starts[i] + len(line)
	}
	for _, op := range difflib.NewMatcherWithJunk(before, after, false, nil).GetOpCodes() {
		if op.Tag == 'e' {
			continue
		}
		edits = append(edits, TextEdit{
			Range: d.text.rangeOf(starts[op.I1], starts[op.I2]), NewText: strings.Join(after[op.J1:op.J2], ""),
		})
	}
	return edits
}
