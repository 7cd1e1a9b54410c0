package compiler

import (
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
)

// direction is where a derivative along a column or a transformation goes from a point.
func (in *interpreter) direction(e *dsl.Deriv, at *around) func([]float64) []float64 {
	if e.Bracketed {
		name := in.featureOf(e.With, at)
		size := in.unit[slices.Index(in.data.Columns, name)]
		if e.RawUnit {
			size = 1
		}
		return func([]float64) []float64 { return in.along(name, size) }
	}
	move := in.transformation(&dsl.Call{Fun: e.With}, at) // by its name, where it has no other
	switch move.Fun.Name {
	case "double":
		return func(x []float64) []float64 { return x }
	case "move":
		v := in.along(columnName(move.Args[0].Value), math.Copysign(1, in.amount(move.Args[1].Value)))
		return func([]float64) []float64 { return v }
	}
	velocity := in.velocity(move)
	return func(x []float64) []float64 { return in.flows(x, velocity) }
}

// featureOf is the column of a derivative: a variable that is bound to one, an argument of a definition, or the name itself.
func (in *interpreter) featureOf(id *dsl.Ident, at *around) string {
	quoted := strings.HasPrefix(id.Raw, `"`)
	for b := at.find(id.Name); b != nil && !quoted; b = at.find(id.Name) {
		if b.kind == 'c' {
			return b.text
		}
		if s, ok := b.expr.(*dsl.String); ok {
			return s.Value
		}
		id, at = b.expr.(*dsl.Ident), b.in
		quoted = strings.HasPrefix(id.Raw, `"`)
	}
	return id.Name
}

// columnName is a column that is written as a word or in quotes.
func columnName(e dsl.Expr) string {
	if s, ok := e.(*dsl.String); ok {
		return s.Value
	}
	return e.(*dsl.Ident).Name
}

// along is an amount of a column of the file, among the prepared features.
func (in *interpreter) along(column string, amount float64) []float64 {
	v := make([]float64, len(in.data.Columns))
	j := slices.Index(in.data.Columns, column)
	v[j] = amount / in.data.Scale[j]
	return v
}

// transformation is what a call or a name stands for: a transformation that is bound, that a definition is given, that a let names,
// or one of a family.
func (in *interpreter) transformation(e *dsl.Call, at *around) *dsl.Call {
	id := e.Fun
	for {
		b := at.find(id.Name)
		switch {
		case b != nil && b.kind == 't':
			return b.move
		case b != nil && b.kind == 'a':
			at = b.in
			switch given := b.expr.(type) {
			case *dsl.Call:
				return given
			case *dsl.Ident:
				id = given
			}
		case in.lets[id.Name] != nil:
			return in.lets[id.Name].(*dsl.Call)
		case len(e.Args) > 0 || id != e.Fun:
			return e
		default:
			return &dsl.Call{Fun: id}
		}
	}
}

// moved is a point after a transformation: t(x), double(x), or move(area, 1) of the innermost.
func (in *interpreter) moved(e *dsl.Call, at *around) *spotted {
	if b := at.find(e.Fun.Name); b != nil && b.kind == 'p' {
		if id, ok := e.Args[0].Value.(*dsl.Ident); ok {
			return in.onPath(b.path, at.find(id.Name).at)
		}
		return in.onPath(b.path, in.amount(e.Args[0].Value))
	}
	if at.find(e.Fun.Name) == nil && in.lets[e.Fun.Name] == nil && e.Fun.Name != "double" {
		return in.after(e, in.place(at.innermost(), at))
	}
	p, _ := in.argument(e.Args[0].Value, at)
	return in.after(in.transformation(e, at), p)
}

// amount is a number of a transformation or a place on a path.
func (in *interpreter) amount(e dsl.Expr) float64 { return in.eval(e, nil) }

// after is a point after a transformation, which leaves its label.
func (in *interpreter) after(move *dsl.Call, p *spotted) *spotted {
	arg := func(i int) dsl.Expr { return move.Args[i].Value }
	switch move.Fun.Name {
	case "double":
		return &spotted{plus(p.x, 1, p.x), p.y}
	case "move":
		return &spotted{plus(p.x, in.amount(arg(1)), in.along(columnName(arg(0)), 1)), p.y}
	case "put":
		return &spotted{in.put(p.x, columnName(arg(0)), arg(1)), p.y}
	case "swap":
		return &spotted{in.swapped(p.x, columnName(arg(0)), columnName(arg(1))), p.y}
	}
	return &spotted{in.resampled(p.x, in.inverse(move)), p.y}
}

// file are the values that features have in the file.
func (in *interpreter) file(x []float64) map[string]float64 {
	out := map[string]float64{}
	for j, name := range in.data.Columns {
		out[name] = in.data.Offset[j] + in.data.Scale[j]*x[j]
	}
	return out
}

// prepared are the features of values of the file.
func (in *interpreter) prepared(values map[string]float64) []float64 {
	x := make([]float64, len(in.data.Columns))
	for j, name := range in.data.Columns {
		x[j] = (values[name] - in.data.Offset[j]) / in.data.Scale[j]
	}
	return x
}

// texts are those of which features say that a column has them.
func (in *interpreter) texts(column string) (texts []string) {
	for _, name := range in.data.Columns {
		if text, ok := strings.CutPrefix(name, column+"="); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// put gives a column a value.
func (in *interpreter) put(x []float64, column string, value dsl.Expr) []float64 {
	values := in.file(x)
	if id, ok := value.(*dsl.Ident); ok && in.lets[id.Name] != nil {
		value = in.lets[id.Name]
	}
	if text, ok := value.(*dsl.String); ok {
		for _, t := range in.texts(column) {
			values[column+"="+t] = map[bool]float64{true: 1}[t == text.Value]
		}
		return in.prepared(values)
	}
	values[column] = in.amount(value)
	return in.prepared(values)
}

// swapped lets two columns change places. A text that a column never has is none of its features.
func (in *interpreter) swapped(x []float64, a, b string) []float64 {
	old, values := in.file(x), in.file(x)
	texts := append(in.texts(a), in.texts(b)...)
	if len(texts) == 0 {
		values[a], values[b] = old[b], old[a]
	}
	for _, text := range texts {
		values[a+"="+text], values[b+"="+text] = old[b+"="+text], old[a+"="+text]
	}
	return in.prepared(values)
}

// twoOf are the arguments of a map of images: the one that is called second, and the other.
func (in *interpreter) twoOf(move *dsl.Call, second string) (u, v float64) {
	for _, a := range move.Args {
		if a.Name != nil && a.Name.Name == second {
			v = in.angle(a.Value)
		} else {
			u = in.angle(a.Value)
		}
	}
	return u, v
}

// angle is a number, in radians where it is written in degrees.
func (in *interpreter) angle(e dsl.Expr) float64 {
	switch e := e.(type) {
	case *dsl.Neg:
		return -in.angle(e.X)
	case *dsl.Number:
		if e.Unit == "deg" {
			return e.Value * math.Pi / 180
		}
	}
	return in.amount(e)
}

// inverse is where what a pixel at (u, v) shows after a transformation of images comes from.
func (in *interpreter) inverse(move *dsl.Call) func(u, v float64) (float64, float64) {
	switch move.Fun.Name {
	case "rotate":
		angle, _ := in.twoOf(move, "")
		cos, sin := math.Cos(angle), math.Sin(angle)
		return func(u, v float64) (float64, float64) { return u*cos - v*sin, u*sin + v*cos }
	case "scale":
		s, _ := in.twoOf(move, "")
		return func(u, v float64) (float64, float64) { return u / (1 + s), v / (1 + s) }
	case "shift":
		dx, dy := in.twoOf(move, "dy")
		return func(u, v float64) (float64, float64) { return u - dx, v - dy }
	case "shear":
		x, y := in.twoOf(move, "y")
		return func(u, v float64) (float64, float64) {
			return (u - x*v) / (1 - x*y), (v - y*u) / (1 - x*y)
		}
	}
	panic(dsl.ExprString(move))
}

// pixel is the value of an image in the file, between its pixels and zero outside.
func (in *interpreter) pixel(x []float64, r, c float64) float64 {
	s := 0.0
	for i := range in.data.Height {
		for j := range in.data.Width {
			k := i*in.data.Width + j
			s += max(0, 1-math.Abs(r-float64(i))) * max(0, 1-math.Abs(c-float64(j))) * (in.data.Offset[k] + in.data.Scale[k]*x[k])
		}
	}
	return s
}

// resampled is an image whose pixels show what the old one has at the places that an inverse says.
func (in *interpreter) resampled(x []float64, inverse func(u, v float64) (float64, float64)) []float64 {
	out := make([]float64, len(x))
	h, w := in.data.Height, in.data.Width
	for k := range out {
		r, c := float64(k/w), float64(k%w)
		middleR, middleC := float64(h-1)/2, float64(w-1)/2
		u, v := inverse(c-middleC, r-middleR)
		out[k] = (in.pixel(x, v+middleR, u+middleC) - in.data.Offset[k]) / in.data.Scale[k]
	}
	return out
}

// velocity is how fast what an image shows at (u, v) moves under a transformation at the identity.
func (in *interpreter) velocity(move *dsl.Call) func(u, v float64) (float64, float64) {
	unit := func(a, b float64) (float64, float64) { return a / math.Hypot(a, b), b / math.Hypot(a, b) }
	sign := 1.0
	switch move.Fun.Name {
	case "rotate", "scale":
		if a, _ := in.twoOf(move, ""); a < 0 {
			sign = -1
		}
	}
	switch move.Fun.Name {
	case "rotate":
		return func(u, v float64) (float64, float64) { return sign * v, -sign * u }
	case "scale":
		return func(u, v float64) (float64, float64) { return sign * u, sign * v }
	case "shift":
		dx, dy := unit(in.twoOf(move, "dy"))
		return func(float64, float64) (float64, float64) { return dx, dy }
	case "shear":
		x, y := unit(in.twoOf(move, "y"))
		return func(u, v float64) (float64, float64) { return x * v, y * u }
	}
	panic(dsl.ExprString(move))
}

// flows is how fast the features of an image change where it moves. Between pixels an image is bent, and its slope at one is the mean
// of those to both sides.
func (in *interpreter) flows(x []float64, velocity func(u, v float64) (float64, float64)) []float64 {
	out := make([]float64, len(x))
	h, w := in.data.Height, in.data.Width
	for k := range out {
		r, c := float64(k/w), float64(k%w)
		du, dv := velocity(c-float64(w-1)/2, r-float64(h-1)/2)
		across := (in.pixel(x, r, c+1) - in.pixel(x, r, c-1)) / 2
		down := (in.pixel(x, r+1, c) - in.pixel(x, r-1, c)) / 2
		out[k] = -(du*across + dv*down) / in.data.Scale[k]
	}
	return out
}
