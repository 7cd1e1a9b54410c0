package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/plugins"
)

// mostWeight bounds the sum of a functional's |coefficients|, in units of the data's own scale. A derivative counts
// with the length of its tangent. A larger sum drowns every other functional, and comes from a division by almost
// nothing.
const mostWeight = 1e8

// boundedness asks about data on which careless formulas divide by zero or overflow. (That numbers are finite at all, the host
// sees to: then the call breaks the contract.)
func boundedness(ctx context.Context, s *suite) {
	for _, sub := range s.subjects() {
		sub = sub.withDirection()
		for _, k := range kindsOfData {
			p := s.sound(ctx)
			if p == nil {
				return
			}
			q := &question{subject: sub, data: sub.data(rows, 5), seed: 7, derivative: sub.path() || (sub.of != nil && sub.of.Differentiable)}
			scale := k.spoil(q.data)
			a, err := q.ask(ctx, p)
			if err != nil {
				s.failed(q, k.name, err)
				if broke(err) {
					break
				}
				continue
			}
			s.check.Tried++
			if fault := a.unbounded(scale); fault != "" {
				s.faultf(sub, k.name, "%s", fault)
				break
			}
		}
	}
}

var kindsOfData = []struct {
	name  string
	spoil func(*plugins.Data) (scale float64)
}{
	{"usual data", func(*plugins.Data) float64 { return 1 }},
	{"data whose columns are constant", func(d *plugins.Data) float64 {
		for i := range d.Rows.Data {
			d.Rows.Data[i] = 1
		}
		return 1
	}},
	{"data whose rows come twice", func(d *plugins.Data) float64 {
		half := d.Rows.Rows / 2 * d.Rows.Cols
		copy(d.Rows.Data[half:], d.Rows.Data[:half])
		return 1
	}},
	{"data of zeros", func(d *plugins.Data) float64 {
		clear(d.Rows.Data)
		return 1
	}},
	{"data of numbers around 1e100", func(d *plugins.Data) float64 { return scaled(d, 1e100) }},
	{"data of numbers around 1e-100", func(d *plugins.Data) float64 { return scaled(d, 1e-100) }},
}

func scaled(d *plugins.Data, by float64) float64 {
	for i := range d.Rows.Data {
		d.Rows.Data[i] *= by
	}
	return by
}

// unbounded says which functional is too large, or ends too far from the data; empty where none does.
func (a *answer) unbounded(scale float64) string {
	at := 0
	for _, bs := range [][]*plugins.Block{a.blocks, a.slopes} {
		for _, b := range bs {
			for i := range b.Len() {
				if w := weight(b, i, max(1, scale)); !(w <= mostWeight) {
					return fmt.Sprintf("functional %d has coefficients that sum to %.3g; at most %g is sound", at, w, mostWeight)
				}
				at++
			}
			for _, v := range b.Points.Data {
				if math.Abs(v) > mostWeight*max(1, scale) {
					return fmt.Sprintf("it makes a point with the number %.3g, far from all data", v)
				}
			}
		}
	}
	return ""
}

// weight returns the sum of a functional's |coefficients|.
func weight(b *plugins.Block, i int, scale float64) float64 {
	sum := 0.0
	for k := b.Start[i]; k < b.Start[i+1]; k++ {
		c := math.Abs(b.Coef[k])
		if t := b.Tangent[k]; t != plugins.Evaluation {
			length := 0.0
			for _, v := range b.Tangents.Row(int(t)) {
				length = math.Hypot(length, v/scale)
			}
			c *= length
		}
		sum += c
	}
	return sum
}
