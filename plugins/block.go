package plugins

import (
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/internal/limits"
)

// A Label is a sparse vector y over the labels: a one-hot class, a set of labels, or what lies between two of them.
// Indices ascend.
type Label struct {
	Index []int32
	Value []float64
}

// NoLabel stands in Block.Label for terms of a function of x alone.
const NoLabel = -1

// Evaluation stands in Block.Tangent for terms without a derivative.
const Evaluation = -1

// Twice returns the number in Block.Tangent for the second derivative along row i of Block.Tangents.
func Twice(i int32) int32 { return -2 - i }

// OrderOf returns how often a term with this number in Block.Tangent derives, and the row of Block.Tangents along which it does.
func OrderOf(tangent int32) (order int, row int32) {
	switch {
	case tangent >= 0:
		return 1, tangent
	case tangent == Evaluation:
		return 0, Evaluation
	}
	return 2, -2 - tangent
}

// A Block is a list of bounded linear functionals of f. Functional i is the sum of the terms k in
// [Start[i], Start[i+1]); term k is
//
//	Coef[k] · f(x, y)           where Tangent[k] is Evaluation,
//	Coef[k] · Df(x, y)[ẋ]       where Tangent[k] ≥ 0, the derivative in x alone,
//	Coef[k] · D²f(x, y)[ẋ, ẋ]   where Tangent[k] is Twice of a row.
//
// x is row Point[k] of the data where Point[k] ≥ 0 and row ^Point[k] of Points otherwise; ẋ is row Tangent[k] of Tangents;
// y is Labels[Label[k]], absent where Label[k] is NoLabel. As f is linear in y, a derivative in y is an evaluation at ẏ. A mixed
// derivative is D²f[u, v] = ¼(D²f[u+v, u+v] − D²f[u−v, u−v]). Families derive once at most.
type Block struct {
	Start    []int32
	Coef     []float64
	Point    []int32
	Tangent  []int32
	Label    []int32
	Points   Matrix
	Tangents Matrix
	Labels   []Label
}

// Len returns the number of functionals.
func (b *Block) Len() int { return max(0, len(b.Start)-1) }

// Term adds a term to the functional under construction; see End.
func (b *Block) Term(coef float64, point, tangent, label int32) {
	if len(b.Start) == 0 {
		b.Start = append(b.Start, 0)
	}
	b.Coef = append(b.Coef, coef)
	b.Point = append(b.Point, point)
	b.Tangent = append(b.Tangent, tangent)
	b.Label = append(b.Label, label)
}

// End closes the functional under construction. Without a term it is the zero functional.
func (b *Block) End() {
	if len(b.Start) == 0 {
		b.Start = append(b.Start, 0)
	}
	b.Start = append(b.Start, int32(len(b.Coef)))
}

// Validate checks a family's block against data of n rows, p features and m labels: every index in range, every number finite,
// every length consistent. Blocks that come from another process are validated before anything looks at them.
func (b *Block) Validate(n, p, m int) error {
	for k, t := range b.Tangent {
		if t < Evaluation {
			return fmt.Errorf("block: term %d names tangent %d of %d", k, t, b.Tangents.Rows)
		}
	}
	return b.ValidateTwice(n, p, m)
}

// ValidateTwice checks what Validate does of a block that may hold second derivatives.
func (b *Block) ValidateTwice(n, p, m int) error {
	if err := b.validateShape(p); err != nil {
		return err
	}
	for k := range b.Coef {
		if err := b.validateTerm(k, n); err != nil {
			return err
		}
	}
	if err := b.finite("points", &b.Points, func(k, row int) bool { return int(^b.Point[k]) == row }); err != nil {
		return err
	}
	if err := b.finite("tangents", &b.Tangents, func(k, row int) bool { _, at := OrderOf(b.Tangent[k]); return int(at) == row }); err != nil {
		return err
	}
	return b.validateLabels(m)
}

func (b *Block) validateShape(p int) error {
	terms := len(b.Coef)
	if len(b.Point) != terms || len(b.Tangent) != terms || len(b.Label) != terms {
		return fmt.Errorf("block: %d coefficients but %d points, %d tangents, %d labels", terms, len(b.Point), len(b.Tangent), len(b.Label))
	}
	if err := b.validateStarts(terms); err != nil {
		return err
	}
	for i, m := range []*Matrix{&b.Points, &b.Tangents} {
		name := []string{"points", "tangents"}[i]
		if m.Rows < 0 || m.Cols < 0 || len(m.Data) != m.Rows*m.Cols || (m.Rows > 0 && m.Cols != p) {
			return fmt.Errorf("block: %s are %d×%d with %d numbers, want rows of %d features", name, m.Rows, m.Cols, len(m.Data), p)
		}
	}
	return nil
}

func (b *Block) validateStarts(terms int) error {
	if len(b.Start) == 0 {
		if terms != 0 {
			return fmt.Errorf("block: %d terms belong to no functional", terms)
		}
		return nil
	}
	if b.Start[0] != 0 || int(b.Start[len(b.Start)-1]) != terms {
		return fmt.Errorf("block: starts run from %d to %d, want 0 to %d", b.Start[0], b.Start[len(b.Start)-1], terms)
	}
	for i := 1; i < len(b.Start); i++ {
		if b.Start[i] < b.Start[i-1] {
			return fmt.Errorf("block: start of functional %d lies before that of functional %d", i, i-1)
		}
	}
	return nil
}

func (b *Block) validateTerm(k, n int) error {
	c := b.Coef[k]
	if !usable(c) {
		return fmt.Errorf("block: coefficient %d is %v, in functional %d%s", k, c, b.holder(k), overflows(c))
	}
	if pt := int(b.Point[k]); pt >= n || (pt < 0 && ^pt >= b.Points.Rows) {
		return fmt.Errorf("block: term %d names point %d of %d rows and %d new points", k, pt, n, b.Points.Rows)
	}
	if order, row := OrderOf(b.Tangent[k]); order > 0 && int(row) >= b.Tangents.Rows {
		return fmt.Errorf("block: term %d names tangent %d of %d", k, row, b.Tangents.Rows)
	}
	if l := int(b.Label[k]); l != NoLabel && (l < 0 || l >= len(b.Labels)) {
		return fmt.Errorf("block: term %d names label %d of %d", k, l, len(b.Labels))
	}
	return nil
}

func (b *Block) validateLabels(m int) error {
	for i, y := range b.Labels {
		if len(y.Index) != len(y.Value) {
			return fmt.Errorf("block: label %d has %d indices and %d values", i, len(y.Index), len(y.Value))
		}
		for k, c := range y.Index {
			if c < 0 || int(c) >= m || (k > 0 && c <= y.Index[k-1]) {
				return fmt.Errorf("block: label %d holds index %d; indices must ascend and lie below %d", i, c, m)
			}
		}
		for k, v := range y.Value {
			if !usable(v) {
				return fmt.Errorf("block: label %d is %v at class %d%s", i, v, y.Index[k], overflows(v))
			}
		}
	}
	return nil
}

// finite says where points or tangents are not finite, and which functional is the first that holds that row.
func (b *Block) finite(what string, m *Matrix, holds func(term, row int) bool) error {
	for i, v := range m.Data {
		if isFinite(v) {
			continue
		}
		row, place := i/m.Cols, "in no functional"
		for k := range b.Coef {
			if holds(k, row) {
				place = fmt.Sprintf("in functional %d", b.holder(k))
				break
			}
		}
		return fmt.Errorf("block: row %d, column %d of the %s is %v, %s", row, i%m.Cols, what, v, place)
	}
	return nil
}

// holder returns the functional that holds a term.
func (b *Block) holder(term int) int {
	i, found := slices.BinarySearch(b.Start, int32(term))
	for found && i+1 < len(b.Start) && b.Start[i+1] == int32(term) {
		i++ // functionals without terms lie before it
	}
	if !found {
		i--
	}
	return i
}

// isFinite reports whether v is neither NaN nor infinite.
func isFinite(v float64) bool { return v-v == 0 }

// usable reports whether v is a number, and so small that squares and sums of its like do not overflow.
func usable(v float64) bool { return math.Abs(v) <= limits.LargestNumber }

// overflows says what is wrong with a number that is not usable, where it is finite.
func overflows(v float64) string {
	if !isFinite(v) {
		return ""
	}
	return fmt.Sprintf("; numbers beyond %g overflow when they are squared", float64(limits.LargestNumber))
}
