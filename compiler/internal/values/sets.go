package values

import (
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// graphWord names the edges of a file.
const graphWord = "graph"

// Held returns what the let of a name holds, through lets that are names of others. It is nil where
// there is no such let, and where they go in a circle. A circle is reported when the lets that
// nothing uses are checked, once for all of its uses.
func Held(p *names.Pass, name string) dsl.Expr {
	var value dsl.Expr
	var passed []string
	// A circle passes more names than there are lets.
	for at := name; len(passed) <= len(p.Decls.Lets); {
		if known, ok := p.Held[at]; ok {
			value = known
			break
		}
		passed = append(passed, at)
		let := p.Decls.Lets[at]
		if let == nil {
			break
		}
		e := dsl.Bare(let.Value)
		id, ok := e.(*dsl.Ident)
		if !ok || p.Decls.Lets[id.Name] == nil {
			value = e
			break
		}
		at = id.Name
	}
	// All names on the way hold the same. A long chain of lets is walked once.
	for _, n := range passed {
		p.Held[n] = value
	}
	return value
}

// Circular reports whether the let of a name goes in a circle.
func Circular(p *names.Pass, name string) bool {
	return p.Decls.Lets[name] != nil && Held(p, name) == nil
}

// Use notes that the let of a name is used, and those that it names in turn.
func Use(p *names.Pass, name string) {
	for let := p.Decls.Lets[name]; let != nil && !p.Used[name]; let = p.Decls.Lets[name] {
		p.Used[name] = true
		if id, ok := dsl.Bare(let.Value).(*dsl.Ident); ok {
			name = id.Name
		}
	}
}

// EmptyInterval reports an interval whose lower end is above the upper one, and returns true then (codes.WrongCondition): nothing
// is in it.
func EmptyInterval(p *names.Pass, e *dsl.Interval, low, high float64) bool {
	if low <= high {
		return false
	}
	write := "[" + tree.Text(e.Hi) + ", " + tree.Text(e.Lo) + "]"
	d := p.Report(&diag.Diagnostic{Code: codes.WrongCondition, Subject: e.Span(), Summary: "nothing is in the interval " + tree.Text(e) + ", as its ends are in the wrong order", Mend: "Write " + write + "."})
	p.Offer(d, "write "+write, e.Span(), write)
	return true
}

// NamedSet returns what the let of a name holds, if it is a set, an interval or an index set. It is
// nil for all others: a number, a text, a taxonomy and a transformation are not sets. A let of a
// spec hides an index set of its name that a family adds, as lets hide all words of families.
// Names within the set are meant where the let stands, so that no quantifier around its use can
// change what it holds. The path of an interval is that of the place of use, as a let has none.
func NamedSet(p *names.Pass, name string) dsl.Expr {
	switch e := Held(p, name).(type) {
	case *dsl.Set, *dsl.Orbit, *dsl.Interval:
		return e
	case *dsl.Ident:
		if IsIndexSet(p, e.Name) {
			return e
		}
	case *dsl.Call:
		if IsIndexSet(p, e.Fun.Name) {
			return e
		}
	}
	return nil
}

// IsIndexSet reports whether a word of the language or of a family names an index set.
func IsIndexSet(p *names.Pass, name string) bool {
	switch name {
	case "x", tree.RowsWord, tree.LabelsWord, tree.LevelsWord, names.ColumnsWord, graphWord, tree.BoxWord, tree.SampleWord:
		return true
	}
	_, domain := p.Domain(name)
	return domain != nil
}

// NamedSets returns the names of the lets that hold sets, sorted. A misspelt name of an index set
// is compared with them.
func NamedSets(p *names.Pass) []string {
	var out []string
	for _, name := range tree.SortedKeys(p.Decls.Lets) {
		if NamedSet(p, name) != nil {
			out = append(out, name)
		}
	}
	return out
}

// Elements returns the elements of a set, or of that which a let names. It returns false for
// anything else, which is reported with what to write. An index set has no elements before the data
// are known, so that it is refused here: `evaluate under` lists transformations alone.
func Elements(p *names.Pass, e dsl.Expr, mend string) ([]dsl.Expr, bool) {
	e = dsl.Bare(e)
	id, named := e.(*dsl.Ident)
	written := e
	if named {
		written = NamedSet(p, id.Name)
		Use(p, id.Name)
	}
	if set, ok := written.(*dsl.Set); ok {
		return set.Elems, true
	}
	if named && p.Decls.Lets[id.Name] == nil {
		p.Undefined(id, names.Of(NamedSets(p)...))
		return nil, false
	}
	p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is not a set", Mend: mend})
	return nil, false
}
