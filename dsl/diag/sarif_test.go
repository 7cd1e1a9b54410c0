package diag_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/dsl/diag"
)

// A schema is what SARIF 2.1.0 asks of an object: its properties, by name; a "!" marks those that are required.
type schema map[string]any

// The parts of sarif-schema-2.1.0.json that a log of diagnostics has.
var (
	text     = schema{"text!": "string"}
	file     = schema{"uri!": "uri"}
	zone     = schema{"startLine!": "positive", "startColumn!": "positive", "endLine!": "positive", "endColumn!": "positive"}
	location = schema{"id": "integer", "message": text, "physicalLocation!": schema{"artifactLocation!": file, "region": zone}}
	sarifLog = schema{
		"$schema!": "uri", "version!": "2.1.0",
		"runs!": []any{schema{
			"tool!": schema{"driver!": schema{
				"name!": "string", "version": "string", "informationUri": "uri",
				"rules!": []any{schema{"id!": "string", "shortDescription!": text, "helpUri!": "uri", "defaultConfiguration!": schema{"level!": "level"}}},
			}},
			"columnKind!": "unicodeCodePoints",
			"results!": []any{schema{
				"ruleId!": "string", "ruleIndex!": "integer", "level!": "level", "message!": text,
				"locations!": []any{location}, "relatedLocations": []any{location},
				"fixes": []any{schema{"description!": text, "artifactChanges!": []any{schema{
					"artifactLocation!": file,
					"replacements!":     []any{schema{"deletedRegion!": zone, "insertedContent": schema{"text!": "any text"}}},
				}}}},
			}},
		}},
	}
)

// conform reports where a value is not as the schema says.
func conform(path string, v, want any) []string {
	bad := func(what string) []string { return []string{fmt.Sprintf("%s is %v, want %s", path, v, what)} }
	switch want := want.(type) {
	case schema:
		return conformObject(path, v, want)
	case []any:
		list, ok := v.([]any)
		if !ok {
			return bad("a list")
		}
		var out []string
		for i, e := range list {
			out = append(out, conform(fmt.Sprintf("%s[%d]", path, i), e, want[0])...)
		}
		return out
	case string:
		n, isNumber := v.(float64)
		s, isText := v.(string)
		u, err := url.Parse(s)
		ok := map[string]bool{
			"string": isText && s != "", "any text": isText, "uri": isText && err == nil && u.String() == s, "integer": isNumber && n == float64(int(n)),
			"positive": isNumber && n >= 1, "level": slices.Contains([]string{"error", "warning", "note"}, s),
		}
		if met, known := ok[want]; known && !met || !known && s != want {
			return bad(want)
		}
	}
	return nil
}

func conformObject(path string, v any, want schema) []string {
	object, ok := v.(map[string]any)
	if !ok {
		return []string{path + " is not an object"}
	}
	var out []string
	for key, inner := range want {
		name := strings.TrimSuffix(key, "!")
		if _, there := object[name]; !there {
			if name != key {
				out = append(out, path+" lacks "+name)
			}
			continue
		}
		out = append(out, conform(path+"."+name, object[name], inner)...)
	}
	for name := range object {
		if want[name] == nil && want[name+"!"] == nil {
			out = append(out, path+" has the unknown property "+name)
		}
	}
	return out
}

func TestSARIFConformsToItsSchema(t *testing.T) {
	src := "let a = b\nlet λ = c\n"
	b, c := span("dir/a b.inv", src, "b"), span("dir/a b.inv", src, "c")
	list := diag.List{
		{
			Code: "E201", Summary: "unknown name", Detail: "why", Subject: c, Mend: "mend", Values: []string{"v"},
			Related: []diag.Related{{Span: b, Message: "rel"}},
			Fixes:   []diag.Fix{{Title: "fix", Edits: []diag.Edit{{Span: b, New: "c"}, {Span: c}}}},
		},
		{Code: "W501", Severity: diag.Warning, Summary: "odd", Subject: diag.Span{File: "/abs/data.csv"}},
		{Code: "E201", Summary: "again", Subject: b},
	}
	log := diag.SARIF(list, "1", func(c diag.Code) string { return "what " + string(c) + " is" })
	content, err := json.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	var object any
	if err := json.Unmarshal(content, &object); err != nil {
		t.Fatal(err)
	}
	for _, fault := range conform("log", object, sarifLog) {
		t.Error(fault)
	}
	for _, part := range []string{
		`"helpUri":"` + diag.Page("E201") + `","id":"E201","shortDescription":{"text":"what E201 is"}`,
		`"uri":"dir/a%20b.inv"`, `"uri":"file:///abs/data.csv"`, `{"endColumn":10,"endLine":2,"startColumn":9,"startLine":2}`,
		`"insertedContent":{"text":"c"}`, `"ruleId":"W501","ruleIndex":1`, `unknown name\nwhy\nv\nhelp: mend`,
	} {
		if !strings.Contains(string(content), part) {
			t.Errorf("%s lacks %s", content, part)
		}
	}
}

func TestSARIFOfNothingIsALogWithoutResults(t *testing.T) {
	content, err := json.Marshal(diag.SARIF(nil, "1", func(diag.Code) string { return "" }))
	if err != nil || !strings.Contains(string(content), `"rules":[]`) || !strings.Contains(string(content), `"results":[]`) {
		t.Errorf("%s, %v", content, err)
	}
}
