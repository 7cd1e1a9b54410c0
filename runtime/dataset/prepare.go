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
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Prepare splits and prepares data, or prepares data for training and test for the test where test is not nil. The rows
// drawn depend on the seed and the number of usable rows alone.
func Prepare(ctx context.Context, spec *setting.Data, data, test *Table, seed uint64) (*Prepared, error) {
	data, test, err := readAlike(spec, data, test)
	if err != nil {
		return nil, err
	}
	data, test, err = readTypes(spec, data, test)
	if err != nil {
		return nil, err
	}
	data, test, err = readGaps(spec, data, test)
	if err != nil {
		return nil, err
	}
	err = checkTypes(data, spec.Types)
	if err == nil && test != nil {
		err = checkTypes(test, openTypes(spec.Types, spec.Outside))
	}
	if err != nil {
		return nil, asked(ItemTypes, err)
	}
	out, err := prepare(ctx, spec, data, test, seed)
	if e, ok := errors.AsType[*Error](err); ok {
		return nil, asked(e.Code.item(), err)
	}
	return out, err
}

// readGaps reads the codes of gaps in both tables. A test that is nil stays nil.
func readGaps(spec *setting.Data, data, test *Table) (coded, codedTest *Table, err error) {
	if len(spec.Gaps) == 0 {
		return data, test, nil
	}
	plan, err := planTarget(data, &spec.Target)
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok {
			err = asked(e.Code.item(), err)
		}
		return nil, nil, err
	}
	p := &Preparation{Target: *plan, ID: spec.ID, Weight: spec.Weight}
	coded, err = data.withGaps(spec.Gaps, aside(p)...)
	switch {
	case err != nil || test == nil:
		return coded, nil, err
	case test == data:
		return coded, coded, nil
	}
	codedTest, err = test.withGaps(spec.Gaps, aside(p)...)
	return coded, codedTest, err
}

// prepare plans the target and the features, chooses the rows of both sets, and builds these. Without a table of test
// rows it takes them from the data.
func prepare(ctx context.Context, spec *setting.Data, data, test *Table, seed uint64) (*Prepared, error) {
	plan, err := planTarget(data, &spec.Target)
	if err != nil {
		return nil, err
	}
	if _, ok := data.index[spec.ID]; !ok && spec.ID != "" {
		return nil, noColumn(data, ItemID, spec.ID)
	}
	p := &Preparation{Target: *plan, Types: spec.Types, ID: spec.ID, Missing: cmp.Or(spec.Missing, setting.MissingError), Outside: spec.Outside, Gaps: spec.Gaps, Weight: spec.Weight, Normalize: spec.Normalize, Writing: data.Writing}
	if err := checkWeights(p.Weight, data, test); err != nil {
		return nil, err
	}
	names, err := pickFeatures(data, spec, plan.Columns)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		p.Features = append(p.Features, Feature{Name: name, Scale: 1})
	}
	if p.Height, p.Width, err = imageSize(data, &spec.Columns, names); err != nil {
		return nil, err
	}
	out := &Prepared{Preparation: p, Warnings: slices.Concat(data.warnings, data.readings)}
	out.Warnings = append(out.Warnings, data.warnOfCodes(p.Gaps)...)
	out.tell(data.doubledIDs(p.ID))
	free, err := p.withoutTarget(spec, data)
	if err != nil {
		return nil, err
	}
	rows, err := out.chooseRows(spec, data, test, free, seed)
	if err != nil {
		return nil, err
	}
	if test == nil {
		test = data
	} else {
		if test != data {
			out.Warnings = append(out.Warnings, test.readings...)
		}
		out.tell(test.doubledIDs(p.ID))
	}
	if err := out.build(ctx, spec, data, test, rows); err != nil {
		return nil, err
	}
	if spec.Unlabelled.Test {
		showTest(out)
	}
	return out, addFree(ctx, out, spec, data, free)
}

// addFree makes rows without a target unlabelled ones. A fold of rows that are split by time has no later ones.
func addFree(ctx context.Context, out *Prepared, spec *setting.Data, data *Table, free []int) (err error) {
	if drawn := spec.Split.Drawn; drawn != nil && spec.Split.Time != "" {
		if free, err = notLater(data, spec.Split.Time, free, drawn.Test); err != nil {
			return err
		}
	}
	if len(free) == 0 {
		return nil
	}
	p := out.Preparation
	raw, err := p.rawMatrix(ctx, data, free)
	if err != nil {
		return err
	}
	clip(p, data, free, raw)
	out.Unlabelled = append(out.Unlabelled, p.finishSet(data, free, raw).Untold())
	return nil
}

// showTest makes test and valid rows unlabelled ones, too.
func showTest(out *Prepared) {
	for _, s := range []*Set{out.Test, out.Valid} {
		if s != nil && s.Len() > 0 {
			out.Unlabelled = append(out.Unlabelled, s.Untold())
		}
	}
}

// tell adds a warning, if there is one.
func (out *Prepared) tell(warning string) {
	if warning != "" {
		out.Warnings = append(out.Warnings, warning)
	}
}

// withoutTarget returns the rows of the data that have no target, or are called unlabelled, where the spec lets R see such rows.
func (p *Preparation) withoutTarget(spec *setting.Data, t *Table) (rows []int, err error) {
	if !spec.Unlabelled.Rows {
		return nil, nil
	}
	target, err := p.Target.bind(t)
	if err != nil {
		return nil, err
	}
	gap, err := p.gapChecker(t)
	if err != nil {
		return nil, err
	}
	part, _ := t.Column(spec.Split.By, rowNumbers(t.rows))
	weight := p.weights(t, rowNumbers(t.rows))
	for i := range t.rows {
		if weightless(weight, i) {
			continue
		}
		called := len(part.Texts) > 0 && strings.TrimSpace(part.Texts[i]) == setting.UnlabelledRows
		if (called || target.isBlank(i)) && (p.Missing != setting.MissingDrop || !gap(i)) {
			rows = append(rows, i)
		}
	}
	return rows, nil
}

// chosenRows are the rows of each set.
type chosenRows struct{ train, valid, test []int }

// chooseRows filters and draws the rows of all sets among those that are not free, and finds the classes.
func (out *Prepared) chooseRows(spec *setting.Data, data, test *Table, free []int, seed uint64) (of chosenRows, err error) {
	p := out.Preparation
	rows, class, err := p.usable(data, free, true)
	if err != nil {
		return of, err
	}
	if p.Target.Task == setting.Binary && (len(rows) > 0 || p.Missing != setting.MissingDrop) {
		if err := p.checkBinary(data, class); err != nil {
			return of, err
		}
	}
	switch {
	case len(rows) == 0:
		return of, p.noRow(data)
	case spec.Split.Drawn != nil:
		of = chosenRows{spec.Split.Drawn.Train, spec.Split.Drawn.Valid, spec.Split.Drawn.Test}
	case spec.Split.Time != "" && !spec.Split.Untested:
		of.train, of.test, err = splitByTime(data, rows, spec.Split, test != nil)
	case spec.Split.By != "":
		of.train, of.valid, of.test, err = splitBy(data, rows, spec, test != nil)
	case spec.Split.Untested:
		of.train = rows
	case test == nil:
		of.train, of.test, err = splitRows(data.Path, rows, class, spec.Split, seed)
	default:
		of.train, err = drawRows(data.Path, rows, spec.Split.Train, "train", seed, streamData)
	}
	if err != nil || test == nil {
		return of, err
	}
	of.test, err = testRows(p, spec, test, seed)
	return of, err
}

// testRows draws the rows of a table for the test.
func testRows(p *Preparation, spec *setting.Data, test *Table, seed uint64) ([]int, error) {
	rows, _, err := p.usable(test, nil, false)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, &Error{Code: CodeRows, File: test.Path, Problem: "no row can be used for the test", Mend: "give rows of the classes that are trained, without gaps"}
	}
	if spec.Split.Time != "" {
		return rows, nil
	}
	drawn, err := drawRows(test.Path, rows, spec.Split.Test, "test", seed, streamTest)
	if few, ok := errors.AsType[*Error](err); ok {
		few.Mend = fmt.Sprintf("take `test = %g` out of the split, so that all rows of this file test, or give more rows", spec.Split.Test)
	}
	return drawn, err
}

// noRow returns the error that a gap in every row leaves none. No item of a spec fills a gap in the target.
func (p *Preparation) noRow(t *Table) error {
	out := &Error{Code: CodeRows, File: t.Path, Problem: "no row is left: each has a gap", Mend: "say what gaps get by `missing mean`"}
	if w := p.weights(t, rowNumbers(t.Len())); w != nil && slices.Max(w) == 0 {
		return &Error{Code: CodeRows, File: t.Path, Column: p.Weight, Item: ItemWeight, Problem: "no row is left: each has the weight 0", Mend: "give some rows another weight"}
	}
	target, err := p.Target.bind(t)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(rowNumbers(t.Len()), target.isGap) {
		out.Mend = "delete the rows that have no target, and say what other gaps get by `missing mean`"
	}
	return out
}

// usable returns the rows that take part: for a binary target those of the two classes, with `missing drop` those
// without gaps. Rows without weight take no part, and neither do those that are free of a target; these come in ascending order.
// class holds the classes, nil if the target has no classes. Classes that are not yet known are found here.
func (p *Preparation) usable(t *Table, free []int, find bool) (rows, class []int, err error) {
	target, err := p.Target.bind(t)
	if err != nil {
		return nil, nil, err
	}
	if rows, err = counted(p, t, target.isGap, free); err != nil {
		return nil, nil, err
	}
	if p.Target.Task != setting.Class && p.Target.Task != setting.Binary {
		return rows, nil, nil
	}
	rows, class, names, err := target.classRows(rows)
	if err != nil {
		return nil, nil, err
	}
	if p.Target.Task == setting.Class && find {
		if err := p.findClasses(t, names, len(rows)); err != nil {
			return nil, nil, err
		}
	}
	position := indexNames(p.Target.LabelIDs)
	for r, k := range class {
		class[r] = position[names[k]]
	}
	return rows, class, nil
}

// counted returns the rows that have a weight, are not free of a target and, with `missing drop`, have no gap.
func counted(p *Preparation, t *Table, untold func(i int) bool, free []int) (rows []int, err error) {
	drop, err := p.gapChecker(t)
	if err != nil {
		return nil, err
	}
	weight := p.weights(t, rowNumbers(t.rows))
	for i := range t.rows {
		if len(free) > 0 && free[0] == i {
			free = free[1:]
			continue
		}
		gap := p.Missing == setting.MissingDrop && (untold(i) || drop(i))
		if !gap && !weightless(weight, i) {
			rows = append(rows, i)
		}
	}
	return rows, nil
}

// findClasses takes the classes that so many rows have, in order.
func (p *Preparation) findClasses(t *Table, names []string, rows int) error {
	ids := slices.Clone(names)
	sortClasses(ids)
	if limit := max(100, rows/2); len(ids) > limit {
		e := &Error{
			Code: CodeTarget, File: t.Path, Problem: fmt.Sprintf("the target has %d different values in %d rows, too many for classes", len(ids), rows),
			Mend: "declare it real if it is a number",
		}
		if len(p.Target.Columns) > 0 {
			e.Column = p.Target.Columns[0]
		}
		return e
	}
	p.Target.LabelIDs, p.Target.LabelNames = ids, ids
	return nil
}

// checkBinary refuses a class that no row has.
func (p *Preparation) checkBinary(t *Table, class []int) error {
	for k, name := range p.Target.LabelIDs {
		if slices.Contains(class, k) {
			continue
		}
		all, err := t.classesOf(&p.Target)
		if err != nil {
			return err
		}
		e := &Error{Code: CodeClass, File: t.Path, Name: name, Problem: fmt.Sprintf("no row has the class %q", name), Mend: didYouMean(name, all)}
		if len(p.Target.Columns) > 0 {
			e.Column = p.Target.Columns[0]
		}
		return e
	}
	return nil
}

// classesOf returns the classes that occur in a table, in order.
func (t *Table) classesOf(plan *TargetPlan) ([]string, error) {
	target, err := plan.bind(t)
	if err != nil {
		return nil, err
	}
	var all []string
	seen := map[string]bool{}
	for i := range t.rows {
		if target.isGap(i) {
			continue
		}
		name, err := target.class(i)
		if err != nil {
			return nil, err
		}
		if !seen[name] {
			seen[name] = true
			all = append(all, name)
		}
	}
	sortClasses(all)
	return all, nil
}

// drawnMargin bounds how far a number of test rows drawn from the same file may lie outside the training range, in
// widths of it. The extremes of a file fall among either rows by chance, so only numbers beyond count.
const drawnMargin = 10

// build fits the preparation on the training rows and applies it to both sets.
func (out *Prepared) build(ctx context.Context, spec *setting.Data, data, test *Table, rows chosenRows) error {
	p := out.Preparation
	if err := p.fitTexts(data, rows.train, spec.Columns.Texts); err != nil {
		return err
	}
	p.Others = others(p, spec, data, rows.train)
	raw, err := p.fitNumbers(ctx, spec, data, rows.train)
	if err != nil {
		return err
	}
	out.Train = p.finishSet(data, rows.train, raw)
	if spec.Split.Time != "" {
		if out.Train.Times, err = timesOf(data, spec.Split.Time, rows.train); err != nil {
			return err
		}
	}
	if err := p.readTarget(data, out.Train); err != nil {
		return err
	}
	if err := out.checkTarget(data.Path); err != nil {
		return orShares(err, spec.Split, data.Len())
	}
	if spec.Balanced {
		Balance(out.Train)
	}
	margin := 0.0
	if test == data {
		margin = drawnMargin
	}
	if len(rows.test) == 0 {
		out.Test = Rowless(p)
	} else if out.Test, err = furtherSet(ctx, p, test, rows.test, margin); err != nil {
		return err
	}
	if len(rows.valid) > 0 {
		if out.Valid, err = furtherSet(ctx, p, data, rows.valid, drawnMargin); err != nil {
			return err
		}
	}
	if test != data {
		out.warnOfSame(data, test)
	}
	out.warnOfTexts(data.Path, spec.Types)
	out.hintAtScale(spec)
	out.Hints = append(out.Hints, sharesHint(spec.Split, data, test)...)
	hintAtCodes(out, spec, data)
	out.warn()
	return nil
}

// furtherSet applies the preparation to rows that it was not fitted on, and reads their targets.
func furtherSet(ctx context.Context, p *Preparation, t *Table, rows []int, margin float64) (*Set, error) {
	raw, err := p.rawMatrix(ctx, t, rows)
	if err != nil {
		return nil, err
	}
	clipped, moved := clip(p, t, rows, raw)
	unseen := p.unseen(t, rows, raw, margin)
	s := p.finishSet(t, rows, raw)
	s.Unseen, s.Clipped = unseen, moved
	if margin == 0 { // else the rows are of the training file, and many lie a little outside
		s.Warnings = clipped
	}
	return s, p.readTarget(t, s)
}

// readTarget sets the targets of the rows of a set.
func (p *Preparation) readTarget(t *Table, s *Set) error {
	target, err := p.Target.bind(t)
	if err != nil {
		return err
	}
	return target.read(s)
}

// fitTexts finds the categories of the text columns, and the words of those that are texts.
func (p *Preparation) fitTexts(t *Table, rows []int, texts []string) error {
	for i := range p.Features {
		f := &p.Features[i]
		c := t.cells.column(t.index[f.Name])
		if c == nil {
			continue
		}
		if err := checkKind(t, c, p.Height > 0); err != nil && !slices.Contains(texts, f.Name) {
			return err
		}
		if err := checkFinite(t, c, p.Missing); err != nil {
			return err
		}
		var err error
		switch {
		case slices.Contains(texts, f.Name):
			err = f.fitWords(t, c, rows, p.weights(t, rows))
		case c.isText():
			err = f.fitCategories(t, c, rows, p.Missing == setting.MissingFrequent)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fitNumbers finds the means, offsets and scales of the numeric columns on the training rows, and returns their raw matrix.
func (p *Preparation) fitNumbers(ctx context.Context, spec *setting.Data, t *Table, rows []int) (*mat.Dense, error) {
	if p.Missing.Marks() && p.Height == 0 {
		for i := range p.Features {
			f := &p.Features[i]
			if c := t.cells.column(t.index[f.Name]); c != nil && !c.isText() {
				f.Mask, f.Codes = c.levels(rows)
			}
		}
	}
	raw, err := p.rawMatrix(ctx, t, rows)
	if err != nil {
		return nil, err
	}
	x, weight := make([]float64, len(rows)), p.weights(t, rows) // of a column at a time, as the matrix has them far apart
	for i, at := range p.positions() {
		f := &p.Features[i]
		if f.Text {
			continue
		}
		mat.Col(x, at, raw)
		mean, deviation, n := moments(x, weight)
		f.Low, f.High = extremes(x)
		f.Whole = whole(x)
		if n == 0 {
			return nil, &Error{Code: CodeGap, File: t.Path, Column: f.Name, Problem: "no training row has a number here", Mend: "leave the column out by `columns`"}
		}
		f.Fill = filling(p.Missing, mean, x)
		if deviation > 1e-12*math.Abs(mean) {
			f.Deviation = deviation
		}
		if spec.Scale != 0 {
			f.Scale = spec.Scale
		}
		if spec.Standardize {
			f.Offset = mean
			if f.Scale = f.Deviation; f.Scale == 0 {
				f.Scale = 1 // a constant column
			}
		}
	}
	return raw, nil
}

// checkTarget refuses targets from which nothing can be learnt.
func (out *Prepared) checkTarget(path string) error {
	s, p := out.Train, out.Preparation
	e := &Error{Code: CodeClass, File: path}
	if len(p.Target.Columns) == 1 {
		e.Column = p.Target.Columns[0]
	}
	switch s.Task {
	case setting.Real, setting.Counts, setting.Quantiles:
		if slices.Min(s.Real) == slices.Max(s.Real) {
			e.Code, e.Problem = CodeTarget, fmt.Sprintf("the target is %s in all %s", formatNumber(s.Real[0]), count(len(s.Real), "training row"))
			e.Mend = "give rows with different targets"
			return e
		}
		if most := max(slices.Max(s.Real), -slices.Min(s.Real)); most < limits.SmallestTarget {
			e.Code, e.Problem = CodeTarget, fmt.Sprintf("no target is beyond %s: squares of numbers below %g lose their digits", formatNumber(most), limits.SmallestTarget)
			e.Mend = "write the column in a smaller unit"
			return e
		}
	case setting.Binary, setting.Class:
		if slices.Min(s.Class) == slices.Max(s.Class) {
			e.Problem = fmt.Sprintf("all %s are of the class %q", count(len(s.Class), "training row"), s.LabelNames[s.Class[0]])
			e.Mend = "give or draw rows of other classes too"
			return e
		}
	case setting.Multilabel:
		if data := s.Multi.RawMatrix().Data; slices.Min(data) == slices.Max(data) {
			e.Code, e.Problem = CodeTarget, fmt.Sprintf("every label is %v in every training row", data[0])
			e.Mend = "give rows with and without the labels"
			return e
		}
	}
	return nil
}

// warn collects what the user should know of the split.
func (out *Prepared) warn() {
	out.Warnings = append(out.Warnings, out.Train.Warnings...)
	out.Test.warnOfUnseen()
	out.Warnings = append(out.Warnings, out.Test.Warnings...)
	if out.Train.Task != setting.Class {
		return
	}
	seen := make([]bool, len(out.Train.LabelNames))
	for _, c := range out.Train.Class {
		seen[c] = true
	}
	var absent []string
	for k, ok := range seen {
		if !ok {
			absent = append(absent, out.Train.LabelNames[k])
		}
	}
	if len(absent) > 0 {
		out.Warnings = append(out.Warnings, "no training row has the class "+listed(absent, 8))
	}
	unknown := 0
	for _, c := range out.Test.Class {
		if c < 0 {
			unknown++
		}
	}
	if unknown > 0 {
		out.Warnings = append(out.Warnings, count(unknown, "test row")+" of a class that no training row has: always counted as wrong")
	}
}
