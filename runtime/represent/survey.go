package represent

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
)

// A survey says which functionals have a part in which labels.
type survey struct {
	operator *operator.Operator
	gauge    *gauge.Node
	by       [][]int32 // functionals of each label, ascending
	labels   [][]int32 // labels of each functional
	class    []int32   // scratch, a class for each functional, −1: none
}

// newSurvey lists the labels of every functional of A, and the functionals of every label, among m labels.
func newSurvey(a *operator.Operator, g *gauge.Node, m int) *survey {
	count, _ := a.Dims()
	s := &survey{operator: a, gauge: g, by: make([][]int32, m), labels: make([][]int32, count), class: make([]int32, count)}
	for i := range count {
		s.class[i] = -1
		a.Terms(i, func(label, _ int32, _ float64) {
			// Terms come label by label.
			if n := len(s.labels[i]); n == 0 || s.labels[i][n-1] != label {
				s.labels[i] = append(s.labels[i], label)
				s.by[label] = append(s.by[label], int32(i)) //nolint:gosec // functionals are counted in 32 bits
			}
		})
	}
	return s
}

// A view is the whole problem as a label with some support sees it.
type view struct {
	support []int32
	at      int
	touched []int32  // functionals that the support has a part in, ascending
	class   []int32  // of each, those of one being equal on the support
	keys    []string // of the classes
	within  []bool   // whether the classes' first functional is of the support alone
	key     string   // equal for labels whose problems are
}

// view returns the problem as a label with some support sees it. The key of a class spells out the terms of a
// functional on the support, by places instead of labels. Functionals of one class have equal values at every V that
// is zero elsewhere.
func (s *survey) view(label int32, support []int32) *view {
	v := &view{support: support, at: slices.Index(support, label)}
	place := make(map[int32]int32, len(support))
	for k, c := range support {
		place[c] = int32(k) //nolint:gosec // labels are counted in 32 bits
		v.touched = append(v.touched, s.by[c]...)
	}
	slices.Sort(v.touched)
	v.touched = slices.Compact(v.touched)
	known := map[string]int32{}
	var key []byte
	for _, i := range v.touched {
		inside := true
		key = key[:0]
		s.operator.Terms(int(i), func(c, row int32, value float64) {
			k, ok := place[c]
			if !ok {
				inside = false
				return
			}
			key = binary.LittleEndian.AppendUint32(key, uint32(k))   //nolint:gosec // bits
			key = binary.LittleEndian.AppendUint32(key, uint32(row)) //nolint:gosec // bits
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(value))
		})
		// A functional with further labels is part of the rim alone, and so of another class.
		if inside {
			key = append(key, '.')
		}
		class, ok := known[string(key)]
		if !ok {
			class = int32(len(v.keys)) //nolint:gosec // as many as functionals at most
			known[string(key)] = class
			v.keys, v.within = append(v.keys, string(key)), append(v.within, inside)
		}
		v.class = append(v.class, class)
	}
	return v
}

// restricted returns the gauge of the functionals touched, or of those of the support alone, and the numbers of those that are left.
func (s *survey) restricted(v *view, within bool) (node *gauge.Node, kept []int32) {
	for k, i := range v.touched {
		if !within || v.within[v.class[k]] {
			s.class[i] = v.class[k]
		}
	}
	node, kept = s.gauge.Restrict(s.class)
	// The scratch is left as it was found.
	for _, i := range v.touched {
		s.class[i] = -1
	}
	return node, kept
}

// A sketch is a shape in the making.
type sketch struct {
	*shape
	view       *view
	inner, rim []int32 // functionals
}

// sketch returns the gauges of a view, and sets its key. Equal keys mean equal problems up to the names of labels:
// the same place and width, and gauges over the same classes. Hashes stand for the gauges, whose texts are long.
func (s *survey) sketch(v *view) *sketch {
	p := &sketch{shape: &shape{at: v.at, width: len(v.support)}, view: v}
	p.gauge, p.inner = s.restricted(v, true)
	p.whole, p.rim = s.restricted(v, false)
	if p.whole != nil {
		p.whole.Leaves(func(op gauge.Op) { p.ops = append(p.ops, op) })
	}
	key := binary.LittleEndian.AppendUint32(nil, uint32(p.at))   //nolint:gosec // bits
	key = binary.LittleEndian.AppendUint32(key, uint32(p.width)) //nolint:gosec // bits
	for _, part := range []struct {
		gauge *gauge.Node
		kept  []int32
	}{{p.gauge, p.inner}, {p.whole, p.rim}} {
		sum := sha256.Sum256([]byte(v.describe(part.gauge, part.kept)))
		key = append(key, sum[:]...)
	}
	v.key = string(key)
	return p
}

// describe returns a text that two gauges share if they differ in the order of children alone.
func (v *view) describe(n *gauge.Node, functionals []int32) string {
	if n == nil {
		return ""
	}
	at := 0
	// Restrict lists functionals from left to right, as Canonical asks for them.
	return n.Canonical(func() string {
		k, _ := slices.BinarySearch(v.touched, functionals[at])
		at++
		return v.keys[v.class[k]]
	})
}

// finish returns the shape with its operators, restricted from that of the whole problem. That copies their entries,
// so that new keys alone come this far.
func (p *sketch) finish(r *Representer) *shape {
	labels := make([]int, p.width)
	for k, c := range p.view.support {
		labels[k] = int(c)
	}
	list := func(of []int32) []int {
		out := make([]int, len(of))
		for k, i := range of {
			out[k] = int(i)
		}
		return out
	}
	if p.gauge != nil {
		p.shape.inner = r.Operator.Restrict(labels, list(p.inner))
	}
	// No other label has a part in these functionals: the smaller problem says all of the whole one.
	if slices.Equal(p.inner, p.rim) {
		p.whole = nil
	}
	if p.whole != nil {
		p.shape.rim = r.Operator.Restrict(labels, list(p.rim))
	}
	p.cache = r.Cache
	p.direct, p.yields = p.gauge != nil && apart(r), iterates(r)
	return p.shape
}
