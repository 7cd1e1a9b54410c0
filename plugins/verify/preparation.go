package verify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/probe"
)

// preparation asks about the same raw data twice: as they are, and prepared, column by column, by raw = Offset +
// Scale · prepared. A preparation is another way to write the same data, so the answers must be the same functionals,
// as many and in the same order. Their raw points and labels must be the same, and their tangents per raw unit. They
// are compared by their values at a smooth function of the raw features.
//
// Which rows are near each other depends on prepared features, as for the kernel. So the raw data lie on a line, on
// which Euclidean distances are the same after the preparation as before. All their numbers are short binary
// fractions, so that no rounding tips a comparison.
func preparation(ctx context.Context, s *suite) {
	for sub, p := range s.asked(ctx) {
		sub = sub.withDirection()
		prepared(ctx, s, p, sub, sub.path())
		if sub.of != nil && sub.of.Differentiable {
			prepared(ctx, s, p, sub, true)
		}
	}
}

// prepared asks about raw data and the same prepared, and compares.
func prepared(ctx context.Context, s *suite, p *host.Process, sub *subject, derivative bool) {
	raw, same := sub.twice(rows, 21)
	inRaw := &question{subject: sub, data: raw, seed: 7, derivative: derivative}
	inPrepared := &question{subject: sub, data: same, seed: 7, derivative: derivative}
	if sub.of != nil {
		inRaw.at = besideRows(raw)
		inPrepared.at = writtenIn(inRaw.at, same)
	}
	want, err := inRaw.ask(ctx, p)
	if err != nil {
		s.failed(inRaw, "raw data", err)
		return
	}
	got, err := inPrepared.ask(ctx, p)
	s.check.Tried++
	if err != nil {
		s.faultf(sub, "", "it answers about raw data, but not about the same data prepared: %s", told(err))
		return
	}
	if fault := unlike(sub, want, got, raw, same); fault != "" {
		s.faultf(sub, "", "%s, though the raw data are the same. Arguments, and derivatives of maps, are in raw units: raw = Offset + Scale · prepared", fault)
	}
}

// twice returns data for the subject, raw and prepared.
func (s *subject) twice(n int, seed uint64) (raw, prepared *plugins.Data) {
	raw = s.data(n, seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	p := raw.Rows.Cols
	slope, offset, scale := straight(p)
	for i := range n {
		t := float64(rng.IntN(4096)-2048) / 1024
		for j := range p {
			raw.Rows.Row(i)[j] = 0.25*float64(j%3) + slope[j]*t
		}
	}
	raw.Offset, raw.Scale = nil, nil
	other := *raw
	other.Offset, other.Scale = offset, scale
	other.Rows = plugins.Matrix{Rows: n, Cols: p, Data: make([]float64, n*p)}
	prepare(&raw.Rows, &other.Rows, &other)
	return raw, &other
}

// straight returns a line and a preparation of p columns. Columns are taken two and two, with the slope of one twice
// that of the other. Divided by 2 and by ½, they keep the sum of their squares: 2² + 1² = 1² + 2². If p is odd, three
// come first: 6² + 5² + 8² = 3² + 10² + 4². (A single column is the exception.)
func straight(p int) (slope, offset, scale []float64) {
	if p%2 == 1 && p > 1 {
		slope, scale = []float64{1.5, 1.25, 2}, []float64{2, 0.5, 2}
	}
	for len(slope) < p {
		slope, scale = append(slope, 2, -1), append(scale, 2, 0.5)
	}
	for j := range p {
		offset = append(offset, 0.75+0.5*float64(j%3))
	}
	return slope[:p], offset, scale[:p]
}

// prepare writes raw rows as the data prepare them.
func prepare(raw, to *plugins.Matrix, data *plugins.Data) {
	for i := range raw.Rows {
		for j, v := range raw.Row(i) {
			to.Row(i)[j] = (v - data.Offset[j]) / data.Scale[j]
		}
	}
}

// besideRows returns evaluations at the rows, and at as many points beside them, each with its row's label.
func besideRows(data *plugins.Data) *plugins.Block {
	b := probe.Evaluations(data)
	for i := range data.N() {
		x := slices.Clone(data.Rows.Row(i))
		for j := range x {
			x[j] += 0.125 * float64((i+j)%5)
		}
		label := int32(plugins.NoLabel)
		if len(data.Labels) > 0 {
			label = int32(i)
		}
		b.Term(1, ^int32(b.Points.Append(x)), plugins.Evaluation, label)
		b.End()
	}
	return b
}

// writtenIn returns a block of raw points as the data prepare them.
func writtenIn(b *plugins.Block, data *plugins.Data) *plugins.Block {
	out := *b
	out.Points.Data = make([]float64, len(b.Points.Data))
	prepare(&b.Points, &out.Points, data)
	return &out
}

// rawOf returns a block about prepared data as one about the raw data: its points and tangents in raw units.
func rawOf(b *plugins.Block, data *plugins.Data) *plugins.Block {
	out := *b
	out.Points.Data, out.Tangents.Data = slices.Clone(b.Points.Data), slices.Clone(b.Tangents.Data)
	for i := range out.Points.Rows {
		for j, v := range out.Points.Row(i) {
			out.Points.Row(i)[j] = data.Offset[j] + data.Scale[j]*v
		}
	}
	for i := range out.Tangents.Rows {
		for j := range out.Tangents.Row(i) {
			out.Tangents.Row(i)[j] *= data.Scale[j]
		}
	}
	return &out
}

// A placed functional is one of a block.
type placed struct {
	*plugins.Block
	i int
}

// functionals returns those of an answer, by place: values and derivatives of the first point that an element binds,
// of the second, ….
func (a *answer) functionals(places int, as func(*plugins.Block) *plugins.Block) [][]placed {
	out := make([][]placed, 2*places)
	for k, blocks := range [][]*plugins.Block{a.blocks, a.slopes} {
		for n, b := range blocks {
			at := k*places + n%places
			b = as(b)
			for i := range b.Len() {
				out[at] = append(out[at], placed{b, i})
			}
		}
	}
	return out
}

// unlike says where an answer about raw data and one about the same data prepared differ; empty where they do not.
func unlike(sub *subject, want, got *answer, raw, prepared *plugins.Data) string {
	if want.elements != got.elements {
		return fmt.Sprintf("it has %d elements on raw data, and %d on prepared data", want.elements, got.elements)
	}
	for k := range want.labels {
		if !slices.Equal(want.labels[k], got.labels[k]) {
			return "it binds other labels on raw data than on prepared data"
		}
	}
	f := probe.NewFunction(raw.Rows.Cols, sub.labels, 11)
	places := max(1, sub.places())
	asRaw := want.functionals(places, func(b *plugins.Block) *plugins.Block { return b })
	asPrepared := got.functionals(places, func(b *plugins.Block) *plugins.Block { return rawOf(b, prepared) })
	for k := range asRaw {
		for i := range min(len(asRaw[k]), len(asPrepared[k])) {
			x, y := asRaw[k][i], asPrepared[k][i]
			if u, v := x.value(f, raw), y.value(f, raw); math.Abs(u-v) > 1e-6*(1+math.Abs(u)) {
				return fmt.Sprintf("functional %d is another one: %s", i, x.differs(y, raw, u, v))
			}
		}
	}
	return ""
}

// one returns the functional as a separate block.
func (p placed) one() *plugins.Block {
	b := *p.Block
	from, to := b.Start[p.i], b.Start[p.i+1]
	b.Start = []int32{0, to - from}
	b.Coef, b.Point, b.Tangent, b.Label = b.Coef[from:to], b.Point[from:to], b.Tangent[from:to], b.Label[from:to]
	return &b
}

func (p placed) value(f *probe.Function, raw *plugins.Data) float64 { return f.Values(p.one(), raw)[0] }

// differs says in which column two functionals differ most, or by their values where it is something else.
func (p placed) differs(other placed, raw *plugins.Data, u, v float64) string {
	a, b := p.one(), other.one()
	for k := range min(len(a.Coef), len(b.Coef)) {
		x, y := probe.Point(a, raw, k), probe.Point(b, raw, k)
		if j := furthest(x, y); j >= 0 {
			return fmt.Sprintf("it is taken where %s is %.6g on raw data, and where it is %.6g on prepared data", raw.Columns[j], x[j], y[j])
		}
		if a.Tangent[k] == plugins.Evaluation || b.Tangent[k] == plugins.Evaluation {
			continue
		}
		x, y = a.Tangents.Row(int(a.Tangent[k])), b.Tangents.Row(int(b.Tangent[k]))
		if j := furthest(x, y); j >= 0 {
			return fmt.Sprintf("its derivative moves %s by %.6g on raw data, and by %.6g on prepared data", raw.Columns[j], x[j], y[j])
		}
	}
	return fmt.Sprintf("its value at a function of raw features is %.6g on raw data, and %.6g on prepared data", u, v)
}

// furthest returns the column in which two points differ most, −1 if they hardly differ.
func furthest(x, y []float64) int {
	at, most := -1, 1e-9
	for j := range x {
		if d := math.Abs(x[j]-y[j]) / (1 + math.Abs(x[j])); d > most {
			at, most = j, d
		}
	}
	return at
}
