package active

import (
	"slices"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// A piece has what is chosen of an invariance in a part.
type piece struct {
	kept  []int32 // its functionals, counted from the invariance's first one there, ascending
	at    []int32 // which functionals they are of those at hand; −1 stands for none
	share float64 // of the part in the invariance's weight
	gauge *gauge.Node
	block *plugins.Block
}

// take takes functionals of an invariance in a part beside those which the piece has. It returns the new piece, and how many of it are not at hand. The part's rows
// begin with a row of all.
func (p *piece) take(of *plugins.Block, inv *regularizer.Invariance, wanted []bool, row int) (now piece, added int) {
	now.share = p.share
	class, known := make([]int32, inv.Count), 0
	for j := range class {
		at, had := int32(-1), known < len(p.kept) && int(p.kept[known]) == j
		if had {
			at = p.at[known]
			known++
		}
		if class[j] = int32(j); !had && !wanted[inv.First+j] {
			class[j] = -1
			continue
		}
		if at < 0 {
			added++
		}
		now.kept, now.at = append(now.kept, int32(j)), append(now.at, at)
	}
	if len(now.kept) > 0 {
		now.gauge, _ = inv.Gauge.Restrict(class)
		now.block = of.Select(func(i int) bool { return i >= inv.First && i < inv.First+inv.Count && class[i-inv.First] >= 0 })
		now.block.MoveRows(row)
	}
	return now, added
}

// Regularizer returns an R of the functionals that are chosen, and which each was of those before; −1 stands for none. They are at hand from then on.
// Each look is followed by one call at most.
func (s *Set) Regularizer() (reg *regularizer.Regularizer, from []int) {
	reg = &regularizer.Regularizer{Functionals: &plugins.Block{Start: []int32{0}}, Rows: s.of.Rows, Total: s.of.Total, Nodes: s.of.Nodes}
	points := 0
	for _, p := range slices.Concat(s.pieces...) {
		if p.block != nil {
			points += len(p.block.Points.Data)
		}
	}
	reg.Functionals.Points.Data = make([]float64, 0, points)
	for i := range s.pieces {
		inv := s.of.Invariances[i]
		inv.First, inv.Curves, inv.Members, inv.Gauge = len(from), nil, nil, &gauge.Node{Op: gauge.Norm, P: 2}
		for k := range s.pieces[i] {
			p := &s.pieces[i][k]
			if len(p.kept) == 0 {
				continue
			}
			reg.Functionals.Join(p.block)
			p.block = nil // the next look makes it anew
			inv.Gauge.Children, inv.Gauge.Weights = append(inv.Gauge.Children, p.gauge), append(inv.Gauge.Weights, p.share)
			for j, at := range p.at {
				p.at[j] = int32(len(from))
				from = append(from, int(at))
			}
		}
		if inv.Count = len(from) - inv.First; inv.Count > 0 {
			reg.Invariances = append(reg.Invariances, inv)
		}
	}
	return reg, from
}

// Forget says that no functional is at hand, as those of the last R came to nothing.
func (s *Set) Forget() {
	for _, p := range slices.Concat(s.pieces...) {
		for j := range p.at {
			p.at[j] = -1
		}
	}
}
