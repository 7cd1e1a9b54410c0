package reproduce

import (
	"bytes"
	"errors"
	"strings"

	"github.com/google/renameio/v2"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/dataset"
)

// A line is one of a user's file.
type line struct {
	text   []byte
	file   string
	number int // from 1
}

// An origin is where a file comes from that was made of the user's: one file, or the lines of several.
type origin struct {
	file  string // the first of them
	lines []line // without their text; nil where the file is a copy
}

// origins are those of all files that were made of the user's, by path. Errors name the files that the user can mend.
type origins map[string]origin

// copied notes that a file is a copy, or a division of one whose places cannot be named.
func (o origins) copied(path, from string) { o[path] = origin{file: from} }

// write writes lines of the user's to a file, whole or not at all, and notes where they come from.
func (o origins) write(path string, list []line) error {
	var text bytes.Buffer
	from := origin{}
	for _, l := range list {
		text.Write(l.text)
		text.WriteByte('\n')
		from.lines = append(from.lines, line{file: l.file, number: l.number})
	}
	if len(list) > 0 {
		from.file = list[0].file
	}
	o[path] = from
	return renameio.WriteFile(path, text.Bytes(), readable)
}

// place returns where the user wrote what stands in a line of a file; line 0 is the file as a whole.
func (o origins) place(path string, number int) (file string, at int) {
	from, ok := o[path]
	switch {
	case !ok || from.file == "":
		return path, number
	case from.lines == nil:
		return from.file, number
	case number < 1 || number > len(from.lines):
		return from.file, 0
	}
	return from.lines[number-1].file, from.lines[number-1].number
}

// explain makes an error of a run one of the user's files. The spec is not among them, and the fault may have been found in a file that was
// made of theirs. Taxonomy is the file that the spec's taxonomy comes from.
func (o origins) explain(err error, taxonomy string) error {
	if e, ok := errors.AsType[*dataset.Error](err); ok {
		mended := *e
		mended.File, mended.Line = o.place(e.File, e.Line)
		return &mended
	}
	e, ok := errors.AsType[*sipc.SpecError](err)
	if !ok {
		return err
	}
	for _, d := range e.Diagnostics {
		if d.Severity == diag.Error && (d.Code == codes.WrongTaxonomy || d.Code == codes.UnreadableFile) {
			return &dataset.Error{
				Code: dataset.Code(d.Code), File: taxonomy, Problem: d.Summary,
				Mend: strings.TrimSuffix(strings.TrimSpace(d.Detail+" "+d.Mend), "."),
			}
		}
	}
	return err
}
