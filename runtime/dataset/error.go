package dataset

import (
	"errors"
	"fmt"
	"strings"
)

// A Code is the stable name of a kind of error. The block E5xx is that of data.
type Code string

// The codes.
const (
	CodeFile     Code = "E501" // the file cannot be opened or read
	CodeFormat   Code = "E502" // the content is of no format that is read, or contradicts its format
	CodeEmpty    Code = "E503" // no data rows
	CodeHeader   Code = "E504" // names of columns are missing or numbers
	CodeRagged   Code = "E505" // a row has too few or too many fields
	CodeNumber   Code = "E506" // something that should be a finite number is not
	CodeGap      Code = "E507" // a value is missing
	CodeColumn   Code = "E508" // no column of that name
	CodeTarget   Code = "E509" // the target does not suit its task
	CodeClass    Code = "E510" // no row of that class, or of one class only
	CodeRows     Code = "E511" // too few rows
	CodeFeatures Code = "E512" // the features do not suit the spec
	CodeLabels   Code = "E513" // the labels file is missing, broken or does not match
	CodeUnseen   Code = "E514" // rows hold what no training row does, and that is not allowed
	CodeType     Code = "E515" // a cell is not of the type that the spec declares for its column
)

// An Item is an item of a spec's data block.
type Item string

// The items of which data may fall short.
const (
	ItemTarget  Item = "target"
	ItemColumns Item = "columns"
	ItemSplit   Item = "split"
	ItemMissing Item = "missing"
	ItemGaps    Item = "gaps"
	ItemWeight  Item = "weight"
	ItemIgnore  Item = "ignore"
	ItemID      Item = "id"
	ItemTypes   Item = "types"

	ItemUnlabelled Item = "unlabelled"
)

// item returns the item of a spec that asks for what a code says is wrong, "" for files and their formats.
func (c Code) item() Item {
	switch c {
	case CodeTarget, CodeClass, CodeLabels:
		return ItemTarget
	case CodeNumber, CodeFeatures:
		return ItemColumns
	case CodeRows:
		return ItemSplit
	case CodeGap:
		return ItemMissing
	case CodeType:
		return ItemTypes
	case CodeFile, CodeFormat, CodeEmpty, CodeHeader, CodeRagged, CodeColumn, CodeUnseen:
	}
	return ""
}

// An Error says what is wrong with data, where, and how to mend it.
type Error struct {
	Code    Code
	File    string
	Line    int    // from 1; 0 where no line is meant
	Column  string // the column's name; empty where none is meant
	Name    string // the name that the spec gives to what the data do not have; may be empty
	Problem string // one line, no full stop
	Mend    string // a sentence without full stop; may be empty
	Item    Item   // what in the spec asks for what the data do not have, where Prepare finds it; empty where nothing does
	Cause   error  // may be nil
}

// Error returns `file:line: column "name": problem; mend`.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	if e.Column != "" {
		fmt.Fprintf(&b, "column %q: ", e.Column)
	}
	b.WriteString(e.Problem)
	if e.Mend != "" {
		b.WriteString("; " + e.Mend)
	}
	return b.String()
}

// asked returns the error with the item that asks for it, if that is another than its code's.
func asked(item Item, err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Item == "" {
		e.Item = item
	}
	return err
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }
