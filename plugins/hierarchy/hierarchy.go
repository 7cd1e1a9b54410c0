// Package hierarchy is the family of logical relations between labels: implications and exclusions.
//
// On a row x, "child implies parent" asks that f(x, child) ≤ f(x, parent), and "a excludes b" that f(x, a) + f(x,
// b) ≤ 0. The penalty is the amount by which they fail,
//
//	implies(a, b) = [f(x, a) − f(x, b)]₊        excludes(a, b) = [f(x, a) + f(x, b)]₊,
//
// both sublinear in f (Section 5 of the paper). A taxonomy of the labels gives the pairs: edges(T) enumerates
// (child, parent), and siblings(T) the pairs of labels that exclude each other.
package hierarchy

import (
	"context"
	"fmt"

	"github.com/sipc-ml/sipc/plugins"
)

// chunkSize is how many elements one chunk holds.
const chunkSize = 1 << 14

type family struct{}

// New is the family.
func New() plugins.Family { return family{} }

// Describe says what the family adds to the language.
func (family) Describe(context.Context) (*plugins.Schema, error) {
	tree := []plugins.Arg{{
		Name: "taxonomy", Kind: plugins.KindTaxonomy,
		Doc: "child → parent relations between labels, as taxonomy(\"file\") reads them; cycles are an error",
	}}
	return &plugins.Schema{
		Name:    "hierarchy",
		Version: "1.0.0",
		Doc:     "Logical relations between labels: implication and exclusion, and the pairs that a taxonomy gives.",
		Domains: []plugins.DomainSchema{
			{
				Name: "edges",
				Doc:  "The relations of a taxonomy, each once, in the order in which the taxonomy names them.",
				Args: tree, Needs: plugins.Needs{Labels: plugins.LabelNames},
				Binds: []plugins.Bind{
					{Name: "child", Kind: plugins.BindLabel, Doc: "the label that implies"},
					{Name: "parent", Kind: plugins.BindLabel, Doc: "the label that is implied"},
				},
			},
			{
				Name: "siblings",
				Doc: "The pairs of labels with a common parent, each once, but for pairs that some label implies both of. " +
					"Labels without a parent are no siblings.",
				Args: tree, Needs: plugins.Needs{Labels: plugins.LabelNames},
				Binds: []plugins.Bind{
					{Name: "a", Kind: plugins.BindLabel, Doc: "the label that comes first among the data's labels"},
					{Name: "b", Kind: plugins.BindLabel, Doc: "the other label"},
				},
			},
		},
		Definitions: []plugins.Definition{
			{
				Name: "implies", Doc: "How far f(a) exceeds f(b): zero where a implies b.",
				Source: "def implies(a, b) = pos(f(a) - f(b))",
			},
			{
				Name: "excludes", Doc: "How far f(a) + f(b) exceeds zero: zero where a and b exclude each other.",
				Source: "def excludes(a, b) = pos(f(a) + f(b))",
			},
		},
	}, nil
}

// Open binds the family to data. Of the data it looks at the names of the labels alone.
func (family) Open(_ context.Context, data *plugins.Data) (plugins.Session, error) {
	return &session{labels: data.LabelNames}, nil
}

type session struct{ labels []string }

// Expand enumerates edges or siblings.
func (s *session) Expand(ctx context.Context, call *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	if call.Name != "edges" && call.Name != "siblings" {
		return fmt.Errorf("hierarchy has no domain %q", call.Name)
	}
	arg, ok := plugins.Lookup(call.Args, "taxonomy")
	if !ok {
		return fmt.Errorf("%s needs a taxonomy", call.Name)
	}
	if len(s.labels) == 0 {
		return fmt.Errorf("%s relates labels, but the target has none: f is a function of x alone", call.Name)
	}
	tax, err := NewTaxonomy(arg.Edges, s.labels)
	if err != nil {
		return fmt.Errorf("%s: %w", call.Name, err)
	}
	out := &pairChunks{ctx: ctx, yield: yield}
	if call.Name == "edges" {
		err = tax.Edges(out.add)
	} else {
		err = tax.Siblings(out.add)
	}
	if err != nil {
		return err
	}
	return out.flush()
}

// Map is not offered: the family has no maps.
func (s *session) Map(_ context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	return nil, fmt.Errorf("hierarchy has no map %q", call.Name)
}

// Close releases nothing.
func (s *session) Close() error { return nil }

// pairChunks gathers pairs of labels into chunks.
type pairChunks struct {
	ctx   context.Context
	yield func(*plugins.Chunk) error
	a, b  []int32
}

func (p *pairChunks) add(a, b int32) error {
	p.a, p.b = append(p.a, a), append(p.b, b)
	if len(p.a) < chunkSize {
		return nil
	}
	return p.flush()
}

func (p *pairChunks) flush() error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if len(p.a) == 0 {
		return nil
	}
	chunk := &plugins.Chunk{Count: len(p.a), Labels: [][]int32{p.a, p.b}}
	p.a, p.b = nil, nil
	return p.yield(chunk)
}
