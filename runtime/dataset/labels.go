package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/internal/limits"
)

// labelSets holds the labels of files that keep them apart from the named columns: any number for each row.
type labelSets struct {
	start []int32 // the labels of row i are code[start[i]:start[i+1]]
	code  []int32 // positions in names
	names []string
	index map[string]int32
}

func newLabelSets() *labelSets { return &labelSets{start: []int32{0}, index: map[string]int32{}} }

// add appends a label to the row under construction. Numbers are written in one way, so that +1, 1 and 1.0 are one label.
func (l *labelSets) add(name string) {
	code, ok := l.index[name]
	if !ok {
		own := strings.Clone(name)
		if v, kind := readNumber(own); kind == cellNumber {
			own = formatNumber(v)
		}
		if code, ok = l.index[own]; !ok {
			code = int32(len(l.names))
			l.names = append(l.names, own)
			l.index[own] = code
		}
		l.index[strings.Clone(name)] = code
	}
	l.code = append(l.code, code)
}

// end closes the row under construction.
func (l *labelSets) end() { l.start = append(l.start, int32(len(l.code))) }

// of returns the labels of a row, as positions in names.
func (l *labelSets) of(row int) []int32 { return l.code[l.start[row]:l.start[row+1]] }

// text returns the labels of a row as the file holds them.
func (l *labelSets) text(row int) string {
	var b strings.Builder
	for k, code := range l.of(row) {
		if k > 0 {
			b.WriteByte(',')
		}
		b.WriteString(l.names[code])
	}
	return b.String()
}

// column returns the labels as a column without a name: numbers if every row has one number at most, else texts.
func (l *labelSets) column() *column {
	c := newColumn("")
	for row := range len(l.start) - 1 {
		c.add(row, l.text(row))
	}
	return c
}

// A namedLabel is a line of a labels file: it names a label of a LIBSVM file.
type namedLabel struct {
	id         int
	code, name string
	line       int
}

// LabelNames reads a labels file, lines `id code name` separated by tabs or blanks. It returns the identifiers as the
// data write them, and the labels' names, in ascending order of id. A label's name is its code. If codes are doubled
// it is the name, and if names are doubled too, the id.
func LabelNames(path string) (ids, names []string, err error) {
	content, err := limits.Read(path, limits.NamedBytes)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, CannotOpen(path, err)
		}
		return nil, nil, &Error{Code: CodeLabels, File: path, Problem: "the labels file cannot be read: " + err.Error(), Cause: err}
	}
	if endsInReturns(content) {
		content = bytes.ReplaceAll(content, []byte("\r"), []byte("\n"))
	}
	labels, err := parseLabels(path, content)
	if err != nil {
		return nil, nil, err
	}
	sort.Slice(labels, func(i, j int) bool { return labels[i].id < labels[j].id })
	for i := 1; i < len(labels); i++ {
		if labels[i].id == labels[i-1].id {
			return nil, nil, &Error{
				Code: CodeLabels, File: path, Line: max(labels[i].line, labels[i-1].line),
				Problem: fmt.Sprintf("label %d is named twice", labels[i].id), Mend: "leave one line for each label",
			}
		}
	}
	for _, l := range labels {
		ids = append(ids, strconv.Itoa(l.id))
	}
	for _, choice := range []func(namedLabel) string{
		func(l namedLabel) string { return l.code },
		func(l namedLabel) string { return l.name },
		func(l namedLabel) string { return strconv.Itoa(l.id) },
	} {
		if names, ok := distinctNames(labels, choice); ok {
			return ids, names, nil
		}
	}
	return ids, ids, nil
}

// distinctNames returns a name for each label. It returns false if some name is empty, or stands for two labels.
func distinctNames(labels []namedLabel, choice func(namedLabel) string) ([]string, bool) {
	names, seen := make([]string, len(labels)), map[string]bool{}
	for i, l := range labels {
		names[i] = choice(l)
		if names[i] == "" || seen[names[i]] {
			return nil, false
		}
		seen[names[i]] = true
	}
	return names, true
}

// parseLabels reads lines `id code name`, separated by tabs or blanks. It leaves out empty lines and those that begin
// with #.
func parseLabels(path string, content []byte) ([]namedLabel, error) {
	var labels []namedLabel
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(content, bom)))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		l := namedLabel{line: n}
		var id string
		if strings.Contains(text, "\t") {
			id, text, _ = strings.Cut(text, "\t")
			l.code, l.name, _ = strings.Cut(text, "\t")
		} else {
			id, text = cutBlank(text)
			l.code, l.name = cutBlank(text)
		}
		var err error
		l.id, err = strconv.Atoi(strings.TrimSpace(id))
		l.code, l.name = strings.TrimSpace(l.code), strings.TrimSpace(l.name)
		if err != nil || l.id < 0 || l.code == "" || !cleanText(l.code+l.name) {
			return nil, &Error{
				Code: CodeLabels, File: path, Line: n,
				Problem: fmt.Sprintf("%q is not a line `id code name`", lines.Text()),
				Mend:    "begin with the label's number in the data, then its short name",
			}
		}
		labels = append(labels, l)
	}
	if err := lines.Err(); err != nil {
		return nil, &Error{Code: CodeLabels, File: path, Problem: "the labels file cannot be read: " + err.Error(), Cause: err}
	}
	if len(labels) == 0 {
		return nil, &Error{Code: CodeLabels, File: path, Problem: "the labels file is empty", Mend: "write a line `id code name` for each label"}
	}
	return labels, nil
}

// cutBlank splits a text at its first run of blanks.
func cutBlank(text string) (before, after string) {
	k := strings.IndexAny(text, " \t")
	if k < 0 {
		return text, ""
	}
	return text[:k], strings.TrimSpace(text[k:])
}
