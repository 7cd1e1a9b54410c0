package sipc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// mostTold is how many terms, and values of a side, are written out.
const mostTold = 12

// held returns what a statement of a model file says, in units of the data file: its terms and its whole region. It is made of the numbers that
// are decided about alone. A text that somebody wrote beside them has no part in it.
func held(p *dataset.Preparation, s *statement.Statement) string {
	t := &teller{preparation: p, groups: dataset.GroupsOf(p)}
	var parts []string
	for k := range s.Terms[:min(len(s.Terms), mostTold)] {
		parts = append(parts, t.term(&s.Terms[k]))
	}
	if more := len(s.Terms) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d further terms", more))
	}
	if s.Constant != 0 || len(parts) == 0 {
		parts = append(parts, short(s.Constant))
	}
	return strings.Join(parts, " + ") + " >= 0 where " + strings.Join(regionOf(p, s), ", ")
}

// regionOf returns what each column runs through in a statement's region, in units of the data file.
func regionOf(p *dataset.Preparation, s *statement.Statement) (sides []string) {
	t := &teller{preparation: p, groups: dataset.GroupsOf(p)}
	for i := range s.Region {
		sides = append(sides, t.side(&s.Region[i]))
	}
	return sides
}

// cellOf returns a part of a statement's region in units of the data file. It leaves out columns that may be anywhere in the region.
func cellOf(p *dataset.Preparation, s *statement.Statement, b *proof.Box) string {
	t := &teller{preparation: p, groups: dataset.GroupsOf(p)}
	var out []string
	for k, side := range b.Sides {
		part := s.Region[side]
		if part.Points = nil; b.Low[k] < b.High[k] {
			part.Low, part.High = b.Low[k], b.High[k]
		} else {
			part.Low, part.High = 1, 0
			for _, v := range s.Region[side].Points { // all that the number may be of
				if v[0] == b.Low[k] {
					part.Points = append(part.Points, v)
				}
			}
			if part.Points == nil {
				part.Low, part.High = b.Low[k], b.High[k]
			}
		}
		out = append(out, t.side(&part))
	}
	return strings.Join(out, ", ")
}

// A teller writes statements in the columns of a file.
type teller struct {
	preparation *dataset.Preparation
	groups      []setting.Group
}

// group returns the feature that a prepared column belongs to, and which of its columns it is.
func (t *teller) group(column int) (feature *dataset.Feature, at int) {
	for i := range t.groups {
		if at = slices.Index(t.groups[i].Columns, column); at >= 0 {
			return &t.preparation.Features[i], at
		}
	}
	return nil, -1
}

// name returns what a prepared column is called: a number's feature, or a text or gap of one.
func (t *teller) name(column int) string {
	f, at := t.group(column)
	switch {
	case f == nil:
		return fmt.Sprintf("column %d", column)
	case f.Text && at < len(f.Categories):
		return f.Name + "=" + f.Categories[at]
	case at > 0:
		return fmt.Sprintf("gap %d of %s", at, f.Name)
	}
	return f.Name
}

// term writes a term. A derivative by a prepared number is that by the file's times what one of them is.
func (t *teller) term(m *statement.Term) string {
	coef, along := m.Coef, []string(nil)
	for _, c := range m.Derive {
		if f, at := t.group(c); f != nil && at == 0 && !f.Text {
			coef *= f.Scale
		}
		along = append(along, "d/d("+t.name(c)+", unit = raw) ")
	}
	at := "x"
	var moves []string
	for _, v := range m.Move[:min(len(m.Move), mostTold)] {
		moves = append(moves, t.move(v))
	}
	if more := len(m.Move) - len(moves); more > 0 {
		moves = append(moves, fmt.Sprintf("%d further columns", more))
	}
	if len(moves) > 0 {
		at += " with " + strings.Join(moves, ", ")
	}
	if label := t.label(m.Label); label != "" {
		at += ", " + label
	}
	factor := short(coef) + " "
	if coef == 1 {
		factor = ""
	}
	return factor + strings.Join(along, "") + "f(" + at + ")"
}

// label returns the name of a label, empty where f is one function.
func (t *teller) label(y int) string {
	names := t.preparation.Target.LabelNames
	if t.preparation.Target.Task.Joint() && y < len(names) {
		return names[y]
	}
	return ""
}

// move writes what becomes of a column.
func (t *teller) move(m statement.Move) string {
	from, at := t.group(m.Column)
	name := t.name(m.Column)
	if from == nil || from.Text || at > 0 || m.From != m.Column && m.Mul != 0 {
		return fmt.Sprintf("%s := %s %s + %s", name, short(m.Mul), t.name(m.From), short(m.Add))
	}
	switch m.Mul {
	case 0:
		return name + " := " + short(m.Add*from.Scale+from.Offset)
	case 1:
		return name + " := " + name + " + " + short(m.Add*from.Scale)
	}
	return fmt.Sprintf("prepared %s := %s %[1]s + %s", name, short(m.Mul), short(m.Add))
}

// side writes what a group of columns runs through.
func (t *teller) side(s *statement.Side) string {
	f, _ := t.group(s.Columns[0])
	if f == nil {
		return fmt.Sprintf("columns %v hold from %s to %s or %v", s.Columns, short(s.Low), short(s.High), s.Points)
	}
	x := make([]float64, len(t.preparation.Columns()))
	var values []string
	for _, p := range s.Points[:min(len(s.Points), mostTold)] {
		for k, c := range s.Columns {
			x[c] = p[k]
		}
		for _, cell := range dataset.Cells(t.preparation, x) {
			if cell.Column == f.Name {
				values = append(values, cell.Value)
			}
		}
	}
	if more := len(s.Points) - len(values); more > 0 {
		values = append(values, fmt.Sprintf("%d further", more))
	}
	var out []string
	if s.Moves() && !f.Text {
		out = append(out, fmt.Sprintf("[%s, %s]", short(s.Low*f.Scale+f.Offset), short(s.High*f.Scale+f.Offset)))
	} else if s.Moves() {
		out = append(out, fmt.Sprintf("%s in [%s, %s]", t.name(s.Columns[0]), short(s.Low), short(s.High)))
	}
	if len(values) > 0 {
		out = append(out, "{"+strings.Join(values, ", ")+"}")
	}
	return f.Name + " in " + strings.Join(out, " or ")
}

// toldDigits is how many digits numbers are told with.
const toldDigits = 6

// short writes a number.
func short(v float64) string { return strconv.FormatFloat(v, 'g', toldDigits, 64) }
