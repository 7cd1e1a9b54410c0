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
		groups[i] = g
	}
	return groups
}
