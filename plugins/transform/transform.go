// Package transform is the family of maps of points under which f should hardly change. An image is rotated, scaled,
// shifted or sheared; in a table's row a column is moved or given a value, or two columns change places.
//
// For a functional Σ c f(x, y) a map t gives Σ c f(t(x), y), and its derivative at the identity Σ c Df(x, y)[ẋ], where
// ẋ is the velocity of x under the map. Labels stay.
//
// # Images
//
// Row r and column c of an H×W image lie at u = c − (W−1)/2, v = r − (H−1)/2: u points right, v points down, the centre
// of the image is the origin. A map moves what is seen by
//
//	rotate(θ)    (u, v) → (u cos θ + v sin θ, −u sin θ + v cos θ)    counter-clockwise as seen on the screen
//	scale(s)     (u, v) → (1+s)(u, v)                                enlarges for s > 0
//	shift(a, b)  (u, v) → (u + a, v + b)                             right by a, down by b pixels
//	shear(a, b)  (u, v) → (u + a v, v + b u)
//
// The new image's value at q is the old image's value at t⁻¹(q), between pixels by bilinear interpolation. Outside the
// image, the old one is zero. All this happens to raw values: a preparation of the features (Offset, Scale) is undone
// before, and done again after.
//
// # Compositions
//
// An orbit composes maps with amounts that differ from functional to functional, t = t_k ∘ … ∘ t_1. Maps of images are
// affine maps of the plane, and so are their compositions,
//
//	t⁻¹(q) = t_1⁻¹(… t_k⁻¹(q)) = A q + b.
//
// So each move multiplies k matrices and interpolates once. Interpolating after each map would blur an image k times. The inverse of
// a map is written as a list of six numbers, A₁₁ A₁₂ b₁ A₂₁ A₂₂ b₂. Maps of tables are exact, and follow each other as they are.
// A move needs no memory but that of the new point: weights that serve thousands of rows, as one map has
// them, would serve one. Rows are moved on all processors, and each sum is computed by one of them.
//
// # Derivatives
//
// The derivative at the identity is along the map's parameter. It is per radian, per unit of scale, per pixel, per unit
// of shear, or per raw unit of the column. Only the direction of the arguments matters: shift(dx = -2) moves left at
// one pixel per unit of the parameter, and shift(dx = 3, dy = 4) along (3, 4)/5. An amount that is left out points
// forward. With w(q) the velocity of the map at q,
//
//	ẋ(q) = −⟨∇x(q), w(q)⟩,   w = (v, −u) for rotate,  (u, v) for scale,  (a, b) for shift,  (a v, b u) for shear,
//
// and ∇x by central differences, with the image zero outside. This is the mean of the derivatives of the bilinear
// interpolation from both sides. For move, ẋ is 1/Scale in its column.
package transform

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/plugins"
)

type family struct{}

// New returns the family.
func New() plugins.Family { return family{} }

// Describe returns what the family adds to the language: four maps of images, and three of tables.
func (family) Describe(context.Context) (*plugins.Schema, error) {
	pixels := func(name, doc string) plugins.Arg {
		return plugins.Arg{Name: name, Kind: plugins.KindNumber, Default: "0", Unit: "pixels", Doc: doc}
	}
	slope := func(name, doc string) plugins.Arg {
		return plugins.Arg{Name: name, Kind: plugins.KindNumber, Default: "0", Doc: doc}
	}
	image := func(name, doc string, args ...plugins.Arg) plugins.MapSchema {
		return plugins.MapSchema{
			Name: name, Doc: doc, Args: args, NeedsImage: true, Differentiable: true, Needs: plugins.Needs{Columns: plugins.AllColumns},
		}
	}
	return &plugins.Schema{
		Name:    "transform",
		Version: "1.0.0",
		Doc:     "Maps of points under which f should hardly change: of images, and of the rows of a table.",
		Maps: []plugins.MapSchema{
			image("rotate", "Turns an image about its centre, counter-clockwise.",
				plugins.Arg{Name: "angle", Kind: plugins.KindAngle, Unit: "degrees", Doc: "how far"}),
			image("scale", "Enlarges an image about its centre: scale(0.1) by 10 %.",
				plugins.Arg{
					Name: "factor", Kind: plugins.KindNumber, Min: smallestScale, Max: largestScale,
					Doc: "how much larger: 0.1 is by 10 %, -0.5 to half; at -1 nothing is left",
				}),
			image("shift", "Moves an image.", pixels("dx", "how far to the right"), pixels("dy", "how far down")),
			image("shear", "Shears an image about its centre.",
				slope("x", "how far to the right per pixel down"), slope("y", "how far down per pixel to the right")),
			{
				Name: moveWord, Doc: "Moves one column of a table by an amount.", Differentiable: true,
				Needs: plugins.Needs{Columns: plugins.ArgumentColumns},
				Args: []plugins.Arg{
					{Name: "column", Kind: plugins.KindColumn, Doc: "which column"},
					{Name: "amount", Kind: plugins.KindNumber, Unit: "the column's own", Doc: "how far, in the column's own unit"},
				},
			},
			{
				Name: putWord, Doc: "Gives a column of a table a value.", Needs: plugins.Needs{Columns: plugins.ArgumentColumns},
				Args: []plugins.Arg{
					{Name: "column", Kind: plugins.KindColumn, Unit: plugins.Cells, Doc: "which column of the file"},
					{Name: "value", Kind: plugins.KindNumber, Unit: plugins.Cells, Doc: "a number in the column's own unit, or a text in quotes"},
				},
			},
			{
				Name: swapWord, Doc: "Lets two columns of a table change places.", Needs: plugins.Needs{Columns: plugins.ArgumentColumns},
				Args: []plugins.Arg{
					{Name: "a", Kind: plugins.KindColumn, Unit: plugins.Cells, Doc: "one column of the file"},
					{Name: "b", Kind: plugins.KindColumn, Unit: plugins.Cells, Doc: "the other"},
				},
			},
		},
	}, nil
}

// Open binds the family to data. It fails if the preparation of the features cannot be undone.
func (family) Open(_ context.Context, data *plugins.Data) (plugins.Session, error) {
	p := data.Rows.Cols
	for _, v := range [][]float64{data.Offset, data.Scale} {
		if v != nil && len(v) != p {
			return nil, fmt.Errorf("transform: %d features are prepared by %d numbers", p, len(v))
		}
	}
	for j, s := range data.Scale {
		if s == 0 || math.IsNaN(s) || math.IsInf(s, 0) {
			return nil, fmt.Errorf("transform: feature %d has scale %v", j, s)
		}
	}
	return &session{data: data}, nil
}

// A session moves points of one data set.
type session struct{ data *plugins.Data }

// Map moves the points of functionals, or gives the derivative at the identity. Errors name the map.
func (s *session) Map(ctx context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	b, err := s.move(ctx, call)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", call.Name, err)
	}
	return b, nil
}

// move checks the call and moves.
func (s *session) move(ctx context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	t, err := s.pointMap(call)
	if err != nil {
		return nil, err
	}
	if call.At == nil {
		return nil, errors.New("the call has no functionals")
	}
	if err := call.At.Validate(s.data.N(), s.data.Rows.Cols, len(s.data.LabelNames)); err != nil {
		return nil, err
	}
	for _, tangent := range call.At.Tangent {
		if tangent != plugins.Evaluation {
			return nil, errors.New("the map acts on values of f, not on its derivatives")
		}
	}
	if call.Derivative {
		return differentiate(ctx, s.data, call.At, t)
	}
	return apply(ctx, s.data, call.At, t)
}

// pointMap returns the map that a call names.
func (s *session) pointMap(call *plugins.MapCall) (pointMap, error) {
	switch call.Name {
	case moveWord, putWord, swapWord:
		return newRewriting(s.data, call)
	}
	motion, err := newMotion(call.Name, call.Args, call.Derivative)
	if err != nil {
		return nil, err
	}
	return newImageMap(s.data, motion, call.Derivative)
}

// Expand returns an error, as the family has no domains.
func (s *session) Expand(_ context.Context, call *plugins.DomainCall, _ func(*plugins.Chunk) error) error {
	return fmt.Errorf("transform has no domain %q", call.Name)
}

// Close releases nothing.
func (s *session) Close() error { return nil }
