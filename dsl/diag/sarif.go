package diag

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// A Tool is what found the diagnostics, as SARIF names it.
type Tool struct {
	Name    string
	Version string
	URI     string // of its home page
}

// The log of SARIF 2.1.0 (OASIS, 27 March 2020), as far as diagnostics need it.
type (
	// A SARIFLog is the root object.
	SARIFLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []SARIFRun `json:"runs"`
	}
	// A SARIFRun is one run of the tool.
	SARIFRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri,omitempty"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string       `json:"id"`
		ShortDescription     sarifMessage `json:"shortDescription"`
		HelpURI              string       `json:"helpUri"`
		DefaultConfiguration sarifLevel   `json:"defaultConfiguration"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID           string          `json:"ruleId"`
		RuleIndex        int             `json:"ruleIndex"`
		Level            string          `json:"level"`
		Message          sarifMessage    `json:"message"`
		Locations        []sarifLocation `json:"locations"`
		RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
		Fixes            []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Message  *sarifMessage `json:"message,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"` // 0 where it is not known
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifFix struct {
		Description     sarifMessage  `json:"description"`
		ArtifactChanges []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion   `json:"deletedRegion"`
		Inserted *sarifMessage `json:"insertedContent,omitempty"`
	}
)

// SARIF returns the list as a log of SARIF 2.1.0. Its rules are the codes that occur, each with the text that
// describe returns.
func SARIF(list List, tool Tool, describe func(Code) string) *SARIFLog {
	rules, index := sarifRules(list, describe)
	results := make([]sarifResult, 0, len(list))
	for _, d := range list {
		r := sarifResult{
			RuleID: string(d.Code), RuleIndex: index[d.Code], Level: d.Severity.String(),
			Message: sarifMessage{sarifText(d)}, Locations: []sarifLocation{{Physical: physical(d.Subject)}},
		}
		for i, rel := range d.Related {
			r.RelatedLocations = append(r.RelatedLocations, sarifLocation{
				ID: i + 1, Message: &sarifMessage{rel.Message}, Physical: physical(rel.Span),
			})
		}
		for _, f := range d.Fixes {
			r.Fixes = append(r.Fixes, sarifFixOf(f))
		}
		results = append(results, r)
	}
	return &SARIFLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs: []SARIFRun{{
			Tool:       sarifTool{sarifDriver{Name: tool.Name, Version: tool.Version, InformationURI: tool.URI, Rules: rules}},
			ColumnKind: "unicodeCodePoints",
			Results:    results,
		}},
	}
}

// sarifRules returns the codes of a list, sorted, and the place of each among them.
func sarifRules(list List, describe func(Code) string) ([]sarifRule, map[Code]int) {
	severity := map[Code]Severity{}
	var codes []Code
	for _, d := range list {
		if _, known := severity[d.Code]; !known {
			codes = append(codes, d.Code)
		}
		severity[d.Code] = d.Severity
	}
	slices.Sort(codes)
	rules := make([]sarifRule, 0, len(codes))
	index := map[Code]int{}
	for i, code := range codes {
		index[code] = i
		text := describe(code)
		if text == "" {
			text = string(code)
		}
		rules = append(rules, sarifRule{
			ID: string(code), ShortDescription: sarifMessage{text}, HelpURI: Page(code),
			DefaultConfiguration: sarifLevel{severity[code].String()},
		})
	}
	return rules, index
}

// sarifText returns everything that a diagnostic says.
func sarifText(d *Diagnostic) string {
	parts := []string{d.Summary}
	if d.Detail != "" {
		parts = append(parts, d.Detail)
	}
	parts = append(parts, d.Values...)
	if d.Mend != "" {
		parts = append(parts, "help: "+d.Mend)
	}
	return strings.Join(parts, "\n")
}

func physical(s Span) sarifPhysical {
	p := sarifPhysical{Artifact: artifact(s.File)}
	if s.Start.Line > 0 {
		r := region(s)
		p.Region = &r
	}
	return p
}

func region(s Span) sarifRegion {
	return sarifRegion{s.Start.Line, s.Start.Column, max(s.End.Line, s.Start.Line), s.End.Column}
}

// artifact returns a file as a relative or absolute reference.
func artifact(file string) sarifArtifact {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return sarifArtifact{u.String()}
}

// sarifFixOf gathers the edits of a fix by file.
func sarifFixOf(f Fix) sarifFix {
	out := sarifFix{Description: sarifMessage{f.Title}}
	at := map[string]int{}
	for _, e := range f.Edits {
		i, known := at[e.Span.File]
		if !known {
			i = len(out.ArtifactChanges)
			at[e.Span.File] = i
			out.ArtifactChanges = append(out.ArtifactChanges, sarifChange{Artifact: artifact(e.Span.File)})
		}
		r := sarifReplacement{Deleted: region(e.Span)}
		if e.New != "" {
			r.Inserted = &sarifMessage{e.New}
		}
		out.ArtifactChanges[i].Replacements = append(out.ArtifactChanges[i].Replacements, r)
	}
	return out
}
