package sipc

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Completion is what a caller knows of a table that the text of a spec may leave open.
type Completion struct {
	Target []string // the columns of the target
	// Task says what the target is, where the spec has none. Empty adds no target.
	Task    setting.Task
	Classes [2]string // of a binary target
	Weight  string    // the column of weights, where the spec names none; empty adds none
}

// Complete returns the text of a spec with a target, and with a column of weights, where it has none. It returns the text as it is where that
// does not parse, or lacks nothing.
func Complete(path string, source []byte, c Completion) []byte {
	file, faults := dsl.Parse(path, source)
	if faults.HasErrors() {
		return source
	}
	var block *dsl.Data
	for _, decl := range file.Decls {
		if d, ok := decl.(*dsl.Data); ok {
			block = d
		}
	}
	lacksTarget, lacksWeight := c.Task != "", c.Weight != ""
	if block != nil {
		for _, item := range block.Items {
			if _, ok := item.(*dsl.Target); ok {
				lacksTarget = false
			}
			if o, ok := item.(*dsl.Option); ok && o.Keyword.Name == "weight" {
				lacksWeight = false
			}
		}
	}
	var items []string
	if lacksTarget {
		items = append(items, c.target())
	}
	if lacksWeight {
		items = append(items, "weight "+quoted(c.Weight))
	}
	switch {
	case len(items) == 0:
		return source
	case block == nil:
		return fmt.Appendf(nil, "data { %s }\n%s", strings.Join(items, "; "), source)
	}
	return within(source, block.Span(), items, len(block.Items) == 0)
}

// target returns the item of the target.
func (c *Completion) target() string {
	names := make([]string, len(c.Target))
	for i, name := range c.Target {
		names[i] = quoted(name)
	}
	task := string(c.Task)
	if c.Task == setting.Binary {
		task = fmt.Sprintf("binary(%s, %s)", value(c.Classes[0]), value(c.Classes[1]))
	}
	return fmt.Sprintf("target %s : %s", strings.Join(names, ", "), task)
}

// value returns a class as a spec writes it. A number stands as it is.
func value(class string) string {
	if isDigits := strings.Trim(class, "0123456789") == ""; isDigits && class != "" {
		return class
	}
	return quoted(class)
}

// within puts items behind the bracket that opens a data block, a line each if the block begins with a line end.
func within(source []byte, block diag.Span, items []string, empty bool) []byte {
	at := block.Start.Offset + bytes.IndexByte(source[block.Start.Offset:block.End.Offset], '{') + 1
	rest := bytes.TrimLeft(source[at:], " \t\r")
	text := " " + strings.Join(items, "; ")
	switch {
	case empty:
	case bytes.HasPrefix(rest, []byte("\n")) || bytes.HasPrefix(rest, []byte("#")):
		text = "\n    " + strings.Join(items, "\n    ")
	default:
		text += ";"
	}
	if bytes.HasPrefix(rest, []byte("#")) {
		text += "\n    "
	}
	return append(append(bytes.Clone(source[:at]), text...), source[at:]...)
}
