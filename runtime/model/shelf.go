package model

import (
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A grid of weights asks for the same features and the same A in every fold, and only for other roots of
//
//	αI + AᵀWA.
//
// The former cost most where landmarks are all points at which R looks.

// A Shelf keeps what fits to the same rows share, where they differ in weights and strengths alone. That is the feature map, and the operator of R's
// functionals and of the scores. All that these are made of is compared. So a fit takes nothing that it would not make itself. A shelf serves one
// fit at a time.
type Shelf struct {
	// Most bounds the bytes of what is kept.
	Most     float64
	features shelved[embed.Map]
	scored   shelved[*operator.Operator]
}

// A shelved value is kept with what it was made of.
type shelved[T any] struct {
	of    *ingredients
	value T
}

// ingredients are what a feature map or an operator is made of.
type ingredients struct {
	kernel   setting.Kernel
	features setting.Features
	labels   embed.Labels
	bias     float64
	rows     *mat.Dense
	block    *plugins.Block
	// forms are asked of block's squares, and behind has the functionals after it, of an operator.
	forms  []operator.Form
	behind *plugins.Block
}

// equal compares all numbers.
func (i *ingredients) equal(j *ingredients) bool {
	return i.labels == j.labels && i.bias == j.bias && reflect.DeepEqual(i.kernel, j.kernel) && reflect.DeepEqual(i.features, j.features) &&
		mat.Equal(i.rows, j.rows) && sameBlock(i.block, j.block) && sameBlock(i.behind, j.behind) && slices.EqualFunc(i.forms, j.forms, sameForm)
}

// sameBlock compares the functionals of blocks; nil means no functionals.
func sameBlock(b, c *plugins.Block) bool {
	if b == nil || c == nil {
		return b == c
	}
	return slices.Equal(b.Start, c.Start) && slices.Equal(b.Coef, c.Coef) && slices.Equal(b.Point, c.Point) && slices.Equal(b.Tangent, c.Tangent) &&
		slices.Equal(b.Label, c.Label) && slices.Equal(b.Points.Data, c.Points.Data) && slices.Equal(b.Tangents.Data, c.Tangents.Data) &&
		reflect.DeepEqual(b.Labels, c.Labels)
}

// sameForm compares the weights of forms.
func sameForm(a, b operator.Form) bool {
	return a.First == b.First && slices.Equal(a.Weights, b.Weights)
}

// get returns the value that is kept, or else builds it. It keeps one of no more bytes than there may be.
func (s *shelved[T]) get(of *ingredients, build func() (T, error), bytes func(T) float64, most float64) (T, error) {
	if s.of != nil && s.of.equal(of) {
		return s.value, nil
	}
	*s = shelved[T]{} // make room first
	v, err := build()
	if err == nil && bytes(v) <= most {
		*s = shelved[T]{of, v}
	}
	return v, err
}

// mapOf returns the features that are made of something. Without a shelf they are built.
func (s *Shelf) mapOf(of *ingredients, build func() (embed.Map, error)) (embed.Map, error) {
	if s == nil {
		return build()
	}
	if s.features.of == nil || !s.features.of.equal(of) {
		s.scored = shelved[*operator.Operator]{} // it is of other features
	}
	_, cols := of.rows.Dims()
	return s.features.get(of, build, func(m embed.Map) float64 { return mapBytes(m, cols) }, s.Most)
}

// mapBytes bounds the memory of a feature map of points with so many columns: landmarks or frequencies, and how they are weighed.
func mapBytes(m embed.Map, cols int) float64 {
	d := float64(m.Dim())
	return 8 * d * (d + float64(cols))
}

// operatorOf returns the operator of some ingredients on features, beside the constant of a bias. It is built where these are not the shelf's.
func (s *Shelf) operatorOf(on embed.Map, of *ingredients, build func() (*operator.Operator, error)) (*operator.Operator, error) {
	if s == nil || s.features.value != on {
		return build()
	}
	own := s.features.of
	of.kernel, of.features, of.labels, of.rows = own.kernel, own.features, own.labels, own.rows
	_, cols := of.rows.Dims()
	d := float64(on.Dim())
	// It keeps a Gram matrix, a root and a factor, too.
	return s.scored.get(of, build, func(a *operator.Operator) float64 { return a.Bytes() + 3*8*d*d }, s.Most-mapBytes(on, cols))
}
