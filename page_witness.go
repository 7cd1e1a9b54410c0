package sipc

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/page"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

const (
	mostImages = 12   // pairs of an invariance
	mostPixels = 4096 // of an image that is shown
)

// pulls returns what pulls most in each invariance. Where rows are images, it has those of the first members.
func (p *pager) pulls(ctx context.Context) (out []page.Pull, err error) {
	w := p.of.fitting.Model.Witnesses
	if w == nil {
		return nil, nil
	}
	for k := range w.Invariances {
		pull := page.Pull{Witness: w.Invariances[k]}
		if s := p.of.rows.seen; s.Height > 0 && s.Height*s.Width <= mostPixels && k < len(p.of.fitting.Regularizer.Invariances) {
			if pull.Images, err = p.images(ctx, &p.of.fitting.Regularizer.Invariances[k], pull.Members); err != nil {
				return nil, err
			}
		}
		out = append(out, pull)
	}
	return out, nil
}

// images returns the points of the first members, as pictures. It is empty where members are not about two points.
func (p *pager) images(ctx context.Context, inv *regularizer.Invariance, members []report.WitnessMember) (out []page.Pair, err error) {
	if inv.Members == nil {
		return nil, nil
	}
	places := p.functionals(inv, members[:min(len(members), mostImages)])
	var points []float64
	for k := range places {
		a, b, ok := p.pointsOf(inv.First + places[k])
		if places[k] < 0 || !ok {
			continue
		}
		m := &members[k]
		pair := page.Pair{Part: changed(m), Row: strings.Join(m.Rows, ", "), Value: float64(m.Value), Share: float64(m.Share), FBefore: math.NaN(), FAfter: math.NaN()}
		if pair.Before, err = p.picture(a); err == nil {
			pair.After, err = p.picture(b)
		}
		if err != nil {
			return nil, err
		}
		out, points = append(out, pair), append(append(points, a...), b...)
	}
	if _, m := p.of.scores.Dims(); m > 1 || len(out) == 0 {
		return out, nil
	}
	scores, _, err := p.of.fitting.Model.Scores(ctx, mat.NewDense(2*len(out), len(points)/(2*len(out)), points), nil, nil)
	if err != nil {
		return nil, err
	}
	for k := range out {
		out[k].FBefore, out[k].FAfter = scores.At(2*k, 0), scores.At(2*k+1, 0)
	}
	return out, nil
}

// changed names what a member changes: the transformation that its variable stands for, or else the member.
func changed(m *report.WitnessMember) string {
	for k := len(m.At) - 1; k >= 0; k-- {
		if strings.Contains(m.At[k].Value, "(") {
			return m.At[k].Value
		}
	}
	return m.Part
}

// functionals returns the position of each member among the functionals of its invariance; −1 where it is not found.
func (p *pager) functionals(inv *regularizer.Invariance, members []report.WitnessMember) []int {
	key := func(part string, at []regularizer.Binding) string {
		parts := []string{part}
		for _, b := range at {
			parts = append(parts, b.Variable, b.Value)
		}
		return strings.Join(parts, "\x00")
	}
	wanted, out := map[string]int{}, make([]int, len(members))
	for k := range members {
		wanted[key(members[k].Part, members[k].At)], out[k] = k, -1
	}
	for i := range inv.Count {
		of := inv.Members.At(i)
		if k, ok := wanted[key(of.Part, of.Bindings)]; ok && out[k] < 0 {
			out[k] = i
		}
	}
	return out
}

// pointsOf returns the two points at which a functional looks, the row before what is made of it. It reports whether there are two.
func (p *pager) pointsOf(functional int) (before, after []float64, ok bool) {
	b := p.of.fitting.Regularizer.Functionals
	if functional < 0 || functional >= b.Len() {
		return nil, nil, false
	}
	var rows, made [][]float64
	seen := map[int32]bool{}
	for t := b.Start[functional]; t < b.Start[functional+1]; t++ {
		at := b.Point[t]
		if b.Tangent[t] != plugins.Evaluation || seen[at] {
			continue
		}
		seen[at] = true
		if at >= 0 {
			rows = append(rows, p.of.rows.seen.X.RawRowView(int(at)))
		} else {
			made = append(made, b.Points.Row(int(^at)))
		}
	}
	if all := append(rows, made...); len(all) == 2 { //nolint:gocritic // rows are not used again
		return all[0], all[1], true
	}
	return nil, nil, false
}

// picture returns a prepared row as an image, a data URI. Black and white are the least and the greatest number of the row.
func (p *pager) picture(row []float64) (string, error) {
	s := p.of.rows.seen
	low, high := math.Inf(1), math.Inf(-1)
	raw := make([]float64, len(row))
	for j, v := range row {
		raw[j] = s.Offset[j] + s.Scale[j]*v
		low, high = math.Min(low, raw[j]), math.Max(high, raw[j])
	}
	img := image.NewGray(image.Rect(0, 0, s.Width, s.Height))
	for j := range raw[:min(len(raw), s.Width*s.Height)] {
		if high > low {
			img.SetGray(j%s.Width, j/s.Width, color.Gray{Y: uint8(math.Round(255 * (raw[j] - low) / (high - low)))})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return "", err
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
