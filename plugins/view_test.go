package plugins_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/familytest"
	"github.com/sipc-ml/sipc/plugins/hierarchy"
	"github.com/sipc-ml/sipc/plugins/transform"
)

// A spy remembers what a family is shown, and answers as it likes.
type spy struct {
	data   *plugins.Data
	call   *plugins.MapCall
	answer func(*plugins.Block) *plugins.Block
	chunk  *plugins.Chunk
}

func (s *spy) Describe(context.Context) (*plugins.Schema, error) { return &plugins.Schema{}, nil }

func (s *spy) Open(_ context.Context, data *plugins.Data) (plugins.Session, error) {
	s.data = data
	return s, nil
}

func (s *spy) Expand(_ context.Context, _ *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	return yield(s.chunk)
}

func (s *spy) Map(_ context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	s.call = call
	return s.answer(call.At), nil
}

func (s *spy) Close() error { return nil }

// Data that a family did not ask for are not there.
func TestOpenShowsWhatIsNeeded(t *testing.T) {
	data := familytest.Table(5, 4, 3, 1)
	data.Offset, data.Scale = []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}
	data.Height, data.Width = 2, 2
	bare := &plugins.Data{Rows: plugins.Matrix{Rows: 5}}
	some := &plugins.Data{
		Rows: plugins.Matrix{Rows: 5, Cols: 2}, Columns: []string{"x1", "x3"}, Offset: []float64{2, 4}, Scale: []float64{6, 8}, LabelNames: data.LabelNames,
	}
	for i := range 5 {
		some.Rows.Data = append(some.Rows.Data, data.Rows.Row(i)[1], data.Rows.Row(i)[3])
	}
	unlabelled := *data
	unlabelled.Labels, unlabelled.LabelNames = nil, nil
	for _, tt := range []struct {
		needs plugins.Needs
		want  *plugins.Data
	}{
		{plugins.Needs{}, bare},
		{plugins.Needs{Names: []string{"x3", "x1", "x3"}, Labels: plugins.LabelNames}, some},
		{plugins.Needs{Columns: plugins.AllColumns}, &unlabelled},
		{plugins.Needs{Columns: plugins.AllColumns, Labels: plugins.RowLabels}, data},
	} {
		s := &spy{}
		if _, err := plugins.Open(t.Context(), s, data, tt.needs); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, s.data, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%+v: %s", tt.needs, d)
		}
	}
	if _, err := plugins.Open(t.Context(), &spy{}, data, plugins.Needs{Names: []string{"area"}}); err == nil || !strings.Contains(err.Error(), `needs the column "area"`) {
		t.Errorf("a column that is not there: %v", err)
	}
}

// A map that sees only what it moves answers what one answers that sees all, derivatives too.
func TestMapsOnPartsAnswerAsOnTheWhole(t *testing.T) {
	data := familytest.Table(6, 5, 3, 2)
	data.Offset, data.Scale = []float64{1, 2, 3, 4, 5}, []float64{1, 2, 3, 4, 5}
	at := familytest.Evaluations(data)
	for i := range 4 { // new points too, and functionals of several terms
		at.Term(0.5, ^int32(at.Points.Append(data.Rows.Row(i))), plugins.Evaluation, int32(i))
		at.Term(-2, int32(i), plugins.Evaluation, plugins.NoLabel)
		at.End()
	}
	f := familytest.NewFunction(5, 3, 7)
	needs := plugins.Needs{Columns: plugins.ArgumentColumns}
	for _, derivative := range []bool{false, true} {
		call := &plugins.MapCall{Name: "move", At: at, Derivative: derivative, Args: []plugins.Value{
			{Name: "column", Kind: plugins.KindColumn, Index: 3, Text: "x3"}, {Name: "amount", Number: 0.7},
		}}
		var values [2][]float64
		for i, n := range []plugins.Needs{{Columns: plugins.AllColumns, Labels: plugins.RowLabels}, needs.Of(call.Args)} {
			s, err := plugins.Open(t.Context(), transform.New(), data, n)
			if err != nil {
				t.Fatal(err)
			}
			b, err := s.Map(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Validate(6, 5, 3); err != nil {
				t.Fatal(err)
			}
			values[i] = f.Values(b, data)
		}
		if !slices.Equal(values[0], values[1]) {
			t.Errorf("derivative %v: %v on the whole, %v on a part", derivative, values[0], values[1])
		}
	}
}

// What a map is not shown of the data, its call does not show either.
func TestCallsConcealWhatIsNotSeen(t *testing.T) {
	data := familytest.Table(3, 4, 2, 3)
	at := familytest.Evaluations(data)
	at.Term(1, ^int32(at.Points.Append([]float64{1, 2, 3, 4})), plugins.Evaluation, 0)
	at.End()
	args := []plugins.Value{{Name: "c", Kind: plugins.KindColumn, Text: "x2", Index: 2}}
	s := &spy{answer: func(b *plugins.Block) *plugins.Block { return b }}
	session, err := plugins.Open(t.Context(), s, data, plugins.Needs{Columns: plugins.ArgumentColumns}.Of(args))
	if err != nil {
		t.Fatal(err)
	}
	got, err := session.Map(t.Context(), &plugins.MapCall{Name: "m", Args: args, At: at})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.call.At.Labels) != 0 || slices.Max(s.call.At.Label) >= 0 {
		t.Error("the call shows labels")
	}
	if d := cmp.Diff(plugins.Matrix{Rows: 1, Cols: 1, Data: []float64{3}}, s.call.At.Points); d != "" {
		t.Error(d)
	}
	if s.call.Args[0].Index != 0 {
		t.Errorf("the column has index %d among those that are seen", s.call.Args[0].Index)
	}
	if d := cmp.Diff(familytest.NewFunction(4, 2, 1).Values(at, data), familytest.NewFunction(4, 2, 1).Values(got, data)); d != "" {
		t.Error(d)
	}
	s.answer = func(b *plugins.Block) *plugins.Block {
		return &plugins.Block{Start: b.Start[:2], Coef: b.Coef[:1], Point: b.Point[:1], Tangent: b.Tangent[:1], Label: b.Label[:1]}
	}
	if _, err := session.Map(t.Context(), &plugins.MapCall{Name: "m", Args: args, At: at}); err == nil || !strings.Contains(err.Error(), "term by term") {
		t.Errorf("another number of terms: %v", err)
	}
	args[0].Text = "x1"
	if _, err := session.Map(t.Context(), &plugins.MapCall{Name: "m", Args: args, At: at}); err == nil || !strings.Contains(err.Error(), `"x1", which the family did not ask to see`) {
		t.Errorf("a column that is not seen: %v", err)
	}
}

// A domain of rows that sees no labels binds the rows with theirs; new points need all columns.
func TestExpandCompletesWhatIsNotSeen(t *testing.T) {
	data := familytest.Table(3, 4, 2, 3)
	rows := &plugins.Block{Tangents: plugins.Matrix{Rows: 1, Cols: 1, Data: []float64{5}}}
	rows.Term(1, 2, plugins.Evaluation, plugins.NoLabel)
	rows.Term(1, 2, 0, plugins.NoLabel)
	rows.End()
	s := &spy{chunk: &plugins.Chunk{Count: 1, Points: []*plugins.Block{rows}}}
	session, err := plugins.Open(t.Context(), s, data, plugins.Needs{Names: []string{"x1"}})
	if err != nil {
		t.Fatal(err)
	}
	want := &plugins.Block{
		Start: []int32{0, 2}, Coef: []float64{1, 1}, Point: []int32{2, 2}, Tangent: []int32{-1, 0}, Label: []int32{0, 0},
		Tangents: plugins.Matrix{Rows: 1, Cols: 4, Data: []float64{0, 5, 0, 0}}, Labels: data.Labels[2:],
	}
	expand := func() error {
		return session.Expand(t.Context(), &plugins.DomainCall{Name: "d"}, func(c *plugins.Chunk) error {
			if d := cmp.Diff(want, c.Points[0]); d != "" {
				t.Error(d)
			}
			return nil
		})
	}
	if err := expand(); err != nil {
		t.Error(err)
	}
	rows.Points = plugins.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}
	if err := expand(); err == nil || !strings.Contains(err.Error(), "let the domain need them all") {
		t.Errorf("new points: %v", err)
	}
	rows.Points = plugins.Matrix{Rows: 1, Cols: 4, Data: make([]float64, 4)}
	if err := expand(); err == nil || !strings.Contains(err.Error(), "want rows of 1 features") {
		t.Errorf("points of another width: %v", err)
	}
}

// The taxonomy's domains look at the labels' names alone.
func TestHierarchyNeedsNames(t *testing.T) {
	data := familytest.Table(3, 4, 2, 3)
	schema, err := hierarchy.New().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := plugins.Open(t.Context(), hierarchy.New(), data, schema.Domains[0].Needs)
	if err != nil {
		t.Fatal(err)
	}
	call := &plugins.DomainCall{Name: "edges", Args: []plugins.Value{{Name: "taxonomy", Kind: plugins.KindTaxonomy, Edges: []plugins.Edge{{Child: 1, Parent: 0}}}}}
	count := 0
	if err := s.Expand(t.Context(), call, func(c *plugins.Chunk) error { count += c.Count; return nil }); err != nil || count != 1 {
		t.Errorf("%d edges, %v", count, err)
	}
}

func TestNeedsUnion(t *testing.T) {
	a := plugins.Needs{Columns: plugins.ArgumentColumns, Names: []string{"a"}, Labels: plugins.LabelNames}
	b := plugins.Needs{Names: []string{"b", "a"}, Labels: plugins.RowLabels}
	want := plugins.Needs{Columns: plugins.ArgumentColumns, Names: []string{"a", "b"}, Labels: plugins.RowLabels}
	if d := cmp.Diff(want, a.Union(b)); d != "" {
		t.Error(d)
	}
}
