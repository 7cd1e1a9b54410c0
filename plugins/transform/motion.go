package transform

import (
	"errors"
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/plugins"
)

// The bounds of scale's factor.
const (
	smallestScale = -0.99
	largestScale  = 100
)

// A motion of the plane about the image's centre, u to the right and v down. The new image at q is the old one at the
// inverse's q, so the inverse is what resampling needs.
type motion struct {
	// inv is the inverse, an affine map (u, v) → (inv[0] u + inv[1] v + inv[2], inv[3] u + inv[4] v + inv[5]).
	inv [6]float64
	// speed is the velocity at the identity along the map's parameter, an affine map likewise.
	speed [6]float64
}

// newMotion returns the motion of a map by name. It fails if arguments are missing or out of range.
func newMotion(name string, args []plugins.Value, derivative bool) (motion, error) {
	for _, a := range args {
		if !isFinite(a.Number) {
			return motion{}, fmt.Errorf("%s is %v", a.Name, a.Number)
		}
	}
	switch name {
	case "rotate":
		return newRotation(args, derivative)
	case "scale":
		return newScaling(args, derivative)
	case "shift":
		return newShift(args)
	case "shear":
		return newShear(args)
	}
	return motion{}, errors.New("transform has no such map")
}

// newRotation turns by −angle: v points down, so that the screen shows a counter-clockwise turn.
func newRotation(args []plugins.Value, derivative bool) (motion, error) {
	angle, ok := plugins.Lookup(args, "angle")
	if !ok && !derivative {
		return motion{}, errors.New("by which angle? give rotate(ANGLE), such as rotate(10deg)")
	}
	sin, cos := math.Sincos(math.Remainder(angle.Number, 2*math.Pi))
	d := direction(angle.Number)
	return motion{
		inv:   [6]float64{cos, -sin, 0, sin, cos, 0},
		speed: [6]float64{0, d, 0, -d, 0, 0},
	}, nil
}

// newScaling enlarges by 1 + factor.
func newScaling(args []plugins.Value, derivative bool) (motion, error) {
	factor, ok := plugins.Lookup(args, "factor")
	if !ok && !derivative {
		return motion{}, errors.New("by which factor? give scale(FACTOR), such as scale(0.1) for 10 % larger")
	}
	if factor.Number < smallestScale || factor.Number > largestScale {
		return motion{}, fmt.Errorf("factor is %v: give a number from %v to %v", factor.Number, smallestScale, largestScale)
	}
	k := 1 / (1 + factor.Number)
	d := direction(factor.Number)
	return motion{inv: [6]float64{k, 0, 0, 0, k, 0}, speed: [6]float64{d, 0, 0, 0, d, 0}}, nil
}

// newShift moves by dx to the right and dy down, in pixels.
func newShift(args []plugins.Value) (motion, error) {
	dx, dy := plugins.NumberOr(args, "dx", 0), plugins.NumberOr(args, "dy", 0)
	r := lengthOr1(dx, dy)
	return motion{inv: [6]float64{1, 0, -dx, 0, 1, -dy}, speed: [6]float64{0, 0, dx / r, 0, 0, dy / r}}, nil
}

// newShear maps (u, v) to (u + x v, v + y u), whose determinant is 1 − xy.
func newShear(args []plugins.Value) (motion, error) {
	x, y := plugins.NumberOr(args, "x", 0), plugins.NumberOr(args, "y", 0)
	det := 1 - x*y
	if math.Abs(det) < 1e-6 {
		return motion{}, fmt.Errorf("x = %v and y = %v press the image flat: their product is 1", x, y)
	}
	r := lengthOr1(x, y)
	return motion{
		inv:   [6]float64{1 / det, -x / det, 0, -y / det, 1 / det, 0},
		speed: [6]float64{0, x / r, 0, y / r, 0, 0},
	}, nil
}

// lengthOr1 returns the length of (x, y), 1 if it is zero. Only the direction of the arguments decides about a
// derivative.
func lengthOr1(x, y float64) float64 {
	if r := math.Hypot(x, y); r > 0 {
		return r
	}
	return 1
}

// direction returns the sign of a parameter; zero counts as forward.
func direction(v float64) float64 {
	if v < 0 {
		return -1
	}
	return 1
}

// isFinite reports whether v is a finite number.
func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
