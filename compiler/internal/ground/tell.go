package ground

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// keyOf returns all that a statement says, but for its text, as bytes. Two statements with one key
// hold for the same functions. Those of other names are kept apart, as each is reported by its name.
func keyOf(st *statement.Statement) string {
	key := binary.LittleEndian.AppendUint64([]byte(st.Name+"\x00"), math.Float64bits(st.Constant))
	for i := range st.Terms {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(st.Terms[i].Coef))
		key = append(key, termKey(&st.Terms[i])...)
	}
	for _, side := range st.Region {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(side.Low))
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(side.High))
		for _, p := range side.Points {
			for _, v := range p {
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
			}
		}
	}
	return string(key)
}

// termKey returns all that a term says, but for its coefficient: label, derivatives and moves, as
// bytes. Numbers are compared bit by bit, as equal rows have equal bits. The largest number stands
// between derivatives and moves, so that no list of one kind is taken for one of the other.
func termKey(t *statement.Term) string {
	key := binary.LittleEndian.AppendUint64(nil, uint64(t.Label))
	for _, c := range t.Derive {
		key = binary.LittleEndian.AppendUint64(key, uint64(c))
	}
	key = binary.LittleEndian.AppendUint64(key, math.MaxUint64)
	for _, m := range t.Move {
		key = binary.LittleEndian.AppendUint64(key, uint64(m.Column)<<32|uint64(m.From))
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(m.Mul))
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(m.Add))
	}
	return string(key)
}

// family returns the number of the family of a statement: that of the member, and of all that is bound but rows.
func (s *stating) family(e *tree.Node, sign float64) int {
	key := fmt.Sprintf("%s %p %p %v", s.of.Name, s.part, e, sign)
	for _, a := range s.bound {
		if !slices.ContainsFunc(a.Vars, func(v *tree.Variable) bool { return v.Kind == tree.PointVar }) {
			key += fmt.Sprintf(" %d %d", a.ID, s.e.elem[a.ID])
		}
	}
	if _, known := s.families[key]; !known {
		s.families[key] = len(s.families)
	}
	return s.families[key]
}

// text returns what a statement says, for readers: the comparison, what is bound, and the member
// where the comparison has several.
func (s *stating) text(e *tree.Node, sign string) string {
	text := s.of.Name + ": " + s.part.Text + s.bindings()
	if s.part.Equal || s.part.Pieces.Op == tree.OpMax {
		text += " (" + e.Formula() + " " + sign + " 0)"
	}
	return text
}

// bindings returns what is bound around a member: labels, columns, transformations and rows. A point of
// a box is not named, as the statement is about all of them.
func (s *stating) bindings() string {
	var parts []string
	for _, a := range s.bound {
		ga, i := s.g.axes[a.ID], s.e.elem[a.ID]
		for _, v := range a.Vars {
			value := ""
			switch {
			case v.Kind == tree.LabelVar:
				value = s.g.ask.data.LabelNames[ga.labels[v.Slot][i]]
			case v.Kind == tree.ColumnVar:
				value = ga.columns[i].Text
			case v.Kind == tree.MapVar:
				value = a.Maps[i].Text
			case v.Kind != tree.PointVar:
			case ga.points != nil:
				value = "row " + ga.names[i]
			case a.Kind != tree.BoxAxis || a.Box.Others == tree.OthersOfRows:
				value = "row " + s.g.ask.rowName(s.rowAt(v))
			}
			if value != "" {
				parts = append(parts, tree.Greek(v.Name)+" = "+value)
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ", " + strings.Join(parts, ", ")
}
