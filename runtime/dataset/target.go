package dataset

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A TargetPlan says where a target stands in a file and what its classes or labels are. It is part of a Preparation.
type TargetPlan struct {
	Task    setting.Task `json:"task"`
	Columns []string     `json:"columns,omitempty"` // columns that hold it; none where it is the label of a LIBSVM or IDX file
	Name    string       `json:"name,omitempty"`    // what the spec calls the label of a file that gives it no name
	// LabelIDs are the classes or labels as the data write them, LabelNames as the user reads them.
	LabelIDs   []string `json:"label_ids,omitempty"`
	LabelNames []string `json:"label_names,omitempty"`
	// Levels are those of quantiles, which name the labels.
	Levels []float64 `json:"levels,omitempty"`
}

// planTarget resolves a target against the table it is trained on. The classes of Class are found later, in the rows.
func planTarget(t *Table, spec *setting.Target) (*TargetPlan, error) {
	plan := &TargetPlan{Task: spec.Task}
	var err error
	switch {
	case spec.Task != setting.Multilabel && len(spec.Names) != 1:
		return nil, &Error{Code: CodeTarget, File: t.Path, Problem: fmt.Sprintf("a %s target is one column", spec.Task), Mend: "name one column"}
	case spec.Task == setting.Multilabel:
		err = plan.chooseLabels(t, spec)
	default:
		err = plan.chooseColumn(t, spec.Names[0])
	}
	if err != nil {
		return nil, err
	}
	if spec.Task == setting.Quantiles {
		plan.Levels = spec.Levels
		plan.LabelIDs, plan.LabelNames = setting.LevelNames(spec.Levels), setting.LevelNames(spec.Levels)
	}
	if spec.Task == setting.Binary {
		a, b := canonicalClass(spec.Classes[0]), canonicalClass(spec.Classes[1])
		if a == b {
			return nil, &Error{Code: CodeTarget, File: t.Path, Problem: fmt.Sprintf("binary(%s, %s) names one class twice", a, b), Mend: "name two classes"}
		}
		plan.LabelIDs = []string{a, b}
		plan.LabelNames = plan.LabelIDs
	}
	return plan, nil
}

// chooseColumn takes the target from the column of that name. Formats whose rows carry labels name these by it
// instead.
func (p *TargetPlan) chooseColumn(t *Table, name string) error {
	if _, ok := t.index[name]; ok {
		p.Columns = []string{name}
		return nil
	}
	if t.Format == CSV || t.Format == Parquet || (t.Format == ARFF && t.labels == nil) {
		return noColumn(t, ItemTarget, name)
	}
	if t.labels == nil {
		return t.noLabels
	}
	p.Name = name
	return nil
}

// noColumn returns the error of a name that no column bears.
func noColumn(t *Table, item Item, name string) error {
	return &Error{
		Code: CodeColumn, File: t.Path, Item: item, Name: name, Problem: fmt.Sprintf("there is no column %q for %s", name, wants[item]),
		Mend: cmp.Or(t.Unseparated(), didYouMean(name, t.names)),
	}
}

// wants says in words what wants a column.
var wants = map[Item]string{
	ItemTarget: "the target", ItemColumns: "the features", ItemIgnore: "`ignore`", ItemID: "`id`", ItemWeight: "`weight`", ItemTypes: "`types`", ItemSplit: "`split`",
}

// chooseLabels takes several labels: those that the rows carry, or else 0/1 columns by name or by pattern.
func (p *TargetPlan) chooseLabels(t *Table, spec *setting.Target) error {
	if t.labels != nil && len(spec.Globs) == 0 {
		return p.chooseFileLabels(t, spec)
	}
	if spec.LabelsFile != "" || spec.AllLabels {
		if t.noLabels != nil {
			return t.noLabels
		}
		return &Error{
			Code: CodeTarget, File: t.Path, Problem: "the rows carry no labels of their own",
			Mend: `name the 0/1 columns: target a, b : multilabel, or target columns("topic_*") : multilabel`,
		}
	}
	var err error
	if p.Columns, err = namedColumns(t, spec.Names, spec.Globs, ItemTarget); err != nil {
		return err
	}
	if len(p.Columns) == 0 {
		return &Error{Code: CodeTarget, File: t.Path, Problem: "no target is named", Mend: "name the 0/1 columns of the labels"}
	}
	p.LabelIDs, p.LabelNames = p.Columns, p.Columns
	return nil
}

// chooseFileLabels takes the labels that each row of a LIBSVM file begins with.
func (p *TargetPlan) chooseFileLabels(t *Table, spec *setting.Target) error {
	var err error
	switch {
	case spec.LabelsFile != "":
		if p.LabelIDs, p.LabelNames, err = LabelNames(spec.LabelsFile); err != nil {
			return asked(ItemTarget, err)
		}
		return p.checkKnown(t, spec.LabelsFile)
	case spec.AllLabels:
		p.LabelIDs = slices.Clone(t.labels.names)
		if t.hierarchy == nil { // whose file says in which order
			sortClasses(p.LabelIDs)
		}
	default:
		for _, name := range spec.Names {
			id := name
			if t.hierarchy == nil {
				id = canonicalClass(name)
			}
			if !slices.Contains(t.labels.names, id) {
				return &Error{
					Code: CodeColumn, File: t.Path, Item: ItemTarget, Name: name, Problem: fmt.Sprintf("no row has the label %q", name),
					Mend: `name the labels by target labels("labels.txt") or take all by target labels(data); ` + didYouMean(id, t.labels.names),
				}
			}
			p.LabelIDs = append(p.LabelIDs, id)
		}
	}
	p.LabelNames = p.LabelIDs
	return nil
}

// checkKnown refuses labels in the data that the labels file does not name.
func (p *TargetPlan) checkKnown(t *Table, labelsFile string) error {
	known := indexNames(p.LabelIDs)
	for row := range t.rows {
		for _, code := range t.labels.of(row) {
			if id := t.labels.names[code]; !has(known, id) {
				return &Error{
					Code: CodeLabels, File: t.Path, Line: t.Line(row), Problem: fmt.Sprintf("label %s is not named in %s", id, labelsFile),
					Mend: "add a line `id code name` for it",
				}
			}
		}
	}
	return nil
}

func has(index map[string]int, name string) bool { _, ok := index[name]; return ok }

// namedColumns returns the columns of some names, and then those that match some patterns, each once.
func namedColumns(t *Table, names, globs []string, item Item) (found []string, err error) {
	taken := map[string]int{}
	for _, name := range names {
		if !has(t.index, name) {
			return nil, noColumn(t, item, name)
		}
	}
	for _, glob := range globs {
		matched, err := matchColumns(t, glob, item)
		if err != nil {
			return nil, err
		}
		names = append(names[:len(names):len(names)], matched...)
	}
	for _, name := range names {
		if !has(taken, name) {
			taken[name], found = 1, append(found, name)
		}
	}
	return found, nil
}

// matchColumns returns the columns that match a pattern, in the file's order.
func matchColumns(t *Table, glob string, item Item) ([]string, error) {
	var matched []string
	for _, name := range t.names {
		ok, err := path.Match(glob, name)
		if err != nil {
			return nil, &Error{Code: CodeColumn, File: t.Path, Item: item, Name: glob, Problem: fmt.Sprintf("%q is not a pattern", glob), Mend: "* stands for any text, ? for one character, [ab] for one of them", Cause: err}
		}
		if ok {
			matched = append(matched, name)
		}
	}
	if len(matched) == 0 {
		return nil, &Error{
			Code: CodeColumn, File: t.Path, Item: item, Name: glob, Problem: fmt.Sprintf("no column matches %q for %s", glob, wants[item]),
			Mend: didYouMean(strings.Trim(glob, "*?"), t.names),
		}
	}
	return matched, nil
}

// A boundTarget is a target plan at a table that holds the target.
type boundTarget struct {
	plan *TargetPlan
	t    *Table
	cols []*column // those of the file; its labels as one; nil where they are the labels of a multilabel target
}

// bind finds the target in a table.
func (p *TargetPlan) bind(t *Table) (*boundTarget, error) {
	b := &boundTarget{plan: p, t: t}
	if len(p.Columns) == 0 {
		if t.labels == nil {
			if t.noLabels != nil {
				return nil, t.noLabels
			}
			return nil, noColumn(t, ItemTarget, cmp.Or(p.Name, LabelName))
		}
		if p.Task != setting.Multilabel {
			b.cols = []*column{t.labels.column()}
		}
		return b, nil
	}
	for _, name := range p.Columns {
		j, ok := t.index[name]
		if !ok {
			return nil, noColumn(t, ItemTarget, name)
		}
		b.cols = append(b.cols, t.wholeColumn(j))
	}
	return b, nil
}

// wholeColumn returns column j as cells, even if the store holds only numbers.
func (t *Table) wholeColumn(j int) *column {
	if c := t.cells.column(j); c != nil {
		return c
	}
	c := &column{name: t.names[j], oddRow: -1, infRow: -1, numbers: make([]float64, t.rows)}
	t.cells.fill(rowNumbers(t.rows), []int{j}, []int{0}, c.numbers, 1)
	return c
}

// fail returns the error of a row's target.
func (b *boundTarget) fail(row int, problem, mend string) error {
	e := &Error{Code: CodeTarget, File: b.t.Path, Line: b.t.Line(row), Problem: problem, Mend: mend}
	if len(b.cols) == 1 {
		e.Column = b.cols[0].name
	}
	return e
}

// isGap reports whether a row has no target.
func (b *boundTarget) isGap(row int) bool {
	return slices.ContainsFunc(b.cols, func(c *column) bool { return c.isGap(row) })
}

// isBlank reports whether a row has nothing at all for a target. Labels that the rows of a file carry may be none.
func (b *boundTarget) isBlank(row int) bool {
	return len(b.cols) > 0 && !slices.ContainsFunc(b.cols, func(c *column) bool { return !c.isGap(row) })
}

// single returns an error where a row has not one target.
func (b *boundTarget) single(row int) error {
	switch {
	case b.isGap(row):
		return b.gap(row)
	case len(b.plan.Columns) == 0 && len(b.t.labels.of(row)) > 1:
		return b.fail(row, "the row has several labels, "+b.t.labels.text(row), "declare the target multilabel")
	}
	return nil
}

// class returns the class of a row.
func (b *boundTarget) class(row int) (string, error) {
	if err := b.single(row); err != nil {
		return "", err
	}
	return canonicalClass(b.cols[0].text(row)), nil
}

// gap returns the error of a row without a target, at its first empty column.
func (b *boundTarget) gap(row int) error {
	e := &Error{
		Code: CodeGap, File: b.t.Path, Line: b.t.Line(row), Problem: fmt.Sprintf("row %d has no target", row+1),
		Mend: "fill it in, or leave such rows out by `missing drop`",
	}
	if len(b.cols) > 0 {
		e.Column = b.cols[0].name
	}
	for _, c := range b.cols {
		if c.isGap(row) {
			e.Column = c.name
			break
		}
	}
	return e
}

// classRows returns the classes of rows: of each a position in names, which has every class once. For a binary target it leaves out rows of other
// classes.
func (b *boundTarget) classRows(rows []int) (kept, class []int, names []string, err error) {
	position := map[string]int{}
	kept, class = make([]int, 0, len(rows)), make([]int, 0, len(rows))
	for _, i := range rows {
		name, err := b.class(i)
		if err != nil {
			return nil, nil, nil, err
		}
		k, known := position[name]
		switch {
		case b.plan.Task == setting.Binary && !slices.Contains(b.plan.LabelIDs, name):
			continue
		case !known:
			k = len(names)
			position[name], names = k, append(names, name)
		}
		kept, class = append(kept, i), append(class, k)
	}
	return kept, class, names, nil
}

// number returns the real target of a row.
func (b *boundTarget) number(row int) (float64, error) {
	if err := b.single(row); err != nil {
		return 0, err
	}
	c := b.cols[0]
	if !c.isText() {
		v := c.numbers[row]
		if math.Abs(v) > limits.LargestNumber {
			problem, mend := tooLarge(c.text(row), v)
			return 0, b.fail(row, problem, mend)
		}
		return v, nil
	}
	text := c.text(row)
	v, kind := readNumber(text)
	if kind != cellNumber {
		return 0, b.fail(row, fmt.Sprintf("%q is not a number, but the target is declared real", text), cmp.Or(WhyText(text, b.t.Writing), "mend the cell, or declare the target class"))
	}
	return v, nil
}

// set fills row r of an n×m matrix with the labels of a row.
func (b *boundTarget) set(row int, out []float64, position map[string]int) error {
	if b.cols == nil {
		for _, code := range b.t.labels.of(row) {
			if k, ok := position[b.t.labels.names[code]]; ok {
				out[k] = 1
			}
		}
		return nil
	}
	for k, c := range b.cols {
		text := c.text(row)
		switch {
		case c.isGap(row):
			return b.gap(row)
		case text == "0" || text == "1":
			out[k] = float64(text[0] - '0')
		case strings.EqualFold(text, "true"):
			out[k] = 1
		case !strings.EqualFold(text, "false"):
			return &Error{
				Code: CodeTarget, File: b.t.Path, Line: b.t.Line(row), Column: c.name,
				Problem: fmt.Sprintf("%q is not a label's 0 or 1", text), Mend: "write 1 where the row has the label and 0 where not",
			}
		}
	}
	return nil
}

// read fills the targets of a set. A class that is not among the plan's is −1. Rows that lack a target are left out: they have the number 0,
// no label, or the class −1.
func (b *boundTarget) read(s *Set) error {
	position := indexNames(b.plan.LabelIDs)
	switch b.plan.Task {
	case setting.Multilabel:
		s.Multi = mat.NewDense(len(s.Rows), len(b.plan.LabelIDs), nil)
		for r, row := range s.Rows {
			if s.Lacks(r) {
				continue
			}
			if err := b.set(row, s.Multi.RawRowView(r), position); err != nil {
				return err
			}
		}
	case setting.Real, setting.Counts, setting.Quantiles:
		s.Real = make([]float64, len(s.Rows))
		for r, row := range s.Rows {
			if s.Lacks(r) {
				continue
			}
			var err error
			if s.Real[r], err = b.number(row); err != nil {
				return err
			}
			if b.plan.Task == setting.Counts && s.Real[r] < 0 {
				return b.fail(row, formatNumber(s.Real[r])+" is negative, and poisson learns counts", "mend the cell, or take learn ridge")
			}
		}
	default:
		if err := b.readClasses(s, position); err != nil {
			return err
		}
	}
	s.HasTarget = true
	return nil
}

// readClasses reads the classes of a set's rows. Those without a position are strange.
func (b *boundTarget) readClasses(s *Set, position map[string]int) error {
	s.Class = slices.Repeat([]int{-1}, len(s.Rows))
	for r, row := range s.Rows {
		if s.Lacks(r) {
			continue
		}
		name, err := b.class(row)
		if err != nil {
			return err
		}
		k, ok := position[name]
		if ok {
			s.Class[r] = k
			continue
		}
		if s.Strange == nil {
			s.Strange = make([]string, len(s.Rows))
		}
		s.Strange[r] = name
	}
	return nil
}

// canonicalClass writes numbers in one way, so that 4, 4.0 and 04 are one class.
func canonicalClass(text string) string {
	text = strings.TrimSpace(text)
	if v, kind := readNumber(text); kind == cellNumber {
		return formatNumber(v)
	}
	return text
}

// sortClasses orders classes by number where all are numbers, else by text.
func sortClasses(names []string) {
	numeric := !slices.ContainsFunc(names, func(name string) bool { _, kind := readNumber(name); return kind != cellNumber })
	slices.SortFunc(names, func(a, b string) int {
		if numeric {
			x, _ := readNumber(a)
			y, _ := readNumber(b)
			return cmp.Compare(x, y)
		}
		return strings.Compare(a, b)
	})
}
