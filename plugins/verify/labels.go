package verify

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/probe"
)

// labels asks maps about functionals whose labels are not those of the rows, and which have several terms. A map answers ℓ with
// f ↦ ℓ(f∘t), and (f∘t)(x, y) = f(t(x), y): it moves x, whatever the label, keeps the label, and is linear in ℓ. So
//
//   - a function that is constant in x, f(x, y) = ⟨a, y⟩, keeps its value, and has no derivative along the map;
//   - a point moves alike with each label;
//   - the answer to Σ c ℓ is the sum of the answers to ℓ, each times c.
func labels(ctx context.Context, s *suite) {
	for sub, p := range s.asked(ctx) {
		if sub.of == nil {
			continue
		}
		sub = sub.withDirection()
		keeps(ctx, s, p, sub, false)
		if sub.of.Differentiable {
			keeps(ctx, s, p, sub, true)
		}
	}
	if len(s.schema.Maps) == 0 {
		s.notef("it has no maps")
	}
}

// A call of mixed functionals: first one of each point and label alone, point after point, then sums of them.
type mixed struct {
	at     *plugins.Block
	points int
	labels int // one more than there are classes: the last is none
	sums   []sum
}

// A sum of functionals of the first kind.
type sum struct {
	of   []int // which functionals
	coef []float64
	text string
}

// mostMixed is how many points the mixed functionals are of.
const mostMixed = 6

// mix makes the call: for each point f(x, y) of every one-hot y, and f(x) without a label. Two terms of different
// points and labels follow, and a label between two classes. Every other point is given by value.
func mix(sub *subject, data *plugins.Data) *mixed {
	m := &mixed{at: &plugins.Block{}, points: min(mostMixed, data.N()), labels: sub.labels + 1}
	for c := range sub.labels { // in an order that is not that of the rows, nor that of the classes
		c = sub.labels - 1 - c
		m.at.Labels = append(m.at.Labels, plugins.Label{Index: []int32{int32(c)}, Value: []float64{1}})
	}
	point := func(i int) int32 {
		if i%2 == 0 {
			return int32(i)
		}
		return ^int32(m.at.Points.Append(data.Rows.Row(i)))
	}
	for i := range m.points {
		for l := range m.labels {
			m.at.Term(1, point(i), plugins.Evaluation, m.label(l))
			m.at.End()
		}
	}
	for i := range m.points {
		next := (i + 1) % m.points
		m.at.Term(2, point(i), plugins.Evaluation, m.label(0))
		m.at.Term(-0.5, point(next), plugins.Evaluation, m.label(m.labels/2))
		m.at.End()
		m.sums = append(m.sums, sum{[]int{i * m.labels, next*m.labels + m.labels/2}, []float64{2, -0.5}, "2 f(a) - 0.5 f(b)"})
		if sub.labels < 2 {
			continue
		}
		between := int32(len(m.at.Labels))
		m.at.Labels = append(m.at.Labels, plugins.Label{Index: []int32{0, 1}, Value: []float64{0.25, 0.75}})
		m.at.Term(1, point(i), plugins.Evaluation, between)
		m.at.End()
		last := sub.labels - 1 // the labels descend
		m.sums = append(m.sums, sum{[]int{i*m.labels + last, i*m.labels + last - 1}, []float64{0.25, 0.75}, "f(x, y) of a label y between two classes"})
	}
	return m
}

// label returns the lth label; the last means no label.
func (m *mixed) label(l int) int32 {
	if l == m.labels-1 {
		return plugins.NoLabel
	}
	return int32(l)
}

// keeps asks about mixed functionals, and holds the answer against what a map keeps.
func keeps(ctx context.Context, s *suite, p *host.Process, sub *subject, derivative bool) {
	data := sub.data(rows, 23)
	m := mix(sub, data)
	q := &question{subject: sub, data: data, at: m.at, derivative: derivative}
	a, err := q.ask(ctx, p)
	if err != nil {
		s.failed(q, "functionals of several terms and labels", err)
		return
	}
	s.check.Tried++
	out := a.blocks[0]
	for _, fault := range []string{m.lost(out, sub.labels, data, derivative), m.parted(out, data), m.summed(out, sub.labels, data)} {
		if fault != "" {
			s.faultf(sub, "", "%s", fault)
			return
		}
	}
}

// lost says which functional has other labels, or other coefficients, than the one that it answers.
func (m *mixed) lost(out *plugins.Block, classes int, data *plugins.Data, derivative bool) string {
	for i := range m.at.Len() {
		want, held := weights(m.at, i, classes)
		got, touched := weights(out, i, classes)
		if derivative {
			clear(want) // a function that is constant in x has no derivative
		}
		for c := range want {
			switch {
			case math.Abs(want[c]-got[c]) > 1e-9 && derivative:
				return fmt.Sprintf("the derivative of functional %d holds values of f, %s, and not derivatives alone", i, weighed(got, data))
			case math.Abs(want[c]-got[c]) > 1e-9:
				return fmt.Sprintf("functional %d is %s and is answered with %s: a map moves x, and keeps each term's label and coefficient as the call gives them",
					i, weighed(want, data), weighed(got, data))
			case touched[c] && !held[c]: // by a derivative, or by terms that cancel
				return fmt.Sprintf("functional %d is answered with one of %s: a map moves x, and keeps each term's label as the call gives it", i, labelName(c, data))
			}
		}
	}
	return ""
}

// weights returns the sums of a functional's coefficients by label, with that of terms without a label last. The sums leave out
// derivatives. It also tells by label whether a term holds it, derivatives included.
func weights(b *plugins.Block, i, classes int) (sums []float64, held []bool) {
	sums, held = make([]float64, classes+1), make([]bool, classes+1)
	for k := b.Start[i]; k < b.Start[i+1]; k++ {
		y := plugins.Label{Index: []int32{int32(classes)}, Value: []float64{1}}
		if l := b.Label[k]; l != plugins.NoLabel {
			y = b.Labels[l]
		}
		for n, c := range y.Index {
			held[c] = true
			if b.Tangent[k] == plugins.Evaluation {
				sums[c] += b.Coef[k] * y.Value[n]
			}
		}
	}
	return sums, held
}

// weighed returns weights as text.
func weighed(w []float64, data *plugins.Data) string {
	var parts []string
	for c, v := range w {
		if v != 0 {
			parts = append(parts, fmt.Sprintf("%.6g of %s", v, labelName(c, data)))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, " and ")
}

func labelName(c int, data *plugins.Data) string {
	if c < len(data.LabelNames) {
		return data.LabelNames[c]
	}
	return "f without a label"
}

// parted says which point moves otherwise with one label than with another.
func (m *mixed) parted(out *plugins.Block, data *plugins.Data) string {
	bare := *out
	bare.Label = make([]int32, len(out.Label))
	for k := range bare.Label {
		bare.Label[k] = plugins.NoLabel
	}
	v := values(probe.NewFunction(data.Rows.Cols, 0, 11), []*plugins.Block{&bare}, data)
	for i := range m.points {
		for l := range m.labels {
			if far(v[i*m.labels+l], v[i*m.labels]) {
				return fmt.Sprintf("the point %d moves otherwise with one label than with another: a map moves x, whatever its label", i)
			}
		}
	}
	return ""
}

// summed says which sum of functionals is not answered with the sum of their answers.
func (m *mixed) summed(out *plugins.Block, classes int, data *plugins.Data) string {
	v := values(probe.NewFunction(data.Rows.Cols, classes, 11), []*plugins.Block{out}, data)
	for n, one := range m.sums {
		want := 0.0
		for k, i := range one.of {
			want += one.coef[k] * v[i]
		}
		if got := v[m.points*m.labels+n]; far(got, want) {
			return fmt.Sprintf("%s is %.6g after the map, but its terms alone give %.6g: answer term by term, each with its coefficient and label", one.text, got, want)
		}
	}
	return ""
}
