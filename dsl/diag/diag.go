// Package diag holds diagnostics: what is wrong in a spec or in data, where, why, and how to mend it.
//
// One structure feeds every output. A Diagnostic has a stable code, a severity, a summary of one line and a detail that
// says why. Its subject is the smallest span that breaks the rule. It may have related spans, a mend, and values at
// which the rule fails. Codes are registered beside the pass that reports them, in blocks:
//
//	E1xx  syntax      (package dsl)
//	E2xx  names       (package compiler)
//	E3xx  types, arguments and settings (package compiler)
//	E4xx  curvature   (package compiler)
//	E5xx  data        (package dataset, and compiler where the spec and the data disagree)
//	E6xx  families    (package compiler and host)
//	W…    warnings, in the same blocks
package diag

import (
	"fmt"
	"slices"
	"strings"
)

// A Pos is a place in a source file.
type Pos struct {
	Offset int // bytes, from 0
	Line   int // from 1
	Column int // code points, from 1
}

// A Span is a stretch of a source file, End exclusive. The zero Span stands for no place.
type Span struct {
	File       string
	Start, End Pos
}

// IsZero reports whether the span stands for no place.
func (s Span) IsZero() bool { return s.File == "" && s.Start.Line == 0 }

// String returns "file:line:column". It leaves out the column if that is not known (0), and the line likewise.
func (s Span) String() string {
	switch {
	case s.IsZero():
		return "-"
	case s.Start.Line == 0:
		return s.File
	case s.Start.Column == 0:
		return fmt.Sprintf("%s:%d", s.File, s.Start.Line)
	}
	return fmt.Sprintf("%s:%d:%d", s.File, s.Start.Line, s.Start.Column)
}

// To returns the span from the start of s to the end of t.
func (s Span) To(t Span) Span { return Span{File: s.File, Start: s.Start, End: t.End} }

// A Code is the stable name of a kind of diagnostic, such as "E401".
type Code string

// A Severity orders diagnostics.
type Severity int

// The severities.
const (
	Error Severity = iota
	Warning
	Note
)

// String returns the severity as it is printed.
func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// A Related span contributes to a diagnostic.
type Related struct {
	Span    Span
	Message string
}

// An Edit replaces the text of a span.
type Edit struct {
	Span Span
	New  string
}

// A Fix is a change that mends the diagnostic.
type Fix struct {
	Title string
	Edits []Edit

	// Spelling says that the edits change spelling, quotes, commas, brackets, `=` or `==` alone. What the author means stays, so
	// that an editor may apply the fix unasked.
	Spelling bool
}

// A Diagnostic is one thing that is wrong, or worth saying.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Summary  string // one line, no full stop
	Detail   string // why; may be empty
	Subject  Span
	Related  []Related
	Mend     string   // how to mend it, as a sentence; may be empty
	Fixes    []Fix    // mends that a tool can apply
	Values   []string // lines that show the rule failing in numbers; may be empty

	FamilyFault bool // a family broke the contract: neither the spec nor the data are wrong
}

// Error returns "file:line:column: error[CODE]: summary".
func (d *Diagnostic) Error() string {
	return fmt.Sprintf("%s: %s[%s]: %s", d.Subject, d.Severity, d.Code, d.Summary)
}

// A List is the diagnostics of a file. It is an error where it holds one.
type List []*Diagnostic

// Add appends a diagnostic.
func (l *List) Add(d *Diagnostic) { *l = append(*l, d) }

// HasErrors reports whether the list holds an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d *Diagnostic) bool { return d.Severity == Error })
}

// FamilyFault reports whether one of the diagnostics is of a family's fault.
func (l List) FamilyFault() bool {
	return slices.ContainsFunc(l, func(d *Diagnostic) bool { return d.FamilyFault })
}

// Err returns the list as an error, nil if it holds no error.
func (l List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	return l
}

// Error joins the one-line forms.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, d := range l {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Sort orders the list by file, place and code, and drops what is said twice.
func (l *List) Sort() {
	slices.SortStableFunc(*l, func(a, b *Diagnostic) int {
		if c := strings.Compare(a.Subject.File, b.Subject.File); c != 0 {
			return c
		}
		if c := a.Subject.Start.Offset - b.Subject.Start.Offset; c != 0 {
			return c
		}
		return strings.Compare(string(a.Code), string(b.Code))
	})
	*l = slices.CompactFunc(*l, func(a, b *Diagnostic) bool {
		return a.Code == b.Code && a.Subject == b.Subject && a.Summary == b.Summary
	})
}
