package polar

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// Curves say which values of functionals belong to smooth functions of a parameter at Lobatto nodes. The gauge takes
// a maximum or a norm over the nodes, while the problem means that over the whole interval. It is bounded by
//
//	ρ(AV) ≤ ρ(t) + slack·‖V‖.
//
// Here t has the values of every curve raised until the gauge takes what the polynomial through them attains or
// amounts to. slack = ρ(e) for errors e of interpolation: curve i is within e_i‖V‖ of its polynomial.
//
// Lower bounds of ‖a‖² use this, so they hold for the interval. For maxima upper bounds hold as they are: multipliers
// at the nodes are multipliers for the interval. For norms and integrals they use densities γ instead of the
// multipliers c (see [curve.Integral]). Aᵀγ equals Aᵀc′ for other multipliers c′, up to the largest e times ∫|γ|.
type Curves struct {
	runs      []curve.Run
	tables    map[int]*curve.Table // by number of nodes
	integrals map[integralKey]*curve.Integral
	leaves    int
	slack     float64
	drift     float64
	pool      sync.Pool // *curveScratch
}

// An integralKey holds the settings on which the rule of a curve's integral depends.
type integralKey struct {
	nodes    int
	p        float64
	oneSided bool
}

// keyOf returns what tells the integrals of two runs apart.
func keyOf(r *curve.Run) integralKey { return integralKey{r.Nodes, r.P, r.OneSided} }

// curvesAtOnce are raised by one matrix product.
const curvesAtOnce = 128

// A curveScratch is the memory of one bound.
type curveScratch struct{ t, tops, packed, room []float64 }

// NewCurves returns curves among so many leaves of a gauge. See [Curves] for slack ≥ 0. drift ≥ 0 is the largest
// error of interpolation of a curve under an integral. It fails if a run leaves the range of the leaves.
func NewCurves(leaves int, runs []curve.Run, slack, drift float64) (*Curves, error) {
	if !(slack >= 0) || !(drift >= 0) {
		return nil, fmt.Errorf("polar: curves with the slack %v and the drift %v", slack, drift)
	}
	c := &Curves{
		runs: runs, tables: map[int]*curve.Table{}, integrals: map[integralKey]*curve.Integral{}, leaves: leaves, slack: slack, drift: drift,
	}
	for i := range runs {
		r := &runs[i]
		if err := r.Validate(leaves); err != nil {
			return nil, fmt.Errorf("polar: %w", err)
		}
		switch {
		case r.Integral() && c.integrals[keyOf(r)] == nil:
			c.integrals[keyOf(r)] = curve.NewIntegral(r.Nodes, r.P, r.OneSided)
		case !r.Integral() && c.tables[r.Nodes] == nil:
			c.tables[r.Nodes] = curve.NewTable(r.Nodes)
		}
	}
	return c, nil
}

// Integrals reports whether some curves stand under an integral. Such a problem is solved at the nodes, without its
// curves, and certified by Certify. A nil receiver has none.
func (c *Curves) Integrals() bool { return c != nil && len(c.integrals) > 0 }

// Exact returns the same curves without errors of interpolation.
func (c *Curves) Exact() *Curves {
	return &Curves{runs: c.runs, tables: c.tables, integrals: c.integrals, leaves: c.leaves}
}

// Drift returns the largest error of interpolation of a curve under an integral.
func (c *Curves) Drift() float64 { return c.drift }

// Value returns at least ρ over whole intervals, where t are the values at the nodes of a V with ‖V‖ ≤ size. Without
// curves, on a nil receiver, it is ρ(t).
func (c *Curves) Value(g *gauge.Node, t []float64, size float64) float64 {
	if c == nil {
		return g.Value(t)
	}
	return Problem{Gauge: g, Curves: c}.rho(t) + c.slack*size
}

// Densities turns multipliers c, in place, into those of densities over the interval. It sets rows to the
// coefficients of Aᵀγ, and c to the argument for the polar of the gauge. It returns a bound of the error of Aᵀγ.
// Without integrals, rows are c.
func (c *Curves) Densities(rows, multipliers []float64) (off float64) {
	copy(rows, multipliers)
	if !c.Integrals() {
		return 0
	}
	for i := range c.runs {
		if r := &c.runs[i]; r.Integral() {
			off += c.densities(r, rows, multipliers)
		}
	}
	return off
}

// densities does this for the curves of a run.
func (c *Curves) densities(r *curve.Run, rows, multipliers []float64) (off float64) {
	integral := c.integrals[keyOf(r)]
	own, dst := make([]float64, r.Nodes), make([]float64, r.Nodes)
	for i := range r.Count {
		for k := range r.Nodes {
			own[k] = multipliers[r.Leaf(i, k)]
		}
		factor, mass := integral.Density(dst, own)
		for k := range r.Nodes {
			at := r.Leaf(i, k)
			rows[at] = dst[k]
			multipliers[at] *= factor
		}
		if mass > 0 {
			off += c.drift * mass
		}
	}
	return off
}

// Runs returns the curves.
func (c *Curves) Runs() []curve.Run { return c.runs }

// Slack returns the factor of ‖V‖ in the bound.
func (c *Curves) Slack() float64 { return c.slack }

// rho returns what primal bounds take for ρ(AV), where t is AV. They add width·‖V‖ to it.
func (p Problem) rho(t []float64) float64 {
	c := p.Curves
	if c == nil {
		return p.Gauge.Value(t)
	}
	s, _ := c.pool.Get().(*curveScratch)
	if s == nil {
		s = &curveScratch{t: make([]float64, c.leaves), tops: make([]float64, curvesAtOnce)}
	}
	defer c.pool.Put(s)
	copy(s.t, t)
	for i := range c.runs {
		c.raise(s, &c.runs[i])
	}
	return p.Gauge.Value(s.t)
}

// width returns what errors of the operator's rows and of interpolation add to ρ(AV) for ‖V‖ = 1. errors may be nil.
//
// Errors ε at the nodes move a polynomial by at most Λε, where Λ is the Lebesgue constant of the nodes.
func (p Problem) width(errors []float64) float64 {
	if p.Gauge == nil {
		return 0
	}
	width := 0.0
	if p.Curves != nil {
		width = p.Curves.slack
	}
	if errors == nil {
		return width
	}
	if p.Curves != nil {
		errors = p.Curves.widened(errors)
	}
	return width + p.Gauge.Value(errors)
}

// widened returns errors between the nodes, given those at the nodes.
func (c *Curves) widened(errors []float64) []float64 {
	out := slices.Clone(errors)
	for _, r := range c.runs {
		lebesgue := curve.Lebesgue(r.Nodes)
		for i := range r.Count {
			most := 0.0
			for k := range r.Nodes {
				most = max(most, errors[r.Leaf(i, k)])
			}
			for k := range r.Nodes {
				out[r.Leaf(i, k)] = lebesgue * most
			}
		}
	}
	return out
}

// raise raises the values of every curve of a run, some curves per matrix product.
func (c *Curves) raise(s *curveScratch, r *curve.Run) {
	table, integral := c.tables[r.Nodes], c.integrals[keyOf(r)]
	for lo := 0; lo < r.Count; lo += curvesAtOnce {
		count := min(curvesAtOnce, r.Count-lo)
		if integral != nil {
			integral.Norms(s.tops[:count], s.values(r, lo, count), s.reserve(integral.Size(count)))
		} else {
			table.Sup(s.tops[:count], s.values(r, lo, count), r.OneSided, s.reserve(table.Size(count)))
		}
		for i, top := range s.tops[:count] {
			if integral != nil {
				s.amount(r, lo+i, integral, top)
			} else {
				s.attain(r, lo+i, top)
			}
		}
	}
}

// reserve returns memory for size numbers.
func (s *curveScratch) reserve(size int) []float64 {
	if len(s.room) < size {
		s.room = make([]float64, size)
	}
	return s.room
}

// attain writes the largest value of a curve over the one that is largest at its nodes. A maximum takes no notice of
// the others.
func (s *curveScratch) attain(r *curve.Run, i int, top float64) {
	best, at := math.Inf(-1), r.Leaf(i, 0)
	for k := range r.Nodes {
		v := s.t[r.Leaf(i, k)]
		if v < 0 && !r.OneSided {
			v = -v
		}
		if v > best {
			best, at = v, r.Leaf(i, k)
		}
	}
	if top > best {
		s.t[at] = top
	}
}

// amount scales the values of a curve until the rule of Clenshaw and Curtis gives them this norm.
func (s *curveScratch) amount(r *curve.Run, i int, integral *curve.Integral, norm float64) {
	own := make([]float64, r.Nodes)
	for k := range own {
		own[k] = s.t[r.Leaf(i, k)]
	}
	at := integral.AtNodes(own)
	for k := range own {
		if at > 0 {
			s.t[r.Leaf(i, k)] *= norm / at
		} else {
			// All values are 0 at the nodes: constants of this norm, as the weights of the rule sum to 1.
			s.t[r.Leaf(i, k)] = norm
		}
	}
}

// values returns curves lo … lo+count−1 of a run, one a row. It copies them only if they are not consecutive.
func (s *curveScratch) values(r *curve.Run, lo, count int) blas64.General {
	out := blas64.General{Rows: count, Cols: r.Nodes, Stride: r.Nodes}
	if first := r.Leaf(lo, 0); r.Stride == 1 && (r.Step >= r.Nodes || count == 1) {
		out.Stride = max(r.Step, r.Nodes)
		out.Data = s.t[first : r.Leaf(lo+count-1, r.Nodes-1)+1]
		return out
	}
	if len(s.packed) < count*r.Nodes {
		s.packed = make([]float64, curvesAtOnce*r.Nodes)
	}
	out.Data = s.packed
	for i := range count {
		for k := range r.Nodes {
			out.Data[i*r.Nodes+k] = s.t[r.Leaf(lo+i, k)]
		}
	}
	return out
}
