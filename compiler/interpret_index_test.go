package compiler

import (
	"math"
	"slices"
	"strconv"

	"github.com/sipc-ml/sipc/dsl"
)

// An element of an index set has a measure: 1, or that of a node of a path.
type element struct {
	at      *surroundings
	measure float64
}

func (in *interpreter) quantified(e *dsl.Quant, at *surroundings, d along) float64 {
	elements := []element{{at, 1}}
	for _, b := range append([]*dsl.Binder{e.Bind}, e.More...) {
		var next []element
		for _, el := range elements {
			for _, more := range in.bound(b, el.at, e.Op.Name == "top") {
				next = append(next, element{more.at, el.measure * more.measure})
			}
		}
		elements = next
	}
	var v, w []float64
	for _, el := range elements {
		inner := framed(el.at, at)
		if e.Where == nil || in.table != nil || in.holds(e.Where, inner) {
			v, w = append(v, in.eval(e.Body, inner, d)), append(w, el.measure)
		}
	}
	return aggregated(e.Op, v, w)
}

// framed marks the points that a quantifier binds.
func framed(inner, outer *surroundings) *surroundings {
	var points []thing
	for s := inner; s != outer; s = s.up {
		if s.is.kind == 'p' {
			points = append(points, s.is)
		}
	}
	if points == nil {
		return inner
	}
	return &surroundings{up: inner, points: points}
}

// bound are the elements of a binder's index set.
func (in *interpreter) bound(b *dsl.Binder, at *surroundings, counted bool) []element {
	var out []element
	add := func(measure float64, things ...thing) {
		s := at
		for i, t := range things {
			name := []string{"x", "lambda"}[i%2]
			if i < len(b.Vars) {
				name = b.Vars[i].Name
			}
			s = &surroundings{up: s, name: name, is: t}
		}
		out = append(out, element{s, measure})
	}
	point := func(i int) thing { return thing{kind: 'p', row: i, end: -1} }
	label := func(name string) thing { return thing{kind: 'l', label: name} }
	if in.table != nil {
		return in.table.bound(b, at)
	}
	switch set := b.In.(type) {
	case *dsl.Set:
		for _, e := range set.Elems {
			if move, ok := e.(*dsl.Call); ok {
				add(1, thing{kind: 't', move: move})
			} else {
				add(1, label(e.(*dsl.Ident).Name))
			}
		}
		return out
	case *dsl.Interval:
		lo, hi := set.Lo.(*dsl.Number).Value, set.Hi.(*dsl.Number).Value
		for k, w := range clenshawCurtis {
			add(w*(hi-lo), thing{kind: 'L', param: lo + (hi-lo)*lobatto(k)})
		}
		return out
	}
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
		for _, e := range in.edges {
			add(1, point(e[0]), point(e[1]))
		}
	case "edges":
		for _, e := range in.tree {
			add(1, label(e[0]), label(e[1]))
		}
	case "siblings":
		add(1, label("cat"), label("dog"))
	case "pairs":
		for _, e := range in.pairs {
			for k, w := range clenshawCurtis {
				if counted {
					w = 1 // the parts bind the path's parameter themselves
				}
				add(w, thing{kind: 'p', row: e[0], end: e[1]}, thing{kind: 'L', param: lobatto(k)})
				if counted {
					break
				}
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

// clenshawCurtis are the weights at the nodes that integrate every polynomial of degree 10 over [0, 1].
var clenshawCurtis = func() []float64 {
	w := make([]float64, 11)
	for k := range w {
		theta, end := math.Pi*float64(k)/10, 1.0
		if k == 0 || k == 10 {
			end = 0.5
		}
		s := 1.0
		for j := 1; j <= 5; j++ {
			b := 2.0
			if j == 5 {
				b = 1
			}
			s -= b * math.Cos(2*float64(j)*theta) / float64(4*j*j-1)
		}
		w[k] = end * s / 10
	}
	return w
}()

// aggregated is what an aggregation makes of values with measures, 1 each where there are none.
func aggregated(op *dsl.Agg, v, w []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	p := 1.0
	switch op.Name {
	case "max":
		return slices.Max(v)
	case "min":
		return slices.Min(v)
	case "top":
		v = slices.Sorted(slices.Values(v))
		slices.Reverse(v)
		v = v[:min(len(v), int(op.Arg.(*dsl.Number).Value))]
		w = nil
	case "rms":
		p = 2
	case "norm":
		p = op.Arg.(*dsl.Number).Value
	}
	var s, measure float64
	for i, x := range v {
		m := 1.0
		if w != nil {
			m = w[i]
		}
		measure += m
		if op.Name == "rms" || op.Name == "norm" {
			x = math.Pow(math.Abs(x), p)
		}
		s += m * x
	}
	if op.Name == "rms" || op.Name == "mean" {
		s /= measure
	}
	return math.Pow(math.Abs(s), 1/p) * math.Copysign(1, s)
}

// holds evaluates a condition.
func (in *interpreter) holds(e dsl.Expr, at *surroundings) bool {
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
		switch e.Op {
		case "==":
			return x == y && a == b
		case "!=":
			return x != y || a != b
		case "<=":
			return x <= y
		}
		return x > y
	}
	panic(dsl.ExprString(e))
}

// operand is a number or a text of a condition: a literal, a label, or a column at a point.
func (in *interpreter) operand(e dsl.Expr, at *surroundings) (number float64, word string) {
	switch e := e.(type) {
	case *dsl.Number:
		return e.Value, ""
	case *dsl.Neg:
		number, _ = in.operand(e.X, at)
		return -number, ""
	case *dsl.String:
		return 0, e.Value
	case *dsl.Call:
		t := at.find(e.Args[0].Value.(*dsl.Ident).Name)
		return in.cell(e.Fun.Name, t.row)
	case *dsl.Ident:
		if t := at.find(e.Name); t != nil {
			return 0, t.label
		}
		if slices.Contains(in.data.LabelNames, e.Name) {
			return 0, e.Name
		}
		return in.cell(e.Name, at.innermost().row)
	}
	panic(dsl.ExprString(e))
}

// cell is a value of the data file.
func (in *interpreter) cell(column string, row int) (number float64, word string) {
	numbers, texts, _ := testColumn(in.data)(column)
	if numbers != nil {
		return numbers[row], ""
	}
	if v, err := strconv.ParseFloat(texts[row], 64); err == nil {
		return v, ""
	}
	return 0, texts[row]
}
