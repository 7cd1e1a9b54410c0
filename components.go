package sipc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/anova"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A sum is a model's f taken apart over rows, beside another function that may be nil.
type sum struct {
	model *model.Model
	data  string // the file of the rows; empty for training rows
	rows  *model.Rows
	own   *anova.Decomposition
	// values are those of all parts at the rows, and shares say how much each counts.
	values    *mat.Dense
	shares    []anova.Share
	deviation float64 // of f
	free      *twin
}

// A twin is the function beside f.
type twin struct {
	parts  *anova.Decomposition
	values *mat.Dense // at the rows
	lacks  string     // how it differs from f
	// prepare takes prepared rows of the model to those of the twin; nil where they are the same.
	prepare func(*mat.Dense) *mat.Dense
}

// at returns rows as the twin takes them.
func (t *twin) at(x *mat.Dense) *mat.Dense {
	if t.prepare == nil {
		return x
	}
	return t.prepare(x)
}

// errNoSum says that a function cannot be taken apart.
var errNoSum = errors.New("f is no sum over columns and pairs")

// functionOf returns the function of a model as a sum at landmarks. It returns errNoSum if f is none, or its kernel is neither additive nor
// pairwise.
func functionOf(m *model.Model) (*anova.Function, error) {
	coef := model.AtLandmarks(m)
	if coef == nil || m.Represent.Features.Kernel().Parts() == nil {
		return nil, errNoSum
	}
	return &anova.Function{Kernel: m.Represent.Features.Kernel(), Marks: model.Landmarks(m), Coef: coef, Bias: m.Fit.Bias}, nil
}

// drawnRows returns the rows of a file, or the training rows that a model keeps if path is empty.
func drawnRows(ctx context.Context, m *model.Model, path string) (*model.Rows, error) {
	if path == "" {
		if m.Rows == nil {
			return nil, errors.New("the model file keeps no training rows, as they have too many columns; give rows by --data FILE")
		}
		return m.Rows, nil
	}
	set, err := openFor(ctx, m, path, false)
	if err != nil {
		return nil, err
	}
	if set.Weight != nil {
		var counted []int
		for i, w := range set.Weight {
			if w > 0 {
				counted = append(counted, i)
			}
		}
		set = set.Subset(counted)
	}
	if set.Len() == 0 {
		return nil, fmt.Errorf("%s: no row has a weight", path)
	}
	return model.Spread(set), nil
}

// takeApart takes the function of a model apart, and beside it that of another model, or else the model's twin. It returns errNoSum where f is no
// such sum.
func takeApart(ctx context.Context, m *model.Model, rows *model.Rows, data string, against *model.Model) (*sum, error) {
	f, err := functionOf(m)
	if err != nil {
		return nil, err
	}
	s := &sum{model: m, data: data, rows: rows}
	if s.own, s.values, err = apart(ctx, f, rows.X, rows.Weight); err != nil {
		return nil, err
	}
	s.shares, s.deviation = anova.Shares(s.values, len(s.own.Constant), rows.Weight)
	switch {
	case against != nil:
		s.free, err = s.beside(ctx, against)
	case m.Twin != nil:
		s.free = &twin{lacks: "of the same spec without what is required"}
		if m.Twin.Plain {
			s.free.lacks = "of method plain, without R and what is required"
		}
		other := &anova.Function{Kernel: f.Kernel, Marks: f.Marks, Coef: m.Twin.Coefficients, Bias: m.Twin.Bias}
		s.free.parts, s.free.values, err = apart(ctx, other, rows.X, rows.Weight)
	}
	return s, err
}

// apart takes a function apart, and returns the values of its parts at rows.
func apart(ctx context.Context, f *anova.Function, x *mat.Dense, weight []float64) (*anova.Decomposition, *mat.Dense, error) {
	n, _ := x.Dims()
	parts := f.Kernel.Parts()
	size := float64(n) * float64(len(parts.Components)+len(parts.Pairs)) * float64(len(f.Bias))
	if err := limits.Check(ctx, []limits.Need{{Bytes: 16 * size, What: fmt.Sprintf("the curves and surfaces of f at %d rows", n), Mend: "name fewer pairs by only in the kernel"}}); err != nil {
		return nil, nil, err
	}
	d, err := anova.New(ctx, f, x, weight)
	if err != nil {
		return nil, nil, err
	}
	values, err := d.Values(ctx, x)
	return d, values, err
}

// beside takes another model apart over the same rows.
func (s *sum) beside(ctx context.Context, other *model.Model) (*twin, error) {
	f, err := functionOf(other)
	if err != nil {
		return nil, fmt.Errorf("the other model: %w", err)
	}
	if a, b := len(s.own.Constant), len(f.Bias); a != b {
		return nil, fmt.Errorf("the other model learns %d functions of a row, and this one %d", b, a)
	}
	t := &twin{lacks: "of the other model"}
	if t.prepare, err = between(s.model.About.Preparation, other.About.Preparation); err != nil {
		return nil, err
	}
	if !slices.EqualFunc(s.own.Pairs, f.Kernel.Parts().Pairs, func(a, b [2]int) bool { return a == b }) {
		return nil, errors.New("the other model has surfaces of other pairs of columns")
	}
	t.parts, t.values, err = apart(ctx, f, t.at(s.rows.X), s.rows.Weight)
	return t, err
}

// between returns what takes rows prepared by one model to those of another. Both must have the same columns.
func between(one, other *dataset.Preparation) (func(*mat.Dense) *mat.Dense, error) {
	if !slices.Equal(one.Columns(), other.Columns()) {
		return nil, errors.New("the other model has other columns or categories")
	}
	if one.Normalize || other.Normalize {
		return nil, errors.New("rows of a model with normalize are not those of another one")
	}
	groups := dataset.GroupsOf(one)
	return func(x *mat.Dense) *mat.Dense {
		out := mat.DenseCopyOf(x)
		n, _ := x.Dims()
		for g := range groups {
			if groups[g].Text {
				continue
			}
			a, b, c := &one.Features[g], &other.Features[g], groups[g].Columns[0]
			for i := range n {
				out.Set(i, c, (x.At(i, c)*a.Scale+a.Offset-b.Offset)/b.Scale)
			}
		}
		return out
	}, nil
}

// names returns the names of the columns of a part.
func (s *sum) names(part int) []string {
	components := s.model.Represent.Features.Kernel().Parts().Components
	if part < len(components) {
		return []string{components[part].Name}
	}
	p := s.own.Pairs[part-len(components)]
	return []string{components[p[0]].Name, components[p[1]].Name}
}

// table returns how much each part counts.
func (s *sum) table() *report.Components {
	m, curves := len(s.own.Constant), len(s.shares)-len(s.own.Pairs)
	out := &report.Components{Rows: rowsIn(s.rows.X), Of: s.rows.Of, Data: s.data, Curves: curves, Surfaces: len(s.own.Pairs), Deviation: report.Number(s.deviation)}
	for _, c := range s.own.Constant {
		out.Constant = append(out.Constant, report.Number(c))
	}
	free := map[int]float64{}
	if s.free != nil {
		out.FreeOf = s.free.lacks
		shares, _ := anova.Shares(s.free.values, m, s.rows.Weight)
		for _, share := range shares {
			free[share.Part] = share.Deviation
		}
	}
	before := 0.0
	for _, share := range s.shares {
		c := report.Component{Columns: s.names(share.Part), Deviation: report.Number(share.Deviation), Share: report.Number(share.Together - before), Together: report.Number(share.Together)}
		before = share.Together
		if s.free != nil {
			other := report.Number(free[share.Part])
			c.Free = &other
		}
		out.Parts = append(out.Parts, c)
	}
	return out
}

// rowsIn returns the number of rows.
func rowsIn(x *mat.Dense) int {
	n, _ := x.Dims()
	return n
}
