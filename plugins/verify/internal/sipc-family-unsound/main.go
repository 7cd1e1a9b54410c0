// Command sipc-family-unsound is a sound family, but for one fault, which SIPC_FAULT names: the tests of package verify must find it,
// and nothing else.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/sdk"
)

func main() {
	fault := os.Getenv("SIPC_FAULT")
	if fault == "handshake" {
		fmt.Println("hello, I am a family")
	}
	sdk.Serve(family(fault))
}

type family string

// Describe describes two domains with a path, a domain of two columns, a domain of rows, and a map that moves one column.
func (f family) Describe(context.Context) (*plugins.Schema, error) {
	s := &plugins.Schema{
		Name: "unsound", Version: "1.0.0", Doc: "A family for tests.",
		Domains: []plugins.DomainSchema{
			{
				Name: "ahead", Doc: "The way from each row to the next.",
				Args:  []plugins.Arg{{Name: "reach", Kind: plugins.KindCount, Default: "1", Min: 1, Max: 1000, Doc: "how far ahead"}},
				Binds: []plugins.Bind{{Name: "x", Kind: plugins.BindPoint, Doc: "the point"}, {Name: "t", Kind: plugins.BindParameter, Doc: "where"}},
				Needs: plugins.Needs{Columns: plugins.AllColumns, Labels: plugins.RowLabels},
			},
			{
				Name: "above", Doc: "Rows in which one column is above another.", Needs: plugins.Needs{Columns: plugins.AllColumns},
				Args: []plugins.Arg{
					{Name: "first", Kind: plugins.KindColumn, Doc: "one column"}, {Name: "second", Kind: plugins.KindColumn, Doc: "the other"},
				},
				Binds: []plugins.Bind{{Name: "a", Kind: plugins.BindPoint, Doc: "the row"}},
			},
			{
				Name: "sweep", Doc: "The way of each row on which one column goes from low to high.",
				Args: []plugins.Arg{
					{Name: "column", Kind: plugins.KindColumn, Doc: "which"},
					{Name: "low", Kind: plugins.KindNumber, Doc: "where it begins"},
					{Name: "high", Kind: plugins.KindNumber, Doc: "where it ends"},
				},
				Binds: []plugins.Bind{{Name: "x", Kind: plugins.BindPoint, Doc: "the point"}, {Name: "t", Kind: plugins.BindParameter, Doc: "where"}},
				Needs: plugins.Needs{Columns: plugins.AllColumns, Labels: plugins.RowLabels},
			},
			{Name: "some", Doc: "Every other row.", Binds: []plugins.Bind{{Name: "a", Kind: plugins.BindPoint, Doc: "the row"}}},
		},
		Maps: []plugins.MapSchema{{
			Name: "push", Doc: "Moves one column.", Differentiable: true, Needs: plugins.Needs{Columns: plugins.ArgumentColumns},
			Args: []plugins.Arg{
				{Name: "column", Kind: plugins.KindColumn, Doc: "which"},
				{Name: "by", Kind: plugins.KindNumber, Default: "1", Doc: "how far"},
			},
		}},
	}
	f.misdescribe(s)
	return s, nil
}

// misdescribe makes the faults that are the schema's.
func (f family) misdescribe(s *plugins.Schema) {
	switch f {
	case "determinism: columns":
		s.Domains[0].Needs.Columns, s.Domains[0].Needs.Names = plugins.NoColumns, []string{"x0"}
	case "determinism: labels":
		s.Domains[0].Needs.Labels = plugins.NoLabels
	case "preparation: column":
		s.Maps[0].Needs.Columns = plugins.AllColumns
	case "labels", "labels: lost", "labels: moved":
		s.Maps[0].Needs.Labels = plugins.RowLabels
	case "schema: no documentation":
		s.Domains[3].Doc = ""
	case "schema: version":
		s.Version = "first"
	case "schema: blind":
		s.Maps[0].Needs = plugins.Needs{}
	case "schema: changes":
		s.Doc += strconv.Itoa(os.Getpid())
	case "schema: bounds":
		s.Domains[0].Args[0].Default = "2000"
	case "schema: default":
		s.Domains[0].Args[0].Default = "n"
	case "schema: unit":
		s.Maps[0].Args[1].Default = "1deg"
	case "schema: name":
		s.Domains[3].Name = "not a word"
	}
}

// Open binds the family to data.
func (f family) Open(_ context.Context, data *plugins.Data) (plugins.Session, error) {
	if f == "empty" && data.N() == 1 && len(data.LabelNames) == 0 {
		panic("index out of range")
	}
	if f == "large" && len(data.Rows.Data) > 1<<15 && len(data.LabelNames) == 0 {
		panic("too much for me")
	}
	return &session{f, data}, nil
}

type session struct {
	fault family
	data  *plugins.Data
}

// inChunk is how many elements a chunk holds, and many how many rows are many.
const inChunk, many = 256, 600

// Expand enumerates a domain.
func (s *session) Expand(ctx context.Context, call *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	if s.fault == "arguments: refuses" {
		return errors.New("not today")
	}
	switch call.Name {
	case "some":
		if s.fault == "arguments: one" {
			return errors.New("not today")
		}
		return s.some(call, yield)
	case "sweep":
		return s.sweep(call, yield)
	case "above":
		return s.above(call, yield)
	}
	reach, err := plugins.CountOr(call.Args, "reach", 1)
	if err != nil {
		return err
	}
	switch {
	case s.fault == "arguments: crash" && reach > 100:
		panic("out of reach")
	case s.fault == "arguments: reason" && reach > 100:
		return fmt.Errorf("reach is\nno\ngood: %d", reach)
	}
	return s.ahead(ctx, call, reach, yield)
}

func (s *session) ahead(ctx context.Context, call *plugins.DomainCall, reach int, yield func(*plugins.Chunk) error) error {
	if s.fault == "cancellation" && s.data.N() >= many && len(s.data.Labels) == 0 {
		defer workOn(ctx)
	}
	size := inChunk
	if s.fault == "chunking" && s.data.N() >= many {
		size = math.MaxInt32
	}
	c := newChunk(call, s.data.Labels)
	for i := 0; i+reach < s.data.N(); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.element(call, c, i, i+reach)
		if s.fault == "chunking" && s.data.N() >= many {
			c.Points[0].Points.Data = append(c.Points[0].Points.Data, make([]float64, 200*s.data.Rows.Cols)...)
			c.Points[0].Points.Rows += 200
		}
		if c.Count == size {
			if err := yield(c); err != nil {
				return err
			}
			c = newChunk(call, s.data.Labels)
		}
	}
	return yield(c)
}

// working tells that a call works on: one is enough.
var working atomic.Bool

// workOn works for a while, though the call is cancelled.
func workOn(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(50 * time.Millisecond):
		return
	}
	if working.Swap(true) {
		return
	}
	defer working.Store(false)
	for start, x := time.Now(), 1.0; time.Since(start) < 2*time.Second && x > 0; {
		x = math.Sqrt(x + 1)
	}
}

func newChunk(call *plugins.DomainCall, labels []plugins.Label) *plugins.Chunk {
	c := &plugins.Chunk{Points: []*plugins.Block{{Labels: labels}}}
	if call.Derivative {
		c.Derivatives = []*plugins.Block{{Labels: labels}}
	}
	return c
}

// element adds the way from row i to row j; its label is that of row i.
func (s *session) element(call *plugins.DomainCall, c *plugins.Chunk, i, j int) {
	a, b := s.data.Rows.Row(i), s.data.Rows.Row(j)
	label := int32(plugins.NoLabel)
	if len(s.data.Labels) > 0 {
		label = int32(i)
	}
	points := c.Points[0]
	if s.fault == "derivative: still" {
		b = a
	}
	velocity := make([]float64, len(a))
	length := 0.0
	for k := range a {
		velocity[k] = b[k] - a[k]
		length = math.Hypot(length, velocity[k])
	}
	coef := 1.0
	if s.fault == "boundedness" {
		coef = length / length // of two rows that are the same
	}
	if s.fault == "preparation: path" {
		velocity[0] *= 1 + s.inverseScale(0)
		b = slices.Clone(b)
		b[0] = a[0] + velocity[0]
	}
	if s.fault == "determinism" && i == 3 {
		coef = 1 + 1e-9*rand.Float64()
	}
	for _, t := range call.Nodes {
		x := make([]float64, len(a))
		for k := range a {
			x[k] = (1-t)*a[k] + t*b[k]
		}
		points.Term(coef, ^int32(points.Points.Append(x)), plugins.Evaluation, label)
		points.End()
		if call.Derivative {
			d := c.Derivatives[0]
			if s.fault == "derivative" || (s.fault == "derivative: ends" && t == 1) {
				d.Term(2, ^int32(d.Points.Append(x)), int32(d.Tangents.Append(velocity)), label)
			} else {
				d.Term(coef, ^int32(d.Points.Append(x)), int32(d.Tangents.Append(velocity)), label)
			}
			d.End()
		}
	}
	c.Count++
}

// sweep leads one column of each row from low to high, which must be above low.
func (s *session) sweep(call *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	column, _ := plugins.Lookup(call.Args, "column")
	low, high := plugins.NumberOr(call.Args, "low", 0), plugins.NumberOr(call.Args, "high", 0)
	switch {
	case low >= high:
		return fmt.Errorf("sweep: it goes from %g to %g; let it go up", low, high)
	case math.Abs(low) > 1e50 || math.Abs(high) > 1e50:
		return errors.New("sweep: give numbers of at most 1e50")
	}
	j := column.Index
	c := newChunk(call, s.data.Labels)
	for i := range s.data.N() {
		label := int32(plugins.NoLabel)
		if len(s.data.Labels) > 0 {
			label = int32(i)
		}
		for _, t := range call.Nodes {
			x := slices.Clone(s.data.Rows.Row(i))
			x[j] = (1-t)*s.prepared(j, low) + t*s.prepared(j, high)
			c.Points[0].Term(1, ^int32(c.Points[0].Points.Append(x)), plugins.Evaluation, label)
			c.Points[0].End()
			if !call.Derivative {
				continue
			}
			v := make([]float64, len(x))
			v[j] = s.prepared(j, high) - s.prepared(j, low)
			if s.fault == "derivative: length" { // right where the way has no length
				v[j] *= 1 + high - low
			}
			d := c.Derivatives[0]
			d.Term(1, ^int32(d.Points.Append(x)), int32(d.Tangents.Append(v)), label)
			d.End()
		}
		c.Count++
	}
	return yield(c)
}

func (s *session) prepared(j int, raw float64) float64 {
	if s.data.Scale == nil {
		return raw
	}
	return (raw - s.data.Offset[j]) / s.data.Scale[j]
}

// some yields every other row.
func (s *session) some(_ *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	c := &plugins.Chunk{Points: []*plugins.Block{{}}}
	for i := 0; i < s.data.N(); i += 2 {
		c.Points[0].Term(1, int32(i), plugins.Evaluation, plugins.NoLabel)
		c.Points[0].End()
		c.Count++
	}
	return yield(c)
}

// above yields the rows in which one column is above another, in raw units.
func (s *session) above(call *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	first, _ := plugins.Lookup(call.Args, "first")
	second, _ := plugins.Lookup(call.Args, "second")
	if s.fault == "empty: columns" && s.data.Rows.Cols == 2 {
		panic("index out of range")
	}
	c := &plugins.Chunk{Points: []*plugins.Block{{}}}
	for i := range s.data.N() {
		x := s.data.Rows.Row(i)
		if s.raw(first.Index, x) > s.raw(second.Index, x) {
			c.Points[0].Term(1, int32(i), plugins.Evaluation, plugins.NoLabel)
			c.Points[0].End()
			c.Count++
		}
	}
	return yield(c)
}

func (s *session) raw(j int, x []float64) float64 {
	if s.fault == "preparation: rows" || s.data.Scale == nil {
		return x[j]
	}
	return s.data.Offset[j] + s.data.Scale[j]*x[j]
}

// Map moves one column.
func (s *session) Map(_ context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	column, _ := plugins.Lookup(call.Args, "column")
	by := plugins.NumberOr(call.Args, "by", 1)
	j := column.Index
	if s.fault == "arguments: refuses" {
		return nil, errors.New("not today")
	}
	if math.Abs(by) > 1e50 {
		return nil, fmt.Errorf("push: by is %g; give at most 1e50", by)
	}
	out := &plugins.Block{Labels: call.At.Labels, Start: call.At.Start}
	for k, c := range call.At.Coef {
		i, label := call.At.Point[k], call.At.Label[k]
		x := call.At.Points.Row
		if i >= 0 {
			x = s.data.Rows.Row
			if s.fault == "labels" && len(s.data.Labels) > 0 {
				out.Labels, label = s.data.Labels, i
			}
		} else {
			i = ^i
		}
		moved := append([]float64(nil), x(int(i))...)
		step, tangent := s.step(j, moved, label), int32(plugins.Evaluation)
		switch s.fault {
		case "labels: coefficient":
			c = 1
		case "labels: lost":
			label = plugins.NoLabel
		}
		if call.Derivative {
			tangent = int32(out.Tangents.Append(s.velocity(j, step, by)))
		} else {
			moved[j] += by * step
		}
		out.Coef = append(out.Coef, c)
		out.Point = append(out.Point, ^int32(out.Points.Append(moved)))
		out.Tangent = append(out.Tangent, tangent)
		out.Label = append(out.Label, label)
	}
	if s.fault == "chunking: map" && len(call.At.Coef) > 1000 {
		copy(out.Points.Data[len(out.Points.Data)-len(out.Points.Data)/2:], out.Points.Data)
		out.Points.Data[len(out.Points.Data)-1]++
	}
	return out, nil
}

// inverseScale is one raw unit of a column, prepared.
func (s *session) inverseScale(j int) float64 {
	if s.data.Scale == nil {
		return 1
	}
	return 1 / s.data.Scale[j]
}

// velocity is that of a point whose prepared column j goes so far in a step by one.
func (s *session) velocity(j int, step, by float64) []float64 {
	v := make([]float64, s.data.Rows.Cols)
	v[j] = math.Copysign(step, by)
	switch s.fault {
	case "derivative: map":
		v[j] *= 1.5
	case "derivative: sign":
		v[j] = math.Abs(v[j])
	}
	return v
}

// step is how far the prepared column j of x goes when the raw one goes by one unit.
func (s *session) step(j int, x []float64, label int32) float64 {
	if s.fault == "labels: moved" {
		return s.inverseScale(j) * float64(2+label)
	}
	switch s.fault {
	case "preparation":
		return 1
	case "preparation: column":
		return s.inverseScale((j + 1) % s.data.Rows.Cols)
	case "preparation: offset": // moves by what the raw value is, and takes the prepared one for it
		return (1 + 0.01*math.Tanh(x[j])) * s.inverseScale(j)
	}
	return s.inverseScale(j)
}

// Close closes.
func (s *session) Close() error { return nil }
