package plugins

import (
	"context"
	"errors"
	"fmt"
)

// A MoveCall asks where compositions of maps take the points of functionals. Every functional may be moved by amounts
// of its own, as those of an orbit are.
type MoveCall struct {
	Steps []MoveStep // in the order in which points go through them
	At    *Block     // evaluations only; see Session.Map
	Which []int32    // by functional: its row of Amounts
	// Amounts are shares from 0 to 1. One of 0.25 stands for the amount a quarter of the way from Low to High.
	Amounts Matrix
}

// A MoveStep is a map with its arguments, some of which are free.
type MoveStep struct {
	Name string
	Args []Value
	Free []FreeAmount
}

// A FreeAmount is an argument of a step whose number a column of MoveCall.Amounts gives.
type FreeAmount struct {
	Arg       int // the place in MoveStep.Args
	Amount    int // the column
	Low, High float64
}

// A Mover is a session that answers a MoveCall at once. It may compose maps before it applies them. A session
// that is none is asked by Map, once for each row of amounts and each step.
type Mover interface {
	Move(ctx context.Context, call *MoveCall) (*Block, error)
}

// ArgsAt writes the arguments of a step at a row of amounts to a slice, which it returns.
func (c *MoveCall) ArgsAt(step int, row int32, to []Value) []Value {
	s := &c.Steps[step]
	to = append(to[:0], s.Args...)
	for _, f := range s.Free {
		share := c.Amounts.Data[int(row)*c.Amounts.Cols+f.Amount]
		to[f.Arg].Number = f.Low + float64(share*(f.High-f.Low)) // rounded here: the same number on every machine
	}
	return to
}

// Validate checks that a call names rows and columns of amounts that are there.
func (c *MoveCall) Validate() error {
	switch {
	case c.At == nil:
		return errors.New("the call has no functionals")
	case len(c.Which) != c.At.Len():
		return fmt.Errorf("%d functionals are moved by %d rows of amounts", c.At.Len(), len(c.Which))
	case len(c.Steps) == 0:
		return errors.New("the call has no steps")
	}
	for _, row := range c.Which {
		if row < 0 || int(row) >= c.Amounts.Rows {
			return fmt.Errorf("row %d of %d rows of amounts", row, c.Amounts.Rows)
		}
	}
	for i := range c.Steps {
		for _, f := range c.Steps[i].Free {
			if f.Arg < 0 || f.Arg >= len(c.Steps[i].Args) || f.Amount < 0 || f.Amount >= c.Amounts.Cols {
				return fmt.Errorf("%s: argument %d at amount %d of %d", c.Steps[i].Name, f.Arg, f.Amount, c.Amounts.Cols)
			}
		}
	}
	return nil
}

// Move asks a session where compositions of maps take the points of functionals. One that is a Mover is asked at once.
func Move(ctx context.Context, s Session, call *MoveCall) (*Block, error) {
	if err := call.Validate(); err != nil {
		return nil, err
	}
	if m := moverOf(s); m != nil {
		return m.Move(ctx, call)
	}
	return stepByStep(ctx, s, call)
}

// moverOf returns a session as a Mover; nil means that it is none.
func moverOf(s Session) Mover {
	if v, ok := s.(*viewSession); ok {
		if moverOf(v.Session) == nil {
			return nil
		}
		return v
	}
	m, _ := s.(Mover)
	return m
}

// stepByStep asks a session by Map. Functionals that follow each other and have the same row of amounts are asked for together.
func stepByStep(ctx context.Context, s Session, call *MoveCall) (*Block, error) {
	out := &Block{Start: []int32{0}}
	var args []Value
	for first := 0; first < len(call.Which); {
		last := first + 1
		for last < len(call.Which) && call.Which[last] == call.Which[first] {
			last++
		}
		b := call.At.Select(func(i int) bool { return i >= first && i < last })
		for k := range call.Steps {
			args = call.ArgsAt(k, call.Which[first], args)
			moved, err := s.Map(ctx, &MapCall{Name: call.Steps[k].Name, Args: args, At: b})
			if err != nil {
				return nil, err
			}
			if moved == nil || moved.Len() != b.Len() {
				return nil, &AnswerError{fmt.Errorf("%s: it answered with another number of functionals than the %d that it was asked for", call.Steps[k].Name, b.Len())}
			}
			b = moved
		}
		out.Join(b)
		first = last
	}
	return out, nil
}

// Columns returns the columns of a matrix from the first to before the last, as a matrix of their own.
func (m *Matrix) Columns(first, last int) Matrix {
	out := Matrix{Rows: m.Rows, Cols: last - first, Data: make([]float64, 0, m.Rows*(last-first))}
	for i := range m.Rows {
		out.Data = append(out.Data, m.Row(i)[first:last]...)
	}
	return out
}
