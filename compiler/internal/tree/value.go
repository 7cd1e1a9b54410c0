package tree

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// A Value is an argument's value, checked against its schema as far as that goes without data.
// Which field counts, the kind of the argument says.
type Value struct {
	Arg      *plugins.Arg
	Place    diag.Span
	Quantity Quantity // numbers, angles in radians, counts and widths
	Text     string   // texts, choices, columns, labels, file names
	Textual  bool     // of a number that is a value of a column: it is Text, and not Quantity
	Bytes    []byte   // of a file
	Taxonomy *Taxonomy
}

// Cell returns a value of a column as the file has it.
func (v *Value) Cell() string {
	if v.Textual {
		return v.Text
	}
	return strconv.FormatFloat(v.Quantity.Value, 'g', -1, 64)
}

// PatternArg is the argument of a set of columns that is a pattern of names.
var PatternArg = plugins.Arg{Name: "pattern", Kind: plugins.KindText}

// Pattern reports whether an element of a set of columns is a pattern, and not a name.
func (v *Value) Pattern() bool { return v.Arg == &PatternArg }

// Cells returns those of a map's arguments that are whole columns of the file, and the value of one
// of these. Nil means that there is none.
func Cells(args []*Value) (columns []*Value, value *Value) {
	for _, v := range args {
		switch {
		case v == nil || v.Arg.Unit != plugins.Cells:
		case v.Arg.Kind == plugins.KindColumn:
			columns = append(columns, v)
		default:
			value = v
		}
	}
	return columns, value
}

// ASCIIName spells out the one Greek name that is common.
func ASCIIName(name string) string {
	if name == "λ" {
		return "lambda"
	}
	return name
}

// ArgsKey identifies arguments: equal keys ask a family for the same thing.
func ArgsKey(args []*Value) string {
	var b strings.Builder
	b.WriteByte('(')
	for _, v := range args {
		if v == nil {
			continue
		}
		fmt.Fprintf(&b, "%s=%v,%q", v.Arg.Name, v.Quantity, v.Text)
		if v.Textual {
			b.WriteString(" as it stands")
		}
		if v.Taxonomy != nil {
			fmt.Fprintf(&b, ",%q,%v", v.Taxonomy.File, v.Taxonomy.OfData)
		}
		b.WriteByte(';')
	}
	b.WriteByte(')')
	return b.String()
}

// FaultMend says what to do about a fault of the family itself.
func (f *Family) FaultMend() string {
	if f.Place.IsZero() {
		return "This is a fault of sipc, and not of the spec: report it, with this message."
	}
	return "This is a fault of the family, and not of the spec: tell its author. sipc plugin verify, on its program, looks for such faults."
}

// A Family in use.
type Family struct {
	Name   string
	Place  diag.Span // of `use`; zero for those that are built in
	Impl   plugins.Family
	Schema *plugins.Schema
}

// The units of quantities.
const (
	NoUnit    = ""
	PerRow    = "n"      // multiples of the number of training rows
	Degrees   = "deg"    // angles
	OfMedian  = "median" // multiples of the median distance
	noMeaning = "?"      // of a product of two units
)

// A Quantity is a number with its unit. n and median are units, as data decide what they come to.
type Quantity struct {
	Value float64
	Unit  string
}

// String returns the quantity as the language writes it: 0.5 * median, 4n, 10deg.
func (q Quantity) String() string {
	s := strconv.FormatFloat(q.Value, 'g', -1, 64)
	if q.Unit == OfMedian {
		return s + " * median"
	}
	return s + q.Unit
}

// Combine applies an operation of arithmetic to quantities. Equal units add, plain numbers multiply
// any. The text says why an operation cannot be, and is empty where it can.
func Combine(op string, x, y Quantity) (Quantity, string) {
	switch op {
	case "+", "-":
		if x.Unit != y.Unit {
			return Quantity{}, fmt.Sprintf("%s and %s have different units and cannot be added", x, y)
		}
		if op == "-" {
			y.Value = -y.Value
		}
		return Quantity{x.Value + y.Value, x.Unit}, ""
	case "*":
		if x.Unit != NoUnit && y.Unit != NoUnit {
			return Quantity{Unit: noMeaning}, fmt.Sprintf("%s times %s has no meaning", x, y)
		}
		return Quantity{x.Value * y.Value, x.Unit + y.Unit}, ""
	case "/":
		switch y.Unit {
		case NoUnit:
			return Quantity{x.Value / y.Value, x.Unit}, ""
		case x.Unit:
			return Quantity{x.Value / y.Value, NoUnit}, ""
		}
		return Quantity{}, fmt.Sprintf("%s divided by %s has no meaning", x, y)
	}
	return Quantity{}, "a number is wanted here, not a condition"
}

// SeedArg is the argument that says the seed of a draw.
var SeedArg = plugins.Arg{Name: "seed", Kind: plugins.KindCount, Optional: true, Doc: "the seed of the draw; left out, that of the run", Min: 0, Max: 1 << 53}

// Placed returns an origin at an argument's own place, if that is in the same file. An argument
// that a definition of a family fills in has no place that the user could change.
func Placed(v *Value, o Origin) Origin {
	if v.Place.File == o.Span.File && !v.Place.IsZero() {
		o.Span = v.Place
	}
	return o
}
