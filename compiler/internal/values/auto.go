package values

import (
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// autoValues returns what `auto` is chosen from. The first stands for it where nothing is chosen.
// It is the weight at which n·R² counts in the objective as ‖f‖² does and, at C = 1, as twice the
// loss. From there the values go down to where R hardly acts, and up to where it hardly yields, in
// steps of half a decade. Zero is among them: it leaves the invariance out, and a choice of zero is
// a finding about the data.
func autoValues() []tree.Quantity {
	return tree.Each([]float64{1, 0, 0.01, 0.03, 0.1, 0.3, 3, 10, 30}, func(v float64) tree.Quantity { return tree.Quantity{Value: v} })
}

// Auto reports whether the grid is `auto`. Of a grid the best value is taken, of auto the largest
// within one standard error of the best.
func Auto(g *names.GridParam) bool {
	_, ok := g.Call.(*dsl.Ident)
	return ok
}

// FindAuto looks for `auto` among the factors of a weight, which it may be once. It returns false
// where it is so twice. A summand, an exponent or a divisor is not a place for it.
func FindAuto(p *names.Pass, e dsl.Expr) bool {
	switch e := e.(type) {
	case *dsl.Paren:
		return FindAuto(p, e.X)
	case *dsl.Neg:
		return FindAuto(p, e.X)
	case *dsl.Binary:
		return e.Op != "*" && e.Op != "/" || FindAuto(p, e.X) && (e.Op == "/" || FindAuto(p, e.Y))
	case *dsl.Ident:
		if e.Name != tree.AutoWord {
			return true
		}
		if p.Auto != nil {
			p.Report(&diag.Diagnostic{Code: codes.WrongGrid, Subject: e.Span(), Summary: "auto is twice a factor of the same weight", Detail: "One of them is as good as both: the weight is chosen as a whole.", Mend: "Leave one out."})
			return false
		}
		p.Auto = e
	}
	return true
}

// AutoValue returns the value of `auto` under the pass's choice. Outside of a weight there is
// nothing that it could stand for, which is codes.WrongGrid.
func AutoValue(p *names.Pass, id *dsl.Ident) (tree.Quantity, bool) {
	if id != p.Auto {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongGrid, Subject: id.Span(), Summary: "auto stands for a weight, and here is none",
			Detail: "It is a factor in regularize: the largest weight within one standard error of the best.",
			Mend:   "Write regularize auto * NAME; elsewhere list the numbers to choose from, as in grid(0.1, 1, 10).",
		})
		return tree.Quantity{}, false
	}
	index, known := p.GridOf[id]
	if !known {
		index = len(p.Grids)
		p.Grids = append(p.Grids, &names.GridParam{Call: id, Name: p.Place, Values: autoValues(), Sections: map[string]bool{}})
		p.GridOf[id] = index
	}
	return taken(p, index), true
}
