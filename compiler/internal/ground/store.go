package ground

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
)

// A store gathers the new points, tangents and labels of all functionals. Points and tangents stay
// in the matrices in which families hand them over, and are copied at the end. So what no
// functional uses costs no copy: of a domain with many nodes, a leaf at the end of the path uses
// one.
//
// Numbers of points are those of plugins.Block: i ≥ 0 is row i of the data, and ^i, which is
// negative, is row i of the new points. A negative tangent is plugins.Evaluation or a second
// derivative (plugins.Twice).
type store struct {
	points   pool
	tangents pool
	labels   []plugins.Label
	byValue  map[string]int32
	key      []byte
}

// newStore returns a store without points, for data of so many features.
func newStore(cols int) *store {
	return &store{byValue: map[string]int32{}, points: pool{cols: cols}, tangents: pool{cols: cols}}
}

// A pool holds rows in several matrices, numbered through. It copies no row before gather.
type pool struct {
	cols  int
	rows  int
	parts []part
}

// A part is one matrix of a pool; first is the number of its row 0.
type part struct {
	first int
	m     plugins.Matrix
}

// add takes a matrix over and returns the number of its first row. A matrix that was the last to be
// added is not added again, since the blocks of one answer may share their points.
func (p *pool) add(m plugins.Matrix) int {
	if m.Rows == 0 {
		return p.rows
	}
	if k := len(p.parts); k > 0 && len(m.Data) > 0 {
		last := &p.parts[k-1]
		if last.m.Rows == m.Rows && len(last.m.Data) > 0 && &last.m.Data[0] == &m.Data[0] {
			return last.first
		}
	}
	p.parts = append(p.parts, part{first: p.rows, m: m})
	p.rows += m.Rows
	return p.rows - m.Rows
}

// row returns a view of a row, found by bisection among the parts.
func (p *pool) row(i int) []float64 {
	k := sort.Search(len(p.parts), func(k int) bool { return p.parts[k].first > i }) - 1
	return p.parts[k].m.Row(i - p.parts[k].first)
}

// gather lays the used rows out in one matrix, in an order, so that what is used together lies
// together. It renumbers them: number[i] is the new number of row i, −1 where it is not used. A pool
// of one matrix whose rows are all used is not copied at all.
func (p *pool) gather(order []int32) (out plugins.Matrix, number []int32) {
	number = slices.Repeat([]int32{-1}, p.rows)
	// All rows of one matrix are used: their numbers stay, and so may the matrix.
	if len(order) == p.rows && len(p.parts) == 1 {
		for i := range number {
			number[i] = int32(i)
		}
		return p.parts[0].m, number
	}
	out = plugins.Matrix{Rows: len(order), Cols: p.cols, Data: make([]float64, 0, len(order)*p.cols)}
	for k, i := range order {
		number[i] = int32(k)
		out.Data = append(out.Data, p.row(int(i))...)
	}
	p.parts = nil
	return out, number
}

// label returns the number of a label vector; equal vectors have one number. They are compared bit
// by bit, and most rows share few vectors: one for each class.
func (s *store) label(y plugins.Label) int32 {
	s.key = s.key[:0]
	for k, c := range y.Index {
		s.key = binary.LittleEndian.AppendUint32(s.key, uint32(c))
		s.key = binary.LittleEndian.AppendUint64(s.key, math.Float64bits(y.Value[k]))
	}
	if i, ok := s.byValue[string(s.key)]; ok {
		return i
	}
	i := int32(len(s.labels))
	s.labels = append(s.labels, y)
	s.byValue[string(s.key)] = i
	return i
}

// oneHot returns the number of the label vector of one label, e_c: f(x, c) is f at (x, e_c).
func (s *store) oneHot(c int32) int32 {
	return s.label(plugins.Label{Index: []int32{c}, Value: []float64{1}})
}

// A source is a list of functionals in the store's numbers, without points of its own. The key says
// what it was made from, so that the same question is not asked twice.
type source struct {
	plugins.Block
	key     string
	bareOf  *tree.Family // left labels out, though f is a function of points and labels; nil: nobody did
	bareWhy string       // says so
	nodes   int          // functionals for each element; 0 stands for one
}

// absorb appends a block to a source. The block numbers its points, tangents and labels from 0, so
// that each number moves on by what the store held before. Rows of the data keep their numbers.
func (s *store) absorb(src *source, b *plugins.Block) {
	points, tangents := s.points.add(b.Points), s.tangents.add(b.Tangents)
	labels := tree.Each(b.Labels, s.label)
	for i := range b.Len() {
		for k := b.Start[i]; k < b.Start[i+1]; k++ {
			pt, tg, lb := b.Point[k], b.Tangent[k], b.Label[k]
			if pt < 0 {
				pt = ^(int32(points) + ^pt)
			}
			if tg != plugins.Evaluation {
				tg += int32(tangents)
			}
			if lb != plugins.NoLabel {
				lb = labels[lb]
			}
			src.Term(b.Coef[k], pt, tg, lb)
		}
		src.End()
	}
}

// block returns a source as a block by itself, for a family to map. It copies the new points that
// the source uses, each once, as the family may be another process.
func (s *store) block(src *source) *plugins.Block {
	b := src.Block
	b.Point, b.Labels = slices.Clone(src.Point), s.labels
	own := map[int32]int32{} // the block's number of each new point that it has met
	for k, pt := range src.Point {
		if pt >= 0 {
			continue
		}
		i, ok := own[pt]
		if !ok {
			i = int32(b.Points.Append(s.points.row(int(^pt))))
			own[pt] = i
		}
		b.Point[k] = ^i
	}
	return &b
}

// A used lists what is used, in the order of its first use.
type used struct {
	seen  []bool
	order []int32
}

// newUsed returns a list of nothing, among so many.
func newUsed(of int) *used { return &used{seen: make([]bool, of)} }

// take lists what is used once more.
func (u *used) take(i int32) {
	if !u.seen[i] {
		u.seen[i], u.order = true, append(u.order, i)
	}
}

// finish lays out the points, tangents and labels of the block of all functionals, and renumbers
// its terms to match. Labels are numbered in the order in which terms first have them.
func (s *store) finish(b *plugins.Block) {
	usedPoints, usedTangents := newUsed(s.points.rows), newUsed(s.tangents.rows)
	for k, pt := range b.Point {
		if pt < 0 {
			usedPoints.take(^pt)
		}
		if order, tg := plugins.OrderOf(b.Tangent[k]); order > 0 {
			usedTangents.take(tg)
		}
	}
	var points, tangents []int32
	b.Points, points = s.points.gather(usedPoints.order)
	b.Tangents, tangents = s.tangents.gather(usedTangents.order)
	number := make([]int32, len(s.labels)) // one more than a label's new number, so that 0 means that it has none yet
	for k, pt := range b.Point {
		if pt < 0 {
			b.Point[k] = ^points[^pt]
		}
		switch order, tg := plugins.OrderOf(b.Tangent[k]); order {
		case 1:
			b.Tangent[k] = tangents[tg]
		case 2:
			b.Tangent[k] = plugins.Twice(tangents[tg])
		}
		lb := b.Label[k]
		if lb == plugins.NoLabel {
			continue
		}
		if number[lb] == 0 {
			b.Labels = append(b.Labels, s.labels[lb])
			number[lb] = int32(len(b.Labels))
		}
		b.Label[k] = number[lb] - 1
	}
}

// functionalBytes estimates the memory of a functional until the rows of an operator are told apart. Its terms are there twice, and
// it has a place among the rows.
const functionalBytes = 300

// fits refuses so many functionals, at a place of the spec, where they and their points would take more memory than there may be.
// Points are there as families hand them over, and laid out. Directions to come are counted before they are made.
func (ss *sources) fits(o tree.Origin, functionals, directions int) error {
	s, mend := ss.store, "quantify over fewer elements"
	rows := s.points.rows + s.tangents.rows + directions
	err := limits.Check(ss.ask.ctx, []limits.Need{
		{Bytes: ss.taken, What: "the program and its data", Mend: "draw fewer rows by `split`"},
		{Bytes: 16 * float64(rows) * float64(s.points.cols), What: fmt.Sprintf("%d points or directions in %d columns", rows, s.points.cols), Mend: mend},
		{Bytes: functionalBytes * float64(functionals), What: fmt.Sprintf("%d functionals", functionals), Mend: mend},
	})
	if err == nil {
		return nil
	}
	return ss.ask.fail(o, &diag.Diagnostic{Code: codes.TooLarge, Summary: err.Error()})
}
