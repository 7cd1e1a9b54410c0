// Package mixup is the family of paths between two training examples.
//
// Between rows i and j runs the path
//
//	x_λ = λ x_i + (1−λ) x_j,   y_λ = λ y_i + (1−λ) y_j,   λ ∈ [0, 1],
//
// along which f should vary slowly (Section 4 of the paper). The value there and its derivative along the path are
//
//	g(λ) = f(x_λ, y_λ),   g′(λ) = Df(x_λ, y_λ)[x_i − x_j] + f(x_λ, y_i − y_j),
//
// where the last term follows because f is linear in y. If f is a function of x alone, the terms in y are absent.
//
// The same seed draws the same pairs on every machine: numbers that decide anything are rounded after each operation.
package mixup

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/sipc-ml/sipc/plugins"
)

// The choices of pairs.
const (
	anyPair        = "any"
	sameClass      = "same_class"
	differentClass = "different_class"
	nearest        = "nearest"
	nearestInClass = "nearest_same_class"
)

// defaultNeighbours is how many nearest neighbours a row has for pairs(choose = nearest).
const defaultNeighbours = 5

// mostPoints bounds the points of all paths, 2²⁶.
const mostPoints = 1 << 26

// A family is stateless: sessions hold the data.
type family struct{}

// New returns the family.
func New() plugins.Family { return family{} }

// Describe returns what the family adds to the language: the domain pairs.
func (family) Describe(context.Context) (*plugins.Schema, error) {
	return &plugins.Schema{
		Name:    "mixup",
		Version: "1.0.0",
		Doc:     "Paths between two training examples: f should vary slowly from one to the other.",
		Domains: []plugins.DomainSchema{{
			Name: "pairs",
			Doc: "Pairs of two different rows, drawn at random, each pair once until all have been drawn; the point runs " +
				"from the second row (λ = 0) to the first (λ = 1), its label likewise.",
			Args: []plugins.Arg{
				{Name: "count", Kind: plugins.KindCount, Default: "4n", Min: 1, Max: math.MaxInt32, Unit: "pairs", Doc: "how many pairs"},
				{
					Name: "choose", Kind: plugins.KindChoice, Default: anyPair,
					Choices: []string{anyPair, sameClass, differentClass, nearest, nearestInClass},
					Doc: "which pairs: any, those with the same label, those with different labels, a row and one of its nearest neighbours, " +
						"or a row and one of the nearest that have its label",
				},
				{
					Name: "neighbours", Kind: plugins.KindCount, Default: strconv.Itoa(defaultNeighbours), Min: 1, Max: math.MaxInt32, Unit: "rows",
					Doc: "with choose = nearest or nearest_same_class: how many of the nearest rows count as neighbours",
				},
				{
					Name: "seed", Kind: plugins.KindNumber, Optional: true, Min: 0, Max: 1 << 53,
					Doc: "draws the pairs by this seed, whatever the seed of the run",
				},
			},
			Needs:    plugins.Needs{Columns: plugins.AllColumns, Labels: plugins.RowLabels},
			Straight: true,
			Binds: []plugins.Bind{
				{Name: "x", Kind: plugins.BindPoint, Doc: "the point on the path, with its label"},
				{Name: "lambda", Kind: plugins.BindParameter, Doc: "where on the path: 0 at the second row, 1 at the first"},
			},
		}},
	}, nil
}

// Open binds the family to data. It fails unless there are as many labels as rows, or none.
func (family) Open(_ context.Context, data *plugins.Data) (plugins.Session, error) {
	if len(data.Labels) != 0 && len(data.Labels) != data.N() {
		return nil, fmt.Errorf("mixup: %d rows have %d labels", data.N(), len(data.Labels))
	}
	return &session{data: data}, nil
}

// A session enumerates pairs of one data set.
type session struct{ data *plugins.Data }

// Expand enumerates pairs, drawn by the call's seed. It gives the values on each path at the call's nodes and, on
// demand, the derivatives.
func (s *session) Expand(ctx context.Context, call *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	if call.Name != "pairs" {
		return fmt.Errorf("mixup has no domain %q", call.Name)
	}
	if err := s.expand(ctx, call, yield); err != nil {
		return fmt.Errorf("pairs: %w", err)
	}
	return nil
}

// expand checks the call, draws pairs and yields their paths.
func (s *session) expand(ctx context.Context, call *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	if len(call.Nodes) == 0 {
		return fmt.Errorf("the path's parameter takes no value: the call names no nodes")
	}
	for _, l := range call.Nodes {
		// Written so that a NaN fails.
		if !(l >= 0 && l <= 1) {
			return fmt.Errorf("the path's parameter is %v, outside [0, 1]", l)
		}
	}
	seed := call.Seed
	if v, ok := plugins.Lookup(call.Args, "seed"); ok {
		// Beyond 2⁵³ numbers of the language no longer hold every whole number.
		if v.Number != math.Trunc(v.Number) || v.Number < 0 || v.Number > 1<<53 {
			return fmt.Errorf("seed is %v: give a whole number, zero or more", v.Number)
		}
		seed = uint64(v.Number)
	}
	n := s.data.N()
	if n < 2 {
		return fmt.Errorf("two rows make a pair, but there is %d", n)
	}
	// By default every row is in eight pairs on average.
	count, err := plugins.CountOr(call.Args, "count", 4*n)
	if err != nil {
		return err
	}
	// By division, as the product might overflow.
	if count > mostPoints/len(call.Nodes) {
		return fmt.Errorf("%d pairs, each at %d points of its path, are more than the %d points that fit: give a smaller count", count, len(call.Nodes), mostPoints)
	}
	pool, err := s.pool(ctx, call)
	if err != nil {
		return err
	}
	return s.paths(ctx, call, draw(pool, count, seed), yield)
}

// Map returns an error, as the family has no maps.
func (s *session) Map(_ context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	return nil, fmt.Errorf("mixup has no map %q", call.Name)
}

// Close releases nothing.
func (s *session) Close() error { return nil }
