package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/plugins"
)

// An imageMap resamples images: every new pixel is a weighted sum of old ones, the same for all images. So one list
// of weights serves thousands of rows. It is kept by old pixels, as most of a drawn image is 0 and adds to no sum.
type imageMap struct {
	raw rawValues
	// shares holds what each old pixel adds to new ones.
	shares [][]share
}

// A share is an old pixel's weight in the sum of a new one.
type share struct {
	pixel  int
	weight float64
}

// newImageMap prepares a motion, or its derivative, for images of the data's size. It fails if the features are no
// image.
func newImageMap(data *plugins.Data, m motion, derivative bool) (pointMap, error) {
	h, w := data.Height, data.Width
	if err := isImage(data); err != nil {
		return nil, err
	}
	if derivative && m.speed == [6]float64{} {
		return nil, errors.New("it moves nothing, so it has no derivative: give it an argument that is not zero")
	}
	im := &imageMap{raw: newRawValues(data), shares: make([][]share, h*w)}
	for r := range h {
		for c := range w {
			// The centre of the image is the origin.
			u, v := float64(c)-float64(w-1)/2, float64(r)-float64(h-1)/2
			if derivative {
				im.addGradient(r, c, h, w, m.speed[0]*u+m.speed[1]*v+m.speed[2], m.speed[3]*u+m.speed[4]*v+m.speed[5])
			} else {
				// The displacement is added to the pixel's place. So if it vanishes, so does every rounding error.
				du := (m.inv[0]-1)*u + m.inv[1]*v + m.inv[2]
				dv := m.inv[3]*u + (m.inv[4]-1)*v + m.inv[5]
				im.addBilinear(r*w+c, float64(r)+dv, float64(c)+du, h, w)
			}
		}
	}
	return im, nil
}

// isImage returns an error if the features are no image.
func isImage(data *plugins.Data) error {
	h, w := data.Height, data.Width
	if h <= 0 || w <= 0 {
		return errors.New("it moves images, but the features are a table; " +
			"say `columns image(HEIGHT, WIDTH)` in the data block, or use move(COLUMN, AMOUNT)")
	}
	if h*w != data.Rows.Cols {
		return fmt.Errorf("an image of %d×%d has %d pixels, but there are %d features", h, w, h*w, data.Rows.Cols)
	}
	return nil
}

// addBilinear adds the shares of the value at row r, column c, between pixels.
func (im *imageMap) addBilinear(q int, r, c float64, h, w int) {
	if !(r > -1 && r < float64(h) && c > -1 && c < float64(w)) {
		// The image is zero outside.
		return
	}
	r0, c0 := math.Floor(r), math.Floor(c)
	fr, fc := r-r0, c-c0
	im.add(q, int(r0), int(c0), h, w, (1-fr)*(1-fc))
	im.add(q, int(r0), int(c0)+1, h, w, (1-fr)*fc)
	im.add(q, int(r0)+1, int(c0), h, w, fr*(1-fc))
	im.add(q, int(r0)+1, int(c0)+1, h, w, fr*fc)
}

// addGradient adds the shares of −⟨∇x, (wu, wv)⟩ at row r, column c, by central differences.
func (im *imageMap) addGradient(r, c, h, w int, wu, wv float64) {
	q := r*w + c
	im.add(q, r, c+1, h, w, -wu/2)
	im.add(q, r, c-1, h, w, wu/2)
	im.add(q, r+1, c, h, w, -wv/2)
	im.add(q, r-1, c, h, w, wv/2)
}

// add adds a share in the new pixel q, unless its weight is 0 or the old pixel lies outside.
func (im *imageMap) add(q, r, c, h, w int, weight float64) {
	if weight != 0 && r >= 0 && r < h && c >= 0 && c < w {
		im.shares[r*w+c] = append(im.shares[r*w+c], share{q, weight})
	}
}

// at writes the moved image to out.
func (im *imageMap) at(x, out []float64) {
	im.sum(im.raw.undo(x), out)
	im.raw.redo(out)
}

// velocity writes the derivative to out.
func (im *imageMap) velocity(x, out []float64) {
	im.sum(im.raw.undo(x), out)
	im.raw.redoTangent(out)
}

// uniform reports false: how a pixel changes depends on its neighbours.
func (im *imageMap) uniform() bool { return false }

// sum writes the weighted sums of raw pixels to out.
func (im *imageMap) sum(x, out []float64) {
	clear(out)
	for p, v := range x {
		if v == 0 {
			continue
		}
		for _, s := range im.shares[p] {
			out[s.pixel] += float64(s.weight * v) // rounded here: the same number on every machine
		}
	}
}

// rawValues undoes and redoes the preparation of features.
type rawValues struct {
	offset, scale []float64
	// buffer is nil if raw and prepared values are proportional: maps of images are linear, so nothing needs undoing.
	buffer []float64
}

// newRawValues returns the preparation of the data's features.
func newRawValues(data *plugins.Data) rawValues {
	differs := func(v []float64, from float64) bool {
		return slices.ContainsFunc(v, func(s float64) bool { return s != from })
	}
	if !differs(data.Offset, 0) && (len(data.Scale) == 0 || !differs(data.Scale, data.Scale[0])) {
		return rawValues{}
	}
	p := data.Rows.Cols
	v := rawValues{offset: data.Offset, scale: data.Scale, buffer: make([]float64, p)}
	if v.offset == nil {
		v.offset = make([]float64, p)
	}
	if v.scale == nil {
		v.scale = slices.Repeat([]float64{1}, p)
	}
	return v
}

// undo returns raw values; the next call overwrites them.
func (v *rawValues) undo(x []float64) []float64 {
	if v.buffer == nil {
		return x
	}
	for j := range v.buffer {
		v.buffer[j] = v.offset[j] + float64(v.scale[j]*x[j])
	}
	return v.buffer
}

// redo prepares raw values in place.
func (v *rawValues) redo(x []float64) {
	if v.buffer == nil {
		return
	}
	for j := range x {
		x[j] = (x[j] - v.offset[j]) / v.scale[j]
	}
}

// redoTangent prepares a raw derivative in place, to which an offset adds nothing.
func (v *rawValues) redoTangent(x []float64) {
	if v.buffer == nil {
		return
	}
	for j := range x {
		x[j] /= v.scale[j]
	}
}
