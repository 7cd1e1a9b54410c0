package compiler

import (
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
)

// DrawnRows returns how many of n rows an invariance or a measure draws as a sample. Of several samples it is the largest, and 0 where there is none. The
// variable stands for the rows drawn, and is empty where all points are of samples. Outermost reports whether the rows drawn are the first that it binds,
// in its outermost index set.
//
// Only then is the invariance made of what single rows add to it:
//
//	max over x in sample(100) of |f|                                    rows of the sample, each by itself
//	rms over x of |f(x) - mean over z in sample(100) of f(z)|           each row beside all of the sample
func DrawnRows(in *Instance, name string, n int) (drawn int, variable string, outermost bool) {
	bindsRows := func(a *tree.Axis) bool { return len(a.Vars) > 0 && a.Vars[0].Kind == tree.PointVar }
	for _, t := range slices.Concat(in.Regularized, in.measures()) {
		if t.Inv.Name != name || t.Inv.Form == nil {
			continue
		}
		axes := t.Inv.Form.Axes()
		for _, a := range axes {
			if a.Drawn() && a.Draws(n) > drawn {
				drawn, variable = a.Draws(n), tree.Greek(a.Vars[0].Name)
			}
		}
		if !slices.ContainsFunc(axes, func(a *tree.Axis) bool { return bindsRows(a) && !a.Drawn() }) {
			variable = ""
		}
		if q := t.Inv.Form.Quant; q != nil {
			i := slices.IndexFunc(q.Axes, bindsRows)
			outermost = i >= 0 && q.Axes[i].Drawn()
		}
		break
	}
	return drawn, variable, outermost
}

// HeldRows tells which rows are in samples of R, or in that of a measure, and how many others there are. A sample of all rows is left out: as over x, it holds none apart.
//
// Given these, the order of the others is independent of f. So the first of them are a random draw of them all. Rows that only another sample holds are none:
// they shaped f.
func HeldRows(in *Instance, name string, data *Ground) (held []bool, others int) {
	held, others = make([]bool, data.N()), data.N()
	differs := func(t *tree.Term) bool { return t.Inv.Name != name }
	for _, t := range slices.Concat(in.Regularized, slices.DeleteFunc(in.measures(), differs)) {
		if t.Inv.Form == nil {
			continue
		}
		for _, a := range t.Inv.Form.Axes() {
			if !a.Drawn() || a.Draws(len(held)) == len(held) {
				continue
			}
			for _, i := range ground.Shuffled(a, data)[:a.Draws(len(held))] {
				if !held[i] {
					held[i], others = true, others-1
				}
			}
		}
	}
	return held, others
}
