package main

import (
	"context"
	"fmt"

	"github.com/sipc-ml/sipc/plugins"
)

// equivariance is the family: a domain of pairs of points (s(t(x)), t(s(x))), x a row, s and t changes of one column, so that
//
//	max over (a, b) in swapped(…) of |f(a) - f(b)|  =  max over x, (s, t) of |f(s(t(x))) − f(t(s(x)))|.
type equivariance struct{}

// most bounds the changes: what is larger is a slip of the pen.
const most = 1e12

// Describe says what the family adds to the language.
func (equivariance) Describe(context.Context) (*plugins.Schema, error) {
	number := func(name, doc string, least, greatest float64) plugins.Arg {
		return plugins.Arg{Name: name, Kind: plugins.KindNumber, Optional: true, Min: least, Max: greatest, Unit: "the column's own", Doc: doc}
	}
	grow := number("grow", "the share by which one change multiplies: 0.2 for a fifth more", -0.99, 1000)
	grow.Unit = ""
	return &plugins.Schema{
		Name:    "equivariance",
		Version: "1.0.0",
		Doc:     "Changes of a column whose order is an accident: f should hardly tell in which order they were made.",
		Domains: []plugins.DomainSchema{{
			Name: "swapped",
			Doc:  "Each row after two changes of a column, in one order and in the other, for each two of the changes that are given.",
			Args: []plugins.Arg{
				{Name: "column", Kind: plugins.KindColumn, Doc: "which column"},
				number("add", "what one change adds", -most, most),
				grow,
				number("cap", "what one change lets the value not exceed", -most, most),
			},
			Binds: []plugins.Bind{
				{Name: "a", Kind: plugins.BindPoint, Doc: "s(t(x)): the row after the second change and then the first"},
				{Name: "b", Kind: plugins.BindPoint, Doc: "t(s(x)): the row after the first change and then the second"},
			},
			Needs: plugins.Needs{Columns: plugins.AllColumns, Labels: plugins.RowLabels}, // new points need all of them
		}},
	}, nil
}

// Open binds the family to data.
func (equivariance) Open(_ context.Context, data *plugins.Data) (plugins.Session, error) {
	return &session{data}, nil
}

type session struct{ data *plugins.Data }

// chunkRows is how many rows a chunk is about.
const chunkRows = 1024

// Expand enumerates the domain: row after row, and for each all pairs of changes.
func (s *session) Expand(ctx context.Context, call *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	column, ok := plugins.Lookup(call.Args, "column")
	if !ok || column.Index < 0 || column.Index >= s.data.Rows.Cols {
		return fmt.Errorf("swapped needs a column of the data")
	}
	cs, err := changes(call.Args)
	if err != nil {
		return err
	}
	both := pairs(cs)
	for start := 0; start < s.data.N(); start += chunkRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, b := s.block(), s.block()
		end := min(start+chunkRows, s.data.N())
		for row := start; row < end; row++ {
			for _, p := range both {
				s.moved(a, row, column.Index, func(v float64) float64 { return p.s(p.t(v)) })
				s.moved(b, row, column.Index, func(v float64) float64 { return p.t(p.s(v)) })
			}
		}
		if err := yield(&plugins.Chunk{Count: a.Len(), Points: []*plugins.Block{a, b}}); err != nil {
			return err
		}
	}
	return nil
}

// block returns an empty block in which label i is that of row i.
func (s *session) block() *plugins.Block { return &plugins.Block{Labels: s.data.Labels} }

// moved adds f at a row whose raw value of a column is changed. The features may have been prepared: raw = Offset + Scale · prepared.
func (s *session) moved(b *plugins.Block, row, column int, to change) {
	offset, scale := 0.0, 1.0
	if s.data.Offset != nil {
		offset = s.data.Offset[column]
	}
	if s.data.Scale != nil {
		scale = s.data.Scale[column]
	}
	at := b.Points.Append(s.data.Rows.Row(row))
	x := b.Points.Row(at)
	x[column] = (to(offset+scale*x[column]) - offset) / scale
	label := int32(plugins.NoLabel)
	if len(s.data.Labels) > 0 {
		label = int32(row)
	}
	b.Term(1, ^int32(at), plugins.Evaluation, label)
	b.End()
}

// Map returns an error, as the family has no maps.
func (s *session) Map(_ context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	return nil, fmt.Errorf("equivariance has no map %q", call.Name)
}

// Close releases nothing.
func (s *session) Close() error { return nil }
