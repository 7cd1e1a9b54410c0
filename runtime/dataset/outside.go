package dataset

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// Box returns the ends between which a column's numbers lie: what `types` declares, else the range of the training rows.
func Box(p *Preparation, f *Feature) (low, high float64) {
	low, high = f.Low, f.High
	for i := range p.Types {
		if c := &p.Types[i]; c.Column == f.Name && len(c.Values.List) == 0 {
			if !math.IsInf(c.Low, 0) {
				low = c.Low
			}
			if !math.IsInf(c.High, 0) {
				high = c.High
			}
		}
	}
	return low, high
}

// beyond looks for numbers outside the box, each of which it gives to the function that is not nil. The position of a number is that
// in raw, which holds the rows' numbers before they are prepared.
func beyond(p *Preparation, t *Table, rows []int, raw *mat.Dense, each func(at int, low, high float64)) (found []Unseen) {
	if len(rows) == 0 {
		return nil
	}
	data, stride := raw.RawMatrix().Data, raw.RawMatrix().Stride
	for i, column := range p.positions() {
		f := &p.Features[i]
		if f.Text {
			continue
		}
		low, high := Box(p, f)
		far := outlier{low: low, high: high}
		for r := range rows {
			at := r*stride + column
			if far.look(r, data[at]); each != nil {
				each(at, low, high)
			}
		}
		if far.rows > 0 {
			found = append(found, far.unseen(f.Name, t, p.ID, rows))
		}
	}
	return found
}

// clip moves numbers outside the box to its nearest end, where the spec asks for it. It returns what to warn of, and whose numbers it moved; nil
// means nobody's. Gaps stay.
func clip(p *Preparation, t *Table, rows []int, raw *mat.Dense) (warnings []string, moved []bool) {
	if p.Outside != setting.OutsideClip {
		return nil, nil
	}
	data, stride := raw.RawMatrix().Data, raw.RawMatrix().Stride
	found := beyond(p, t, rows, raw, func(at int, low, high float64) {
		if was := data[at]; was < low || was > high {
			if moved == nil {
				moved = make([]bool, len(rows))
			}
			data[at], moved[at/stride] = min(max(was, low), high), true
		}
	})
	warnings = linesOf(found, "outside the box, taken at its ends", func(u *Unseen) string {
		return fmt.Sprintf("column %q: %s", u.Column, outsideBox(u, ", taken at its ends"))
	})
	return warnings, moved
}

// refuseOutside returns an error for the first column with a number outside the box, where the spec asks for it.
func refuseOutside(p *Preparation, t *Table, rows []int, raw *mat.Dense) error {
	if p.Outside != setting.OutsideRefuse {
		return nil
	}
	found := beyond(p, t, rows, raw, nil)
	if len(found) == 0 {
		return nil
	}
	u := &found[0]
	e := &Error{
		Code: CodeUnseen, File: t.Path, Line: u.Line, Column: u.Column, Problem: outsideBox(u, ""),
		Mend: "mend the cells, or write `outside clip` or `outside warn` in the spec, and train again",
	}
	if more := len(found) - 1; more > 0 {
		e.Problem += fmt.Sprintf(" (and so in %s)", count(more, "more column"))
	}
	return e
}

// outsideBox says how many numbers lie outside the box of a column, what was done about it, and which is the farthest.
func outsideBox(u *Unseen, done string) string {
	return u.rowsThat("lie") + " outside the box " + u.ends(done)
}
