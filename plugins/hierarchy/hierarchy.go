// Package hierarchy is the family of logical relations between labels: implications and exclusions.
//
// On a row x, "child implies parent" asks that f(x, child) ≤ f(x, parent), and "a excludes b" that f(x, a) + f(x, b)
// ≤ 0. The penalty is the amount by which they fail,
//
//	implies(a, b) = [f(x, a) − f(x, b)]₊        excludes(a, b) = [f(x, a) + f(x, b)]₊,
//
// both sublinear in f (Section 5 of the paper). A taxonomy of the labels gives the pairs: edges(T) enumerates (child,
// parent), and siblings(T) the pairs of labels that exclude each other.
//
// With scores whose sign decides, f(x, a) + f(x, b) ≤ 0 keeps a and b from both being positive. It is convex, as the
// program needs it.
package hierarchy

import (
	"context"
	"fmt"

	"github.com/sipc-ml/sipc/plugins"
)

// chunkSize is how many elements one chunk holds.
const chunkSize = 1 << 14

// A family is stateless: sessions hold the labels.
type family struct{}

// New returns the family.
func New() plugins.Family { return family{} }

// Describe returns what the family adds to the language: two domains, and the definitions implies and excludes.
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
					"Labels without a parent are not siblings.",
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

// Open binds the family to data, of which it needs only the names of the labels.
func (family) Open(_ context.Context, data *plugins.Data) (plugins.Session, error) {
	return &session{labels: data.LabelNames}, nil
}

// A session enumerates pairs of the data's labels.
type session struct{ labels []string }

// Expand enumerates edges or siblings. It fails if the taxonomy names no labels of the data, or goes in a circle.
func (s *session) Expand(ctx context.Context, call *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	if call.Name != "edges" && call.Name != "siblings" {
		return fmt.Errorf("hierarchy has no domain %q", call.Name)
	}
	arg, ok := plugins.Lookup(call.Args, "taxonomy")
	if !ok {
		return fmt.Errorf("%s needs a taxonomy", call.Name)
	}
	// Functions of x alone have no labels to relate.
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

// Map returns an error, as the family has no maps.
func (s *session) Map(_ context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	return nil, fmt.Errorf("hierarchy has no map %q", call.Name)
}

// Close releases nothing.
func (s *session) Close() error { return nil }

// pairChunks gathers pairs of labels into chunks, so that a pair does not cost a call of a process.
type pairChunks struct {
	ctx   context.Context
	yield func(*plugins.Chunk) error
	a, b  []int32
}

// add adds a pair, and hands over a full chunk.
func (p *pairChunks) add(a, b int32) error {
	p.a, p.b = append(p.a, a), append(p.b, b)
	if len(p.a) < chunkSize {
		return nil
	}
	return p.flush()
}

// flush hands over the pairs gathered so far.
func (p *pairChunks) flush() error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if len(p.a) == 0 {
		return nil
	}
	chunk := &plugins.Chunk{Count: len(p.a), Labels: [][]int32{p.a, p.b}}
	// The chunk keeps its slices.
	p.a, p.b = nil, nil
	return p.yield(chunk)
}
