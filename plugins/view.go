package plugins

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Open opens a session of family on those parts of data that needs name, and on nothing else. The session speaks of
// all of data: it hands the family what it may see of a call. It completes the answers by what the family does not
// see:
//
//   - A term of Expand at a row has that row's label if the rows' labels are not seen.
//   - Term k of the answer of Map takes unseen columns, and an unseen label, from term k of the call. There must be as
//     many terms.
//   - Tangents are zero in columns that are not seen.
//
// It validates what the family answers before it completes it. An answer that cannot be completed is an *AnswerError.
// Arguments of kind KindColumn name their columns by Value.Text.
func Open(ctx context.Context, family Family, data *Data, needs Needs) (Session, error) {
	v, err := newView(data, needs)
	if err != nil {
		return nil, err
	}
	session, err := family.Open(ctx, v.seen)
	if err != nil || v.whole() {
		return session, err
	}
	return &viewSession{Session: session, view: v}, nil
}

// A view is a part of a data set.
type view struct {
	all, seen *Data
	columns   []int // of all that are seen, ascending; nil: every one
	labels    bool  // the rows' labels are seen, or there are none
}

func newView(data *Data, needs Needs) (*view, error) {
	v := &view{all: data, labels: needs.Labels == RowLabels || len(data.LabelNames) == 0}
	seen := *data
	if needs.Labels < RowLabels {
		seen.Labels = nil
	}
	if needs.Labels < LabelNames {
		seen.LabelNames = nil
	}
	if needs.Columns != AllColumns {
		v.columns = []int{}
		for _, name := range needs.Names {
			j := slices.Index(data.Columns, name)
			if j < 0 {
				return nil, fmt.Errorf("it needs the column %q, which the data do not have among their features", name)
			}
			v.columns = append(v.columns, j)
		}
		slices.Sort(v.columns)
		v.columns = slices.Compact(v.columns)
		v.narrowColumns(&seen)
	}
	v.seen = &seen
	return v, nil
}

// narrowColumns leaves the columns that are seen.
func (v *view) narrowColumns(d *Data) {
	d.Rows = v.narrow(&v.all.Rows)
	d.Height, d.Width = 0, 0
	d.Columns = pick(v.all.Columns, v.columns)
	d.Offset, d.Scale = pick(v.all.Offset, v.columns), pick(v.all.Scale, v.columns)
}

func pick[T any](xs []T, at []int) []T {
	if xs == nil {
		return nil
	}
	out := make([]T, len(at))
	for i, j := range at {
		out[i] = xs[j]
	}
	return out
}

// narrow returns a matrix of the columns that are seen.
func (v *view) narrow(m *Matrix) Matrix {
	out := Matrix{Rows: m.Rows, Cols: len(v.columns), Data: make([]float64, 0, m.Rows*len(v.columns))}
	for i := range m.Rows {
		row := m.Row(i)
		for _, j := range v.columns {
			out.Data = append(out.Data, row[j])
		}
	}
	return out
}

// whole tells whether nothing is hidden.
func (v *view) whole() bool {
	return v.columns == nil && v.labels && len(v.seen.LabelNames) == len(v.all.LabelNames)
}

// args returns arguments with the columns' indices among those that are seen.
func (v *view) args(args []Value) ([]Value, error) {
	out := slices.Clone(args)
	for i, a := range out {
		switch {
		case a.Kind == KindColumn && v.columns != nil:
			if out[i].Index = slices.Index(v.seen.Columns, a.Text); out[i].Index < 0 {
				return nil, &AnswerError{fmt.Errorf("the argument %s names the column %q, which the family did not ask to see", a.Name, a.Text)}
			}
		case a.Kind == KindLabel && len(v.seen.LabelNames) == 0:
			return nil, &AnswerError{fmt.Errorf("the argument %s names the label %q, but the family did not ask to see labels", a.Name, a.Text)}
		}
	}
	return out, nil
}

// WithoutLabels is what is wrong with a family whose domain binds points without labels where f is a function of both.
const WithoutLabels = "it makes new points without labels, though f is a function of points and labels; " +
	"let the domain need RowLabels, and give each point a label"

// An AnswerError says that a family answered with what its needs do not allow. It is the family's fault, not that of a call.
type AnswerError struct{ Err error }

// Error returns the reason, in one line.
func (e *AnswerError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *AnswerError) Unwrap() error { return e.Err }

// A viewSession is a session on a view that speaks of all of the data.
type viewSession struct {
	Session
	view *view
}

// Expand enumerates a domain.
func (s *viewSession) Expand(ctx context.Context, call *DomainCall, yield func(*Chunk) error) error {
	narrow := *call
	var err error
	if narrow.Args, err = s.view.args(call.Args); err != nil {
		return fmt.Errorf("%s: %w", call.Name, err)
	}
	return s.Session.Expand(ctx, &narrow, func(c *Chunk) error {
		wide := *c
		for _, blocks := range []*[]*Block{&wide.Points, &wide.Derivatives} {
			*blocks = slices.Clone(*blocks)
			for k, b := range *blocks {
				if (*blocks)[k], err = s.view.complete(b); err != nil {
					return &AnswerError{err}
				}
			}
		}
		return yield(&wide)
	})
}

// complete makes of functionals that an element binds what they are among all of the data.
func (v *view) complete(b *Block) (*Block, error) {
	if b == nil {
		return nil, errors.New("it yields a block that is nil")
	}
	if err := b.Validate(v.seen.N(), v.seen.Rows.Cols, len(v.seen.LabelNames)); err != nil {
		return nil, err
	}
	if v.columns != nil && b.Points.Rows > 0 {
		return nil, errors.New("it makes new points, though it does not see all columns; let the domain need them all")
	}
	wide := *b
	wide.Tangents = v.widen(&b.Tangents)
	if v.labels || len(v.all.Labels) == 0 {
		return &wide, nil
	}
	wide.Label, wide.Labels = slices.Clone(b.Label), slices.Clone(b.Labels)
	number := map[int32]int32{}
	for k, l := range b.Label {
		row := b.Point[k]
		if l != NoLabel || row < 0 {
			continue
		}
		if _, known := number[row]; !known {
			number[row] = int32(len(wide.Labels))
			wide.Labels = append(wide.Labels, v.all.Labels[row])
		}
		wide.Label[k] = number[row]
	}
	return &wide, nil
}

// widen returns a matrix of all columns, zero in those that are not seen.
func (v *view) widen(m *Matrix) Matrix {
	if v.columns == nil || m.Rows == 0 {
		return *m
	}
	p := v.all.Rows.Cols
	out := Matrix{Rows: m.Rows, Cols: p, Data: make([]float64, m.Rows*p)}
	for i := range m.Rows {
		v.put(m.Row(i), out.Row(i))
	}
	return out
}

// put writes the values of the columns that are seen to a row of all columns.
func (v *view) put(seen, all []float64) {
	for i, j := range v.columns {
		all[j] = seen[i]
	}
}
