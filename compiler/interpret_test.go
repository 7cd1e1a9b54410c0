package compiler

import (
	"math"
	"slices"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
)

// An interpreter says what an expression is by walking its syntax, for an f that is known. It shares nothing with the compiler
// but the syntax tree: names are looked up, definitions called and index sets enumerated anew, as docs/language.md tells it.
type interpreter struct {
	f     *probe
	data  *plugins.Data
	edges [][2]int
	tree  [][2]string
	pairs [][2]int
	defs  map[string]*dsl.Def
	trace func(e dsl.Expr, v float64)
	table *table // f is known by these values alone
}

// A thing is what a name stands for.
type thing struct {
	row   int // of a point of the data; of a path its first end
	end   int // the other end of a path, or −1
	label string
	move  *dsl.Call
	param float64
	value dsl.Expr // an argument, meant in its own surroundings
	where *surroundings
	text  string // of an element of an index set of which only names are known
	kind  byte   // 'p' point, 'l' label, 't' transformation, 'λ', 'a' argument
}

// surroundings are the names bound around an expression, innermost first.
type surroundings struct {
	up     *surroundings
	name   string
	is     thing
	points []thing // of a quantifier that binds some
}

func (s *surroundings) find(name string) *thing {
	for ; s != nil; s = s.up {
		if s.points == nil && s.name == name {
			return &s.is
		}
	}
	return nil
}

func (s *surroundings) innermost() thing {
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

// lambda is where the nearest path's point stands.
func (s *surroundings) lambda() float64 {
	for ; s != nil; s = s.up {
		if s.points == nil && s.is.kind == 'L' {
			return s.is.param
		}
	}
	panic("there is no path")
}

// along is what a derivative is taken along: nothing, a column, a path or a transformation.
type along struct {
	column string
	path   bool
	move   *dsl.Call
	text   string // of the transformation, where only names are known
}

func (in *interpreter) eval(e dsl.Expr, at *surroundings, d along) float64 {
	v := in.compute(e, at, d)
	if in.trace != nil && d == (along{}) {
		in.trace(e, v)
	}
	return v
}

func (in *interpreter) compute(e dsl.Expr, at *surroundings, d along) float64 {
	switch e := e.(type) {
	case *dsl.Paren:
		return in.eval(e.X, at, d)
	case *dsl.Number:
		return e.Value
	case *dsl.Neg:
		return -in.eval(e.X, at, d)
	case *dsl.Abs:
		return math.Abs(in.eval(e.X, at, d))
	case *dsl.Binary:
		return arithmetic(e.Op, in.eval(e.X, at, d), in.eval(e.Y, at, d))
	case *dsl.Ident:
		if t := at.find(e.Name); t != nil {
			return in.eval(t.value, t.where, d)
		}
		return in.function(nil, at, d)
	case *dsl.Call:
		return in.call(e, at, d)
	case *dsl.Deriv:
		return in.eval(e.Of, at, in.direction(e, at))
	case *dsl.Aggregate:
		v := make([]float64, len(e.Set.Elems))
		for i, k := range e.Set.Elems {
			v[i] = in.eval(k, at, d)
		}
		return aggregated(e.Op, v, nil)
	case *dsl.Quant:
		return in.quantified(e, at, d)
	}
	panic(dsl.ExprString(e))
}

func arithmetic(op string, x, y float64) float64 {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	}
	return x / y
}

func (in *interpreter) call(e *dsl.Call, at *surroundings, d along) float64 {
	switch e.Fun.Name {
	case "f":
		return in.function(e.Args, at, d)
	case "pos":
		return max(in.eval(e.Args[0].Value, at, d), 0)
	case "hypot":
		var s float64
		for _, a := range e.Args {
			s = math.Hypot(s, in.eval(a.Value, at, d))
		}
		return s
	}
	def, inner := in.defs[e.Fun.Name], at
	for i, p := range def.Params {
		inner = &surroundings{up: inner, name: p.Name, is: thing{kind: 'a', value: e.Args[i].Value, where: at}}
	}
	return in.eval(def.Body, inner, d)
}

// function is f at a point, with a label, or its derivative there.
func (in *interpreter) function(args []*dsl.Arg, at *surroundings, d along) float64 {
	if in.table != nil {
		return in.table.function(args, at, d)
	}
	var x, path []float64
	var label string
	for _, a := range args {
		px, pp, l := in.argument(a.Value, at)
		if l != "" {
			label = l
		} else {
			x, path = px, pp
		}
	}
	var here thing
	if x == nil {
		here = at.innermost()
		x, path = in.place(here, at)
	} else {
		here = in.pointOf(args[0].Value, at)
	}
	v := in.tangent(d, x, path)
	var s float64
	for c, w := range in.labelled(label, here, at) {
		switch {
		case v != nil:
			s += w * in.f.dq(c, x, v)
		default:
			s += w * in.f.q(c, x)
		}
	}
	if d.path && label == "" && len(in.data.LabelNames) > 0 {
		for c := range in.data.LabelNames { // the label moves along the path too
			s += (in.weight(here.row, c) - in.weight(here.end, c)) * in.f.q(c, x)
		}
	}
	return s
}

// labelled are the weights of the labels at which f stands.
func (in *interpreter) labelled(label string, here thing, at *surroundings) []float64 {
	if len(in.data.LabelNames) == 0 {
		return []float64{1}
	}
	y := make([]float64, len(in.data.LabelNames))
	for c, name := range in.data.LabelNames {
		switch {
		case label == name:
			y[c] = 1
		case label == "" && here.end < 0:
			y[c] = in.weight(here.row, c)
		case label == "":
			l := at.lambda()
			y[c] = l*in.weight(here.row, c) + (1-l)*in.weight(here.end, c)
		}
	}
	return y
}

func (in *interpreter) weight(row, label int) float64 {
	if i := slices.Index(in.data.Labels[row].Index, int32(label)); i >= 0 {
		return in.data.Labels[row].Value[i]
	}
	return 0
}

// place is where a point of the data or of a path is, and the path's direction there.
func (in *interpreter) place(t thing, at *surroundings) (x, path []float64) {
	if t.end < 0 {
		return slices.Clone(in.data.Rows.Row(t.row)), nil
	}
	l := at.lambda()
	for j, a := range in.data.Rows.Row(t.row) {
		b := in.data.Rows.Row(t.end)[j]
		x, path = append(x, l*a+(1-l)*b), append(path, a-b)
	}
	return x, path
}

// argument is a point or a label that f is given.
func (in *interpreter) argument(e dsl.Expr, at *surroundings) (x, path []float64, label string) {
	switch e := e.(type) {
	case *dsl.Paren:
		return in.argument(e.X, at)
	case *dsl.Ident:
		switch t := at.find(e.Name); {
		case t == nil:
			return nil, nil, e.Name
		case t.kind == 'a':
			return in.argument(t.value, t.where)
		case t.kind == 'l':
			return nil, nil, t.label
		default:
			x, path = in.place(*t, at)
			return x, path, ""
		}
	case *dsl.Call:
		x, path = in.moved(e, at)
		return x, path, ""
	}
	panic(dsl.ExprString(e))
}

// moved is a point after a transformation: t(x), double(x), or jitter(area, 1) of the innermost.
func (in *interpreter) moved(e *dsl.Call, at *surroundings) (x, path []float64) {
	if e.Fun.Name == "jitter" {
		x, path = in.place(at.innermost(), at)
		return in.apply(e, x), path
	}
	x, path, _ = in.argument(e.Args[0].Value, at)
	if t := at.find(e.Fun.Name); t != nil {
		return in.apply(t.move, x), path
	}
	return in.apply(e, x), path
}

func (in *interpreter) apply(move *dsl.Call, x []float64) []float64 {
	for j, v := range in.motion(move, x) {
		if move.Fun.Name == "jitter" {
			v *= math.Abs(amount(move))
		}
		x[j] += v
	}
	return x
}

// motion is the direction in which a transformation moves a point, per unit.
func (in *interpreter) motion(move *dsl.Call, x []float64) []float64 {
	if move.Fun.Name == "double" {
		return slices.Clone(x)
	}
	v := in.columnOf(move.Args[0].Value.(*dsl.Ident).Name)
	for j := range v {
		v[j] = math.Copysign(v[j], v[j]*amount(move))
	}
	return v
}

func amount(move *dsl.Call) float64 {
	if neg, ok := move.Args[1].Value.(*dsl.Neg); ok {
		return -neg.X.(*dsl.Number).Value
	}
	return move.Args[1].Value.(*dsl.Number).Value
}

// columnOf is one unit of a column of the file.
func (in *interpreter) columnOf(name string) []float64 {
	v := make([]float64, len(in.data.Columns))
	j := slices.Index(in.data.Columns, name)
	v[j] = 1 / in.data.Scale[j]
	return v
}

// pointOf is the point that an argument of f names, before it is moved.
func (in *interpreter) pointOf(e dsl.Expr, at *surroundings) thing {
	switch e := e.(type) {
	case *dsl.Paren:
		return in.pointOf(e.X, at)
	case *dsl.Call:
		if e.Fun.Name == "jitter" {
			return at.innermost()
		}
		return in.pointOf(e.Args[0].Value, at)
	case *dsl.Ident:
		t := at.find(e.Name)
		if t.kind == 'a' {
			return in.pointOf(t.value, t.where)
		}
		return *t
	}
	panic(dsl.ExprString(e))
}

func (in *interpreter) direction(e *dsl.Deriv, at *surroundings) along {
	if e.Bracketed {
		return along{column: e.With.Name}
	}
	if t := at.find(e.With.Name); t != nil && t.kind == 't' {
		return along{move: t.move, text: e.With.Name}
	}
	return along{path: true}
}

func (in *interpreter) tangent(d along, x, path []float64) []float64 {
	switch {
	case d.path:
		return path
	case d.column != "":
		return in.columnOf(d.column)
	case d.move != nil:
		return in.motion(d.move, x)
	}
	return nil
}
