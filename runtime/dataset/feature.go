package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Feature is a column of the file and what becomes of it. It is part of a Preparation.
type Feature struct {
	Name string `json:"name"`
	// Of a numeric feature: prepared = (raw − Offset) / Scale, a gap getting Fill, and, where Mask is set, a further column.
	Offset    float64 `json:"offset"`
	Scale     float64 `json:"scale"`
	Fill      float64 `json:"fill"`
	Deviation float64 `json:"deviation"` // the standard deviation of raw over the training rows; 0 where it is constant
	Mask      bool    `json:"mask,omitempty"`
	// Codes of gaps, ascending, each with a further column of its own under `missing mask`.
	Codes []float64 `json:"codes,omitempty"`
	Low   float64   `json:"low"` // the least and the greatest number of the training rows, as the file holds them
	High  float64   `json:"high"`
	Whole bool      `json:"whole,omitempty"` // every number of the training rows is one
	// Text features get a 0/1 column for each category of the training rows; all are 0 for others.
	Text       bool     `json:"text,omitempty"`
	Categories []string `json:"categories,omitempty"`
	// FillText is the category that a gap gets; empty where gaps are a category of their own.
	FillText string `json:"fill_text,omitempty"`
	// Weights of the words, where Categories are the words of texts and not the texts themselves.
	Weights []float64 `json:"weights,omitempty"`
}

// pickFeatures returns the columns of the features, in the file's order.
func pickFeatures(t *Table, spec *setting.Data, target []string) ([]string, error) {
	names, err := pickColumns(t, spec, indexNames(target))
	if err != nil {
		return nil, err
	}
	return leaveOut(t, names, spec)
}

// leaveOut returns the names but for those that are ignored.
func leaveOut(t *Table, names []string, spec *setting.Data) ([]string, error) {
	ignored, err := namedColumns(t, spec.Ignore.Names, spec.Ignore.Globs, ItemIgnore)
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(names, func(name string) bool { return slices.Contains(ignored, name) })
	if len(left) == 0 {
		return nil, &Error{Code: CodeFeatures, File: t.Path, Problem: "every feature is ignored", Mend: "leave one of them out of `ignore`", Item: ItemIgnore}
	}
	return left, nil
}

// pickColumns returns the columns that are picked, or all but the target and those that name, split or weigh the rows.
func pickColumns(t *Table, data *setting.Data, taken map[string]int) ([]string, error) {
	var picked []string
	spec := &data.Columns
	if len(spec.Names)+len(spec.Globs) == 0 {
		for _, name := range t.names {
			if !has(taken, name) && !describes(data, name) {
				picked = append(picked, name)
			}
		}
		if len(picked) == 0 {
			return nil, &Error{Code: CodeFeatures, File: t.Path, Problem: "no column is left for a feature", Mend: "a row needs a number or a text besides its target and id"}
		}
		return picked, nil
	}
	wanted := map[string]int{}
	for _, name := range spec.Names {
		if err := checkFeature(t, name, taken); err != nil {
			return nil, err
		}
		wanted[name] = 1
	}
	matched, err := namedColumns(t, nil, spec.Globs, ItemColumns)
	if err != nil {
		return nil, err
	}
	for _, name := range matched {
		if !has(taken, name) && !describes(data, name) {
			wanted[name] = 1
		}
	}
	for _, name := range t.names {
		if has(wanted, name) {
			picked = append(picked, name)
		}
	}
	return picked, nil
}

// describes reports whether a column names, splits or weighs the rows.
func describes(data *setting.Data, name string) bool {
	return name == data.ID || IsIdentifier(name) || name == data.Split.By || name == data.Weight
}

// checkFeature refuses a name that no column bears, the target and the identifier.
func checkFeature(t *Table, name string, target map[string]int) error {
	switch {
	case !has(t.index, name):
		return noColumn(t, ItemColumns, name)
	case has(target, name):
		return &Error{Code: CodeFeatures, File: t.Path, Column: name, Problem: "the target cannot be a feature", Mend: "take it out of `columns`"}
	case IsIdentifier(name):
		return &Error{
			Code: CodeFeatures, File: t.Path, Column: name, Problem: "the identifier of a row cannot be a feature",
			Mend: "take it out of `columns`, or rename the column",
		}
	}
	return nil
}

// imageSize checks the shape of an image against the features.
func imageSize(t *Table, spec *setting.Columns, features []string) (height, width int, err error) {
	all := len(spec.Names)+len(spec.Globs) == 0
	if spec.Height == 0 && spec.Width == 0 {
		if all {
			return t.Height, t.Width, nil
		}
		return 0, 0, nil
	}
	fail := func(problem, mend string) (int, int, error) {
		return 0, 0, &Error{Code: CodeFeatures, File: t.Path, Problem: problem, Mend: mend}
	}
	if all && t.Height > 0 && (t.Height != spec.Height || t.Width != spec.Width) {
		return fail(fmt.Sprintf("the images are %d×%d, but `columns` says image(%d, %d)", t.Height, t.Width, spec.Height, spec.Width),
			fmt.Sprintf("write image(%d, %d)", t.Height, t.Width))
	}
	if want := spec.Height * spec.Width; len(features) != want {
		return fail(fmt.Sprintf("image(%d, %d) has %s, but the rows have %s besides the target", spec.Height, spec.Width, count(want, "pixel"), count(len(features), "feature")),
			"give the images' height and width, and call a column that numbers the rows id")
	}
	return spec.Height, spec.Width, nil
}

// checkKind refuses a text column that is meant to be numeric: most of its cells are numbers, or it is part of an image.
func checkKind(t *Table, c *column, image bool) error {
	if !c.isText() {
		return nil
	}
	if !image && c.numeric*2 <= t.rows {
		return nil
	}
	problem := fmt.Sprintf("%q is not a number, though %d of the %s here are", c.text(max(c.oddRow, 0)), c.numeric, count(t.rows, "cell"))
	if c.numeric == 0 {
		problem = fmt.Sprintf("%q is not a number, as pixels are, and no cell of this column is one", c.text(max(c.oddRow, 0)))
	}
	return &Error{
		Code: CodeNumber, File: t.Path, Line: t.Line(max(c.oddRow, 0)), Column: c.name, Problem: problem,
		Mend: cmp.Or(WhyText(c.text(max(c.oddRow, 0)), t.Writing), "mend the cell, leave it empty for a gap, or leave the column out by `columns`"),
	}
}

// mostFrequentText returns the text that most rows have, the first in order of several. It is empty where all are gaps.
func mostFrequentText(c *column, rows []int) (best string) {
	counts := map[string]int{}
	for _, i := range rows {
		if c.isGap(i) {
			continue
		}
		text := c.text(i)
		counts[text]++
		if n := counts[text] - counts[best]; best == "" || n > 0 || n == 0 && text < best {
			best = text
		}
	}
	return best
}

// textOf returns the category of a row's cell: its text, or what fills a gap.
func (f *Feature) textOf(c *column, row int) string {
	if f.FillText != "" && c.isGap(row) {
		return f.FillText
	}
	return c.text(row)
}

// fitCategories collects the texts of a column on the training rows, in lexicographic order. With fill a gap gets the text that most
// rows have.
func (f *Feature) fitCategories(t *Table, c *column, rows []int, fill bool) error {
	f.Text = true
	seen := map[int32]bool{}
	if fill {
		f.FillText = mostFrequentText(c, rows)
	}
	for _, i := range rows {
		if f.FillText != "" && c.isGap(i) {
			continue
		}
		if code := c.codes[i]; !seen[code] {
			seen[code] = true
			f.Categories = append(f.Categories, c.texts[code])
		}
	}
	slices.Sort(f.Categories)
	if k := len(f.Categories); k > max(50, len(rows)/2) {
		mend := "leave the column out by `ignore`, take its words by `columns text(…)`, write `id` before one that names the rows, and write numbers with a decimal point"
		if c.isCode() {
			mend = whyCode(c) + "; or leave the column out by `ignore`"
		}
		return &Error{
			Code: CodeFeatures, File: t.Path, Column: f.Name,
			Problem: fmt.Sprintf("%d different texts in %d training rows are too many for categories, the first is %q", k, len(rows), c.text(0)),
			Mend:    cmp.Or(WhyText(c.text(0), t.Writing), mend),
		}
	}
	return nil
}

// orEmpty says that a cell may be left empty, where gaps are not an error.
func orEmpty(m setting.Missing, cell string) string {
	if m == setting.MissingError {
		return ""
	}
	return ", or leave " + cell + " empty for a gap"
}

// checkFinite refuses infinite numbers in a feature.
func checkFinite(t *Table, c *column, missing setting.Missing) error {
	if c.isText() || c.infRow < 0 {
		return nil
	}
	problem, mend := tooLarge(c.infText, c.numbers[c.infRow])
	return &Error{
		Code: CodeNumber, File: t.Path, Line: t.Line(c.infRow), Column: c.name, Problem: problem, Mend: mend + orEmpty(missing, "the cell"),
	}
}

// gapError names the first gap of a feature in the rows, and how many more there are.
func gapError(t *Table, c *column, rows []int) error {
	first, more := -1, 0
	for _, i := range rows {
		if math.IsNaN(c.numbers[i]) {
			if first < 0 {
				first = i
			} else {
				more++
			}
		}
	}
	if first < 0 {
		return nil
	}
	problem := "the cell is empty"
	if text := c.gapAt(first); text != "" {
		problem = fmt.Sprintf("%q stands where a number is wanted", text)
	}
	problem = fmt.Sprintf("row %d: %s", first+1, problem)
	if more > 0 {
		problem += fmt.Sprintf(" (and %s more in this column)", count(more, "gap"))
	}
	return &Error{
		Code: CodeGap, File: t.Path, Line: t.Line(first), Column: c.name, Problem: problem,
		Mend: "fill it in, or say what gaps get: `missing mean`, `missing mask` or `missing drop`",
	}
}
