package compiler

import (
	"context"
	"errors"
	"fmt"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// Transforms are what `evaluate under` lists, in its order.
func (in *Instance) Transforms() []Transform {
	out := make([]Transform, len(in.transforms))
	for i, m := range in.transforms {
		out[i] = Transform{Text: m.text, Apply: func(ctx context.Context, data *plugins.Data) (plugins.Matrix, error) {
			return in.apply(ctx, m, data)
		}}
	}
	return out
}

// apply moves all rows of data in one call.
func (in *Instance) apply(ctx context.Context, m *mapping, data *plugins.Data) (out plugins.Matrix, err error) {
	g := &grounder{
		ctx: ctx, in: in, data: &Ground{Data: data}, sessions: map[*family]plugins.Session{},
		store: newStore(data), sources: map[string]*source{}, warned: map[string]bool{},
	}
	defer func() { err = errors.Join(err, g.close()) }()
	moved, err := g.mapped(m, g.rowSource(), false)
	if err != nil {
		return plugins.Matrix{}, err
	}
	p := data.Rows.Cols
	out = plugins.Matrix{Rows: data.N(), Cols: p, Data: make([]float64, 0, data.N()*p)}
	for i := range data.N() {
		k := moved.start[i]
		if moved.start[i+1] != k+1 || moved.coef[k] != 1 || moved.tangent[k] != plugins.Evaluation {
			return plugins.Matrix{}, g.fail(m.from, &diag.Diagnostic{Code: FamilyFailed, Summary: fmt.Sprintf("the family %s failed: %s answers with functionals that are no points, and rows cannot be moved by it", m.fam.name, m.text), Mend: "Name maps that move a point to a point."})
		}
		if pt := moved.point[k]; pt >= 0 {
			out.Data = append(out.Data, data.Rows.Row(int(pt))...)
		} else {
			out.Data = append(out.Data, g.store.points.row(int(^pt))...)
		}
	}
	return out, nil
}
