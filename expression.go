package sipc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// ExpressionName is the name under which diagnostics and proofs speak of an expression that stands in no file.
const ExpressionName = "expression"

// An Expression is an expression of the language, judged as if it stood in a spec.
type Expression struct {
	Text        string
	Diagnostics diag.List      // of the expression; those of the spec are not among them
	Proof       *compiler.Step // nil where the expression has a fault
	Value       float64        // of a number; NaN of an expression that holds f
	AtRow       bool           // no quantifier of its own binds a point: it was judged at a training row x
	Invariance  bool           // it may stand as an invariance: it is nonnegative, convex and depends on f
}

// judgedName is the name of the invariance that stands for an expression; a spec that declares it, too, gets a longer one.
const judgedName = "expression_"

// Judge says what an expression is beside the declarations of a spec, faulty ones left out: its kind, its sign, and the proof.
// The expression need not be an invariance. The error is that of a text which is no single expression's, or of ctx; what is
// wrong with the expression is among its diagnostics.
func (s *Spec) Judge(ctx context.Context, text string, o SpecOptions) (*Expression, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the expression is empty")
	}
	e := s.judge(ctx, text, "", "", o)
	if e.lacksPoint() {
		at := s.judge(ctx, text, "mean over x of (", "\n)", o)
		switch {
		case at.Proof != nil && len(at.Proof.Parts) == 1:
			at.Proof, at.AtRow = &at.Proof.Parts[0], true
			e = at
		case at.Diagnostics.HasErrors() && !at.lacksPoint():
			e = at // what else is wrong
		}
	}
	return e, ctx.Err()
}

func (e *Expression) lacksPoint() bool {
	return slices.ContainsFunc(e.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code == codes.NoPoint })
}

// judge judges an expression between two texts.
func (s *Spec) judge(ctx context.Context, text, before, after string, o SpecOptions) *Expression {
	name := judgedName
	for bytes.Contains(s.Source, []byte(name)) {
		name += "_"
	}
	before = "invariance " + name + " = " + before
	// The expression stands behind the spec, so that places tell which of them is meant.
	blank := append(bytes.Repeat([]byte(" "), len(s.Source)), '\n')
	shift := &shifted{
		start: diag.Pos{Offset: len(blank) + len(before), Line: 2, Column: len(before) + 1}, end: len(blank) + len(before) + len(text), file: s.Path,
	}
	added, faults := dsl.Parse(s.Path, append(blank, before+text+after+"\n"...))
	e := &Expression{Text: text, Value: math.NaN()}
	if len(added.Decls) != 1 || len(added.Broken) > 0 || faults.HasErrors() {
		e.Diagnostics = shift.list(faults)
		if !e.Diagnostics.HasErrors() {
			e.Diagnostics.Add(&diag.Diagnostic{
				Code: dsl.UnknownStatement, Severity: diag.Error, Subject: shift.whole(text), Summary: "this is more than one expression",
			})
		}
		return e
	}
	file := *s.File
	file.Source = append(bytes.Clone(s.Source), added.Source[len(s.Source):]...)
	file.Decls = append(slices.Clone(s.File.Decls), added.Decls...)
	index, diags := s.inspect(ctx, &file, o)
	e.Proof, e.Value = index.Proof(name)
	if e.conclude(diags, shift); e.Proof == nil && !e.Diagnostics.HasErrors() {
		_, known := s.inspect(ctx, s.File, o)
		e.Diagnostics = shift.list(without(diags, known)) // within what the expression calls
	}
	return e
}

func (s *Spec) inspect(ctx context.Context, file *dsl.File, o SpecOptions) (*compiler.Index, diag.List) {
	launcher := newLauncher(filepath.Dir(s.Path), o.Notice)
	return compiler.Inspect(ctx, file, compiler.Options{
		Families: Families(), Open: launcher.open, Pinned: launcher.pinned, ReadFile: s.readFile, Set: o.Set,
	})
}

// without is a list without what another one says, too.
func without(list, known diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(list), func(d *diag.Diagnostic) bool {
		return slices.ContainsFunc(known, func(k *diag.Diagnostic) bool { return k.Error() == d.Error() })
	})
}

// conclude takes what was found out about the expression itself. That it is no invariance is no fault of an expression.
func (e *Expression) conclude(diags diag.List, shift *shifted) {
	e.Invariance = e.Proof != nil && !e.Proof.Constant
	var own diag.List
	for _, d := range diags {
		verdict := d.Code == codes.MayBeNegative || d.Code == codes.AlwaysZero
		switch {
		case !shift.holds(d.Subject) || d.Code == codes.UnusedInvariance:
		case verdict && e.Proof != nil:
			e.Invariance = false
		default:
			own.Add(d)
		}
	}
	e.Diagnostics = shift.list(own)
	switch {
	case own.HasErrors():
		e.Proof, e.Invariance, e.Value = nil, false, math.NaN()
	case e.Proof != nil:
		shift.step(e.Proof)
	}
}

// A shifted expression stands further on in the text that was judged than in its own.
type shifted struct {
	start diag.Pos
	end   int // offset
	file  string
}

// holds reports whether a span is of the expression, or of what was written around it.
func (s *shifted) holds(at diag.Span) bool {
	return at.File == s.file && at.Start.Line > 0 && at.End.Offset >= s.start.Offset && at.Start.Offset >= s.start.Offset-s.start.Column
}

// whole is the span of the expression in its own text.
func (s *shifted) whole(text string) diag.Span {
	return diag.Span{File: ExpressionName, Start: diag.Pos{Line: 1, Column: 1}, End: diag.Pos{Offset: len(text), Line: 1, Column: 1 + len([]rune(text))}}
}

func (s *shifted) pos(p diag.Pos) diag.Pos {
	p.Offset = min(max(p.Offset, s.start.Offset), s.end) - s.start.Offset
	if p.Line <= s.start.Line {
		p.Column = max(1, p.Column-s.start.Column+1)
	}
	p.Line = max(1, p.Line-s.start.Line+1)
	return p
}

func (s *shifted) span(at diag.Span) diag.Span {
	if !s.holds(at) {
		return at
	}
	return diag.Span{File: ExpressionName, Start: s.pos(at.Start), End: s.pos(at.End)}
}

func (s *shifted) list(list diag.List) diag.List {
	var out diag.List
	for _, d := range list {
		own := *d
		own.Subject = s.span(d.Subject)
		own.Related = slices.Clone(d.Related)
		for i := range own.Related {
			own.Related[i].Span = s.span(own.Related[i].Span)
		}
		own.Fixes = nil // the mend says it; there is no file to change
		out.Add(&own)
	}
	return out
}

func (s *shifted) step(step *compiler.Step) {
	step.Place = s.span(step.Place)
	for i := range step.Parts {
		s.step(&step.Parts[i])
	}
}

// String is what was proved, in a few words: "sublinear, nonnegative".
func (e *Expression) String() string {
	switch {
	case e.Proof == nil:
		return "faulty"
	case e.Proof.Constant && math.IsNaN(e.Value):
		return "a number"
	case e.Proof.Constant:
		return fmt.Sprintf("the number %g", e.Value)
	}
	return fmt.Sprintf("%s, %s", e.Proof.Kind, e.Proof.Sign)
}
