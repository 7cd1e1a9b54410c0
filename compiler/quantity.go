package compiler

import (
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// quantity evaluates a constant expression: literals, lets, grids, and arithmetic of them. It reports what is none.
func (p *pass) quantity(e dsl.Expr, sc *scope) (tree.Quantity, bool) {
	switch e := e.(type) {
	case *dsl.Number:
		return tree.Quantity{Value: e.Value, Unit: e.Unit}, true
	case *dsl.Paren:
		return p.quantity(e.X, sc)
	case *dsl.Neg:
		q, ok := p.quantity(e.X, sc)
		return tree.Quantity{Value: -q.Value, Unit: q.Unit}, ok
	case *dsl.Binary:
		return p.arithmetic(e, sc)
	case *dsl.Ident:
		return p.namedQuantity(e, sc)
	case *dsl.Call:
		if e.Fun.Name == tree.GridWord {
			return p.gridValue(e, sc)
		}
	}
	p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: fmt.Sprintf("a number is wanted here, not %s", tree.Text(e))})
	return tree.Quantity{}, false
}

func (p *pass) namedQuantity(id *dsl.Ident, sc *scope) (tree.Quantity, bool) {
	if b := sc.lookup(id.Name); b != nil {
		if b.argument != nil {
			return p.quantity(b.argument.expr, b.argument.scope)
		}
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: fmt.Sprintf("a number is wanted here, and %s is %s", id.Name, b.variable.Kind)})
		return tree.Quantity{}, false
	}
	if id.Name == tree.OfMedian {
		return tree.Quantity{Value: 1, Unit: tree.OfMedian}, true
	}
	if id.Name == tree.AutoWord {
		return p.autoValue(id)
	}
	let := p.decls.lets[id.Name]
	if let == nil && id.Name == tree.PerRow && !p.poison[tree.PerRow] {
		return tree.Quantity{Value: 1, Unit: tree.PerRow}, true
	}
	if let == nil {
		p.undefined(id, append(tree.SortedKeys(p.decls.lets), tree.OfMedian))
		return tree.Quantity{}, false
	}
	if what := notNumber(let.Value); what != "" {
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: fmt.Sprintf("a number is wanted here, and %s is %s", id.Name, what)})
		return tree.Quantity{}, false
	}
	// Values are remembered, as lets that take lets twice would double the work line by line.
	at := letPlace{let, p.section}
	known, seen := p.lets[at]
	ok := p.expand(let, id, func() bool {
		if !seen {
			place, met := p.place, p.met
			p.place, p.met = id.Name, tree.GridSet{}
			known.quantity, known.ok = p.quantity(let.Value, nil)
			known.grids = p.met
			p.place, p.met = place, met
			p.lets[at] = known
		}
		p.met.Add(known.grids)
		return known.ok
	})
	return known.quantity, ok
}

// A letPlace is a let where it is used: what it may hold depends on the section.
type letPlace struct {
	let     *dsl.Let
	section string
}

// A letValue is what a let comes to there, if it does.
type letValue struct {
	quantity tree.Quantity
	ok       bool
	grids    tree.GridSet
}

// notNumber says what a let holds where that is no number.
func notNumber(e dsl.Expr) string {
	switch e := e.(type) {
	case *dsl.String:
		return "a text"
	case *dsl.Call:
		if e.Fun.Name == "taxonomy" {
			return "a taxonomy"
		}
		if e.Fun.Name != tree.GridWord {
			return tree.Text(e)
		}
	}
	return ""
}

// expand runs f while node is being expanded, and reports a node that is expanded within itself.
func (p *pass) expand(node dsl.Node, at *dsl.Ident, f func() bool) bool {
	if p.circular(node) {
		d := &diag.Diagnostic{Code: codes.Recursive, Subject: at.Span(), Summary: at.Name + " is defined by itself", Mend: "Definitions may use each other, but not in a circle."}
		if kind := hides(node, at.Name, p.active, &p.out.Data.Columns); kind != "" {
			d.Detail = fmt.Sprintf("Here %s is the %s, which hides a column of that name.", at.Name, kind)
			d.Mend = fmt.Sprintf("If the column %[1]s is meant, rename the %[2]s: %[2]s my_%[1]s = …. Definitions may use each other, but not in a circle.", at.Name, kind)
		}
		p.report(d)
		return false
	}
	p.used[at.Name] = true
	p.active = append(p.active, node)
	ok := f()
	p.active = p.active[:len(p.active)-1]
	return ok
}

// hides returns the word of a let or an invariance whose name may hide a column, as it stands in its own declaration. It is empty elsewhere, and
// where the data block rules out such a column.
func hides(node dsl.Node, name string, active []dsl.Node, columns *setting.Columns) string {
	listed := len(columns.Names) > 0 && len(columns.Globs) == 0
	if last := len(active) - 1; last < 0 || active[last] != node || listed && !slices.Contains(columns.Names, name) {
		return ""
	}
	switch node.(type) {
	case *dsl.Let:
		return "let"
	case *dsl.Invariance:
		return "invariance"
	}
	return ""
}

// circular reports whether a let, a definition or an invariance is used within itself. A call in an argument of the same
// definition, gap(gap(a)), is not: it stands where the outer call does, not in the definition's body.
func (p *pass) circular(node dsl.Node) bool {
	def, ok := node.(*dsl.Def)
	if !ok {
		return slices.Contains(p.active, node)
	}
	for in := p.inlined; in != nil; in = in.Up {
		if in.Name == def.Name.Name {
			return true
		}
	}
	return false
}

func (p *pass) arithmetic(e *dsl.Binary, sc *scope) (tree.Quantity, bool) {
	x, okX := p.quantity(e.X, sc)
	y, okY := p.quantity(e.Y, sc)
	if !okX || !okY {
		return tree.Quantity{}, false
	}
	q, err := tree.Combine(e.Op, x, y)
	if err != "" {
		p.report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: e.Span(), Summary: err})
		return tree.Quantity{}, false
	}
	if math.IsInf(q.Value, 0) || math.IsNaN(q.Value) {
		p.report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Span(), Summary: tree.Text(e) + " is no finite number"})
		return tree.Quantity{}, false
	}
	return q, true
}

// A gridParam is a number that is chosen from several.
type gridParam struct {
	call     dsl.Expr // grid(…), or auto
	name     string
	values   []tree.Quantity
	sections map[string]bool
}

// gridValue is the value of grid(…) under the pass's choice.
func (p *pass) gridValue(call *dsl.Call, sc *scope) (tree.Quantity, bool) {
	switch p.section {
	case tree.DataWord, "seed":
		p.report(&diag.Diagnostic{
			Code: codes.WrongGrid, Subject: call.Span(), Summary: "grid(…) cannot stand in " + p.section,
			Detail: "What a grid stands for is chosen by cross-validation on training rows, which " + p.section + " decides upon.", Mend: "Give one number.",
		})
		return tree.Quantity{}, false
	}
	index, known := p.gridOf[call]
	if !known {
		index = p.addGrid(call, sc)
	}
	if index < 0 {
		return tree.Quantity{}, false
	}
	return p.taken(index), true
}

// taken returns the value of a grid under the pass's choice.
func (p *pass) taken(index int) tree.Quantity {
	g := p.grids[index]
	if !g.sections[p.section] {
		g.sections[p.section] = true // while Check runs alone
	}
	p.met.Add(tree.GridSet{index: true})
	if index < len(p.choice) {
		return g.values[p.choice[index]]
	}
	return g.values[0]
}

// addGrid registers a grid and returns its index, −1 where it is faulty.
func (p *pass) addGrid(call *dsl.Call, sc *scope) int {
	index := -1
	values := make([]tree.Quantity, 0, len(call.Args))
	for _, a := range call.Args {
		if inner := innerGrid(a.Value); a.Name != nil || inner {
			p.report(&diag.Diagnostic{Code: codes.WrongGrid, Subject: a.Span(), Summary: "grid(…) lists numbers", Mend: "Write grid(0.1, 1, 10)."})
			continue
		}
		if q, ok := p.quantity(a.Value, sc); ok {
			values = append(values, q)
		}
	}
	if len(call.Args) == 0 {
		p.report(&diag.Diagnostic{Code: codes.WrongGrid, Subject: call.Span(), Summary: "grid() lists no number", Mend: "Write grid(0.1, 1, 10)."})
	}
	if len(values) == len(call.Args) && len(values) > 0 {
		index = len(p.grids)
		p.grids = append(p.grids, &gridParam{call: call, name: p.place, values: values, sections: map[string]bool{}})
	}
	p.gridOf[call] = index
	return index
}

func innerGrid(e dsl.Expr) bool {
	call, ok := e.(*dsl.Call)
	return ok && call.Fun.Name == tree.GridWord
}

// export is the grid as the plan shows it.
func (g *gridParam) export() GridParam {
	out := GridParam{Name: g.name, Place: g.call.Span(), LearnerOnly: len(g.sections) == 1 && g.sections["learn"], Auto: g.auto()}
	for _, q := range g.values {
		out.Values, out.Texts = append(out.Values, q.Value), append(out.Texts, q.String())
	}
	return out
}

// uncallable reports a call of nothing, unless it may be a definition of a family that is missing.
func (p *pass) uncallable(id *dsl.Ident, known []string) {
	if !p.broken.families {
		p.undefined(id, known)
	}
}

// undefined reports a name that stands for nothing.
func (p *pass) undefined(id *dsl.Ident, known []string) {
	if p.poison[id.Name] {
		return
	}
	mend := tree.DidYouMean(id.Name, known)
	d := p.report(&diag.Diagnostic{Code: codes.UndefinedName, Subject: id.Span(), Summary: shown(id) + " is not defined", Mend: mend})
	p.rename(d, id.Span(), id.Name, known)
}

// shown is a name as the user wrote it.
func shown(id *dsl.Ident) string {
	if id.Raw != "" {
		return id.Raw
	}
	return id.Name
}
