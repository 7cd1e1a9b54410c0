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
	"strconv"
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

// Describe describes a domain with a path, a domain of rows, and a map that moves one column.
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
	switch f {
	case "determinism: columns":
		s.Domains[0].Needs.Columns, s.Domains[0].Needs.Names = plugins.NoColumns, []string{"x0"}
	case "determinism: labels":
		s.Domains[0].Needs.Labels = plugins.NoLabels
	case "schema: no documentation":
		s.Domains[1].Doc = ""
	case "schema: version":
		s.Version = "first"
	case "schema: changes":
		s.Doc += strconv.Itoa(os.Getpid())
	case "schema: bounds":
		s.Domains[0].Args[0].Default = "2000"
	case "schema: name":
		s.Domains[1].Name = "not a word"
	}
	return s, nil
}

// Open binds the family to data.
func (f family) Open(_ context.Context, data *plugins.Data) (plugins.Session, error) {
	if f == "empty" && data.N() == 1 {
		panic("index out of range")
	}
	if f == "large" && len(data.Rows.Data) > 1<<18 {
		panic("too much for me")
	}
	return &session{f, data}, nil
}

type session struct {
	fault family
	data  *plugins.Data
}

// inChunk is how many elements a chunk holds.
const inChunk = 256

// Expand enumerates a domain.
func (s *session) Expand(ctx context.Context, call *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	if s.fault == "arguments: refuses" {
		return errors.New("not today")
	}
	if call.Name == "some" {
		return s.some(call, yield)
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
	if s.fault == "cancellation" && s.data.N() == 2000 && len(s.data.Labels) == 0 {
		defer work(7 * time.Second)
	}
	size := inChunk
	if s.fault == "chunking" && s.data.N() == 2000 {
		size = math.MaxInt32
	}
	c := newChunk(call, s.data.Labels)
	for i := 0; i+reach < s.data.N(); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.element(call, c, i, i+reach)
		if s.fault == "chunking" && s.data.N() == 2000 {
			c.Points[0].Points.Append(make([]float64, s.data.Rows.Cols))
			c.Points[0].Points.Data = append(c.Points[0].Points.Data, make([]float64, 1000*s.data.Rows.Cols)...)
			c.Points[0].Points.Rows += 1000
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

func work(d time.Duration) {
	for start, x := time.Now(), 1.0; time.Since(start) < d && x > 0; {
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
			if s.fault == "derivative: path" {
				d.Term(2, ^int32(d.Points.Append(x)), int32(d.Tangents.Append(velocity)), label)
			} else {
				d.Term(coef, ^int32(d.Points.Append(x)), int32(d.Tangents.Append(velocity)), label)
			}
			d.End()
		}
	}
	c.Count++
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
		i := call.At.Point[k]
		x := call.At.Points.Row
		if i >= 0 {
			x = s.data.Rows.Row
		} else {
			i = ^i
		}
		moved := append([]float64(nil), x(int(i))...)
		tangent := int32(plugins.Evaluation)
		scale := 1.0
		if s.data.Scale != nil {
			scale = s.data.Scale[j]
		}
		if call.Derivative {
			v := make([]float64, len(moved))
			v[j] = math.Copysign(1/scale, by)
			if s.fault == "derivative: map" {
				v[j] *= scale // in units of the prepared feature, not of the raw one
				v[j] += 0.5
			}
			tangent = int32(out.Tangents.Append(v))
		} else {
			moved[j] += by / scale
		}
		out.Coef = append(out.Coef, c)
		out.Point = append(out.Point, ^int32(out.Points.Append(moved)))
		out.Tangent = append(out.Tangent, tangent)
		out.Label = append(out.Label, call.At.Label[k])
	}
	if s.fault == "chunking: map" && len(call.At.Coef) > 1000 {
		copy(out.Points.Data[len(out.Points.Data)-len(out.Points.Data)/2:], out.Points.Data)
		out.Points.Data[len(out.Points.Data)-1]++
	}
	return out, nil
}

// Close closes.
func (s *session) Close() error { return nil }
