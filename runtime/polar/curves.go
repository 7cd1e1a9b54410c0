package polar

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/sipc-ml/sipc/runtime/curve"
)

// Curves say which values of functionals are those of smooth functions of a parameter at Lobatto nodes, of whose maximum over
// the nodes the gauge makes its value; the problem that is meant has the maximum over the whole interval. It is bounded by
//
//	ρ(AV) ≤ ρ(t) + slack·‖V‖,
//
// where t has the largest value of every curve raised to what the polynomial through its values attains anywhere, and
// slack = ρ(e) for errors e of interpolation: curve i is within e_i‖V‖ of its polynomial. Lower bounds of ‖a‖² take that, so
// that they hold for the interval. Upper bounds hold as they are: multipliers at the nodes are multipliers for the interval.
type Curves struct {
	runs   []curve.Run
	tables map[int]*curve.Table // by number of nodes
	leaves int
	slack  float64
	pool   sync.Pool // *curveScratch
}

// curvesAtOnce are raised by one matrix product.
const curvesAtOnce = 128

type curveScratch struct{ t, tops, packed, room []float64 }

// NewCurves are curves among the leaves of a gauge of that many; see [Curves] for slack ≥ 0.
func NewCurves(leaves int, runs []curve.Run, slack float64) (*Curves, error) {
	if !(slack >= 0) {
		return nil, fmt.Errorf("polar: curves with the slack %v", slack)
	}
	c := &Curves{runs: runs, tables: map[int]*curve.Table{}, leaves: leaves, slack: slack}
	for i := range runs {
		r := &runs[i]
		if err := r.Validate(leaves); err != nil {
			return nil, fmt.Errorf("polar: %w", err)
		}
		if c.tables[r.Nodes] == nil {
			c.tables[r.Nodes] = curve.NewTable(r.Nodes)
		}
	}
	return c, nil
}

// Runs are the curves.
func (c *Curves) Runs() []curve.Run { return c.runs }

// Slack is the factor of ‖V‖ in the bound.
func (c *Curves) Slack() float64 { return c.slack }

// rho is what primal bounds take for ρ(AV), t being AV; width·‖V‖ is added to it.
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

// width is what errors of the operator's rows, and those of interpolation, add to ρ(AV) for ‖V‖ = 1. errors may be nil.
//
// Errors ε at the nodes move a polynomial by at most Λε, Λ ≤ 1 + (2/π) ln N being the Lebesgue constant of N Lobatto nodes.
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

// widened are errors at the nodes as they are between them.
func (c *Curves) widened(errors []float64) []float64 {
	out := slices.Clone(errors)
	for _, r := range c.runs {
		lebesgue := 1 + 2/math.Pi*math.Log(float64(r.Nodes))
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

// raise puts the largest value of every curve of a run where it has the largest at its nodes.
func (c *Curves) raise(s *curveScratch, r *curve.Run) {
	table := c.tables[r.Nodes]
	for lo := 0; lo < r.Count; lo += curvesAtOnce {
		count := min(curvesAtOnce, r.Count-lo)
		if size := table.Size(count); len(s.room) < size {
			s.room = make([]float64, size)
		}
		table.Sup(s.tops[:count], s.values(r, lo, count), r.OneSided, s.room)
		for i, top := range s.tops[:count] {
			best, at := math.Inf(-1), r.Leaf(lo+i, 0)
			for k := range r.Nodes {
				v := s.t[r.Leaf(lo+i, k)]
				if v < 0 && !r.OneSided {
					v = -v
				}
				if v > best {
					best, at = v, r.Leaf(lo+i, k)
				}
			}
			if top > best {
				s.t[at] = top
			}
		}
	}
}

// values are curves lo … lo+count−1 of a run, one a row.
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
