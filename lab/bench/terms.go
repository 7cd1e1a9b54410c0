package bench

import (
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// A term is Σ_g w_g N(t_g)² over groups of one size, as problem files have it.
type term struct {
	kind    string // abs or pos: the largest absolute value, the largest positive part
	size    int
	weights []float64
	rows    []row // of the groups, one group after the other
}

// A row is a multiple of a functional.
type row struct {
	factor float64
	leaf   int
}

// of hands out the term's rows in terms of A's.
func (t *term) of(a polar.Operator) func(lo, hi int) (*mat.Dense, error) {
	r, dim := a.Dims()
	return func(lo, hi int) (*mat.Dense, error) {
		combined, out := mat.NewDense(hi-lo, r, nil), mat.NewDense(hi-lo, dim, nil)
		for k := lo; k < hi; k++ {
			combined.Set(k-lo, t.rows[k].leaf, t.rows[k].factor)
		}
		a.ApplyT(out, combined)
		return out, nil
	}
}

var errNoTerms = errors.New("this gauge has no form in problem files: it is not a sum of squares of maxima")

// termsOf writes scale·ρ² as terms, which is possible for sums of squares of weighted maxima.
func termsOf(root *gauge.Node, scale float64) ([]*term, error) {
	w := &writer{}
	if err := w.walk(root, scale); err != nil {
		return nil, err
	}
	return w.terms, nil
}

// A writer goes through the leaves of a gauge from left to right.
type writer struct {
	terms []*term
	next  int
}

func (w *writer) walk(n *gauge.Node, square float64) error {
	first := w.next
	if kind, rows, ok := w.group(n, 1); ok {
		t := w.find(kind, len(rows))
		t.weights, t.rows = append(t.weights, square), append(t.rows, rows...)
		return nil
	}
	w.next = first
	children := childrenOf(n)
	if len(children) == 0 || len(children) > 1 && (n.Op != gauge.Norm || n.P != 2) {
		return errNoTerms
	}
	for i, c := range children {
		x := weightOf(n, i)
		if err := w.walk(c, square*x*x); err != nil {
			return err
		}
	}
	return nil
}

// find returns the term of a kind and size and makes it if it is missing.
func (w *writer) find(kind string, size int) *term {
	for _, t := range w.terms {
		if t.kind == kind && t.size == size {
			return t
		}
	}
	t := &term{kind: kind, size: size}
	w.terms = append(w.terms, t)
	return t
}

// group returns a leaf or a maximum of such, all of one kind, as rows of which the largest counts.
func (w *writer) group(n *gauge.Node, factor float64) (kind string, rows []row, ok bool) {
	switch n.Op {
	case gauge.Abs:
		w.next++
		return "abs", []row{{factor, w.next - 1}}, true
	case gauge.Pos:
		w.next++
		return "pos", []row{{factor, w.next - 1}}, true
	case gauge.Max:
	default:
		return "", nil, false
	}
	for i, c := range childrenOf(n) {
		k, more, ok := w.group(c, factor*weightOf(n, i))
		if !ok || i > 0 && k != kind {
			return "", nil, false
		}
		kind, rows = k, append(rows, more...)
	}
	return kind, rows, true
}

func childrenOf(n *gauge.Node) []*gauge.Node {
	if n.Repeat == 0 {
		return n.Children
	}
	out := make([]*gauge.Node, n.Repeat)
	for i := range out {
		out[i] = n.Children[0]
	}
	return out
}

func weightOf(n *gauge.Node, i int) float64 {
	if n.Weights == nil {
		return 1
	}
	return n.Weights[i]
}
