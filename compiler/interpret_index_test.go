package compiler

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/sipc-ml/sipc/dsl"
)

// An element of an index set has a measure: 1, or that of a node of a path.
type element struct {
	at      *around
	measure float64
}

func (in *interpreter) quantified(e *dsl.Quant, at *around) float64 {
	elements := []element{{at, 1}}
	for _, b := range append([]*dsl.Binder{e.Bind}, e.More...) {
		var next []element
		for _, el := range elements {
			for _, more := range in.elements(b, el.at, e.Op.Name == "top") {
				next = append(next, element{more.at, el.measure * more.measure})
			}
		}
		elements = next
	}
	v, w := []float64{}, []float64{}
	for _, el := range elements {
		inner := framed(el.at, at)
		if e.Where == nil || in.table != nil || in.holds(e.Where, inner) {
			v, w = append(v, in.eval(e.Body, inner)), append(w, el.measure)
		}
	}
	return in.aggregated(e.Op, v, w, at)
}

// framed marks the points that a quantifier binds.
func framed(inner, outer *around) *around {
	var points []*bound
	for s := inner; s != outer; s = s.up {
		if s.is.kind == 'p' {
			points = append(points, s.is)
		}
	}
	if points == nil {
		return inner
	}
	return &around{up: inner, points: points}
}

// elements are those of a binder's index set. Where they are counted, a path's parameter is left to a quantifier within.
func (in *interpreter) elements(b *dsl.Binder, at *around, counted bool) []element {
	if in.table != nil {
		return in.table.elements(b, at)
	}
	var out []element
	names := []string{"x", "lambda"}
	if len(b.Vars) > 0 {
		names = nil
		for _, id := range b.Vars {
			names = append(names, id.Name)
		}
	}
	add := func(measure float64, bounds ...*bound) {
		s := at
		for i, is := range bounds {
			s = s.with(names[i], is)
		}
		out = append(out, element{s, measure})
	}
	switch set := b.In.(type) {
	case *dsl.Set:
		for _, e := range set.Elems {
			if move, ok := e.(*dsl.Call); ok {
				add(1, &bound{kind: 't', move: move})
			} else {
				add(1, &bound{kind: 'l', label: e.(*dsl.Ident).Name})
			}
		}
		return out
	case *dsl.Interval:
		lo, hi := literal(set.Lo), literal(set.Hi)
		of := at.parameter(nil).path
		for k, w := range clenshawCurtis {
			add(w*(hi-lo), &bound{kind: 'n', path: of, at: lo + (hi-lo)*lobatto(k)})
		}
		return out
	}
	point := func(i int) *bound { return &bound{kind: 'p', row: i} }
	label := func(name string) *bound { return &bound{kind: 'l', label: name} }
	switch domainName(b.In) {
	case "x", "rows":
		for i := range in.data.N() {
			add(1, point(i))
		}
	case "labels":
		for _, c := range in.data.LabelNames {
			add(1, label(c))
		}
	case "graph":
		for i, e := range in.edges {
			add(1, []*bound{point(e[0]), point(e[1]), {kind: 'w', at: in.width[i]}}[:len(names)]...)
		}
	case "edges":
		for _, e := range in.tree {
			add(1, label(e[0]), label(e[1]))
		}
	case "siblings":
		add(1, label("cat"), label("dog"))
	case "pairs":
		for _, e := range in.pairs {
			p := &between{from: e[1], to: e[0]}
			if counted {
				add(1, &bound{kind: 'p', path: p}, &bound{kind: 'n', path: p})
				continue
			}
			for k, w := range clenshawCurtis {
				add(w, &bound{kind: 'p', path: p}, &bound{kind: 'n', path: p, at: lobatto(k)})
			}
		}
	}
	return out
}

func domainName(e dsl.Expr) string {
	if call, ok := e.(*dsl.Call); ok {
		return call.Fun.Name
	}
	return e.(*dsl.Ident).Name
}

// lobatto is a node of a path.
func lobatto(k int) float64 { return (1 - math.Cos(math.Pi*float64(k)/10)) / 2 }

// clenshawCurtis are the weights at the nodes that integrate every polynomial of degree 10 over [0, 1]: those for which the Chebyshev
// polynomials T_j of 2λ − 1 have their integrals, 0 for odd j and 1/(1 − j²) for even.
var clenshawCurtis = func() []float64 {
	const n = 10
	w := make([]float64, n+1)
	for k := range w {
		for j := 0; j <= n; j += 2 {
			c := 2 / float64(n) * math.Cos(math.Pi*float64(j*k)/n) / (1 - float64(j*j))
			if j == 0 || j == n {
				c /= 2
			}
			if k == 0 || k == n {
				c /= 2
			}
			w[k] += c
		}
	}
	return w
}()

// aggregated is what an aggregation makes of values with measures, 1 each where there are none. Over nothing it is 0.
func (in *interpreter) aggregated(op *dsl.Agg, v, w []float64, at *around) float64 {
	if len(v) == 0 {
		return 0
	}
	number := func() float64 { return in.eval(op.Arg, at) }
	total, power := 0.0, func(p float64) (s float64) {
		for i, x := range v {
			m := 1.0
			if w != nil {
				m = w[i]
			}
			if p != 1 {
				x = math.Pow(math.Abs(x), p)
			}
			s += m * x
		}
		return s
	}
	for i := range v {
		if w == nil {
			total++
		} else {
			total += w[i]
		}
	}
	switch op.Name {
	case "max":
		return slices.Max(v)
	case "min":
		return slices.Min(v)
	case "sum":
		return power(1)
	case "mean":
		return power(1) / total
	case "rms":
		return math.Sqrt(power(2) / total)
	case "norm":
		p := number()
		if p == 1 {
			for i := range v {
				v[i] = math.Abs(v[i])
			}
		}
		return math.Pow(power(p), 1/p)
	}
	slices.SortFunc(v, func(a, b float64) int { return cmp.Compare(b, a) })
	s := 0.0
	for _, x := range v[:min(len(v), int(number()))] {
		s += x
	}
	return s
}

// holds evaluates a condition.
func (in *interpreter) holds(e dsl.Expr, at *around) bool {
	switch e := e.(type) {
	case *dsl.Paren:
		return in.holds(e.X, at)
	case *dsl.Not:
		return !in.holds(e.X, at)
	case *dsl.Binary:
		switch e.Op {
		case "and":
			return in.holds(e.X, at) && in.holds(e.Y, at)
		case "or":
			return in.holds(e.X, at) || in.holds(e.Y, at)
		}
		x, a := in.operand(e.X, at)
		y, b := in.operand(e.Y, at)
		if math.IsNaN(x) || math.IsNaN(y) {
			return e.Op == "!="
		}
		order := cmp.Or(cmp.Compare(a, b), cmp.Compare(x, y))
		return map[string]bool{"==": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[e.Op]
	}
	panic(dsl.ExprString(e))
}

// operand is a number or a text of a condition: a literal, a label, or a column at a point.
func (in *interpreter) operand(e dsl.Expr, at *around) (number float64, word string) {
	switch e := e.(type) {
	case *dsl.Number, *dsl.Neg:
		return literal(e), ""
	case *dsl.String:
		return 0, e.Value
	case *dsl.Call:
		return in.columnAt(e, at)
	case *dsl.Ident:
		switch b := at.find(e.Name); {
		case b == nil:
		case b.kind == 'l':
			return 0, b.label
		case b.kind == 'w':
			return b.at, ""
		case in.pointless(b):
			return in.operand(b.expr, at)
		default:
			return in.operand(b.expr, b.in)
		}
		if slices.Contains(in.data.LabelNames, e.Name) {
			return 0, e.Name
		}
		return in.cell(e.Name, at.innermost().row)
	}
	panic(dsl.ExprString(e))
}

// pointless reports whether a definition's argument is the name of a column that was given where no point is bound: it is meant at the
// point that the definition binds.
func (in *interpreter) pointless(b *bound) bool {
	if b.kind != 'a' {
		return false
	}
	for s := b.in; s != nil; s = s.up {
		if s.points != nil {
			return false
		}
	}
	switch e := b.expr.(type) {
	case *dsl.String:
		return true
	case *dsl.Ident:
		return e.Name != "f" && b.in.find(e.Name) == nil && in.lets[e.Name] == nil
	}
	return false
}

// column is the number that a column has at the innermost point.
func (in *interpreter) column(e dsl.Expr, at *around) float64 {
	point := at.innermost()
	var name string
	switch e := e.(type) {
	case *dsl.String:
		name = e.Value
	case *dsl.Ident:
		name = e.Name
	}
	if in.table != nil {
		return in.table.given(name, point)
	}
	return in.number(in.cell(name, point.row))
}

// columnAt is COLUMN(a), where COLUMN may be a definition's argument.
func (in *interpreter) columnAt(e *dsl.Call, at *around) (number float64, word string) {
	point := e.Args[0].Value.(*dsl.Ident).Name
	b := at.find(point)
	for b.kind == 'a' {
		b = b.in.find(b.expr.(*dsl.Ident).Name)
	}
	name := e.Fun.Name
	for is := at.find(name); is != nil; is = is.in.find(name) {
		name = is.expr.(*dsl.Ident).Name
	}
	if in.table != nil {
		return in.table.given(name, b), ""
	}
	return in.cell(name, b.row)
}

// number is a cell that must be one.
func (in *interpreter) number(v float64, word string) float64 {
	if word != "" {
		panic(word)
	}
	return v
}

// cell is a value of the data file: a text that is a number counts as one, and a gap among numbers is none.
func (in *interpreter) cell(column string, row int) (number float64, word string) {
	numbers, texts, _ := testColumn(in.data)(column)
	if numbers != nil {
		return numbers[row], ""
	}
	if texts[row] == "" {
		return math.NaN(), ""
	}
	if v, err := strconv.ParseFloat(texts[row], 64); err == nil {
		return v, ""
	}
	return 0, texts[row]
}
