package diag

import "encoding/json"

// A Report is a list in the form that tools read, as JSON.
type Report struct {
	Errors      int     `json:"errors"`
	Warnings    int     `json:"warnings"`
	Diagnostics []Entry `json:"diagnostics"`
}

// An Entry is a diagnostic of a Report.
type Entry struct {
	Code     Code           `json:"code"`
	Severity string         `json:"severity"`
	Page     string         `json:"page,omitempty"` // where the code is explained
	Summary  string         `json:"summary"`
	Detail   string         `json:"detail,omitempty"`
	At       *Place         `json:"at,omitempty"`
	Related  []RelatedEntry `json:"related,omitempty"`
	Help     string         `json:"help,omitempty"`
	Fixes    []FixEntry     `json:"fixes,omitempty"`
	Values   []string       `json:"values,omitempty"`
}

// A Place is a span: lines and columns from 1 (columns in code points), offsets in bytes from 0, the end exclusive. Line is
// 0 where the whole file is meant, and the column where the line is.
type Place struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	Offset    int    `json:"offset"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
	EndOffset int    `json:"end_offset"`
}

// A RelatedEntry is a related span of an Entry.
type RelatedEntry struct {
	At      *Place `json:"at,omitempty"`
	Message string `json:"message"`
}

// A FixEntry is a fix of an Entry.
type FixEntry struct {
	Title string      `json:"title"`
	Edits []EditEntry `json:"edits"`
}

// An EditEntry replaces the text of a place.
type EditEntry struct {
	At  *Place `json:"at"`
	New string `json:"new"`
}

// JSON returns the list in the form that tools read.
func JSON(list List) Report {
	r := Report{Diagnostics: make([]Entry, 0, len(list))}
	for _, d := range list {
		switch d.Severity {
		case Error:
			r.Errors++
		case Warning:
			r.Warnings++
		case Note:
		}
		r.Diagnostics = append(r.Diagnostics, entry(d))
	}
	return r
}

func entry(d *Diagnostic) Entry {
	e := Entry{
		Code: d.Code, Severity: d.Severity.String(), Page: d.Page(), Summary: d.Summary, Detail: d.Detail,
		At: PlaceOf(d.Subject), Help: d.Mend, Values: d.Values,
	}
	for _, r := range d.Related {
		e.Related = append(e.Related, RelatedEntry{At: PlaceOf(r.Span), Message: r.Message})
	}
	for _, f := range d.Fixes {
		fix := FixEntry{Title: f.Title, Edits: []EditEntry{}}
		for _, edit := range f.Edits {
			fix.Edits = append(fix.Edits, EditEntry{At: PlaceOf(edit.Span), New: edit.New})
		}
		e.Fixes = append(e.Fixes, fix)
	}
	return e
}

// MarshalJSON writes a span in the form that tools read.
func (s Span) MarshalJSON() ([]byte, error) { return json.Marshal(PlaceOf(s)) }

// PlaceOf returns a span in the form that tools read; nil where it is zero.
func PlaceOf(s Span) *Place {
	if s.IsZero() {
		return nil
	}
	return &Place{
		File: s.File, Line: s.Start.Line, Column: s.Start.Column, Offset: s.Start.Offset,
		EndLine: s.End.Line, EndColumn: s.End.Column, EndOffset: s.End.Offset,
	}
}
