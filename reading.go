package sipc

import (
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
)

// words returns what an invariance asks for in words; empty where the spec itself does not declare it.
func (p *pager) words(name string) string {
	for _, d := range p.of.rows.Spec.File.Decls {
		if inv, ok := d.(*dsl.Invariance); ok && inv.Name.Name == name {
			said := read(inv.Body)
			if said == dsl.ExprString(inv.Body) { // nothing is said but what stands there
				return ""
			}
			return "Asks that this be small: " + said + "."
		}
	}
	return ""
}

// read returns an expression as somebody would read it aloud. What has no words stays as it is written.
func read(e dsl.Expr) string {
	switch e := dsl.Bare(e).(type) {
	case *dsl.Quant:
		return readOp(e.Op) + readBinders(e) + " of " + read(e.Body)
	case *dsl.Aggregate:
		var parts []string
		for _, x := range e.Set.Elems {
			parts = append(parts, read(x))
		}
		return readOp(e.Op) + " of " + strings.Join(parts, "; ")
	case *dsl.Abs:
		return readAbs(dsl.Bare(e.X))
	case *dsl.Call:
		return readCall(e)
	case *dsl.Neg:
		return "minus " + readFactor(e.X)
	case *dsl.Binary:
		switch e.Op {
		case "+":
			return read(e.X) + " plus " + read(e.Y)
		case "-":
			return read(e.X) + " less " + readFactor(e.Y)
		case "*":
			return readFactor(e.X) + " times " + readFactor(e.Y)
		}
	case *dsl.Deriv:
		return "the slope of " + read(e.Of) + " along " + e.With.Name
	}
	return dsl.ExprString(e)
}

// readFactor reads what a sign or a product binds. A sum stays as it is written, with its brackets.
func readFactor(e dsl.Expr) string {
	switch dsl.Bare(e).(type) {
	case *dsl.Binary, *dsl.Neg:
		return dsl.ExprString(e)
	}
	return read(e)
}

// readOp returns how an aggregation is read.
func readOp(op *dsl.Agg) string {
	switch op.Name {
	case "max":
		return "the largest"
	case "rms":
		return "the root mean square"
	case "norm":
		return "the " + dsl.ExprString(op.Arg) + "-norm"
	case "top":
		return "the sum of the " + dsl.ExprString(op.Arg) + " largest"
	}
	return "the " + op.Name
}

// readBinders says over what an aggregation ranges.
func readBinders(q *dsl.Quant) string {
	var parts []string
	for _, b := range append([]*dsl.Binder{q.Bind}, q.More...) {
		parts = append(parts, readBinder(b))
	}
	text := ", over " + strings.Join(parts, " and ")
	if q.Where != nil {
		text += " where " + dsl.ExprString(q.Where)
	}
	return text + ","
}

// mostChanges is how many changes are named one by one.
const mostChanges = 3

// readUnnamed says over what names range in an index set that has no word of its own, empty for others. Nil means the rows.
func readUnnamed(in dsl.Expr, names string) string {
	switch in := in.(type) {
	case nil:
		return "the rows " + names
	case *dsl.Set:
		if len(in.Elems) > mostChanges {
			return fmt.Sprintf("the %d changes %s", len(in.Elems), names)
		}
		return names + " in " + dsl.ExprString(in)
	case *dsl.Orbit:
		return "moves " + names + " drawn from " + dsl.ExprString(in)
	case *dsl.Interval:
		return "all places " + names + " of the path"
	}
	return ""
}

// readBinder says over what one name ranges.
func readBinder(b *dsl.Binder) string {
	var vars []string
	for _, v := range b.Vars {
		vars = append(vars, v.Name)
	}
	names := strings.Join(vars, ", ")
	if b.Tuple {
		names = "(" + names + ")"
	}
	if text := readUnnamed(b.In, names); text != "" {
		return text
	}
	word, _ := dsl.Called(b.In)
	switch {
	case word == nil:
	case word.Name == "x" && names == "":
		return "the rows x"
	case word.Name == "pairs" && names == "":
		return "the " + dsl.ExprString(b.In) + " of rows"
	case names == "":
		return dsl.ExprString(b.In)
	case word.Name == "labels" || word.Name == "levels" || word.Name == "columns":
		return names + " in " + dsl.ExprString(b.In)
	}
	return "all " + names + " in " + dsl.ExprString(b.In)
}

// readAbs reads a size. That of a difference and of a slope has words of its own.
func readAbs(e dsl.Expr) string {
	switch e := e.(type) {
	case *dsl.Binary:
		if e.Op == "-" {
			return "the difference between " + read(e.X) + " and " + read(e.Y)
		}
	case *dsl.Deriv:
		if inner, ok := dsl.Bare(e.Of).(*dsl.Deriv); ok {
			return fmt.Sprintf("how much the effect of %s on %s changes with %s", inner.With.Name, read(inner.Of), e.With.Name)
		}
		return "how much " + read(e.Of) + " changes along " + e.With.Name
	}
	return "the size of " + read(e)
}

// readCall reads a call of the language, of its standard library, or of what the spec defines.
func readCall(e *dsl.Call) string {
	arg := func(k int) string {
		if k < len(e.Args) {
			return dsl.ExprString(e.Args[k].Value)
		}
		return ""
	}
	switch e.Fun.Name {
	case "f":
		return dsl.ExprString(e)
	case "pos":
		if len(e.Args) == 1 {
			return readPositive(dsl.Bare(e.Args[0].Value))
		}
	case "increasing":
		return "how much f falls as " + arg(0) + " grows"
	case "decreasing":
		return "how much f rises as " + arg(0) + " grows"
	case "convex":
		return "how much f bends downwards along " + arg(0)
	case "concave":
		return "how much f bends upwards along " + arg(0)
	case "level":
		return "how much f changes along " + arg(0)
	case "implies":
		return fmt.Sprintf("how far the score of %s is above that of %s, which it implies", arg(0), arg(1))
	case "excludes":
		return fmt.Sprintf("how far both %s and %s are claimed, which exclude each other", arg(0), arg(1))
	case "hypot":
		var parts []string
		for _, a := range e.Args {
			parts = append(parts, read(a.Value))
		}
		return "the root of the squares of " + strings.Join(parts, "; and ")
	}
	return dsl.ExprString(e)
}

// readPositive reads a positive part.
func readPositive(e dsl.Expr) string {
	switch e := e.(type) {
	case *dsl.Neg:
		switch inner := dsl.Bare(e.X).(type) {
		case *dsl.Deriv:
			return "how much " + read(inner.Of) + " falls as " + inner.With.Name + " grows"
		default:
			return "how far " + read(inner) + " is below 0"
		}
	case *dsl.Deriv:
		if inner, ok := dsl.Bare(e.Of).(*dsl.Deriv); ok && inner.With.Name == e.With.Name {
			return "how much " + read(inner.Of) + " bends upwards along " + e.With.Name
		}
		return "how much " + read(e.Of) + " rises as " + e.With.Name + " grows"
	case *dsl.Binary:
		if e.Op == "-" {
			return "how far " + read(e.X) + " is above " + read(e.Y)
		}
	}
	return "how far " + read(e) + " is above 0"
}
