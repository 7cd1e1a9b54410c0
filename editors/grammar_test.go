package editors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// A rule of a TextMate grammar, as far as this grammar uses them.
type rule struct {
	Name          string             `json:"name"`
	Match         string             `json:"match"`
	Begin         string             `json:"begin"`
	End           string             `json:"end"`
	Include       string             `json:"include"`
	Captures      map[string]capture `json:"captures"`
	BeginCaptures map[string]capture `json:"beginCaptures"`
	EndCaptures   map[string]capture `json:"endCaptures"`
	Patterns      []*rule            `json:"patterns"`

	match, end *pattern
}

type capture struct {
	Name string `json:"name"`
}

// A grammar in TextMate's form.
type grammar struct {
	Scope      string           `json:"scopeName"`
	Patterns   []*rule          `json:"patterns"`
	Repository map[string]*rule `json:"repository"`
}

// readGrammar reads the grammar and compiles its expressions.
func readGrammar(t *testing.T) *grammar {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("vscode", "syntaxes", "inv.tmLanguage.json"))
	if err != nil {
		t.Fatal(err)
	}
	g := &grammar{}
	if err := json.Unmarshal(raw, g); err != nil {
		t.Fatal(err)
	}
	g.compile(t, g.Patterns)
	for _, name := range names(g.Repository) {
		g.compile(t, []*rule{g.Repository[name]})
	}
	return g
}

func names[V any](m map[string]V) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func (g *grammar) compile(t *testing.T, rules []*rule) {
	t.Helper()
	for _, r := range rules {
		switch {
		case r.Include != "":
			if g.Repository[strings.TrimPrefix(r.Include, "#")] == nil {
				t.Errorf("the grammar has no %s", r.Include)
			}
		case r.Begin != "":
			r.match, r.end = newPattern(t, r.Begin), newPattern(t, r.End)
		case r.Match != "":
			r.match = newPattern(t, r.Match)
		}
		g.compile(t, r.Patterns)
	}
}

// A pattern is an expression that means the same to Oniguruma, which editors use, and to Go: it looks neither ahead nor back,
// and \b, which Go knows for ASCII alone, stands at its ends, where it is looked after here.
type pattern struct {
	re           *regexp.Regexp
	begins, ends bool // at the boundary of a word
	atLine       bool // it begins a line
}

func newPattern(t *testing.T, source string) *pattern {
	t.Helper()
	p := &pattern{}
	p.atLine = strings.HasPrefix(source, "^")
	source, p.begins = strings.CutPrefix(source, `\b`)
	source, p.ends = strings.CutSuffix(source, `\b`)
	if strings.Contains(source, `\b`) || strings.Contains(source, "(?=") || strings.Contains(source, "(?!") || strings.Contains(source, "(?<") {
		t.Errorf("%q means something else to Go", source)
	}
	re, err := regexp.Compile(source)
	if err != nil {
		t.Fatal(err)
	}
	p.re = re
	return p
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

func boundary(line string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:at])
	after, _ := utf8.DecodeRuneInString(line[at:])
	return wordRune(before) != wordRune(after)
}

// find is the first match at or behind a place: the places of its groups, nil where there is none.
func (p *pattern) find(line string, from int) []int {
	for from <= len(line) {
		if p.atLine && from > 0 {
			return nil
		}
		at := p.re.FindStringSubmatchIndex(line[from:])
		if at == nil {
			return nil
		}
		for i := range at {
			if at[i] >= 0 {
				at[i] += from
			}
		}
		if (!p.begins || boundary(line, at[0])) && (!p.ends || boundary(line, at[1])) {
			return at
		}
		_, size := utf8.DecodeRuneInString(line[at[0]:])
		from = at[0] + max(size, 1)
	}
	return nil
}

// flat are the rules that a list stands for.
func (g *grammar) flat(rules []*rule) []*rule {
	var out []*rule
	for _, r := range rules {
		switch {
		case r.Include != "":
			out = append(out, g.flat([]*rule{g.Repository[strings.TrimPrefix(r.Include, "#")]})...)
		case r.match == nil:
			out = append(out, g.flat(r.Patterns)...)
		default:
			out = append(out, r)
		}
	}
	return out
}

// scopes are the scopes of each byte of a source, innermost last.
func (g *grammar) scopes(source string) []string {
	var out []string
	var stack []*rule
	for line := range strings.Lines(source) {
		text := strings.TrimRight(line, "\r\n")
		scopes := make([]string, len(line))
		for at := 0; at <= len(text); {
			at, stack = g.step(text, at, stack, scopes)
		}
		out = append(out, scopes...)
	}
	return out
}

// step takes the first rule that matches at or behind a place of a line, and returns what is behind it.
func (g *grammar) step(line string, from int, stack []*rule, scopes []string) (next int, left []*rule) {
	rules := g.Patterns
	var best []int
	var chosen *rule
	if n := len(stack); n > 0 {
		rules = stack[n-1].Patterns
		if at := stack[n-1].end.find(line, from); at != nil {
			best, chosen = at, nil
		}
	}
	for _, r := range g.flat(rules) {
		if at := r.match.find(line, from); len(at) > 0 && (len(best) == 0 || at[0] < best[0]) {
			best, chosen = at, r
		}
	}
	outer := ""
	for _, r := range stack {
		outer = strings.TrimSpace(outer + " " + r.Name)
	}
	if best == nil {
		mark(scopes, from, len(line), outer)
		return len(line) + 1, stack
	}
	mark(scopes, from, best[0], outer)
	name := ""
	var captures map[string]capture
	switch {
	case chosen == nil:
		captures = stack[len(stack)-1].EndCaptures
		stack = stack[:len(stack)-1]
	case chosen.end != nil:
		name, captures = chosen.Name, chosen.BeginCaptures
		stack = append(slices.Clip(stack), chosen)
	default:
		name, captures = chosen.Name, chosen.Captures
	}
	mark(scopes, best[0], best[1], strings.TrimSpace(outer+" "+name))
	for i := 0; 2*i < len(best); i++ {
		if c, ok := captures[string(rune('0'+i))]; ok && best[2*i] >= 0 {
			mark(scopes, best[2*i], best[2*i+1], strings.TrimSpace(outer+" "+name+" "+c.Name))
		}
	}
	if best[1] == best[0] && chosen != nil {
		return best[1] + 1, stack // a rule that takes nothing
	}
	if best[1] == len(line) {
		return len(line) + 1, stack
	}
	return best[1], stack
}

func mark(scopes []string, from, to int, name string) {
	for i := from; i < to; i++ {
		scopes[i] = name
	}
}

// words are the words of the alternatives in a rule's expression, but the rule's own name.
func (g *grammar) words(t *testing.T, name string) []string {
	t.Helper()
	r := g.Repository[name]
	if r == nil {
		t.Fatalf("the grammar has no %s", name)
	}
	var out []string
	for _, group := range regexp.MustCompile(`\(([a-z_0-9]+(?:\|[a-z_0-9]+)*)\)`).FindAllStringSubmatch(r.Match, -1) {
		out = append(out, strings.Split(group[1], "|")...)
	}
	out = slices.DeleteFunc(out, func(word string) bool { return word == name })
	slices.Sort(out)
	return out
}
