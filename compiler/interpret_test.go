package compiler

import (
	"math"
	"slices"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// An interpreter says what an expression is for an f that is known, as docs/language.md tells it. It walks the syntax and shares nothing
// with the compiler but that. f is a polynomial of the second degree, and a derivative is what the word says: the expression is
// evaluated where a parameter, or the points of f, are a little further on and a little back, which is exact for polynomials.
type interpreter struct {
	f      *probe
	data   *plugins.Data
	rows   []*spotted         // the points of the rows
	column map[string]*column // those of the file
	unit   []float64          // standard deviations of the file's columns
	edges  [][2]int
	width  []float64 // the weights of the edges
	tree   [][2]string
	pairs  func(call string) [][2]int
	defs   map[string]*dsl.Def
	lets   map[string]dsl.Expr
	others map[string]dsl.Expr   // the bodies of invariances
	grids  map[diag.Span]float64 // the values that are chosen
	trace  func(e dsl.Expr, v float64)
	quiet  int                         // derivatives around: nothing within is traced
	loud   bool                        // they are traced all the same
	bend   func(x []float64) []float64 // moves every point at which f is evaluated
	gap    float64                     // the number that a gap is as a factor
	table  *table                      // f is known by these values alone
}

// A column of the file holds numbers, or texts.
type column struct {
	numbers []float64
	texts   []string
}

// A between is a path from one row to another.
type between struct{ from, to int }

// A bound is what a name stands for.
type bound struct {
	kind  byte // 'p' point, 'l' label, 't' transformation, 'n' parameter of a path, 'w' weight of an edge, 'c' column, 'a' argument of a definition
	row   int
	path  *between // of a point on it, and of its parameter
	label string
	move  *dsl.Call
	at    float64 // of a parameter, and a weight
	expr  dsl.Expr
	in    *around
	text  string // of an element of which only the name is known
}

// An around holds the names around an expression, innermost first.
type around struct {
	up     *around
	name   string
	is     *bound
	points []*bound // of a quantifier that binds some; it has no name
}

func (s *around) with(name string, is *bound) *around { return &around{up: s, name: name, is: is} }

func (s *around) find(name string) *bound {
	for ; s != nil; s = s.up {
		if s.is != nil && s.name == name {
			return s.is
		}
	}
	return nil
}

// innermost is the point of the nearest quantifier that binds points.
func (s *around) innermost() *bound {
	for ; s != nil; s = s.up {
		if len(s.points) == 1 {
			return s.points[0]
		}
		if s.points != nil {
			break
		}
	}
	panic("f is at no point, or at several")
}

// parameter is the nearest parameter of a path, of any where it is nil.
func (s *around) parameter(of *between) *bound {
	for ; s != nil; s = s.up {
		if s.is != nil && s.is.kind == 'n' && (of == nil || s.is.path == of) {
			return s.is
		}
	}
	panic("there is no path")
}

func (in *interpreter) eval(e dsl.Expr, at *around) float64 {
	v := in.value(e, at)
	if in.trace != nil && (in.quiet == 0 || in.loud) {
		in.trace(e, v)
	}
	return v
}

func (in *interpreter) value(e dsl.Expr, at *around) float64 {
	switch e := e.(type) {
	case *dsl.Paren:
		return in.eval(e.X, at)
	case *dsl.Number:
		return e.Value
	case *dsl.Neg:
		return -in.eval(e.X, at)
	case *dsl.Abs:
		return math.Abs(in.eval(e.X, at))
	case *dsl.String:
		return in.cellHere(e, at)
	case *dsl.Binary:
		x, y := in.eval(e.X, at), in.eval(e.Y, at)
		switch e.Op {
		case "+":
			return x + y
		case "-":
			return x - y
		case "*":
			return x * y
		}
		return x / y
	case *dsl.Ident:
		return in.named(e, at)
	case *dsl.Call:
		return in.called(e, at)
	case *dsl.Deriv:
		in.quiet++
		defer func() { in.quiet-- }()
		return in.derived(e, at)
	case *dsl.Aggregate:
		v := make([]float64, len(e.Set.Elems))
		for i, k := range e.Set.Elems {
			v[i] = in.eval(k, at)
		}
		return in.aggregated(e.Op, v, nil, at)
	case *dsl.Quant:
		return in.quantified(e, at)
	}
	panic(dsl.ExprString(e))
}

func (in *interpreter) named(id *dsl.Ident, at *around) float64 {
	b := at.find(id.Name)
	switch {
	case b != nil && b.kind == 'w' && in.table != nil:
		return in.table.named(b.text)
	case b != nil && (b.kind == 'n' || b.kind == 'w'):
		return b.at
	case b != nil && in.pointless(b):
		return in.cellHere(b.expr, at)
	case b != nil:
		return in.eval(b.expr, b.in)
	case in.lets[id.Name] != nil:
		return in.eval(in.lets[id.Name], nil)
	case in.others[id.Name] != nil:
		return in.eval(in.others[id.Name], nil)
	case id.Name == "f":
		return in.function(nil, at)
	}
	return in.cellHere(id, at)
}

func (in *interpreter) called(e *dsl.Call, at *around) float64 {
	switch e.Fun.Name {
	case "f":
		return in.function(e.Args, at)
	case "pos":
		return max(in.eval(e.Args[0].Value, at), 0)
	case "grid":
		return in.grids[e.Span()]
	case "hypot":
		squares := 0.0
		for _, a := range e.Args {
			squares += math.Pow(in.eval(a.Value, at), 2)
		}
		return math.Sqrt(squares)
	case "sqrt":
		return math.Sqrt(in.eval(e.Args[0].Value, at))
	}
	def, inner := in.defs[e.Fun.Name], at
	if def == nil {
		return in.number(in.columnAt(e, at))
	}
	return in.eval(def.Body, given(def, e, inner))
}

// given are the names around the body of a definition that is called.
func given(def *dsl.Def, e *dsl.Call, at *around) *around {
	inner := at
	for i, p := range def.Params {
		arg := e.Args[i]
		for _, a := range e.Args {
			if a.Name != nil && a.Name.Name == p.Name {
				arg = a
			}
		}
		inner = inner.with(p.Name, &bound{kind: 'a', expr: arg.Value, in: at})
	}
	return inner
}

// derived is a derivative of what is a polynomial of at most the eighth degree in the parameter: eight points give it without error.
func (in *interpreter) derived(e *dsl.Deriv, at *around) float64 {
	if in.table != nil {
		outer := in.table.derivative
		defer func() { in.table.derivative = outer }()
		own := "d/d" + e.With.Name + " "
		if e.Bracketed {
			own = "d/d(" + e.With.Name + map[bool]string{true: ", raw"}[e.RawUnit] + ") "
		}
		in.table.derivative = outer + own
		whole := in.eval(e.Of, at)
		zero := in.table.zero
		defer func() { in.table.zero = zero }()
		in.table.zero = true
		return whole - in.eval(e.Of, at) // numbers that stand beside f do not vary
	}
	if b := at.find(e.With.Name); !e.Bracketed && b != nil && b.kind == 'n' {
		here := b.at
		defer func() { b.at = here }()
		return stencil([]float64{4. / 5, -1. / 5, 4. / 105, -1. / 280}, func(by float64) float64 {
			b.at = here + by
			return in.eval(e.Of, at)
		})
	}
	toward := in.direction(e, at)
	outer := in.bend
	defer func() { in.bend = outer }()
	// f is of the second degree in how far its points are bent.
	return stencil([]float64{0.5}, func(by float64) float64 {
		in.bend = func(x []float64) []float64 {
			if outer != nil {
				x = outer(x)
			}
			return plus(x, by, toward(x))
		}
		return in.eval(e.Of, at)
	})
}

// stencil is the slope at 0 of a polynomial of a degree below twice the number of weights, plus one.
func stencil(weights []float64, further func(by float64) float64) float64 {
	const h = 0.25
	slope := 0.0
	for k, c := range weights {
		by := h * float64(k+1)
		slope += c * (further(by) - further(-by))
	}
	return slope / h
}

func plus(x []float64, by float64, v []float64) []float64 {
	out := slices.Clone(x)
	for j := range out {
		out[j] += by * v[j]
	}
	return out
}

// A spotted is a point at which f stands, and the weights of the labels there.
type spotted struct {
	x []float64
	y []float64
}

// function is f at a point and a label, the innermost point and its own label where none are given.
func (in *interpreter) function(args []*dsl.Arg, at *around) float64 {
	if in.table != nil {
		return in.table.function(args, at)
	}
	var p *spotted
	label := ""
	for _, a := range args {
		if q, l := in.argument(a.Value, at); q != nil {
			p = q
		} else {
			label = l
		}
	}
	if p == nil {
		p = in.place(at.innermost(), at)
	}
	x := p.x
	if in.bend != nil {
		x = in.bend(x)
	}
	if len(in.data.LabelNames) == 0 {
		return in.f.q(0, x)
	}
	s := 0.0
	for c, name := range in.data.LabelNames {
		switch label {
		case name:
			s += in.f.q(c, x)
		case "":
			s += p.y[c] * in.f.q(c, x)
		}
	}
	return s
}

// place is where a point is.
func (in *interpreter) place(b *bound, at *around) *spotted {
	if b.path == nil {
		return in.rows[b.row]
	}
	return in.onPath(b.path, at.parameter(b.path).at)
}

// onPath is a point of a path.
func (in *interpreter) onPath(path *between, l float64) *spotted {
	from, to := in.rows[path.from], in.rows[path.to]
	mix := func(a, b []float64) []float64 {
		out := make([]float64, len(a))
		for j := range out {
			out[j] = l*a[j] + (1-l)*b[j]
		}
		return out
	}
	return &spotted{mix(to.x, from.x), mix(to.y, from.y)} // it runs from the second row to the first
}

// argument is a point or a label that f is given.
func (in *interpreter) argument(e dsl.Expr, at *around) (*spotted, string) {
	switch e := e.(type) {
	case *dsl.Paren:
		return in.argument(e.X, at)
	case *dsl.Call:
		return in.moved(e, at), ""
	case *dsl.Ident:
		switch b := at.find(e.Name); {
		case b == nil:
			return nil, e.Name
		case b.kind == 'a':
			return in.argument(b.expr, b.in)
		case b.kind == 'l':
			return nil, b.label
		default:
			return in.place(b, at), ""
		}
	}
	panic(dsl.ExprString(e))
}
