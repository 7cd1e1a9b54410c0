package model

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// functionOf returns the function of landmark coefficients (landmarks × m) and biases, as proofs speak of it. It returns an error for features
// that have no landmarks, and for kernels that proofs do not know.
func functionOf(rep *represent.Representer, coef *mat.Dense, bias []float64) (*proof.Function, error) {
	state := rep.Features.State()
	if state.Kind != setting.Nystrom {
		return nil, fmt.Errorf("features %s are not sums of the kernel; take features nystrom", state.Kind)
	}
	m := &proof.Model{Bias: bias, Coef: rowsOfDense(coef), Landmarks: landmarksOf(state), Columns: max(state.Landmarks.Cols, state.At.Cols)}
	if err := describe(m, rep.Features.Kernel()); err != nil {
		return nil, err
	}
	return proof.New(m)
}

// landmarksOf returns the landmarks of a Nyström map as proofs take them.
func landmarksOf(s *embed.State) []proof.Landmark {
	var out []proof.Landmark
	for _, marks := range marksOf(s) {
		n, _ := marks.Points.Dims()
		for i := range n {
			l := proof.Landmark{Point: marks.Points.RawRowView(i), Order: marks.Order}
			if marks.Order > 0 {
				l.Tangent = marks.Along.RawRowView(i)
			}
			out = append(out, l)
		}
	}
	return out
}

// rowsOfDense returns the rows of a matrix, in the same memory.
func rowsOfDense(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = m.RawRowView(i)
	}
	return out
}

// describe sets the components and products of a kernel. A gaussian kernel of whole rows is one product of all columns.
func describe(m *proof.Model, k *kernel.Function) error {
	s := k.Setting()
	parts := k.Parts()
	switch {
	case parts != nil:
		return describeParts(m, parts)
	case s.Kind == setting.Gaussian:
		whole := proof.Product{Weight: 1}
		for c := range m.Columns {
			m.Components = append(m.Components, proof.Component{Value: c, Base: proof.Base{Kind: proof.Gaussian, Width: s.Width}})
			whole.Of = append(whole.Of, c)
		}
		m.Products = []proof.Product{whole}
		return nil
	}
	return fmt.Errorf("proofs do not know the %s kernel on whole rows; take gaussian, additive or pairwise", s.Kind)
}

// baseKinds are the bases of components as proofs name them.
var baseKinds = map[setting.KernelKind]proof.Kind{
	setting.Gaussian: proof.Gaussian, setting.Matern32: proof.Matern32, setting.Matern52: proof.Matern52,
	setting.Periodic: proof.Periodic, setting.Linear: proof.Linear,
}

// describeParts sets the components and products of an additive or pairwise kernel
//
//	s Σ_j k_j + p Σ_{(j,l)} k_j k_l,
//
// s and p its weights of single components and of pairs. A component with a linear part is two components, so that a pair of such is
// four products.
func describeParts(m *proof.Model, parts *kernel.Parts) error {
	terms := make([][]proof.Product, len(parts.Components)) // of each component: the factors that sum up to it
	for j := range parts.Components {
		own, weights, err := componentsOf(&parts.Components[j])
		if err != nil {
			return err
		}
		for i, c := range own {
			terms[j] = append(terms[j], proof.Product{Weight: weights[i], Of: []int{len(m.Components)}})
			m.Components = append(m.Components, c)
		}
		for _, t := range terms[j] {
			m.Products = append(m.Products, proof.Product{Weight: parts.Single * t.Weight, Of: t.Of})
		}
	}
	for _, pair := range parts.Pairs {
		for _, a := range terms[pair[0]] {
			for _, b := range terms[pair[1]] {
				m.Products = append(m.Products, proof.Product{Weight: parts.Pair * a.Weight * b.Weight, Of: []int{a.Of[0], b.Of[0]}})
			}
		}
	}
	return nil
}

// componentsOf returns the components whose weighted sum is a component of the kernel: one, or two if it has a linear part and no gaps.
func componentsOf(c *setting.Component) ([]proof.Component, []float64, error) {
	if c.Kind == setting.Category {
		return []proof.Component{{Value: -1, Masks: c.Columns}}, []float64{1}, nil
	}
	kind, known := baseKinds[c.Kind]
	if !known {
		return nil, nil, fmt.Errorf("proofs do not know the %s kernel of column %s", c.Kind, c.Name)
	}
	if kind == proof.Periodic && !(c.Width > setting.LeastOfPeriod*c.Period) {
		return nil, nil, fmt.Errorf("the periodic kernel of column %s has width %g, and proofs ask for more than %g, a thousandth of its period; take a larger width or period", c.Name, c.Width, setting.LeastOfPeriod*c.Period)
	}
	base := proof.Base{Kind: kind, Width: c.Width, Period: c.Period}
	gaps := len(c.Columns) > 1
	if gaps { // their masks count once
		base.Slope = c.Linear
	}
	own, weights := []proof.Component{{Value: c.Columns[0], Masks: c.Columns[1:], Base: base}}, []float64{1}
	if c.Linear > 0 && !gaps {
		own, weights = append(own, proof.Component{Value: c.Columns[0], Base: proof.Base{Kind: proof.Linear}}), append(weights, c.Linear)
	}
	return own, weights, nil
}
