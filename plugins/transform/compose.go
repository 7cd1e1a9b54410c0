package transform

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/sipc-ml/sipc/plugins"
)

// Move moves the points of functionals by compositions of maps, each by amounts of its own. Maps of images that follow each
// other are one affine map, so that an image is resampled once:
//
//	t = t_k ∘ … ∘ t_1,   the new image at q is the old one at t⁻¹(q) = t_1⁻¹(… t_k⁻¹(q)).
func (s *session) Move(ctx context.Context, call *plugins.MoveCall) (*plugins.Block, error) {
	if err := s.movable(call); err != nil {
		return nil, err
	}
	out, from := newPoints(s.data, call.At)
	workers := max(1, min(runtime.GOMAXPROCS(0), call.At.Len()))
	errs := make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			c := newComposer(s.data, call)
			for i := w * call.At.Len() / workers; i < (w+1)*call.At.Len()/workers && errs[w] == nil; i++ {
				errs[w] = c.functional(ctx, i, out, from)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// movable checks a call.
func (s *session) movable(call *plugins.MoveCall) error {
	if err := call.Validate(); err != nil {
		return err
	}
	if err := call.At.Validate(s.data.N(), s.data.Rows.Cols, len(s.data.LabelNames)); err != nil {
		return err
	}
	for _, tangent := range call.At.Tangent {
		if tangent != plugins.Evaluation {
			return errors.New("maps act on values of f, not on its derivatives")
		}
	}
	for _, step := range call.Steps {
		if err := s.known(step.Name); err != nil {
			return err
		}
	}
	return nil
}

// known returns an error if there is no such map, or if it moves images and the features are none.
func (s *session) known(name string) error {
	switch name {
	case moveWord, putWord, swapWord:
		return nil
	case "rotate", "scale", "shift", "shear":
		if err := isImage(s.data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	return fmt.Errorf("transform has no map %q", name)
}

// newPoints returns a block with the terms of another one at new points, which are zero. Terms of one functional that follow each
// other at one point share the new one. It also returns the old point of each new one.
func newPoints(data *plugins.Data, at *plugins.Block) (out *plugins.Block, from []int32) {
	out = copyTerms(at)
	for i := range at.Len() {
		for k := at.Start[i]; k < at.Start[i+1]; k++ {
			if k == at.Start[i] || at.Point[k] != at.Point[k-1] {
				from = append(from, at.Point[k])
			}
			out.Point[k] = ^int32(len(from) - 1)
		}
	}
	p := data.Rows.Cols
	out.Points = plugins.Matrix{Rows: len(from), Cols: p, Data: make([]float64, len(from)*p)}
	return out, from
}

// A composer moves points by the compositions of a call. It holds what a move needs, so that none allocates.
type composer struct {
	data     *plugins.Data
	call     *plugins.MoveCall
	raw      rawValues
	args     []plugins.Value
	x, y     []float64
	steps    []composed
	prepared int32 // the row of amounts of which steps are made, −1 for none
}

// A composed step of a move: an affine map of images, or else a rewriting of a row.
type composed struct {
	image   bool
	inverse [6]float64
	rewrite rewriting
}

// newComposer returns a composer for some functionals of a call.
func newComposer(data *plugins.Data, call *plugins.MoveCall) *composer {
	p := data.Rows.Cols
	return &composer{data: data, call: call, raw: newRawValues(data), x: make([]float64, p), y: make([]float64, p), prepared: -1}
}

// functional writes the moved points of a functional.
func (c *composer) functional(ctx context.Context, i int, out *plugins.Block, from []int32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.prepare(c.call.Which[i]); err != nil {
		return err
	}
	last := int32(-1)
	for k := out.Start[i]; k < out.Start[i+1]; k++ {
		if to := ^out.Point[k]; to != last {
			c.move(point(c.data, c.call.At, from[to]), out.Points.Row(int(to)))
			last = to
		}
	}
	return nil
}

// prepare composes the steps at a row of amounts.
func (c *composer) prepare(row int32) error {
	if row == c.prepared {
		return nil
	}
	c.prepared, c.steps = row, c.steps[:0]
	for k := range c.call.Steps {
		name := c.call.Steps[k].Name
		c.args = c.call.ArgsAt(k, row, c.args)
		switch name {
		case moveWord, putWord, swapWord:
			m, err := newRewriting(c.data, &plugins.MapCall{Name: name, Args: c.args})
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			c.steps = append(c.steps, composed{rewrite: m.(rewriting)}) //nolint:forcetypeassert // newRewriting returns no other
			continue
		}
		m, err := newMotion(name, c.args, false)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if last := len(c.steps) - 1; last >= 0 && c.steps[last].image {
			c.steps[last].inverse = after(c.steps[last].inverse, m.inv)
		} else {
			c.steps = append(c.steps, composed{image: true, inverse: m.inv})
		}
	}
	return nil
}

// after returns the affine map that does b and then a.
func after(a, b [6]float64) [6]float64 {
	return [6]float64{
		float64(a[0]*b[0]) + float64(a[1]*b[3]), float64(a[0]*b[1]) + float64(a[1]*b[4]), float64(a[0]*b[2]) + float64(a[1]*b[5]) + a[2],
		float64(a[3]*b[0]) + float64(a[4]*b[3]), float64(a[3]*b[1]) + float64(a[4]*b[4]), float64(a[3]*b[2]) + float64(a[4]*b[5]) + a[5],
	}
}

// move writes the moved point to out.
func (c *composer) move(x, out []float64) {
	for k := range c.steps {
		to := out
		if k < len(c.steps)-1 {
			to, c.x, c.y = c.x, c.y, c.x
		}
		if s := &c.steps[k]; s.image {
			resample(c.raw.undo(x), to, c.data.Height, c.data.Width, s.inverse)
			c.raw.redo(to)
		} else {
			s.rewrite.at(x, to)
		}
		x = to
	}
}

// resample writes the image at the places that an affine map takes its pixels to: between pixels by bilinear interpolation, and zero
// outside. The sums are those of an imageMap, number by number.
func resample(x, out []float64, h, w int, inverse [6]float64) {
	for r := range h {
		v := float64(r) - float64(h-1)/2
		// The displacement is added to the pixel's place. So if it vanishes, so does every rounding error.
		du, dv := float64(inverse[1]*v), float64((inverse[4]-1)*v)
		for c, u := 0, -float64(w-1)/2; c < w; c, u = c+1, u+1 {
			y, z := float64(r)+(float64(inverse[3]*u)+dv+inverse[5]), float64(c)+(float64((inverse[0]-1)*u)+du+inverse[2])
			if !(y >= 0 && z >= 0 && y < float64(h-1) && z < float64(w-1)) {
				out[r*w+c] = bilinear(x, y, z, h, w)
				continue
			}
			// Within the image the integer part is the floor.
			i, j := int(y), int(z)
			at := x[i*w+j:][: w+2 : w+2]
			if at[0] == 0 && at[1] == 0 && at[w] == 0 && at[w+1] == 0 {
				out[r*w+c] = 0 // as most of a drawn image is
				continue
			}
			out[r*w+c] = between(at, w, y-float64(i), z-float64(j))
		}
	}
}

// bilinear returns the value of an image at row r, column c, between pixels.
func bilinear(x []float64, r, c float64, h, w int) float64 {
	if !(r > -1 && r < float64(h) && c > -1 && c < float64(w)) {
		return 0
	}
	r0, c0 := math.Floor(r), math.Floor(c)
	fr, fc := r-r0, c-c0
	i, j := int(r0), int(c0)
	if i >= 0 && i+1 < h && j >= 0 && j+1 < w {
		return between(x[i*w+j:], w, fr, fc)
	}
	pixel := func(i, j int) float64 {
		if i < 0 || i >= h || j < 0 || j >= w {
			return 0
		}
		return x[i*w+j]
	}
	return float64((1-fr)*(1-fc)*pixel(i, j)) + float64((1-fr)*fc*pixel(i, j+1)) + float64(fr*(1-fc)*pixel(i+1, j)) + float64(fr*fc*pixel(i+1, j+1))
}

// between returns the value between a pixel, the next ones to the right and below, and the one at both.
func between(at []float64, w int, fr, fc float64) float64 {
	return float64((1-fr)*(1-fc)*at[0]) + float64((1-fr)*fc*at[1]) + float64(fr*(1-fc)*at[w]) + float64(fr*fc*at[w+1])
}
