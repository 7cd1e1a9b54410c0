package compiler

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/draws"
	"github.com/sipc-ml/sipc/compiler/internal/elaborate"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Sample says which moves of orbits are drawn.
type Sample = draws.Sample

// Members are moves over which a maximum is taken, by element.
type Members = draws.Members

// OrbitArgs returns the arguments of an orbit.
func OrbitArgs() []plugins.Arg { return slices.Clone(tree.OrbitArgs) }

// OverOrbit returns how many moves of an orbit are drawn for each element of an invariance or a measure. Of several orbits it returns
// the most, and 0 where there is none. Squares reports whether its square is a mean over the moves. Samples of any size then have the mean that the
// orbit itself would give.
func OverOrbit(in *Instance, name string) (moves int, squares bool) {
	for _, t := range slices.Concat(in.Regularized, in.measures()) {
		if t.Inv.Name == name && t.Inv.Form != nil {
			for _, o := range t.Inv.Form.Orbits() {
				if !o.Worst {
					moves = max(moves, o.Moves)
				}
			}
			return moves, moves > 0 && t.Inv.Form.MeansOfSquares()
		}
	}
	return 0, false
}

// Searched reports whether an invariance or a measure takes a maximum over an orbit, whose worst moves have to be searched.
func Searched(in *Instance, name string) bool {
	return slices.ContainsFunc(slices.Concat(in.Regularized, in.measures()), func(t *tree.Term) bool { return t.Inv.Name == name && t.Inv.Searched() })
}

// SearchedInR returns the names of the invariances of R that take a maximum over an orbit.
func SearchedInR(in *Instance) []string {
	var out []string
	for _, t := range in.Regularized {
		if t.Searched() {
			out = append(out, t.Inv.Name)
		}
	}
	return out
}

// SearchedAt returns where regularize names an invariance that takes a maximum over an orbit. It is zero where none does.
func (p *Plan) SearchedAt() diag.Span {
	for _, t := range p.Shown().Regularized {
		if t.Searched() {
			return t.Place
		}
	}
	return diag.Span{}
}

// OutOfSight returns warnings of orbits that run too far on images of such a size, where the data tell it and the spec does not.
func (p *Plan) OutOfSight(height, width int) (out diag.List) {
	for _, s := range p.first.Unsized {
		if d := elaborate.Far(s, height, width); d != nil {
			d.Severity = diag.Warning
			out.Add(tree.AtOrigin(s.Low.From, d))
		}
	}
	return out
}

// unsearched refuses methods that embed for maxima over orbits (codes.NotSearched).
func unsearched(p *names.Pass) {
	if p.Out.Method != setting.Embed {
		return
	}
	i := slices.IndexFunc(p.Out.Regularized, (*tree.Term).Searched)
	if i < 0 {
		return
	}
	t, method := p.Out.Regularized[i], p.Decls.Settings["method"]
	d := p.Report(&diag.Diagnostic{
		Code: codes.NotSearched, Subject: method.Value.Span(), Summary: "method embed searches no worst moves, and " + t.Inv.Name + " is a maximum over an orbit",
		Detail: "It represents rows before there is an f at which a move could be the worst.", Mend: "Write method risk, or leave method out.",
		Related: []diag.Related{{Span: t.Place, Message: "R takes the maximum here"}},
	})
	p.Offer(d, "take method risk", method.Value.Span(), string(setting.Risk))
}
