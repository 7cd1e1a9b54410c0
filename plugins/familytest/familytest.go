// Package familytest helps the authors of families to test them. It has a smooth function f(x, y) with its gradient, on
// which blocks of functionals are evaluated as the contract says. So they can be compared with the formulas that they
// should compute, and derivatives with finite differences. It also has calls whose answers are validated.
package familytest

import (
	"context"
	"testing"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/probe"
)

// A Function is a smooth random function f(x, y) = Σ_c y_c Σ_k a_ck sin(⟨w_k, x⟩ + b_k). Without a label it is that of
// y = (1, 0, …).
type Function = probe.Function

// NewFunction draws a function of p features and m labels. It varies by about one over a distance of one.
func NewFunction(p, m int, seed uint64) *Function { return probe.NewFunction(p, m, seed) }

// Point returns the point of term k.
func Point(b *plugins.Block, data *plugins.Data, k int) []float64 { return probe.Point(b, data, k) }

// Table draws data: n rows of p standard normal features, and, where m > 0, one of m classes each.
func Table(n, p, m int, seed uint64) *plugins.Data { return probe.Table(n, p, m, seed) }

// Evaluations returns the block of f(x, y), one functional for each row of data.
func Evaluations(data *plugins.Data) *plugins.Block { return probe.Evaluations(data) }

// Expand collects the chunks of a domain of family on data, each validated against the schema.
func Expand(ctx context.Context, tb testing.TB, family plugins.Family, data *plugins.Data, call *plugins.DomainCall) ([]*plugins.Chunk, error) {
	tb.Helper()
	schema, err := family.Describe(ctx)
	if err != nil {
		return nil, err
	}
	domain := schema.Domain(call.Name)
	if domain == nil {
		tb.Fatalf("the schema has no domain %q", call.Name)
	}
	s, err := family.Open(ctx, data)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	}()
	var out []*plugins.Chunk
	err = s.Expand(ctx, call, func(c *plugins.Chunk) error {
		if err := c.Validate(domain, call, data.N(), data.Rows.Cols, len(data.LabelNames)); err != nil {
			tb.Errorf("%s: %v", call.Name, err)
		}
		out = append(out, c)
		return nil
	})
	return out, err
}

// Map asks family to move the functionals of call.At, and validates the answer.
func Map(ctx context.Context, tb testing.TB, family plugins.Family, data *plugins.Data, call *plugins.MapCall) (*plugins.Block, error) {
	tb.Helper()
	s, err := family.Open(ctx, data)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	}()
	b, err := s.Map(ctx, call)
	if err != nil {
		return nil, err
	}
	if err := b.Validate(data.N(), data.Rows.Cols, len(data.LabelNames)); err != nil {
		tb.Errorf("%s: %v", call.Name, err)
	}
	if b.Len() != call.At.Len() {
		tb.Errorf("%s answers %d functionals with %d", call.Name, call.At.Len(), b.Len())
	}
	return b, nil
}
