package tree

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/spelling"
)

// Decimal writes a number with four digits.
func Decimal(v float64) string {
	s := strconv.FormatFloat(v+0, 'g', 4, 64) // −0 is 0
	return strings.Replace(s, "-", "−", 1)
}

// Signed writes a number as a factor: in brackets if it is negative.
func Signed(v float64) string {
	if v < 0 {
		return fmt.Sprintf("(%s)", Decimal(v))
	}
	return Decimal(v)
}

// LinearText writes a linear expression, with names for its variables: 2·f(x, cat) − f(x, dog). It
// is the normal form in which explanations compare what was written differently.
func LinearText(n *Node, name func(*Variable) string) string {
	return LinearAtoms(n, func(k *Node) string {
		if k.Leaf != nil {
			return k.Leaf.Text(name)
		}
		return "(" + k.Word + " over " + k.Over() + " of " + LinearText(k.Kids[0], name) + ")"
	})
}

// LinearAtoms writes a linear expression of functionals, and of sums and means of them over index
// sets. It multiplies constants out and leaves zeros away, so that 2·(f(a) − f(b)) and 2·f(a) −
// 2·f(b) read alike.
func LinearAtoms(n *Node, atom func(*Node) string) string {
	var terms []string
	var add func(n *Node, c float64)
	add = func(n *Node, c float64) {
		switch {
		case n.Op == OpAdd || (n.Op == OpSum || n.Op == OpMean) && n.Quant == nil:
			if n.Op == OpMean {
				c /= float64(len(n.Kids))
			}
			for _, k := range n.Kids {
				add(k, c)
			}
		case n.Op == OpNeg:
			add(n.Kids[0], -c)
		case n.Op == OpScale && n.By == nil:
			add(n.Kids[0], c*n.Num)
		case n.Op == OpConst || n.Zero() || c == 0:
		default:
			terms = append(terms, signedTerm(c, atomOr(n, atom), len(terms) == 0))
		}
	}
	add(n, 1)
	if len(terms) == 0 {
		return "0"
	}
	return strings.Join(terms, " ")
}

// atomOr writes a summand: a functional, one over an index set, or a multiple by a number that data
// decide.
func atomOr(n *Node, atom func(*Node) string) string {
	if n.By != nil {
		return factored(n, atom)
	}
	return atom(n)
}

// factored writes a linear expression times a number that data decide.
func factored(n *Node, atom func(*Node) string) string {
	of := LinearAtoms(n.Kids[0], atom)
	if strings.Contains(of, " + ") || strings.Contains(of, " − ") || strings.HasPrefix(of, "−") {
		of = "(" + of + ")"
	}
	return FactorText(n.By) + "·" + of
}

// signedTerm writes c·s as a summand.
func signedTerm(c float64, s string, first bool) string {
	sign := "+ "
	switch {
	case c < 0 && first:
		sign = "−"
	case c < 0:
		sign = "− "
	case first:
		sign = ""
	}
	if c = max(c, -c); c != 1 {
		sign += strconv.FormatFloat(c, 'g', 4, 64) + "·"
	}
	return sign + s
}

// Over returns what a sum or mean ranges over.
func (n *Node) Over() string {
	if q, ok := n.From.Syntax.(*dsl.Quant); ok {
		return Binders(q)
	}
	return n.Quant.Text()
}

// Text returns the quantifier as a reader sees it: x where region == "north".
func (q *Quantifier) Text() string {
	var parts []string
	for _, a := range q.Axes {
		parts = append(parts, a.binderText())
	}
	s := strings.Join(parts, ", ")
	if q.Where != nil {
		s += " where " + Text(q.Where.From.Syntax)
	}
	return s
}

// binderText returns an index set with its variables: (a, b) in edges(topics).
func (a *Axis) binderText() string {
	names := make([]string, 0, len(a.Vars))
	for _, v := range a.Vars {
		named := v.Kind != WeightVar || v.Name != ASCIIName(a.Graph.Weight)
		if named && (v.Kind != ParamVar || a.Kind == PathAxis) {
			names = append(names, Greek(v.Name))
		}
	}
	switch {
	case a.Kind == RowAxis && (a.Text == "x" || len(names) == 0 || names[0] == a.Text):
		return "x"
	case a.Kind == RowAxis && a.Text == RowsWord && names[0] == "x":
		return "x"
	case len(names) == 1:
		return names[0] + " in " + a.Text
	case len(names) == 0:
		return a.Text
	}
	return "(" + strings.Join(names, ", ") + ") in " + a.Text
}

// FactorText writes a number as a factor of a product: with brackets where it is a sum.
func FactorText(n *Node) string {
	s := numberText(n, greekName)
	if n.Op == OpAdd || n.Op == OpNeg {
		s = "(" + s + ")"
	}
	return s
}

// greekName returns how a variable is shown.
func greekName(v *Variable) string { return Greek(v.Name) }

// numberText writes a number, with names for its variables.
func numberText(n *Node, name func(*Variable) string) string {
	plain := func(k *Node) string { return numberText(k, name) }
	part := func(i int) string {
		s := plain(n.Kids[i])
		if o := n.Kids[i].Op; o == OpAdd || o == OpNeg || o == OpMul || o == OpDiv {
			return "(" + s + ")"
		}
		return s
	}
	switch n.Op {
	case OpConst:
		return Decimal(n.Num)
	case OpDatum:
		return n.Datum.Text(name)
	case OpAdd:
		return sumText(n, name)
	case OpNeg:
		return "−" + part(0)
	case OpMul:
		return part(0) + "·" + part(1)
	case OpDiv:
		return part(0) + "/" + part(1)
	case OpAbs:
		return "|" + plain(n.Kids[0]) + "|"
	case OpPos:
		return "pos(" + plain(n.Kids[0]) + ")"
	case OpSqrt:
		return "√" + part(0)
	}
	return n.Word + " {" + strings.Join(Each(n.Kids, plain), ", ") + "}"
}

// sumText writes a sum of two numbers, or their difference.
func sumText(n *Node, name func(*Variable) string) string {
	first := numberText(n.Kids[0], name)
	switch k := n.Kids[1]; {
	case k.Op == OpConst && k.Num < 0:
		return first + " − " + Decimal(-k.Num)
	case k.Op == OpNeg:
		return first + " − " + bracketed(k.Kids[0], numberText(k.Kids[0], name))
	default:
		return first + " + " + numberText(k, name)
	}
}

// bracketed writes a sum in brackets.
func bracketed(n *Node, s string) string {
	if n.Op == OpAdd {
		return "(" + s + ")"
	}
	return s
}

// Plural returns a count with its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Words of the language that several places look for.
const (
	GridWord     = "grid"
	AutoWord     = "auto"
	RowsWord     = "rows"
	LabelsWord   = "labels"
	NormWord     = "norm"
	MeanWord     = "mean"
	DataWord     = "data"
	TaxonomyWord = "taxonomy"
)

// SoleLet returns the let that is all of a file, nil if there are faults or other statements.
func SoleLet(file *dsl.File, list diag.List) *dsl.Let {
	if list.HasErrors() || file == nil || len(file.Decls) != 1 {
		return nil
	}
	let, _ := file.Decls[0].(*dsl.Let)
	return let
}

// SortedKeys returns the keys of a map, sorted, so that messages do not depend on the order of
// maps.
func SortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// Listed lists the first of several names for a message and counts the others. It is "none" where
// there are no names.
func Listed(all []string, most int) string {
	switch more := len(all) - most; {
	case len(all) == 0:
		return "none"
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), more)
	}
	return strings.Join(all, ", ")
}

// Nearest returns the known name that a misspelt one is meant to be, or "" if there is none. Short
// names allow fewer slips: every two letters are near each other.
func Nearest(name string, known []string) string {
	return spelling.Nearest(name, known, func(k string) int {
		switch short := min(len(name), len(k)); {
		case short <= 1:
			return 0 // every letter is near every other
		case short <= 3:
			return 1
		}
		return 2
	})
}

// DidYouMean returns a mend that names the nearest of the known names, or all of them where they
// are few. It is empty where neither would help.
func DidYouMean(name string, known []string) string {
	best := Nearest(name, known)
	switch {
	case best != "":
		return "Did you mean " + best + "?"
	case len(known) > 0 && len(known) <= 12:
		return "Known here: " + strings.Join(known, ", ") + "."
	}
	return ""
}

// OnTable says what to do where a transformation of images meets the columns of a table, of which a pattern may name none.
func OnTable(columns []string) string {
	column := append(columns[:len(columns):len(columns)], "COLUMN")[0]
	if !IsWord(column) {
		column = strconv.Quote(column)
	}
	return fmt.Sprintf("On a table move along a column, as in jitter(%s, 1). If the columns are pixels, say columns image(h, w).", column)
}

// IsWord reports whether a name can be written without quotes: whether the language reads it back
// as one name.
func IsWord(s string) bool {
	file, list := dsl.Parse("", []byte("let "+s+" = 1"))
	return len(list) == 0 && SoleLet(file, list) != nil
}
