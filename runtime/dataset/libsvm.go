package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/paged"
)

// maxFeatures bounds the index of a LIBSVM feature: beyond it rows cannot be held densely.
const maxFeatures = 1 << 20

// sparse is the store of a LIBSVM file: compressed rows. What is absent is zero.
type sparse struct {
	start []int // the entries of row i are start[i] … start[i+1]−1
	// Entry e is the value numbers[2e+1] at the index numbers[2e]. Many lie in a file, where a row is read at once.
	numbers []float64
	room    *paged.Store
	width   int
	// index and value are those of the row that is read.
	index []int32
	value []float64
}

func (*sparse) column(int) *column { return nil }

func (s *sparse) fill(rows, cols, at []int, dst []float64, stride int) {
	position := make([]int, s.width)
	for j := range position {
		position[j] = -1
	}
	for k, j := range cols {
		position[j] = at[k]
	}
	for r, i := range rows {
		out := dst[r*stride : (r+1)*stride]
		for _, k := range at {
			out[k] = 0
		}
		for e := s.start[i]; e < s.start[i+1]; e++ {
			if k := position[int(s.numbers[2*e])]; k >= 0 {
				out[k] = s.numbers[2*e+1]
			}
		}
	}
}

// readLIBSVM reads lines `labels index:value …`. A line may end in a comment after '#', and its labels may be absent.
func readLIBSVM(src *source) (*Table, error) {
	t := &Table{labels: newLabelSets()}
	s := &sparse{start: []int{0}, room: src.room}
	for line := 1; ; line++ {
		text, err := src.plain.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		last := err != nil
		text, _, _ = bytes.Cut(text, []byte("#"))
		if len(bytes.TrimSpace(text)) > 0 {
			if err := s.addLine(src.path, line, text, t.labels); err != nil {
				return nil, err
			}
			t.lines = append(t.lines, int32(line))
			t.rows++
			if err := src.checkMemory(t.rows, func() float64 { return s.bytes(t.labels) }); err != nil {
				return nil, err
			}
		}
		if last {
			break
		}
	}
	if t.rows == 0 {
		return nil, &Error{Code: CodeEmpty, File: src.path, Problem: "the file holds no rows", Mend: "write lines `label index:value …`"}
	}
	t.names = make([]string, s.width)
	for j := range t.names {
		t.names[j] = "x" + strconv.Itoa(j+1)
	}
	if len(t.labels.code) == 0 {
		t.labels, t.noLabels = nil, &Error{Code: CodeTarget, File: src.path, Problem: "no row has a label", Mend: "begin each line with its label"}
	}
	t.cells = s
	return t, nil
}

// bytes returns the memory of a row, with that of its line and labels.
func (s *sparse) bytes(labels *labelSets) float64 {
	numbers := 0
	if !s.room.Holds(s.numbers) {
		numbers = len(s.numbers)
	}
	return 20 + float64(10*numbers+15*len(labels.code))/float64(len(s.start)-1)
}

// addLine appends a row.
func (s *sparse) addLine(path string, line int, text []byte, labels *labelSets) error {
	fail := func(code Code, problem, mend string) error {
		return &Error{Code: code, File: path, Line: line, Problem: problem, Mend: mend}
	}
	first, rest := nextField(text)
	if text[0] == ' ' || text[0] == '\t' || bytes.IndexByte(first, ':') >= 0 {
		rest = text // a row without labels
	} else if problem := addLabels(labels, first); problem != "" {
		return fail(CodeFormat, problem, "separate labels by commas, without blanks")
	}
	labels.end()
	s.index, s.value = s.index[:0], s.value[:0]
	for field, rest := nextField(rest); len(field) > 0; field, rest = nextField(rest) {
		index, value, problem := readEntry(field)
		if problem != "" {
			return fail(CodeNumber, problem, "a row is `label index:value …`, with indices from 1 and finite values")
		}
		s.index, s.value = append(s.index, int32(index-1)), append(s.value, value)
		s.width = max(s.width, index)
	}
	if doubled := sortEntries(s.index, s.value); doubled > 0 {
		return fail(CodeFormat, fmt.Sprintf("feature %d occurs twice in the row", doubled), "leave one of them")
	}
	for k, index := range s.index {
		s.numbers = s.room.Append(s.room.Append(s.numbers, float64(index)), s.value[k])
	}
	s.start = append(s.start, len(s.numbers)/2)
	return nil
}

// nextField splits off the first field.
func nextField(text []byte) (field, rest []byte) {
	text = bytes.TrimLeft(text, " \t\r\n\f")
	if k := bytes.IndexAny(text, " \t\r\n\f"); k >= 0 {
		return text[:k], text[k:]
	}
	return text, nil
}

// addLabels reads `l1,l2,…`.
func addLabels(labels *labelSets, field []byte) (problem string) {
	begin := len(labels.code)
	for _, name := range bytes.Split(field, []byte(",")) {
		if len(name) > limits.CellBytes {
			return fmt.Sprintf("a label is longer than the %s that are read of one", limits.Size(limits.CellBytes))
		}
		if len(name) == 0 || !cleanText(string(name)) {
			return fmt.Sprintf("%q is not a list of labels", showField(field))
		}
		labels.add(string(name))
		code := labels.code[len(labels.code)-1]
		if slices.Contains(labels.code[begin:len(labels.code)-1], code) {
			return fmt.Sprintf("label %s occurs twice in the row", showField(name))
		}
	}
	return ""
}

// readEntry reads `index:value`.
func readEntry(field []byte) (index int, value float64, problem string) {
	key, number, ok := bytes.Cut(field, []byte(":"))
	if !ok {
		return 0, 0, fmt.Sprintf("%q is not index:value", showField(field))
	}
	index, err := strconv.Atoi(string(key))
	switch {
	case err != nil:
		return 0, 0, fmt.Sprintf("the index in %q is not a whole number", showField(field))
	case index < 1:
		return 0, 0, fmt.Sprintf("the index in %q is %d; features count from 1", showField(field), index)
	case index > maxFeatures:
		return 0, 0, fmt.Sprintf("the index in %q is over %d, more features than can be held densely", showField(field), maxFeatures)
	}
	value, err = strconv.ParseFloat(string(number), 64)
	if err != nil && !math.IsInf(value, 0) {
		return 0, 0, fmt.Sprintf("the value in %q is not a number", showField(field))
	}
	if math.IsNaN(value) || math.Abs(value) > limits.LargestNumber {
		return 0, 0, fmt.Sprintf("the value in %q is not finite, or beyond 1e100", showField(field))
	}
	return index, value, ""
}

// showField returns a field as an error shows it.
func showField(field []byte) string { return cutShort(string(field[:min(len(field), mostShown+1)])) }

// sortEntries sorts a row by index and returns the first doubled index, from 1, or 0.
func sortEntries(index []int32, value []float64) int {
	if !slices.IsSorted(index) {
		order := rowNumbers(len(index))
		sort.Slice(order, func(i, j int) bool { return index[order[i]] < index[order[j]] })
		i, v := slices.Clone(index), slices.Clone(value)
		for k, o := range order {
			index[k], value[k] = i[o], v[o]
		}
	}
	for k := 1; k < len(index); k++ {
		if index[k] == index[k-1] {
			return int(index[k]) + 1
		}
	}
	return 0
}

// looksLikeLIBSVM reports whether the first row of a text is `labels i:v …`.
func looksLikeLIBSVM(head []byte) bool {
	for line := range bytes.Lines(head) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		field, rest := nextField(line)
		if len(field) == 0 {
			continue
		}
		if bytes.IndexByte(field, ':') >= 0 {
			rest = line
		}
		if field, _ = nextField(rest); len(field) == 0 {
			return false
		}
		_, _, problem := readEntry(field)
		return problem == ""
	}
	return false
}
