package dataset

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// warnOfSame tells that the test rows were trained on: their file is the training file.
func (out *Prepared) warnOfSame(data, test *Table) {
	if data.SHA256 == test.SHA256 && data.LabelsSHA256 == test.LabelsSHA256 {
		out.Warnings = append(out.Warnings, fmt.Sprintf(
			"%s holds the same bytes as %s: the figures tell how well the training rows are remembered, not what to expect of others", test.Path, data.Path))
	}
}

// A column of texts is taken for one of names if it has at least fewTexts. Besides, more than one in ownTextShare of them
// must be in a single row, or they must have fewer than rowsPerText rows on average.
const (
	fewTexts     = 10
	rowsPerText  = 3
	ownTextShare = 2 // one in two
)

// warnOfTexts names text columns that became nearly a feature for each row, and those of dates. Who declared a type means texts.
func (out *Prepared) warnOfTexts(path string, types []setting.ColumnType) {
	rows := out.Train.Len()
	for i, at := range out.Preparation.positions() {
		f := &out.Preparation.Features[i]
		k := len(f.Categories)
		if !f.Text || f.Weights != nil || k < fewTexts {
			continue
		}
		single := 0
		for c := range k {
			in := 0
			for r := range rows {
				if out.Train.X.At(r, at+c) != 0 {
					in++
				}
			}
			if in == 1 {
				single++
			}
		}
		declared := slices.ContainsFunc(types, func(c setting.ColumnType) bool { return c.Column == f.Name })
		dates := !declared && !slices.ContainsFunc(f.Categories, func(text string) bool {
			_, ok := parseDate(text, out.Preparation.Writing.Dates)
			return !ok && text != ""
		})
		if !dates && k*rowsPerText <= rows && single*ownTextShare <= k {
			continue
		}
		written := columnText(f.Name)
		mend := fmt.Sprintf("leave it out by `ignore %[1]s`, take its words by `columns text(%[1]s)`, or write `id %[1]s` if it names the rows", written)
		if dates {
			mend = fmt.Sprintf("its texts are dates: `types %[1]s : date` makes them one number, years, and `ignore %[1]s` leaves it out", written)
		}
		out.Warnings = append(out.Warnings, fmt.Sprintf(
			"%s: column %q became %d features, one for each text of %d training rows, %d of them 1 in a single row; %s", path, f.Name, k, rows, single, mend))
	}
}

// muchScale is the ratio of scales from which a hint tells of it.
const muchScale = 1e4

// hintAtScale tells of features of which one is larger than another by far: the kernel sees hardly anything of the latter.
func (out *Prepared) hintAtScale(spec *setting.Data) {
	p := out.Preparation
	if spec.Standardize || p.Height > 0 {
		return
	}
	var small, large string
	least, most := math.Inf(1), 0.0
	x := make([]float64, out.Train.Len())
	for i, at := range p.positions() {
		f := &p.Features[i]
		scale := 1.0
		if !f.Text {
			mat.Col(x, at, out.Train.X)
			_, scale, _ = moments(x, out.Train.Weight)
		}
		if !f.Text && f.Low == f.High || scale == 0 {
			continue
		}
		if scale < least {
			small, least = f.Name, scale
		}
		if scale > most {
			large, most = f.Name, scale
		}
	}
	if most > muchScale*least {
		out.Hints = append(out.Hints, fmt.Sprintf(
			"the features differ %s-fold in scale: that of %q is %s, that of %q %s (the standard deviation; 1 for texts), so that the kernel hardly sees the latter; "+
				"`standardize` in the data block makes them equal", short(most/least), large, short(most), small, short(least)))
	}
}

// hintAtCodes tells of features whose numbers are read as codes, where the spec does not declare that.
func hintAtCodes(out *Prepared, spec *setting.Data, t *Table) {
	for i := range out.Preparation.Features {
		name := out.Preparation.Features[i].Name
		c := t.columnOf(name)
		declared := slices.ContainsFunc(spec.Types, func(c setting.ColumnType) bool { return c.Column == name })
		if c != nil && c.isCode() && !declared {
			out.Hints = append(out.Hints, fmt.Sprintf("column %q: %s", name, whyCode(c)))
		}
	}
}
