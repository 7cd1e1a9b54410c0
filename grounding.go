package sipc

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/interval"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// familyData returns a set as families see it.
func familyData(s *dataset.Set) *plugins.Data {
	d := &plugins.Data{
		Rows: matrix(s.X), Columns: s.Columns, Offset: s.Offset, Scale: s.Scale, Height: s.Height, Width: s.Width,
	}
	if !s.Task.Joint() {
		return d
	}
	d.LabelNames = s.LabelNames
	for i := range s.Len() {
		var y plugins.Label
		switch {
		case s.Task == setting.Multilabel:
			for c, v := range s.Multi.RawRowView(i) {
				if v > 0 {
					y.Index, y.Value = append(y.Index, int32(c)), append(y.Value, v)
				}
			}
		case s.Task == setting.Quantiles: // a row has no level of its own
		case s.Class[i] >= 0:
			y.Index, y.Value = []int32{int32(s.Class[i])}, []float64{1}
		}
		d.Labels = append(d.Labels, y)
	}
	return d
}

// ground returns a set as the compiler sees it.
func ground(s *dataset.Set, seed uint64, warn func(*diag.Diagnostic)) *compiler.Ground {
	return &compiler.Ground{
		Data: familyData(s),
		Seed: seed,
		Column: func(name string) (numbers []float64, texts []string, ok bool) {
			raw, ok := s.Column(name)
			return raw.Numbers, raw.Texts, ok
		},
		Groups:   s.Groups,
		Unit:     s.Unit,
		Constant: func(j int) bool { return j < len(s.Constant) && s.Constant[j] },
		RowID:    s.ID,
		Weight:   s.Weight,
		Numbered: !s.Named,
		Taxonomy: taxonomy(s),
		Warn:     warn,
	}
}

// elsewhere returns the texts that the rows which R does not see have in a column: test rows and valid ones.
func elsewhere(p *Prepared) func(column string) []string {
	return func(column string) []string {
		var texts []string
		for _, s := range []*dataset.Set{p.Test, p.Valid} {
			if s != nil {
				raw, _ := s.Column(column)
				texts = append(texts, raw.Texts...)
			}
		}
		return texts
	}
}

// taxonomy returns the hierarchy of labels that the data carry.
func taxonomy(s *dataset.Set) []plugins.Edge {
	children, parents := s.Taxonomy()
	edges := make([]plugins.Edge, len(children))
	for k, c := range children {
		edges[k] = plugins.Edge{Child: c, Parent: parents[k]}
	}
	return edges
}

// grounder grounds an instance on training rows at any number of nodes. What there is to warn of was said when it was first
// grounded.
func grounder(in *compiler.Instance, train *dataset.Set, seed uint64) interval.Grounder {
	return func(ctx context.Context, nodes int, halfway bool) (*regularizer.Regularizer, error) {
		g := ground(train, seed, nil)
		g.Nodes, g.Halfway = nodes, halfway
		return in.Ground(ctx, g)
	}
}

// matrix returns the numbers row after row, without a copy if they lie so already.
func matrix(m *mat.Dense) plugins.Matrix {
	raw := m.RawMatrix()
	if raw.Stride != raw.Cols {
		raw = mat.DenseCopyOf(m).RawMatrix()
	}
	return plugins.Matrix{Rows: raw.Rows, Cols: raw.Cols, Data: raw.Data}
}

// dense returns a matrix over the same numbers.
func dense(m plugins.Matrix) *mat.Dense { return mat.NewDense(m.Rows, m.Cols, m.Data) }
