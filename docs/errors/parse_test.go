package pages_test

import (
	"slices"
	"strings"
	"testing"
)

// A side is the wrong or the right example of a page.
type side struct {
	spec     string
	files    map[string]string
	commands []string // what is typed; none stands for sipc check spec.inv
	snippet  string   // of a family in Go, where the fault is its author's
	output   string   // what the program says of the wrong one
}

// headings are those of a page, in order.
func headings(page string) []string {
	var all []string
	fenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if h, ok := strings.CutPrefix(line, "## "); ok && !fenced {
			all = append(all, strings.TrimSpace(h))
		}
	}
	return all
}

// section is the text below a heading.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("there is no section %q", heading)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// example reads the fenced blocks of a section: the first word behind the fence says what it is, the second names a file.
func example(t *testing.T, text string) side {
	t.Helper()
	s := side{files: map[string]string{}}
	for i, part := range strings.Split("\n"+text, "\n```") {
		if i%2 == 0 {
			continue // between two blocks
		}
		head, body, _ := strings.Cut(part, "\n")
		kind, name, _ := strings.Cut(head, " ")
		body += "\n"
		switch {
		case name != "":
			s.files[name] = body
		case kind == "inv":
			s.spec = strings.NewReplacer(`\x{E4}`, "\xe4", `\u{202E}`, "\u202e").Replace(body)
		case kind == "sh":
			s.commands = strings.Split(strings.TrimSpace(body), "\n")
		case kind == "go":
			s.snippet = strings.TrimSpace(body)
		case kind == "text":
			s.output = strings.TrimSuffix(body, "\n")
			if s.output != "" {
				s.output += "\n"
			}
		default:
			t.Fatalf("what is a block of %q?", head)
		}
	}
	if s.spec == "" {
		t.Fatal("there is no spec")
	}
	return s
}

// withFiles adds the files of another example to those of this one.
func (s side) withFiles(other side) side {
	all := map[string]string{}
	for name, text := range other.files {
		all[name] = text
	}
	for name, text := range s.files {
		all[name] = text
	}
	s.files = all
	return s
}

func flagOf(words []string, name string) string {
	if i := slices.Index(words, name); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}
