package sipc

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// The compiler and the runtime do not know each other's settings; this file says what one means to the other.

func (s *Spec) dataSpec() *dataset.Spec {
	d := &s.Plan.Data
	spec := &dataset.Spec{
		Target: dataset.Target{
			Task: dataset.Task(d.Target.Task.String()), Names: d.Target.Names, Globs: d.Target.Globs,
			AllLabels: d.Target.LabelsData, Classes: d.Target.Classes,
		},
		Ignore:      dataset.Columns{Names: d.Ignore.Names, Globs: d.Ignore.Globs},
		ID:          d.ID,
		Columns:     dataset.Columns{Names: d.Columns.Names, Globs: d.Columns.Globs, Height: d.Columns.Height, Width: d.Columns.Width},
		Missing:     dataset.Missing(d.Missing),
		Standardize: d.Standardize,
		Scale:       d.Scale,
		Normalize:   d.Normalize,
	}
	if d.Target.LabelsFile != "" {
		spec.Target.LabelsFile = s.resolve(d.Target.LabelsFile)
	}
	if d.Split != nil {
		spec.Split = dataset.Split{Train: d.Split.Train, Test: d.Split.Test}
	}
	return spec
}

// kernelSpec fixes the kernel's width for training rows.
func kernelSpec(k compiler.Kernel, rows *mat.Dense, seed uint64) (kernel.Spec, error) {
	spec := kernel.Spec{Kind: kernel.Kind(k.Name), Width: k.Width.Value, Degree: k.Degree, Offset: k.Offset}
	if k.Width.OfMedian {
		median, err := kernel.MedianDistance(rows, seed)
		if err != nil {
			return spec, err
		}
		spec.Width *= median
	}
	return spec, nil
}

func featureSpec(f compiler.Features, rows int, seed uint64) embed.Spec {
	spec := embed.Spec{Kind: embed.Kind(f.Name), Rank: f.Rank, Bits: f.Bits, Count: f.Count, Draw: embed.Draw(f.Select), Seed: seed}
	if f.HasSeed {
		spec.Seed = f.Seed
	}
	if spec.Kind != embed.Nystrom {
		return spec
	}
	switch f.Landmarks.Kind {
	case compiler.AllLandmarks:
		spec.Landmarks = embed.All
	case compiler.RowLandmarks:
		spec.Landmarks = embed.Rows
	case compiler.CountLandmarks:
		spec.Landmarks, spec.Count = embed.Count, f.Landmarks.Count
		if f.Landmarks.PerRow > 0 {
			spec.Count = max(1, int(f.Landmarks.PerRow*float64(rows)))
		}
	}
	return spec
}

func learner(l compiler.Learn) learn.Learner {
	if l.Name == string(learn.Ridge) {
		return learn.Learner{Kind: learn.Ridge, Strength: l.Lambda}
	}
	return learn.Learner{Kind: learn.Kind(l.Name), Strength: l.C, Probabilities: l.Probabilities}
}

// familyData is a set as families see it.
func familyData(s *dataset.Set) *plugins.Data {
	d := &plugins.Data{
		Rows: matrix(s.X), Columns: s.Columns, Offset: s.Offset, Scale: s.Scale, Height: s.Height, Width: s.Width,
	}
	if s.Task != dataset.Class && s.Task != dataset.Multilabel {
		return d
	}
	d.LabelNames = s.LabelNames
	for i := range s.Len() {
		var y plugins.Label
		switch {
		case s.Task == dataset.Multilabel:
			for c, v := range s.Multi.RawRowView(i) {
				if v > 0 {
					y.Index, y.Value = append(y.Index, int32(c)), append(y.Value, v)
				}
			}
		case s.Class[i] >= 0:
			y.Index, y.Value = []int32{int32(s.Class[i])}, []float64{1}
		}
		d.Labels = append(d.Labels, y)
	}
	return d
}

// ground is a set as the compiler sees it.
func ground(s *dataset.Set, seed uint64, warn func(*diag.Diagnostic)) *compiler.Ground {
	return &compiler.Ground{
		Data: familyData(s),
		Seed: seed,
		Column: func(name string) (numbers []float64, texts []string, ok bool) {
			raw, ok := s.Column(name)
			return raw.Numbers, raw.Texts, ok
		},
		Unit:     s.Unit,
		Constant: func(j int) bool { return j < len(s.Constant) && s.Constant[j] },
		RowID:    s.ID,
		Taxonomy: taxonomy(s),
		Warn:     warn,
	}
}

// taxonomy is the hierarchy of labels that the data carry.
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
func grounder(in *compiler.Instance, train *dataset.Set, seed uint64) model.Grounder {
	return func(ctx context.Context, nodes int, halfway bool) (*regularizer.Regularizer, error) {
		g := ground(train, seed, nil)
		g.Nodes, g.Halfway = nodes, halfway
		return in.Ground(ctx, g)
	}
}

func matrix(m *mat.Dense) plugins.Matrix {
	raw := m.RawMatrix()
	if raw.Stride != raw.Cols {
		raw = mat.DenseCopyOf(m).RawMatrix()
	}
	return plugins.Matrix{Rows: raw.Rows, Cols: raw.Cols, Data: raw.Data}
}

func dense(m plugins.Matrix) *mat.Dense { return mat.NewDense(m.Rows, m.Cols, m.Data) }

// modelMethod is a method that the runtime has; ok is false for one that it does not have.
func modelMethod(m compiler.Method) (method model.Method, ok bool) {
	switch m {
	case compiler.Embed:
		return model.Embed, true
	case compiler.Warp:
		return model.Warp, true
	case compiler.Plain:
		return model.Plain, true
	case compiler.Risk:
		return model.Risk, true
	case compiler.Dual:
		return model.Dual, true
	}
	return "", false
}
