package values

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Quantity evaluates a constant expression: literals, lets, grids, and arithmetic of them. Ok is
// false where it is none, which is reported. It is what makes `2 * weight` a number wherever 2 may
// stand.
func Quantity(p *names.Pass, e dsl.Expr, sc *names.Scope) (tree.Quantity, bool) {
	at, _ := sc.Resolve(e, nil)
	sc = at.Scope
	switch e := at.Expr.(type) {
	case *dsl.Number:
		return tree.Quantity{Value: e.Value, Unit: e.Unit}, true
	case *dsl.Neg:
		q, ok := Quantity(p, e.X, sc)
		return tree.Quantity{Value: -q.Value, Unit: q.Unit}, ok
	case *dsl.Binary:
		return arithmetic(p, e, sc)
	case *dsl.Ident:
		return NamedQuantity(p, e, sc)
	case *dsl.Call:
		if e.Fun.Name == tree.GridWord {
			return GridValue(p, e, sc)
		}
	case *dsl.String:
		if QuotedNumber(p, e) {
			return tree.Quantity{}, false
		}
	}
	p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: at.Expr.Span(), Summary: fmt.Sprintf("a number is wanted here, not %s", tree.Text(at.Expr))})
	return tree.Quantity{}, false
}

// Plain evaluates a constant expression that has no unit. Ok is false where it is none or has one,
// which is reported. Exponents, counts of parts and places on a path are such numbers: neither n
// rows nor an angle can stand there.
func Plain(p *names.Pass, e dsl.Expr, sc *names.Scope) (tree.Quantity, bool) {
	q, ok := Quantity(p, e, sc)
	if ok && q.Unit != tree.NoUnit {
		p.Report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: e.Span(), Summary: "a plain number is wanted here"})
		return q, false
	}
	return q, ok
}

// QuotedNumber reports a number that stands in quotes, and offers it without them. It returns false
// for any other text, and reports nothing then.
func QuotedNumber(p *names.Pass, e *dsl.String) bool {
	number := strings.TrimSpace(e.Value)
	if _, err := strconv.ParseFloat(number, 64); err != nil || !strings.ContainsAny(number[:1], "0123456789.") {
		return false
	}
	d := p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: fmt.Sprintf("a number is wanted here, not the text %s", tree.Text(e)), Mend: "Write " + number + "."})
	p.Spell(d, "write "+number, e.Span(), number)
	return true
}

// NamedQuantity evaluates a name: an argument, a let, a grid, or a unit of the language. Arguments
// come first, then units, then lets; a let named n hides the number of rows. What a let comes to is
// kept by section: a grid in it may stand in one section and be refused in another.
func NamedQuantity(p *names.Pass, id *dsl.Ident, sc *names.Scope) (tree.Quantity, bool) {
	if b := sc.Lookup(id.Name); b != nil {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: fmt.Sprintf("a number is wanted here, and %s is %s", id.Name, b.Variable.Kind)})
		return tree.Quantity{}, false
	}
	if id.Name == tree.OfMedian {
		return tree.Quantity{Value: 1, Unit: tree.OfMedian}, true
	}
	if id.Name == tree.AutoWord {
		return AutoValue(p, id)
	}
	let := p.Decls.Lets[id.Name]
	if let == nil && id.Name == tree.PerRow && !p.Poison[tree.PerRow] {
		return tree.Quantity{Value: 1, Unit: tree.PerRow}, true
	}
	if let == nil {
		known := names.Known{p.Declared.Lets()}
		if p.Section == "kernel" {
			known = append(known, names.Of(tree.OfMedian)...)
		}
		p.Undefined(id, known)
		return tree.Quantity{}, false
	}
	if what := notNumber(cmp.Or(Held(p, id.Name), let.Value)); what != "" {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: id.Span(), Summary: fmt.Sprintf("a number is wanted here, and %s is %s", id.Name, what)})
		return tree.Quantity{}, false
	}
	if _, within := p.Active.Innermost().(*dsl.Let); !within {
		chain(p, let)
	}
	// Values are remembered, as lets that take lets twice would double the work line by line.
	at := names.LetPlace{Let: let, Section: p.Section}
	known, seen := p.Lets[at]
	ok := Expand(p, let, id, func() bool {
		if !seen {
			place, within, met := p.Place, p.Within, p.Met
			p.Place, p.Within, p.Met = id.Name, let.Value, tree.GridSet{}
			if known.Ok = !OfRows(p, let); known.Ok {
				known.Quantity, known.Ok = Quantity(p, let.Value, nil)
			}
			known.Grids = p.Met
			p.Place, p.Within, p.Met = place, within, met
			p.Lets[at] = known
		}
		p.Met.Add(known.Grids)
		return known.Ok
	})
	return known.Quantity, ok
}

// OfRows reports a let of what may be columns, and says how a definition holds them. It returns true if it did. Nothing is
// reported in a setting, where no column can stand, and of names that are slips of lets.
func OfRows(p *names.Pass, let *dsl.Let) bool {
	id := unknownIn(p, let.Value)
	p.Active.Enter(let) // whose own name is no help
	defer p.Active.Leave()
	if id == nil || !slices.Contains([]string{"", "let", "invariance", "measure"}, p.Section) || names.Nearest(p, id.Name, names.Known{p.Declared.Lets()}) != "" {
		return false
	}
	p.Report(&diag.Diagnostic{
		Code: codes.UndefinedName, Subject: id.Span(), Summary: names.Shown(id) + " is not defined", Detail: "A let holds one number, and a column has one in each row.",
		Mend: fmt.Sprintf("If %s is a column, write def %[2]s() = %[3]s, and %[2]s() in place of %[2]s.", names.Shown(id), let.Name.Raw, tree.Text(let.Value)),
	})
	return true
}

// unknownIn returns the first name in an arithmetic expression that no statement declares; nil means that there is none.
func unknownIn(p *names.Pass, e dsl.Expr) *dsl.Ident {
	switch e := dsl.Bare(e).(type) {
	case *dsl.Neg:
		return unknownIn(p, e.X)
	case *dsl.Binary:
		if !Compares(e) {
			return cmp.Or(unknownIn(p, e.X), unknownIn(p, e.Y))
		}
	case *dsl.Ident:
		_, declared := p.Decls.Names[e.Name]
		if !declared && !p.Poison[e.Name] && !slices.Contains([]string{tree.PerRow, tree.OfMedian, tree.AutoWord}, e.Name) {
			return e
		}
	}
	return nil
}

// chain evaluates the lets that a let is made of, each after those that it is made of itself. So the stack does not grow with a
// chain of lets, a hundred thousand of which took half a GiB of it. Lets that go in a circle are left to Expand.
func chain(p *names.Pass, let *dsl.Let) {
	waits := operands(p, let.Value, nil)
	met := map[*dsl.Let]bool{let: true}
	for len(waits) > 0 {
		last := len(waits) - 1
		id := waits[last]
		of := p.Decls.Lets[id.Name]
		if !met[of] {
			met[of] = true
			waits = operands(p, of.Value, waits)
			continue
		}
		if waits = waits[:last]; len(operands(p, of.Value, nil)) == 0 {
			NamedQuantity(p, id, nil)
		}
	}
}

// operands appends the names of lets whose values a number takes and that have none in this section yet.
func operands(p *names.Pass, e dsl.Expr, to []*dsl.Ident) []*dsl.Ident {
	switch e := dsl.Bare(e).(type) {
	case *dsl.Neg:
		return operands(p, e.X, to)
	case *dsl.Binary:
		return operands(p, e.Y, operands(p, e.X, to))
	case *dsl.Ident:
		let := p.Decls.Lets[e.Name]
		if _, seen := p.Lets[names.LetPlace{Let: let, Section: p.Section}]; !seen && let != nil && notNumber(let.Value) == "" && e.Name != tree.OfMedian && e.Name != tree.AutoWord {
			return append(to, e)
		}
	}
	return to
}

// Compares reports whether an operation is a comparison, or joins some: all but arithmetic.
func Compares(e *dsl.Binary) bool { return !slices.Contains([]string{"+", "-", "*", "/"}, e.Op) }

// HoldsCondition reports whether an expression is a condition by its form, or the name of a let that
// holds one.
func HoldsCondition(p *names.Pass, e dsl.Expr) bool {
	if id, ok := e.(*dsl.Ident); ok && p.Decls.Lets[id.Name] != nil {
		e = p.Decls.Lets[id.Name].Value
	}
	return IsCondition(e)
}

// IsCondition reports whether an expression is a condition by its form. A name or a call may stand
// for one too, which only its declaration says.
func IsCondition(e dsl.Expr) bool {
	switch e := dsl.Bare(e).(type) {
	case *dsl.Not:
		return true
	case *dsl.Binary:
		return Compares(e)
	}
	return false
}

// notNumber says what a let holds where that is not a number. It is empty where it is one.
func notNumber(e dsl.Expr) string {
	switch e := e.(type) {
	case *dsl.String:
		return "a text"
	case *dsl.Set, *dsl.Orbit, *dsl.Interval:
		return "the set " + tree.Text(e)
	case *dsl.Not:
		return "a condition"
	case *dsl.Binary:
		if Compares(e) {
			return "a condition"
		}
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

// Expand runs f while node is being expanded, and reports a node that is expanded within itself
// (codes.Recursive). It also notes that the name is used. Every replacement of a name by what it
// stands for goes through here, so that all of them end.
func Expand(p *names.Pass, node dsl.Node, at *dsl.Ident, f func() bool) bool {
	if circular(p, node) {
		d := &diag.Diagnostic{Code: codes.Recursive, Subject: at.Span(), Summary: at.Name + " is defined by itself", Mend: "Definitions may use each other, but not in a circle."}
		if kind := hides(node, at.Name, p.Active.Innermost(), &p.Out.Data.Columns); kind != "" {
			d.Detail = fmt.Sprintf("Here %s is the %s, which hides a column of that name.", at.Name, kind)
			d.Mend = fmt.Sprintf("If the column %[1]s is meant, rename the %[2]s: %[2]s my_%[1]s = …. Definitions may use each other, but not in a circle.", at.Name, kind)
		}
		p.Report(d)
		return false
	}
	p.Used[at.Name] = true
	p.Active.Enter(node)
	ok := f()
	p.Active.Leave()
	return ok
}

// hides returns the word of a let or an invariance whose name may hide a column, as it stands in
// its own declaration. It is empty elsewhere, and where the data block rules out such a column.
// `let age = age / 10` is a circle to the compiler, and a user meant the column.
func hides(node dsl.Node, name string, innermost dsl.Node, columns *setting.Columns) string {
	listed := len(columns.Names) > 0 && len(columns.Globs) == 0
	if innermost != node || listed && !slices.Contains(columns.Names, name) {
		return ""
	}
	switch node := node.(type) {
	case *dsl.Let:
		return "let"
	case *dsl.Invariance:
		return node.Keyword.Name
	}
	return ""
}

// circular reports whether a let, a definition or an invariance is used within itself. A call in an
// argument of the same definition, gap(gap(a)), is not. It stands where the outer call does, not in
// the definition's body.
func circular(p *names.Pass, node dsl.Node) bool {
	def, ok := node.(*dsl.Def)
	if !ok {
		return p.Active.Holds(node)
	}
	for in := p.Inlined; in != nil; in = in.Up {
		if in.Name == def.Name.Name {
			return true
		}
	}
	return false
}

// arithmetic evaluates a sum, a difference, a product or a quotient of quantities. What units do
// not allow is codes.WrongUnit, and what overflows codes.OutOfRange. Both sides are evaluated even
// if one is faulty, so that each has its error.
func arithmetic(p *names.Pass, e *dsl.Binary, sc *names.Scope) (tree.Quantity, bool) {
	x, okX := Quantity(p, e.X, sc)
	y, okY := Quantity(p, e.Y, sc)
	if !okX || !okY {
		return tree.Quantity{}, false
	}
	q, err := tree.Combine(e.Op, x, y)
	if err != "" {
		p.Report(&diag.Diagnostic{Code: codes.WrongUnit, Subject: e.Span(), Summary: err})
		return tree.Quantity{}, false
	}
	if math.IsInf(q.Value, 0) || math.IsNaN(q.Value) {
		p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Span(), Summary: tree.Text(e) + " is not a finite number"})
		return tree.Quantity{}, false
	}
	return q, true
}

// GridValue returns the value of grid(…) under the pass's choice. A grid cannot stand in the data
// block or the seed. What it stands for is chosen by cross-validation on rows, and these decide
// upon the rows.
func GridValue(p *names.Pass, call *dsl.Call, sc *names.Scope) (tree.Quantity, bool) {
	switch p.Section {
	case tree.DataWord, "seed":
		p.Report(&diag.Diagnostic{
			Code: codes.WrongGrid, Subject: call.Span(), Summary: "grid(…) cannot stand in " + p.Section,
			Detail: "What a grid stands for is chosen by cross-validation on training rows, which " + p.Section + " decides upon.", Mend: "Give one number.",
		})
		return tree.Quantity{}, false
	}
	if p.Section == tree.LevelsWord {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongGrid, Subject: call.Span(), Summary: "grid(…) cannot stand for a level", Detail: "Levels say what is to be predicted, and their losses do not compare.",
			Mend: "List the levels, all of which are learnt.",
		})
		return tree.Quantity{}, false
	}
	if what := map[string]string{"measure": "a measure", "expect": "an expectation", "require": "a statement", "method": "a margin"}[p.Section]; what != "" {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongGrid, Subject: call.Span(), Summary: "grid(…) cannot stand in " + what, Detail: "A run chooses from a grid by how well it predicts, and " + what + " has no effect on that.",
			Mend: "Give one number.",
		})
		return tree.Quantity{}, false
	}
	index, known := p.GridOf[call]
	if !known {
		index = addGrid(p, call, sc)
	}
	if index < 0 {
		return tree.Quantity{}, false
	}
	return taken(p, index), true
}

// taken returns the value of a grid under the pass's choice, and notes that the part being compiled
// depends on it.
func taken(p *names.Pass, index int) tree.Quantity {
	g := p.Grids[index]
	if !g.Sections[p.Section] {
		g.Sections[p.Section] = true // while Check runs alone
	}
	p.Met.Add(tree.GridSet{index: true})
	if index < len(p.Choice) {
		return g.Values[p.Choice[index]]
	}
	return g.Values[0]
}

// addGrid registers a grid and returns its index, −1 where it is faulty. A grid lists numbers
// alone, and none of them is chosen by another grid. It is registered once, when the first pass
// meets it; later passes find it by its place in the syntax.
func addGrid(p *names.Pass, call *dsl.Call, sc *names.Scope) int {
	index := -1
	values := make([]tree.Quantity, 0, len(call.Args))
	for _, a := range call.Args {
		if inner := innerGrid(a.Value); a.Name != nil || inner {
			p.Report(&diag.Diagnostic{Code: codes.WrongGrid, Subject: a.Span(), Summary: "grid(…) lists numbers", Mend: "Write grid(0.1, 1, 10)."})
			continue
		}
		if q, ok := Quantity(p, a.Value, sc); ok {
			values = append(values, q)
		}
	}
	if len(call.Args) == 0 {
		p.Report(&diag.Diagnostic{Code: codes.WrongGrid, Subject: call.Span(), Summary: "grid() lists no number", Mend: "Write grid(0.1, 1, 10)."})
	}
	if len(values) == len(call.Args) && len(values) > 0 {
		index = len(p.Grids)
		p.Grids = append(p.Grids, &names.GridParam{Call: call, Within: p.Within, Name: p.Place, Values: values, Sections: map[string]bool{}})
	}
	p.GridOf[call] = index
	return index
}

// innerGrid reports whether an element of a grid is a grid, which would be a choice among choices.
func innerGrid(e dsl.Expr) bool {
	call, ok := e.(*dsl.Call)
	return ok && call.Fun.Name == tree.GridWord
}
