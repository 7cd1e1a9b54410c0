package plugins

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Map moves the points of functionals.
func (s *viewSession) Map(ctx context.Context, call *MapCall) (*Block, error) {
	v := s.view
	narrow := *call
	var err error
	if narrow.Args, err = v.args(call.Args); err != nil {
		return nil, fmt.Errorf("%s: %w", call.Name, err)
	}
	if v.columns != nil && len(v.columns) == 0 {
		return nil, &AnswerError{fmt.Errorf("%s: it sees no column that it could move", call.Name)}
	}
	if err := call.At.Validate(v.all.N(), v.all.Rows.Cols, len(v.all.LabelNames)); err != nil {
		return nil, fmt.Errorf("%s: %w", call.Name, err)
	}
	narrow.At = v.conceal(call.At)
	b, err := s.Session.Map(ctx, &narrow)
	if err != nil {
		return nil, err
	}
	if err := v.termByTerm(b, call.At); err != nil {
		return nil, &AnswerError{fmt.Errorf("%s: %w", call.Name, err)}
	}
	return v.restore(b, call.At), nil
}

// Move moves the points of functionals by compositions, where the session below is a Mover.
func (s *viewSession) Move(ctx context.Context, call *MoveCall) (*Block, error) {
	v := s.view
	narrow := *call
	narrow.Steps = slices.Clone(call.Steps)
	for i := range narrow.Steps {
		step := &narrow.Steps[i]
		var err error
		if step.Args, err = v.args(step.Args); err != nil {
			return nil, fmt.Errorf("%s: %w", step.Name, err)
		}
	}
	if err := call.At.Validate(v.all.N(), v.all.Rows.Cols, len(v.all.LabelNames)); err != nil {
		return nil, err
	}
	narrow.At = v.conceal(call.At)
	b, err := moverOf(s.Session).Move(ctx, &narrow)
	if err != nil {
		return nil, err
	}
	if err := v.termByTerm(b, call.At); err != nil {
		return nil, &AnswerError{err}
	}
	return v.restore(b, call.At), nil
}

// conceal returns a block without what is not seen.
func (v *view) conceal(at *Block) *Block {
	b := *at
	if v.columns != nil {
		b.Points = v.narrow(&at.Points)
	}
	if !v.labels {
		b.Labels, b.Label = nil, slices.Repeat([]int32{NoLabel}, len(at.Label))
	}
	return &b
}

// termByTerm checks that an answer is sound, and that its terms are those of the call.
func (v *view) termByTerm(b, at *Block) error {
	if b == nil {
		return errors.New("it answers nothing")
	}
	if err := b.Validate(v.seen.N(), v.seen.Rows.Cols, len(v.seen.LabelNames)); err != nil {
		return err
	}
	if !slices.Equal(b.Start, at.Start) {
		return fmt.Errorf("it answers %d functionals of %d terms with %d of %d, though it does not see all columns and labels: "+
			"it must answer term by term", at.Len(), len(at.Coef), b.Len(), len(b.Coef))
	}
	return nil
}

// restore puts back what was concealed, from the same term of the call.
func (v *view) restore(b, at *Block) *Block {
	wide := *b
	if !v.labels {
		wide.Label, wide.Labels = at.Label, at.Labels
	}
	if v.columns == nil {
		return &wide
	}
	wide.Tangents = v.widen(&b.Tangents)
	wide.Point, wide.Points = slices.Clone(b.Point), Matrix{Cols: v.all.Rows.Cols}
	type pair struct{ moved, from int32 }
	number := map[pair]int32{}
	for k, moved := range b.Point {
		from := at.Point[k]
		if moved >= 0 && moved == from {
			continue // it stays where it is
		}
		key := pair{moved, from}
		to, known := number[key]
		if !known {
			to = int32(wide.Points.Append(at.point(v.all, from)))
			v.put(b.point(v.seen, moved), wide.Points.Row(int(to)))
			number[key] = to
		}
		wide.Point[k] = ^to
	}
	return &wide
}

// point returns a row of the data, or a new point of the block.
func (b *Block) point(data *Data, i int32) []float64 {
	if i >= 0 {
		return data.Rows.Row(int(i))
	}
	return b.Points.Row(int(^i))
}
