package dataset

import "github.com/sipc-ml/sipc/runtime/setting"

// GroupsOf returns what prepared columns each feature has, in the order of the features.
func GroupsOf(p *Preparation) []setting.Group {
	groups := make([]setting.Group, len(p.Features))
	mask := len(p.Columns())
	for i := range p.Features {
		mask -= len(p.Features[i].masks())
	}
	for i, at := range p.positions() {
		f := &p.Features[i]
		g := setting.Group{Name: f.Name, Columns: []int{at}, Text: f.Text, Words: len(f.Weights) > 0, Scale: f.Scale}
		if f.Text {
			for k := 1; k < len(f.Categories); k++ {
				g.Columns = append(g.Columns, at+k)
			}
			g.Columns = g.Columns[:min(len(f.Categories), len(g.Columns))]
		}
		for range f.masks() {
			g.Columns = append(g.Columns, mask)
			mask++
		}
		if !f.Text {
			g.Low, g.High, g.Gaps = (f.Low-f.Offset)/f.Scale, (f.High-f.Offset)/f.Scale, f.gapsAt(len(g.Columns))
		}
		groups[i] = g
	}
	return groups
}

// gapsAt returns what the prepared columns of a number hold at each kind of gap: what fills it, and a 1 in its mask.
func (f *Feature) gapsAt(columns int) (out [][]float64) {
	for k := 1; k < columns; k++ {
		at := make([]float64, columns)
		at[0], at[k] = (f.Fill-f.Offset)/f.Scale, 1
		out = append(out, at)
	}
	return out
}
