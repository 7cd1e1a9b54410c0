package compiler

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

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
	set := in.resolved(b.In, at)
	names := defaultNames[domainName(set)]
	if domainName(set) == "graph" && len(set.(*dsl.Call).Args) > 1 {
		names = append(slices.Clone(names), set.(*dsl.Call).Args[1].Value.(*dsl.Ident).Name)
	}
	if len(names) < len(b.Vars) {
		names = make([]string, len(b.Vars))
	}
	names = slices.Clone(names)
	for i, id := range b.Vars {
		names[i] = id.Name
	}
	var out []element
	add := func(measure float64, bounds ...*bound) {
		s := at
		for i, is := range bounds {
			s = s.with(names[i], is)
		}
		out = append(out, element{s, measure})
	}
	switch set := set.(type) {
	case *dsl.Set:
		for _, e := range set.Elems {
			add(1, in.member(e))
		}
	case *dsl.Interval:
		lo, hi := in.amount(set.Lo), in.amount(set.Hi)
		of := at.parameter(nil).path
		for k, w := range clenshawCurtis {
			add(w*(hi-lo), &bound{kind: 'n', path: of, at: lo + (hi-lo)*lobatto(k)})
		}
	case *dsl.Call:
		if set.Fun.Name == "pairs" {
			in.paths(set, counted, add)
		} else {
			in.domain(set.Fun.Name, set.Args, len(names), add)
		}
	case *dsl.Ident:
		in.domain(set.Name, nil, len(names), add)
	}
	return out
}

// defaultNames are those of the variables of an index set that gives them none.
var defaultNames = map[string][]string{
	"x": {"x"}, "rows": {"x"}, "labels": {"label"}, "graph": {"a", "b"}, "edges": {"child", "parent"}, "siblings": {"a", "b"}, "pairs": {"x", "lambda"},
}

// resolved is what the name of an index set stands for, a definition's argument or a let.
func (in *interpreter) resolved(e dsl.Expr, at *around) dsl.Expr {
	for {
		id, ok := e.(*dsl.Ident)
		if !ok {
			return e
		}
		if b := at.find(id.Name); b != nil && b.kind == 'a' {
			e, at = b.expr, b.in
		} else if in.lets[id.Name] != nil {
			e = in.lets[id.Name]
		} else {
			return e
		}
	}
}

// member is an element of a set that is listed: a transformation or a label.
func (in *interpreter) member(e dsl.Expr) *bound {
	switch e := e.(type) {
	case *dsl.Call:
		return &bound{kind: 't', move: e}
	case *dsl.Ident:
		if move, ok := in.lets[e.Name].(*dsl.Call); ok {
			return &bound{kind: 't', move: move}
		}
		return &bound{kind: 'l', label: e.Name}
	}
	panic(dsl.ExprString(e))
}

// domain adds the elements of an index set that has a name.
func (in *interpreter) domain(name string, args []*dsl.Arg, bound0 int, add func(measure float64, bounds ...*bound)) {
	point := func(i int) *bound { return &bound{kind: 'p', row: i} }
	label := func(name string) *bound { return &bound{kind: 'l', label: name} }
	switch name {
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
			add(1, []*bound{point(e[0]), point(e[1]), {kind: 'w', at: in.width[i]}}[:bound0]...)
		}
	case "edges":
		for _, e := range in.tree {
			add(1, label(e[0]), label(e[1]))
		}
	case "siblings":
		add(1, label("cat"), label("dog"))
	case "columns":
		for _, c := range in.columnsOf(args) {
			add(1, &bound{kind: 'c', text: c})
		}
	}
}

// paths adds the points of paths between pairs of rows.
func (in *interpreter) paths(call *dsl.Call, counted bool, add func(measure float64, bounds ...*bound)) {
	for _, e := range in.pairs(dsl.ExprString(call)) {
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

// columnsOf are the feature columns listed, or that match a pattern, each once.
func (in *interpreter) columnsOf(args []*dsl.Arg) (all []string) {
	for _, a := range args {
		pattern, quoted := a.Value.(*dsl.String)
		if !quoted || !strings.ContainsAny(pattern.Value, "*?[") {
			all = append(all, columnName(a.Value))
			continue
		}
		for _, name := range in.data.Columns {
			if ok, _ := path.Match(pattern.Value, name); ok && (!strings.ContainsAny(name, "=(") || strings.ContainsAny(pattern.Value, "=(")) {
				all = append(all, name)
			}
		}
	}
	var once []string
	for _, c := range all {
		if !slices.Contains(once, c) {
			once = append(once, c)
		}
	}
	return once
}

// domainName is the word of an index set, empty for one that is listed.
func domainName(e dsl.Expr) string {
	switch e := e.(type) {
	case *dsl.Call:
		return e.Fun.Name
	case *dsl.Ident:
		return e.Name
	}
	return ""
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
