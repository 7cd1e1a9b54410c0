package diag

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// An object is one of JSON.
type object = map[string]any

// SARIF returns the list as a log of SARIF 2.1.0 (OASIS, 27 March 2020), for JSON. Its rules are the codes that occur, each with the text
// that describe returns.
func SARIF(list List, version string, describe func(Code) string) map[string]any {
	var codes []Code
	for _, d := range list {
		codes = append(codes, d.Code)
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	rules, results := make([]object, len(codes)), make([]object, len(list))
	for i, d := range list {
		rule, _ := slices.BinarySearch(codes, d.Code)
		rules[rule] = object{
			"id": d.Code, "shortDescription": message(describe(d.Code)), "helpUri": d.Page(),
			"defaultConfiguration": object{"level": d.Severity.String()},
		}
		results[i] = result(d, rule)
	}
	driver := object{"name": "sipc", "version": version, "informationUri": "https://github.com/sipc-ml/sipc", "rules": rules}
	return object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs":    []object{{"tool": object{"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}},
	}
}

// result returns a diagnostic with all that it says.
func result(d *Diagnostic, rule int) object {
	parts := append([]string{d.Summary, d.Detail}, d.Values...)
	if d.Mend != "" {
		parts = append(parts, "help: "+d.Mend)
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	related := make([]object, len(d.Related))
	for i, r := range d.Related {
		related[i] = object{"id": i + 1, "message": message(r.Message), "physicalLocation": physical(r.Span)}
	}
	fixes := make([]object, len(d.Fixes))
	for i, f := range d.Fixes {
		file, replacements := "", make([]object, len(f.Edits)) // all are of one file
		for j, e := range f.Edits {
			file = e.Span.File
			replacements[j] = object{"deletedRegion": region(e.Span), "insertedContent": message(e.New)}
		}
		change := object{"artifactLocation": artifact(file), "replacements": replacements}
		fixes[i] = object{"description": message(f.Title), "artifactChanges": []object{change}}
	}
	return object{
		"ruleId": d.Code, "ruleIndex": rule, "level": d.Severity.String(), "message": message(strings.Join(parts, "\n")),
		"locations": []object{{"physicalLocation": physical(d.Subject)}}, "relatedLocations": related, "fixes": fixes,
	}
}

func message(text string) object { return object{"text": text} }

func physical(s Span) object {
	p := object{"artifactLocation": artifact(s.File)}
	if s.Start.Line > 0 {
		p["region"] = region(s)
	}
	return p
}

// region returns the place of a span, without the columns where they are not known.
func region(s Span) object {
	r := object{"startLine": s.Start.Line, "endLine": max(s.End.Line, s.Start.Line)}
	if s.Start.Column > 0 {
		r["startColumn"], r["endColumn"] = s.Start.Column, s.End.Column
	}
	return r
}

// artifact returns a file as a relative or absolute reference.
func artifact(file string) object {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return object{"uri": u.String()}
}
