package main

import (
	"context"
	"fmt"

	"github.com/sipc-ml/sipc/plugins"
)

// swaps is the family.
type swaps struct{}

// Describe says what the family adds to the language: the map swap(a, b).
func (swaps) Describe(context.Context) (*plugins.Schema, error) {
	return &plugins.Schema{
		Name:    "swaps",
		Version: "1.0.0",
		Doc:     "Columns that play the same part can change places.",
		Maps: []plugins.MapSchema{{
			Name:  "swap",
			Doc:   "Exchanges the values of two columns.",
			Needs: plugins.Needs{Columns: plugins.ArgumentColumns},
			Args: []plugins.Arg{
				{Name: "a", Kind: plugins.KindColumn, Doc: "one column"},
				{Name: "b", Kind: plugins.KindColumn, Doc: "the other"},
			},
		}},
	}, nil
}

// Open binds the family to data.
func (swaps) Open(_ context.Context, data *plugins.Data) (plugins.Session, error) {
	return &session{data}, nil
}

type session struct{ data *plugins.Data }

// Map answers for each functional Σ c f(x, y) with Σ c f(t(x), y), where t exchanges two columns.
func (s *session) Map(ctx context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	a, _ := plugins.Lookup(call.Args, "a")
	b, _ := plugins.Lookup(call.Args, "b")
	if a.Index == b.Index {
		return nil, fmt.Errorf("swap: %s changes places with itself; name two columns", a.Text)
	}
	out := &plugins.Block{Labels: call.At.Labels}
	for i := range call.At.Len() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for k := call.At.Start[i]; k < call.At.Start[i+1]; k++ {
			moved := out.Points.Append(s.point(call.At, call.At.Point[k]))
			s.swap(out.Points.Row(moved), a.Index, b.Index)
			out.Term(call.At.Coef[k], ^int32(moved), plugins.Evaluation, call.At.Label[k])
		}
		out.End()
	}
	return out, nil
}

// point returns a row of the data, or a new point that the call brings.
func (s *session) point(at *plugins.Block, i int32) []float64 {
	if i >= 0 {
		return s.data.Rows.Row(int(i))
	}
	return at.Points.Row(int(^i))
}

// swap exchanges raw values. The features may have been prepared: raw = Offset + Scale · prepared.
func (s *session) swap(x []float64, a, b int) {
	x[a], x[b] = s.prepare(a, s.raw(b, x[b])), s.prepare(b, s.raw(a, x[a]))
}

func (s *session) raw(j int, v float64) float64 {
	if s.data.Scale != nil {
		v *= s.data.Scale[j]
	}
	if s.data.Offset != nil {
		v += s.data.Offset[j]
	}
	return v
}

func (s *session) prepare(j int, v float64) float64 {
	if s.data.Offset != nil {
		v -= s.data.Offset[j]
	}
	if s.data.Scale != nil {
		v /= s.data.Scale[j]
	}
	return v
}

// Expand returns an error, as the family has no domains.
func (s *session) Expand(_ context.Context, call *plugins.DomainCall, _ func(*plugins.Chunk) error) error {
	return fmt.Errorf("swaps has no domain %q", call.Name)
}

// Close releases nothing.
func (s *session) Close() error { return nil }
