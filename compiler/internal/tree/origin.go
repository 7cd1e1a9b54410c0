package tree

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// AtOrigin places a diagnostic at an origin, with the calls that led there. Where a definition of a
// family was inlined, that is the text of the user. One without a mend gets the general one of its
// code.
func AtOrigin(o Origin, d *diag.Diagnostic) *diag.Diagnostic {
	if d.Mend == "" {
		d.Mend = codes.GeneralMends[d.Code]
	}
	d.Subject = o.Span
	for in := o.Inlined; in != nil; in = in.Up {
		if in.Family == "" {
			d.Related = append(d.Related, diag.Related{Span: in.Call, Message: "in the call of " + in.Name + " here"})
			continue
		}
		d.Subject = in.Call
		d.Related = nil
		d.Detail = strings.TrimSpace(d.Detail + fmt.Sprintf(" %s is defined by %s: %s", in.Name, in.definer(), in.Source))
	}
	return d
}

// An Origin is where a part of an expression comes from: a span, its syntax, and the calls that
// were replaced around it, innermost first.
type Origin struct {
	Span    diag.Span
	Syntax  dsl.Expr
	Inlined *Inlining
}

// An Inlining is a call of a definition that was replaced by its body. The chain of Up leads from
// the body to the invariance.
type Inlining struct {
	Name   string
	Syntax *dsl.Call
	Call   diag.Span
	Family string // of the definition; empty for the spec's own, standardName for the standard library's
	Source string // of a family's definition
	Up     *Inlining
}

// Text returns the call.
func (in *Inlining) Text() string { return Text(in.Syntax) }

// Text returns the source of an expression, on one line.
func Text(e dsl.Expr) string {
	if e == nil {
		return ""
	}
	return strings.Join(strings.Fields(dsl.ExprString(e)), " ")
}

// Place returns where the expression stands in the spec: what a family defines stands where it is
// called.
func (o Origin) Place() diag.Span {
	at := o.Span
	for in := o.Inlined; in != nil; in = in.Up {
		if in.Family != "" {
			at = in.Call
		}
	}
	return at
}

// Binders returns what a quantifier ranges over, as the spec has it: (a, b) in edges(topics), x
// where area > 3.
func Binders(q *dsl.Quant) string {
	_, s, _ := strings.Cut(HeadOf(Origin{Syntax: q}), " over ")
	return s
}

// HeadOf returns an expression, of a quantifier what stands before its body.
func HeadOf(o Origin) string {
	q, ok := o.Syntax.(*dsl.Quant)
	if !ok {
		return Text(o.Syntax)
	}
	return strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(Text(q), Text(q.Body))), " of")
}

// StandardName stands where a definition of a family has the family's name.
const StandardName = "standard"

// ParityName is the statement of the library about a column of 0 and 1.
const ParityName = "parity"

// definer says who defines what is inlined.
func (in *Inlining) definer() string {
	if in.Family == StandardName {
		return "the standard library"
	}
	return "the family " + in.Family
}

// MendParity returns a mend for the library's parity on a column of other values than 0 and 1. They
// are given as a spec writes them. It is empty elsewhere. The user wrote parity(column) and sees no
// condition, so that the mend speaks of the call.
func MendParity(in *Inlining, values []string) string {
	if in == nil || in.Family != StandardName || in.Name != ParityName || len(in.Syntax.Args) != 1 || len(values) < 2 {
		return ""
	}
	return fmt.Sprintf("parity compares the rows with 1 and those with 0; of other values name both groups: parity_between(%s, %s, %s).",
		Text(in.Syntax.Args[0].Value), values[0], values[1])
}
