// Package statement holds statements that must hold at every point of a region, as plain values in prepared coordinates. A statement says
//
//	g(x) = c + Σ_k a_k · ∂^{α_k} f(T_k x, y_k) ≥ 0   for all x in a box,   |α_k| ≤ 2,
//
// so g is affine in f. T_k maps each coordinate by itself, or takes it from another one: x ↦ (m_c x_{s(c)} + b_c)_c. Slopes, curvature,
// differences of labels or levels, bounds of values and swaps of columns are of this form. The compiler makes statements, package
// proof decides them, and a fit keeps them.
package statement

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Statement says that g is at least 0 on its region.
type Statement struct {
	// Name is that of the spec, and Text shows the relation and its members, as "slope: d/d(income) f >= 0".
	Name string `json:"name"`
	Text string `json:"text"`
	// Family is one number for statements of a name that differ in nothing but the rows that they are about.
	Family   int     `json:"family,omitempty"`
	Terms    []Term  `json:"terms"`
	Constant float64 `json:"constant"`
	// Equal says that −g ≥ 0 is another statement, so that g is to be 0. A fit keeps both to within a small bound that it tells.
	Equal bool `json:"equal,omitempty"`
	// Within is that bound, which a fit has added to the constant.
	Within float64 `json:"within,omitempty"`
	// Region has a side for each group of prepared columns that move together. Every column is in one side.
	Region []Side `json:"region"`
}

// A Term is a · ∂^α f(Tx, y).
type Term struct {
	Coef  float64 `json:"coef"`
	Label int     `json:"label"` // y; 0 where f is a function of x alone
	// Derive lists the prepared columns that f is differentiated along, with repetition; at most MostOrder.
	Derive []int `json:"derive,omitempty"`
	// Move lists the coordinates that T changes, ascending by Column. All others stay.
	Move []Move `json:"move,omitempty"`
}

// MostOrder is the highest order of derivatives.
const MostOrder = 2

// A Move sets the coordinate Column of Tx to Mul·x[From] + Add. Mul = 0 makes it constant.
type Move struct {
	Column int     `json:"column"`
	From   int     `json:"from"`
	Mul    float64 `json:"mul"`
	Add    float64 `json:"add"`
}

// A Side is the range of a group of columns: an interval of its first column, the others being 0 there, and further points.
type Side struct {
	// Columns are those of the group, as one component of the kernel has them: a number and its masks, or the categories of a text.
	Columns []int `json:"columns"`
	// Low ≤ High is the interval of Columns[0]; Low > High means that there is none.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Points are further values of all Columns: levels, integers, gaps, or the one value of a fixed column.
	Points [][]float64 `json:"points,omitempty"`
}

// Moves reports whether the side holds an interval.
func (s *Side) Moves() bool { return s.Low <= s.High }

// Validate checks a statement for p prepared columns and a number of labels: each column in one side, indices in range, numbers finite.
func (s *Statement) Validate(p, labels int) error {
	seen := make([]bool, p)
	for i := range s.Region {
		if err := s.Region[i].validate(seen); err != nil {
			return fmt.Errorf("statement %s: side %d: %w", s.Name, i, err)
		}
	}
	for c, in := range seen {
		if !in {
			return fmt.Errorf("statement %s: no side has column %d", s.Name, c)
		}
	}
	if !isFinite(s.Constant) {
		return fmt.Errorf("statement %s: constant %v", s.Name, s.Constant)
	}
	for k := range s.Terms {
		if err := s.Terms[k].validate(p, labels); err != nil {
			return fmt.Errorf("statement %s: term %d: %w", s.Name, k, err)
		}
	}
	return nil
}

func (s *Side) validate(seen []bool) error {
	if len(s.Columns) == 0 {
		return errors.New("no columns")
	}
	for _, c := range s.Columns {
		if c < 0 || c >= len(seen) || seen[c] {
			return fmt.Errorf("column %d of %d, or one that another side has", c, len(seen))
		}
		seen[c] = true
	}
	if !s.Moves() && len(s.Points) == 0 || s.Moves() && !(isFinite(s.Low) && isFinite(s.High)) {
		return fmt.Errorf("from %v to %v with %d points", s.Low, s.High, len(s.Points))
	}
	for _, v := range s.Points {
		if len(v) != len(s.Columns) {
			return fmt.Errorf("a point of %d numbers for %d columns", len(v), len(s.Columns))
		}
		for _, t := range v {
			if !isFinite(t) {
				return fmt.Errorf("the value %v", t)
			}
		}
	}
	return nil
}

func (t *Term) validate(p, labels int) error {
	if !isFinite(t.Coef) || t.Label < 0 || t.Label >= labels || len(t.Derive) > MostOrder {
		return fmt.Errorf("coefficient %v, label %d of %d, %d derivatives", t.Coef, t.Label, labels, len(t.Derive))
	}
	for _, c := range t.Derive {
		if c < 0 || c >= p {
			return fmt.Errorf("a derivative along column %d of %d", c, p)
		}
	}
	for i, m := range t.Move {
		if err := m.validate(p); err != nil {
			return err
		}
		if i > 0 && m.Column <= t.Move[i-1].Column {
			return fmt.Errorf("column %d is moved after column %d", m.Column, t.Move[i-1].Column)
		}
	}
	return nil
}

func (m *Move) validate(p int) error {
	if m.Column < 0 || m.Column >= p || m.From < 0 || m.From >= p || !isFinite(m.Mul) || !isFinite(m.Add) {
		return fmt.Errorf("column %d of %d becomes %v·column %d + %v", m.Column, p, m.Mul, m.From, m.Add)
	}
	return nil
}

// At sets dst to Tx.
func (t *Term) At(dst, x []float64) {
	copy(dst, x)
	for _, m := range t.Move {
		dst[m.Column] = m.Mul*x[m.From] + m.Add
	}
}

func isFinite(v float64) bool { return v-v == 0 }

// Looked returns for each of p columns whether a term looks at it. A column that every term replaces, or takes from another one, is the
// same to g whatever it holds.
func Looked(terms []Term, p int) []bool {
	looked := make([]bool, p)
	for _, t := range terms {
		k := 0
		for c := range p {
			if k < len(t.Move) && t.Move[k].Column == c {
				if m := t.Move[k]; m.Mul != 0 {
					looked[m.From] = true
				}
				k++
				continue
			}
			looked[c] = true
		}
	}
	return looked
}

// Anywhere returns a point of the region, of p columns.
func (s *Statement) Anywhere(p int) []float64 {
	x := make([]float64, p)
	for i := range s.Region {
		r := &s.Region[i]
		if r.Moves() {
			x[r.Columns[0]] = r.Low
			continue
		}
		for j, c := range r.Columns {
			x[c] = r.Points[0][j]
		}
	}
	return x
}

// Holds reports whether the statement speaks of a prepared point: it lies in the region. Sides that no term looks at do not count. One number of
// a file is prepared to the same bits wherever it stands, so that no difference is let pass.
func (s *Statement) Holds(x []float64) bool {
	looked := Looked(s.Terms, len(x))
	for i := range s.Region {
		side := &s.Region[i]
		if slices.ContainsFunc(side.Columns, func(c int) bool { return looked[c] }) && !side.holds(x) {
			return false
		}
	}
	return true
}

func (s *Side) holds(x []float64) bool {
	if first := x[s.Columns[0]]; s.Moves() && first >= s.Low && first <= s.High && s.at(x, nil) {
		return true
	}
	for _, p := range s.Points {
		if s.at(x, p) {
			return true
		}
	}
	return false
}

// at reports whether a group of columns has some values; nil asks for zeros in all columns but the first.
func (s *Side) at(x, values []float64) bool {
	for k, c := range s.Columns {
		want := 0.0
		switch {
		case values != nil:
			want = values[k]
		case k == 0:
			continue
		}
		if x[c] != want {
			return false
		}
	}
	return true
}

// Key returns all that a statement says, but for its text, as bytes. Two statements with one key hold for the same functions. Those of other
// names are kept apart, as each is reported by its name.
func (s *Statement) Key() string {
	key := binary.LittleEndian.AppendUint64([]byte(s.Name+"\x00"), math.Float64bits(s.Constant))
	for i := range s.Terms {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(s.Terms[i].Coef))
		key = append(key, s.Terms[i].Key()...)
	}
	for _, side := range s.Region {
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

// Key returns all that a term says, but for its coefficient: label, derivatives and moves, as bytes. Numbers are compared bit by bit, as equal rows have equal bits. The largest number stands
// between derivatives and moves, so that no list of one kind is taken for one of the other.
func (t *Term) Key() string {
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
