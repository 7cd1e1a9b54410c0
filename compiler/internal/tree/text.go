package tree

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
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

// Formula writes an expression as a formula: 2·f(x, cat) − f(x, dog). The arguments of definitions
// stand in place of their parameters.
func (n *Node) Formula() string {
	switch n.Op {
	case OpConst:
		return Decimal(n.Num)
	case OpDatum:
		return n.Datum.Text(greekName)
	case OpLeaf:
		return n.Leaf.Text(greekName)
	case OpAdd:
		return sumText(n)
	case OpNeg:
		return "−" + bracketed(n.Kids[0])
	case OpScale:
		return n.FactorText() + "·" + bracketed(n.Kids[0])
	case OpMul:
		return bracketed(n.Kids[0]) + "·" + bracketed(n.Kids[1])
	case OpDiv:
		return bracketed(n.Kids[0]) + "/" + bracketed(n.Kids[1])
	case OpAbs:
		return "|" + n.Kids[0].Formula() + "|"
	case OpPos:
		return "pos(" + n.Kids[0].Formula() + ")"
	case OpSqrt:
		return "√" + bracketed(n.Kids[0])
	}
	if q, ok := n.From.Syntax.(*dsl.Quant); ok && n.Quant != nil {
		return "(" + n.Word + " over " + Binders(q) + " of " + n.Kids[0].Formula() + ")"
	}
	return n.Word + " {" + strings.Join(Each(n.Kids, (*Node).Formula), ", ") + "}"
}

// bracketed writes a part of a product, a quotient or a root: in brackets where it is not a name.
func bracketed(n *Node) string {
	if n.Op == OpAdd || n.Op == OpNeg || n.Op == OpMul || n.Op == OpDiv {
		return "(" + n.Formula() + ")"
	}
	return n.Formula()
}

// sumText writes a sum of two parts, or their difference.
func sumText(n *Node) string {
	first, k := n.Kids[0].Formula(), n.Kids[1]
	switch {
	case k.Op == OpConst && k.Num == 0: // a maximum over nothing
		return first
	case n.Kids[0].Op == OpConst && n.Kids[0].Num == 0:
		return k.Formula()
	case k.Op == OpConst && k.Num < 0:
		return first + " − " + Decimal(-k.Num)
	case k.Op == OpNeg && k.Kids[0].Op == OpAdd:
		return first + " − (" + k.Kids[0].Formula() + ")"
	case k.Op == OpNeg:
		return first + " − " + k.Kids[0].Formula()
	}
	return first + " + " + k.Formula()
}

// FactorText writes what a multiple multiplies by: with brackets where it is a sum.
func (n *Node) FactorText() string {
	switch {
	case n.By == nil:
		return Decimal(n.Num)
	case n.By.Op == OpAdd || n.By.Op == OpNeg:
		return "(" + n.By.Formula() + ")"
	}
	return n.By.Formula()
}

// greekName returns how a variable is shown.
func greekName(v *Variable) string { return Greek(v.Name) }

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
	LevelsWord   = "levels"
	NormWord     = "norm"
	MeanWord     = "mean"
	DataWord     = "data"
	TaxonomyWord = "taxonomy"
	BoxWord      = "box"
	RequireWord  = "require"
	OthersWord   = "others"
	SampleWord   = "sample"
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
	return spelling.Nearest(name, known, Slips(name))
}

// Slips returns how many slips may lie between a name and a known one for the latter to be meant.
func Slips(name string) func(known string) int {
	return func(k string) int {
		switch short := min(len(name), len(k)); {
		case short <= 1:
			return 0 // every letter is near every other
		case short <= 3:
			return 1
		}
		return 2
	}
}

// DidYouMean returns a mend that names the nearest of the known names, or all of them where they
// are few. It is empty where neither would help.
func DidYouMean(name string, known []string) string { return Meant(Nearest(name, known), known) }

// Meant returns the mend that DidYouMean returns, where the nearest of the known names has been found.
func Meant(best string, known []string) string {
	switch {
	case best != "":
		return "Did you mean " + best + "?"
	case len(known) > 0 && len(known) <= 12:
		return "Available: " + strings.Join(known, ", ") + "."
	}
	return ""
}

// OnTable says what to do where a transformation of images meets the columns of a table, of which a pattern may name none.
func OnTable(columns []string) string {
	column := append(columns[:len(columns):len(columns)], "COLUMN")[0]
	return fmt.Sprintf("On a table move along a column, as in move(%[1]s, 1), and in an orbit move(%[1]s, [-1, 1]). If the columns are pixels, say columns image(h, w).", ColumnText(column))
}

// Derived completes a diagnostic of a transformation along a feature that preparation makes of a column, as region=north of region. Last is
// the last sentence of its mend.
func Derived(feature, column string, d *diag.Diagnostic, last string) *diag.Diagnostic {
	d.Summary = feature + " is a feature that preparation makes of " + column + ", and no column of the file"
	d.Mend = "Name the column: " + ColumnText(column) + "."
	if text, ofText := strings.CutPrefix(feature, column+"="); ofText {
		d.Mend = fmt.Sprintf("Write put(%s, %q) for rows with that text.", ColumnText(column), text)
	} else if strings.HasPrefix(feature, column+":") {
		d.Mend = "Name a column of numbers."
	}
	d.Mend = strings.TrimSpace(d.Mend + " " + last)
	return d
}

// MovesText completes a diagnostic of a transformation that moves along a column of texts, some of which are given. Where there are none, it is
// a column of words.
func MovesText(column string, texts []string, d *diag.Diagnostic) *diag.Diagnostic {
	d.Summary, d.Detail = column+" is a column of texts, and a text does not move by an amount", "It becomes features, one for each text or word."
	d.Mend = "Name a column of numbers."
	if len(texts) == 0 {
		return d
	}
	text := strconv.Quote(texts[0])
	d.Mend = fmt.Sprintf("Write put(%s, %s), which is the row with the text %s there.", ColumnText(column), text, text)
	return d
}

// Apart reports whether two lists of texts share none. Empty ones say nothing.
func Apart(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// NoneInCommon returns the diagnostic of two columns of texts that cannot change places, as no text is in both.
func NoneInCommon(swap, a, b string) *diag.Diagnostic {
	return &diag.Diagnostic{
		Code: codes.Incomparable, Summary: fmt.Sprintf("%s and %s have no text in common: %s would give each only texts that it never has", a, b, swap),
		Mend: "Name two columns that hold the same texts.",
	}
}

// LabelText returns a label as a spec has it, in quotes where it is neither a word nor a number.
func LabelText(label string) string {
	if label != "" && strings.Trim(label, "0123456789") == "" {
		return label
	}
	return ColumnText(label)
}

// ColumnText returns the name of a column as a spec has it, in quotes where it is not a word.
func ColumnText(column string) string {
	if dsl.IsName(column) {
		return column
	}
	return strconv.Quote(column)
}
