package compiler

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// types compiles `types …`: what columns hold, as far as the user says so. It picks no features. Expressions are checked against
// it without data, and the data when they are read. What it says of signs may therefore be used in proofs:
//
//	age : integer [0, 120]  ⊢  age(x) ∈ [0, 120]      grade : {1, 2, 3}  ⊢  grade(x) ∈ [1, 3]
//
// Values of which one is not a number make a column of texts, as a file of such cells does. A set of numbers alone leaves the column one of
// numbers, so that declaring a type never changes what the features are.
func types(p *names.Pass, item *dsl.Types) []setting.ColumnType {
	var all []setting.ColumnType
	for _, c := range item.Columns {
		t := setting.ColumnType{Column: values.RawName(c.Name), Low: math.Inf(-1), High: math.Inf(1)}
		values.InFile(p, t.Column, c.Name.Span())
		switch {
		case slices.ContainsFunc(all, func(other setting.ColumnType) bool { return other.Column == t.Column }):
			p.Report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: c.Name.Span(), Summary: "The column " + t.Column + " has two types", Mend: "Leave one of them out."})
		case c.Values != nil:
			t = setting.ListOf(t.Column, listed(p, c))
		case c.Within != nil:
			t.Low, t.High = within(p, c.Within)
			fallthrough
		default:
			// A date is a number of years to all rules, so that slopes and bounds are those of any number. A text has neither: it is
			// compared alone, and with any text, as its type lists none.
			t.Whole, t.Date, t.Text = c.Word.Name == "integer", c.Word.Name == "date", c.Word.Name == "text"
			if t.Text && c.Within != nil {
				p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: c.Within.Span(), Summary: "texts have no bounds", Mend: "Write " + t.Column + " : text, or list the values: " + t.Column + " : {north, south}."})
			}
		}
		all = append(all, t)
	}
	return all
}

// listed compiles the values that a column may hold: words, texts and numbers. They are kept as texts, as the file has them, and compared
// as numbers where they are some.
func listed(p *names.Pass, c *dsl.TypedColumn) []string {
	var all []string
	seen := map[string]bool{}
	for _, e := range c.Values.Elems {
		value, ok := valueOf(p, e)
		if ok && seen[value] {
			p.Report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: e.Span(), Summary: "The value " + value + " is listed twice", Mend: "Leave one of them out."})
		}
		seen[value] = true
		all = append(all, value)
	}
	return all
}

// valueOf reads a value of a column as the file would write it. A minus before a number is a part of
// the value, as a value is not an expression otherwise. 5% is the number 0.05, and the text in quotes.
func valueOf(p *names.Pass, e dsl.Expr) (string, bool) {
	sign, written := signOf(e)
	if n, ok := written.(*dsl.Number); ok && n.Unit == tree.NoUnit {
		return sign + decimal(n), true
	}
	return values.Literal(p, e, nil, "a value of the column", true)
}

// signOf returns the minus before a number of no unit, if there is one, and what follows it.
func signOf(e dsl.Expr) (sign string, rest dsl.Expr) {
	if minus, ok := e.(*dsl.Neg); ok {
		if n, isNumber := minus.X.(*dsl.Number); isNumber && n.Unit == tree.NoUnit {
			return "-", n
		}
	}
	return "", e
}

// decimal returns a number as it is written, and one in percent as the number that it is.
func decimal(n *dsl.Number) string {
	if strings.HasSuffix(n.Raw, "%") {
		return strconv.FormatFloat(n.Value, 'g', -1, 64)
	}
	return n.Raw
}

// within compiles the bounds of a column of numbers, both of which belong to the interval. A let may
// stand for one of them, so that --set changes it.
func within(p *names.Pass, e *dsl.Interval) (low, high float64) {
	lo, okLo := values.Plain(p, e.Lo, nil)
	hi, okHi := values.Plain(p, e.Hi, nil)
	if okLo && okHi && !(lo.Value <= hi.Value) {
		p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: e.Span(), Summary: fmt.Sprintf("No number lies in %s", tree.Text(e)), Mend: "Write the lower bound first."})
	}
	return lo.Value, hi.Value
}

// typesOfTarget reports a target whose column has a type that does not suit its task. Texts cannot be learnt as a number, and a class
// that is not a value of the column has no row. Classes and labels may be texts or numbers, so that every type suits them.
func typesOfTarget(p *names.Pass, d *setting.Data) {
	for i := range d.Types {
		t := &d.Types[i]
		if !slices.Contains(d.Target.Names, t.Column) {
			continue
		}
		at := values.ItemAt(p.Decls.Data, names.TypesWord)
		switch d.Target.Task {
		case setting.Real:
			if t.Texts() {
				p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: at, Summary: t.Column + " is a real target, and its type lists texts", Mend: "Write target " + t.Column + " : class, or give its type as real."})
			}
		case setting.Binary:
			for _, class := range d.Target.Classes {
				if len(t.Values.List) > 0 && !t.Among(class) {
					p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: at, Summary: fmt.Sprintf("%s is a class of the target, and no value of %s", class, t.Column), Mend: tree.DidYouMean(class, t.Values.List)})
				}
			}
		case setting.Class, setting.Multilabel, setting.NoTask:
		}
	}
}
