package embed

import (
	"gonum.org/v1/gonum/mat"
)

// PartOf returns the part of x ↦ Vφ(x) that belongs to one component of an additive or pairwise kernel, a curve, or to two, a surface. The
// parts of all components and pairs add up to Vφ. Nil means that the map is no Nyström map of such a kernel.
func PartOf(m Map, v *mat.Dense, components ...int) Functions {
	n, ok := m.(*nystrom)
	if !ok || n.kernel.Parts() == nil {
		return nil
	}
	whole, ok := n.Weighted(v).(*nystrom)
	if !ok {
		return nil
	}
	whole.kernel = n.kernel.Part(components...)
	return whole
}
