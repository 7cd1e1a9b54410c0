package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/paged"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// maxCells bounds a dense matrix of features in memory: 4 GiB.
const maxCells = 1 << 29

// Apply prepares all rows of a further table. Its columns are found by name, and of those that it has the spec's types are checked, except the target's. The target is read of the rows that have it;
// HasTarget says whether some do. With `missing drop`, rows with gaps are left out and a warning says how many.
func (p *Preparation) Apply(ctx context.Context, t *Table) (*Set, error) {
	t, err := typed(p, t)
	if e, ok := errors.AsType[*Error](err); ok && e.Item != "" {
		err = again(err)
	}
	if err != nil {
		return nil, err
	}
	if err := checkTypesHere(t, openTypes(typesOfFeatures(p), p.Outside)); err != nil {
		return nil, again(err)
	}
	s, err := p.apply(ctx, t, true)
	if err != nil {
		return nil, err
	}
	told := p.readOptionalTarget(t, s)
	if text := unknown(p, t); text != "" {
		s.Warnings = append(s.Warnings, text)
	}
	s.warnOfUnseen()
	s.warnOfGaps()
	s.Warnings = append(s.Warnings, told...)
	return s, nil
}

// typed returns a further table with numbers and booleans as the training file wrote them, dates as numbers, and the codes of gaps as gaps.
func typed(p *Preparation, t *Table) (*Table, error) {
	numbers := numbersOf(p)
	t, err := readAs(t, p.Writing, func(name string) bool { return numbers[name] })
	if err != nil {
		return nil, err
	}
	t = withNumbers(t, func(name string) bool { return numbers[name] })
	if t, err = withTypes(t, p.Types); err != nil {
		return nil, err
	}
	return withBooleans(p, t).withGaps(p.Gaps, aside(p)...)
}

// numbersOf returns the columns that hold numbers: features, a target of numbers and weights. Dates do not count.
func numbersOf(p *Preparation) map[string]bool {
	names := map[string]bool{}
	for i := range p.Features {
		names[p.Features[i].Name] = !p.Features[i].Text
	}
	for _, name := range p.Target.Columns {
		names[name] = p.Target.Task.Numbers()
	}
	for i := range p.Types {
		if p.Types[i].Date || p.Types[i].Texts() {
			names[p.Types[i].Column] = false
		}
	}
	if p.Weight != "" {
		names[p.Weight] = true
	}
	return names
}

// shownColumns is how many columns a warning names.
const shownColumns = 5

// unknown returns a warning of columns that the training file does not have; empty where there are none, or the format names no columns.
func unknown(p *Preparation, t *Table) string {
	if t.Format == LIBSVM || t.Format == IDX || t.Format == NPY {
		return ""
	}
	var names []string
	known := featureNames(p)
	for i := range p.Others {
		known[p.Others[i].Name] = true
	}
	for _, name := range t.names {
		if !known[name] && !IsIdentifier(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("the training file does not have %s %s: left out", map[bool]string{true: "the column", false: "the columns"}[len(names) == 1], listed(names, shownColumns))
}

// typesOfFeatures returns the types of columns that are none of the target's. A class that the model does not know is warned of, and stops no
// prediction.
func typesOfFeatures(p *Preparation) []setting.ColumnType {
	return slices.DeleteFunc(slices.Clone(p.Types), func(c setting.ColumnType) bool { return slices.Contains(p.Target.Columns, c.Column) })
}

// ApplyUntold prepares all rows of a further table as rows without a label. A target in it is not looked at. Beside names the
// training rows: a column of theirs that the table lacks gets a warning, except the one that splits the rows. The spec's types are
// checked of the columns that the table has: bounds count in proofs about its rows, too.
func (p *Preparation) ApplyUntold(ctx context.Context, t *Table, beside *Set, spec *setting.Data) (*Set, error) {
	t, err := typed(p, t)
	if err != nil {
		return nil, err
	}
	if err := checkTypesHere(t, openTypes(p.Types, p.Outside)); err != nil {
		return nil, err
	}
	if err := t.checkWeights(p.Weight); err != nil {
		return nil, err
	}
	s, err := p.apply(ctx, t, false)
	if e, ok := errors.AsType[*Error](err); ok {
		e.Item = ItemUnlabelled // also where a feature is lacking, which another item may name
	}
	if err != nil {
		return nil, err
	}
	s.warnOfUnseen()
	s.warnOfGaps()
	var lacking []string
	for _, name := range beside.table.names {
		if !has(t.index, name) && !slices.Contains(p.Target.Columns, name) && name != p.ID && name != spec.Split.By && !IsIdentifier(name) {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) > 0 && t.Format != LIBSVM {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s has no column %s: conditions on it hold for none of its rows", t.Path, listed(lacking, mostMissing)))
	}
	if !s.Named {
		s.IDs = numbered(s.Rows)
		for i := range s.IDs { // as row 3 of the data is called 3, too
			s.IDs[i] = t.Path + ":" + s.IDs[i]
		}
	}
	return s.Untold(), nil
}

// again adds to an error that changes of the spec need a new model.
func again(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.Mend += ", and train again"
	}
	return err
}

// warnOfGaps warns of rows of the table that `missing drop` left out.
func (s *Set) warnOfGaps() {
	if n := s.table.Len() - s.Len(); n > 0 {
		s.Warnings = append(s.Warnings, count(n, "row")+" with gaps left out")
	}
}

// apply prepares all rows of a further table, whose gaps are read, and leaves its target alone. Rows outside the box may be refused where
// the spec asks for it.
func (p *Preparation) apply(ctx context.Context, t *Table, refuse bool) (*Set, error) {
	rows := rowNumbers(t.Len())
	if p.Missing == setting.MissingDrop {
		gap, err := p.gapChecker(t)
		if err != nil {
			return nil, err
		}
		rows = slices.DeleteFunc(rows, gap)
		if len(rows) == 0 {
			return nil, &Error{Code: CodeRows, File: t.Path, Problem: "no row is left: each has a gap", Mend: "fill them in"}
		}
	}
	raw, err := p.rawMatrix(ctx, t, rows)
	if err != nil {
		if gap, ok := errors.AsType[*Error](err); ok && gap.Code == CodeGap {
			gap.Mend += " in the spec"
			return nil, again(err)
		}
		return nil, err
	}
	if refuse {
		if err := refuseOutside(p, t, rows, raw); err != nil {
			return nil, err
		}
	}
	clipped, moved := clip(p, t, rows, raw)
	unseen := p.unseen(t, rows, raw, 0)
	s := p.finishSet(t, rows, raw)
	s.Warnings, s.Clipped = clipped, moved
	if _, ok := t.index[p.ID]; !ok && p.ID != "" {
		s.Warnings = append(s.Warnings, fmt.Sprintf("there is no column %q, which names the rows: they are numbered", p.ID))
	}
	s.Warnings, s.Unseen = slices.Concat(s.Warnings, t.warnings, t.readings), unseen
	if doubled := t.doubledIDs(p.ID); doubled != "" {
		s.Warnings = append(s.Warnings, doubled)
	}
	return s, nil
}

// readOptionalTarget reads the target of the rows that have it. It returns what to warn of: why a target that is
// there cannot be compared, or which rows lack one or have an unknown class.
func (p *Preparation) readOptionalTarget(t *Table, s *Set) (warnings []string) {
	target, err := p.Target.bind(t)
	if err != nil {
		return nil
	}
	err = t.checkWeights(p.Weight)
	weight := s.Weight
	if err != nil {
		weight = nil
	}
	told, idle := s.lack(target.isGap, weight)
	if told == 0 && idle {
		return []string{"the target is not compared: no row that has one has a weight"}
	}
	if told == 0 {
		return nil
	}
	if err == nil {
		err = target.read(s)
	}
	if err != nil {
		s.HasTarget, s.Class, s.Strange, s.Real, s.Multi, s.Weight = false, nil, nil, nil, nil, nil
		return []string{"the target is not compared: " + err.Error()}
	}
	p.unseenClasses(t, s)
	known := s.knownClasses()
	if told < s.Len() {
		compared := fmt.Sprintf("the other %d are", told)
		if s.Task == setting.Binary && len(known) < told {
			compared = fmt.Sprintf("%d of the others are", len(known))
		}
		what := map[bool]string{true: "a target or a weight", false: "a target"}[idle]
		warnings = append(warnings, fmt.Sprintf("%s without %s: %s compared", count(s.Len()-told, "row"), what, compared))
	}
	switch unknown := told - len(known); {
	case s.Class == nil || unknown == 0:
	case len(known) == 0:
		s.HasTarget, s.Class, s.Strange = false, nil, nil
		return []string{"the target is not compared: no row is of a class that was trained"}
	case s.Task == setting.Binary:
		warnings = append(warnings, count(unknown, "row")+" of other classes than the two that were trained: compared with no prediction")
	default:
		warnings = append(warnings, count(unknown, "row")+" of a class that no training row has: always counted as wrong")
	}
	return warnings
}

// lack marks the rows that are not compared, and returns how many others there are. A run leaves out rows of the weight 0, too; idle
// says that there are such.
func (s *Set) lack(untold func(row int) bool, weight []float64) (told int, idle bool) {
	s.Lacking = make([]bool, s.Len())
	for r, i := range s.Rows {
		none := weightless(weight, r)
		idle = idle || none
		if s.Lacking[r] = none || untold(i); !s.Lacking[r] {
			told++
		}
	}
	return told, idle
}

// knownClasses returns the positions of the rows whose class the model knows.
func (s *Set) knownClasses() (at []int) {
	for i, c := range s.Class {
		if c >= 0 {
			at = append(at, i)
		}
	}
	return at
}

// Compared returns the rows that metrics are of, and their positions: those with a target. A binary target leaves out rows of neither class.
func (s *Set) Compared() (*Set, []int) {
	var at []int
	for i := range s.Rows {
		if !s.Lacks(i) && (s.Task != setting.Binary || s.Class[i] >= 0) {
			at = append(at, i)
		}
	}
	if len(at) == s.Len() {
		return s, at
	}
	return s.Subset(at), at
}

// Columns returns the names of the prepared columns.
func (p *Preparation) Columns() []string {
	var names, masks []string
	for i := range p.Features {
		f := &p.Features[i]
		masks = append(masks, f.masks()...)
		if !f.Text {
			names = append(names, f.Name)
			continue
		}
		names = append(names, f.columns()...)
	}
	return append(names, masks...)
}

// rawMatrix lays the features of rows out in prepared columns, numbers still raw and gaps NaN.
func (p *Preparation) rawMatrix(ctx context.Context, t *Table, rows []int) (*mat.Dense, error) {
	width := len(p.Columns())
	if err := p.lacks(t); err != nil {
		return nil, err
	}
	room := t.room.Beside()
	dst := room.File(len(rows), width)
	if dst == nil {
		cells := int64(width) * int64(len(rows))
		if cells > maxCells {
			return nil, &Error{
				Code: CodeFeatures, File: t.Path, Problem: fmt.Sprintf("%d rows of %d features need %d GiB", len(rows), width, cells>>27),
				Mend: "draw fewer rows by `split`, or pick fewer columns",
			}
		}
		// The rows are there twice: raw and prepared.
		if err := limits.Check(ctx, []limits.Need{{
			Bytes: 16 * float64(cells), What: fmt.Sprintf("%d rows of %d features", len(rows), width), Mend: "draw fewer rows by `split`, or pick fewer columns",
		}}); err != nil {
			return nil, &Error{Code: CodeFeatures, File: t.Path, Problem: err.Error()}
		}
		dst = make([]float64, cells)
	}
	x := mat.NewDense(len(rows), width, dst)
	paged.KeepWith(room, x)
	var cols, at []int
	for i, position := range p.positions() {
		f := &p.Features[i]
		j, ok := t.index[f.Name]
		if !ok {
			continue // lacks has let it pass: absent from every row of LIBSVM means zero
		}
		c := t.cells.column(j)
		switch {
		case f.Text && c == nil:
			return nil, &Error{Code: CodeFeatures, File: t.Path, Column: f.Name, Problem: "the column held texts in training, not numbers"}
		case f.Weights != nil:
			f.fillWords(c, rows, dst[position:], width)
		case f.Text:
			f.fillCategories(c, rows, dst[position:], width)
		default:
			if err := p.checkNumeric(t, c, rows); err != nil {
				return nil, err
			}
			cols, at = append(cols, j), append(at, position)
		}
	}
	const block = 4096 // rows between two looks at the context
	for first := 0; first < len(rows); first += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		some := rows[first:min(first+block, len(rows))]
		t.cells.fill(some, cols, at, dst[first*width:], width)
	}
	return x, nil
}

// numericMend says what to write in place of a text in a numeric feature, and to leave the cell empty where gaps may be.
func numericMend(t *Table, cell string, missing setting.Missing) string {
	for _, words := range [][2]string{{"true", "false"}, {"yes", "no"}, {"t", "f"}, {"y", "n"}} {
		if strings.EqualFold(cell, words[0]) || strings.EqualFold(cell, words[1]) {
			return fmt.Sprintf("write numbers as the training file does, such as 1 for %s and 0 for %s%s", words[0], words[1], orEmpty(missing, "the cell"))
		}
	}
	return cmp.Or(WhyText(cell, t.Writing), "mend the cell"+orEmpty(missing, "it"))
}

// checkNumeric refuses what is not a finite number in a numeric feature, and gaps where the spec does not treat them.
func (p *Preparation) checkNumeric(t *Table, c *column, rows []int) error {
	if c == nil {
		return nil
	}
	if c.isText() {
		row := max(c.oddRow, 0)
		return &Error{
			Code: CodeNumber, File: t.Path, Line: t.Line(row), Column: c.name,
			Problem: fmt.Sprintf("%q is not a number, but the column was numeric in training", c.text(row)), Mend: numericMend(t, c.text(row), p.Missing),
		}
	}
	if err := checkFinite(t, c, p.Missing); err != nil {
		return err
	}
	if p.Missing == setting.MissingError {
		return gapError(t, c, rows)
	}
	return nil
}

// fillCategories sets the column of each row's category to 1. A text that is not a category leaves all of them at 0.
func (f *Feature) fillCategories(c *column, rows []int, dst []float64, stride int) {
	position := indexNames(f.Categories)
	for r, i := range rows {
		if k, ok := position[f.textOf(c, i)]; ok {
			dst[r*stride+k] = 1
		}
	}
}

// Rowless returns a set without rows, which knows all that the preparation knows of columns, classes and labels.
func Rowless(p *Preparation) *Set {
	s := &Set{
		X: &mat.Dense{}, Columns: p.Columns(), Groups: GroupsOf(p), Height: p.Height, Width: p.Width, Task: p.Target.Task, LabelNames: p.Target.LabelNames, Levels: p.Target.Levels,
		target: p.Target.Name, targets: p.Target.Columns, table: &Table{},
	}
	n := len(s.Columns)
	s.Offset, s.Scale, s.Unit, s.Constant = make([]float64, n), make([]float64, n), make([]float64, n), make([]bool, n)
	for j := range s.Scale {
		s.Scale[j], s.Unit[j] = 1, 1
	}
	for i, at := range p.positions() {
		f := &p.Features[i]
		s.Constant[at] = f.Text && len(f.Categories) == 1 || !f.Text && f.Low == f.High
		if f.Text {
			continue
		}
		s.Offset[at], s.Scale[at] = f.Offset, f.Scale
		if f.Deviation > 0 {
			s.Unit[at] = f.Deviation
		}
	}
	return s
}

// finishSet turns raw numbers into prepared ones, in place.
func (p *Preparation) finishSet(t *Table, rows []int, x *mat.Dense) *Set {
	s := Rowless(p)
	s.X, s.Weight, s.Rows, s.table = x, p.weights(t, rows), rows, t
	fill := make([]float64, len(s.Columns))
	positions := p.positions()
	next := len(s.Columns)
	for i := len(p.Features) - 1; i >= 0; i-- {
		f := &p.Features[i]
		if f.Text {
			continue
		}
		fill[positions[i]] = f.Fill
		if n := len(f.masks()); n > 0 {
			next -= n
			data, stride := x.RawMatrix().Data, x.RawMatrix().Stride
			f.mask(t.columnOf(f.Name), rows, data[next:], stride)
		}
	}
	for r := range rows {
		row := x.RawRowView(r)
		for j := range next {
			if math.IsNaN(row[j]) {
				row[j] = fill[j]
			}
			row[j] = (row[j] - s.Offset[j]) / s.Scale[j]
		}
	}
	if p.Normalize {
		normalize(s)
	}
	if s.Named = t.identifier(p.ID) != nil; s.Named {
		s.IDs = t.identifiers(p.ID, rows)
	}
	return s
}

// normalize gives the rows unit length; rows of zeros stay.
func normalize(s *Set) {
	s.Lengths = make([]float64, len(s.Rows))
	for r := range s.Rows {
		row := s.X.RawRowView(r)
		var scale, square float64
		for _, v := range row {
			scale = max(scale, math.Abs(v))
		}
		if scale == 0 {
			s.Lengths[r] = 1
			continue
		}
		for _, v := range row {
			square += (v / scale) * (v / scale)
		}
		s.Lengths[r] = scale * math.Sqrt(square)
		for j := range row {
			row[j] /= s.Lengths[r]
		}
	}
}
