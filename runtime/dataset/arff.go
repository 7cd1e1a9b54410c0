package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// An attribute is a column of an ARFF file.
type attribute struct {
	name    string
	numeric bool
	classes bool     // the hierarchical class attribute
	values  []string // of a nominal attribute; nil elsewhere
	known   map[string]bool
}

// arff is an ARFF file being read.
type arff struct {
	src        *source
	t          *Table
	line       int
	attributes []attribute
	declared   map[string]int // names of attributes, and their lines
	at         []int          // of an attribute: its column, −1 for the class attribute
	cells      columns
	fields     []string
	filled     []bool // of a sparse row: the indices that it names
	odd        oddities
}

// oddities counts what is read as it stands, though a file should not hold it. One warning says all of a kind.
type oddities struct {
	undeclared, bare string       // of the first
	rows             int          // without any value
	columns          map[int]bool // with values that are not declared
}

// newARFF returns a reader that has read nothing yet.
func newARFF(src *source) *arff { return &arff{src: src, t: &Table{}, declared: map[string]int{}} }

// readARFF reads attributes and rows, dense or sparse. An attribute of type `hierarchical` declares labels; a row has those that it
// names, joined by @, and all above them.
func readARFF(src *source) (*Table, error) {
	r := newARFF(src)
	if err := r.header(); err != nil {
		return nil, err
	}
	r.columns()
	for {
		text, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := r.row(text); err != nil {
			return nil, err
		}
		if err := src.checkMemory(r.t.rows, r.cells.bytes); err != nil {
			return nil, err
		}
	}
	if r.t.rows == 0 {
		return nil, r.fail(CodeEmpty, "", "the file holds no rows", "add rows below @data")
	}
	r.t.cells = r.cells
	r.warn()
	return r.t, nil
}

// fail returns an error at the line that was read last.
func (r *arff) fail(code Code, column, problem, mend string) error {
	return &Error{Code: code, File: r.src.path, Line: r.line, Column: column, Problem: problem, Mend: mend}
}

// next returns the next line that is neither blank nor a comment, io.EOF at the end.
func (r *arff) next() (string, error) {
	for {
		text, err := r.src.plain.ReadBytes('\n')
		if err != nil && (!errors.Is(err, io.EOF) || len(text) == 0) {
			return "", err
		}
		r.line++
		if s := strings.TrimSpace(string(text)); s != "" && s[0] != '%' {
			if !cleanText(s) {
				return "", r.fail(CodeFormat, "", "the line is not UTF-8 text", "save the file as UTF-8")
			}
			return s, nil
		}
	}
}

// header reads what stands above the rows.
func (r *arff) header() error {
	for {
		text, err := r.next()
		if errors.Is(err, io.EOF) {
			return r.fail(CodeFormat, "", "the file has no @data", "write @data above the rows")
		}
		if err != nil {
			return err
		}
		word, rest := cutBlank(text)
		switch strings.ToLower(word) {
		case "@relation":
		case "@attribute":
			if err := r.attribute(rest); err != nil {
				return err
			}
		case "@data":
			if len(r.attributes) == 0 {
				return r.fail(CodeHeader, "", "no attribute is declared above @data", "write a line `@attribute NAME TYPE` for each column")
			}
			return nil
		default:
			return r.fail(CodeFormat, "", fmt.Sprintf("%q is neither @relation, @attribute nor @data", cutShort(word)), "comments begin with %")
		}
	}
}

// attribute reads `NAME TYPE`.
func (r *arff) attribute(text string) error {
	name, kind, ok := cutQuoted(text)
	if !ok || name == "" || kind == "" {
		return r.fail(CodeHeader, "", "the attribute has no name or no type", "write `@attribute NAME numeric`; put a name with blanks in quotes")
	}
	a := attribute{name: r.ownName(name)}
	if err := r.kind(&a, kind); err != nil {
		return err
	}
	r.attributes = append(r.attributes, a)
	r.declared[a.name] = r.line
	return nil
}

// ownName returns the name of an attribute. Published files declare some names twice: a second a is then called a_2,
// and so on. A warning says so.
func (r *arff) ownName(name string) string {
	first, taken := r.declared[name]
	if !taken {
		return name
	}
	own := name
	for k := 2; taken; k++ {
		own = fmt.Sprintf("%s_%d", name, k)
		_, taken = r.declared[own]
	}
	r.t.warnings = append(r.t.warnings, fmt.Sprintf("%s:%d: the attribute %q is declared twice, first on line %d; this one is called %q", r.src.path, r.line, name, first, own))
	return own
}

// kind reads an attribute's type.
func (r *arff) kind(a *attribute, kind string) error {
	name := a.name
	word, rest := cutBlank(kind)
	switch lower := strings.ToLower(word); {
	case lower == "numeric" || lower == "real" || lower == "integer":
		a.numeric = true
	case lower == "string" || lower == "date":
	case lower == "hierarchical":
		if r.t.labels != nil {
			return r.fail(CodeHeader, name, "there is more than one hierarchical attribute", "leave one of them")
		}
		a.classes = true
		return r.classes(name, rest)
	case strings.HasPrefix(kind, "{") && strings.HasSuffix(kind, "}"):
		if strings.TrimSpace(kind[1:len(kind)-1]) == "" {
			return r.fail(CodeHeader, name, "the attribute declares no value", "write its values, as {a, b}, or declare it numeric or string")
		}
		var ok bool
		if a.values, ok = splitFields(kind[1:len(kind)-1], nil); !ok {
			return r.fail(CodeHeader, name, "a quote among its values is not closed", "")
		}
		a.known = make(map[string]bool, len(a.values))
		for _, v := range a.values {
			a.known[v] = true
		}
	default:
		return r.fail(CodeHeader, name, fmt.Sprintf("there is no type %q", cutShort(word)),
			"types are numeric, real, integer, string, date, {a, b} and hierarchical a,a/b")
	}
	return nil
}

// columns prepares the columns that the rows fill.
func (r *arff) columns() {
	for _, a := range r.attributes {
		if a.classes {
			r.at = append(r.at, -1)
			continue
		}
		c := newColumn(a.name)
		c.room = r.src.room
		if !a.numeric && !numericValues(a.values) {
			c.declareText()
		}
		r.at = append(r.at, len(r.cells))
		r.cells, r.t.names = append(r.cells, c), append(r.t.names, a.name)
	}
}

// numericValues reports whether a nominal attribute's values are numbers, as 0 and 1 of a label are.
func numericValues(values []string) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v string) bool { _, kind := readNumber(v); return kind != cellNumber })
}

// row reads a row. A comment may end it.
func (r *arff) row(text string) error {
	text = cutComment(text)
	var ok bool
	if text[0] == '{' {
		var err error
		if ok, err = r.sparse(text); err != nil {
			return err
		}
	} else {
		r.fields, ok = splitFields(text, r.fields[:0])
	}
	if !ok {
		return r.fail(CodeFormat, "", "the row cannot be read", `a row is a,b,… or {index value, …} with indices from 0; texts with commas or blanks stand in quotes`)
	}
	if len(r.fields) != len(r.attributes) {
		return r.fail(CodeRagged, "", fmt.Sprintf("%s, but %s are declared", count(len(r.fields), "field"), count(len(r.attributes), "attribute")),
			"put a field that holds a comma in quotes, and leave none out")
	}
	for j, cell := range r.fields {
		a := &r.attributes[j]
		if err := longCell(r.src.path, r.line, a.name, cell); err != nil {
			return err
		}
		if a.classes {
			if err := r.labels(a.name, cell); err != nil {
				return err
			}
			continue
		}
		if _, kind := readNumber(cell); a.numeric && kind == cellText {
			return r.fail(CodeNumber, a.name, fmt.Sprintf("%q is not a number, but the attribute is declared numeric", cutShort(cell)), "mend the cell, or declare the attribute a string")
		}
		if a.known != nil && !a.known[cell] {
			r.undeclared(j, cell)
		}
		r.cells[r.at[j]].add(r.t.rows, cell)
	}
	r.t.lines = append(r.t.lines, int32(r.line))
	r.t.rows++
	return nil
}

// cutComment returns a row without the comment at its end: what follows a % behind a blank, outside quotes.
func cutComment(text string) string {
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '%' && i > 0 && (text[i-1] == ' ' || text[i-1] == '\t'):
			return strings.TrimSpace(text[:i])
		}
	}
	return text
}

// sparse sets fields to those of a row `{index value, …}`: what is absent is 0, or the first value of a nominal attribute.
func (r *arff) sparse(text string) (ok bool, err error) {
	if !strings.HasSuffix(text, "}") {
		return false, nil
	}
	r.fields, r.filled = r.fields[:0], slices.Grow(r.filled[:0], len(r.attributes))[:len(r.attributes)]
	clear(r.filled)
	for _, a := range r.attributes {
		switch {
		case a.numeric:
			r.fields = append(r.fields, "0")
		case len(a.values) > 0:
			r.fields = append(r.fields, a.values[0])
		default:
			r.fields = append(r.fields, "?")
		}
	}
	text = strings.TrimSpace(text[1 : len(text)-1])
	if text == "" {
		r.bare()
	}
	for text != "" {
		word, rest := cutBlank(text)
		index, err := strconv.Atoi(word)
		if err != nil || index < 0 || index >= len(r.fields) {
			return false, nil //nolint:nilerr // the caller says how a row is written
		}
		if r.filled[index] {
			return false, r.fail(CodeFormat, r.attributes[index].name, fmt.Sprintf("index %d occurs twice in the row", index), "leave one of them")
		}
		r.filled[index] = true
		value, rest, ok := cutField(rest)
		if !ok {
			return false, nil
		}
		r.fields[index], text = value, strings.TrimSpace(rest)
	}
	return true, nil
}

// undeclared notes a cell of attribute j that is none of its values, and no gap.
func (r *arff) undeclared(j int, cell string) {
	v, kind := readNumber(cell)
	if kind == cellGap || kind == cellNumber && r.attributes[j].known[formatNumber(v)] || r.odd.columns[j] {
		return
	}
	if r.odd.columns == nil {
		r.odd.columns = map[int]bool{}
		r.odd.undeclared = fmt.Sprintf("%s:%d: column %q holds %q, a value that is not declared; it is read as one", r.src.path, r.line, r.attributes[j].name, cutShort(cell))
	}
	r.odd.columns[j] = true
}

// bare notes a sparse row without values.
func (r *arff) bare() {
	if r.odd.rows++; r.odd.rows == 1 {
		r.odd.bare = fmt.Sprintf("%s:%d: the row {} names no value; each is 0, or the first that is declared", r.src.path, r.line)
	}
}

// warn adds the warnings of oddities.
func (r *arff) warn() {
	for _, o := range []struct {
		text, what string
		n          int
	}{{r.odd.undeclared, "column", len(r.odd.columns)}, {r.odd.bare, "row", r.odd.rows}} {
		if o.n > 1 {
			o.text += fmt.Sprintf(" (so in %s)", count(o.n, o.what))
		}
		if o.n > 0 {
			r.t.warnings = append(r.t.warnings, o.text)
		}
	}
}

// splitFields appends the fields of a list with commas.
func splitFields(text string, fields []string) (all []string, ok bool) {
	for {
		field, rest, ok := cutField(text)
		if !ok {
			return fields, false
		}
		fields = append(fields, field)
		if rest == "" && !strings.HasSuffix(strings.TrimSpace(text), ",") {
			return fields, true
		}
		if rest == "" {
			return append(fields, ""), true
		}
		text = rest
	}
}

// cutField splits a list at its first comma outside quotes. Quotes around the field go.
func cutField(text string) (field, rest string, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || (text[0] != '\'' && text[0] != '"') {
		field, rest, _ = strings.Cut(text, ",")
		return strings.TrimSpace(field), rest, true
	}
	field, rest, ok = cutQuoted(text)
	if rest != "" && rest[0] != ',' {
		return "", "", false
	}
	return field, strings.TrimPrefix(rest, ","), ok
}

// cutQuoted splits off the first word, or what stands in the quotes that the text begins with; a backslash keeps what
// follows it.
func cutQuoted(text string) (word, rest string, ok bool) {
	if text == "" || (text[0] != '\'' && text[0] != '"') {
		word, rest = cutBlank(text)
		return word, rest, true
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case text[i] == text[0]:
			return b.String(), strings.TrimSpace(text[i+1:]), true
		default:
			b.WriteByte(text[i])
		}
	}
	return "", "", false
}
