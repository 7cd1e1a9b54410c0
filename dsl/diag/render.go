package diag

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Sources are the texts of files by name, as spans name them.
type Sources map[string][]byte

// RenderOptions say how diagnostics are shown. The zero value fits a file or a pipe.
type RenderOptions struct {
	Color   bool // ANSI colours
	Width   int  // of the terminal in columns; 0: paragraphs are as long as they are, and source lines cut at 120
	Context int  // source lines shown around those that matter
}

// Render writes diagnostics for the eye: what is wrong, where, the source with the span marked, why, and how to mend it.
//
//	error[E101]: unknown statement `kernal`
//	 --> two-digits.inv:7:1
//	  |
//	7 | kernal gaussian(width = 1)
//	  | ^^^^^^
//	  = A statement begins with one of …
//	  help: did you mean `kernel`?
//	  page: https://…/E101.md
//
// The page of a code stands below the first diagnostic that has it.
func Render(w io.Writer, list List, sources Sources, options RenderOptions) error {
	r := &renderer{sources: sources, texts: map[string]*text{}, linked: map[Code]bool{}, options: options}
	for i, d := range list {
		if i > 0 {
			r.b.WriteByte('\n')
		}
		r.diagnostic(d)
	}
	_, err := io.WriteString(w, r.b.String())
	return err
}

// widths measures text alike on every machine: the locale has no say.
var widths = &runewidth.Condition{StrictEmojiNeutral: true}

type renderer struct {
	b       strings.Builder
	sources Sources
	texts   map[string]*text
	linked  map[Code]bool // codes whose page was named
	options RenderOptions
	gutter  int // width of line numbers
}

// The styles, as parameters of SGR.
const (
	styleError   = "1;31"
	styleWarning = "1;33"
	styleNote    = "1;36"
	styleHelp    = "1;32"
	styleFrame   = "1;34"
	styleStrong  = "1"
	styleFaint   = "2"
)

func (r *renderer) paint(style, text string) string {
	if !r.options.Color || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

func severityStyle(s Severity) string { return [...]string{styleError, styleWarning, styleNote}[s] }

func (r *renderer) diagnostic(d *Diagnostic) {
	head := d.Severity.String()
	if d.Code != "" {
		head += "[" + string(d.Code) + "]"
	}
	fmt.Fprintf(&r.b, "%s%s\n", r.paint(severityStyle(d.Severity), head), r.paint(styleStrong, ": "+brief(d.Summary)))
	groups := r.group(d)
	r.gutter = 1
	for _, g := range groups {
		for _, m := range g.marks {
			r.gutter = max(r.gutter, len(strconv.Itoa(m.span.End.Line+r.options.Context)))
		}
	}
	for i, g := range groups {
		r.snippet(g, i == 0)
	}
	r.noted("= ", "", d.Detail)
	for _, v := range d.Values {
		r.noted("= ", "", v)
	}
	r.noted("", r.paint(styleHelp, "help")+": ", d.Mend)
	if d.Code != "" && !r.linked[d.Code] {
		r.linked[d.Code] = true
		fmt.Fprintf(&r.b, "%s%s\n", strings.Repeat(" ", r.gutter+1), r.paint(styleFaint, "page: "+d.Page()))
	}
}

// noted writes a paragraph beside the gutter, wrapped to the width.
func (r *renderer) noted(sign, label, text string) {
	if text == "" {
		return
	}
	lead := strings.Repeat(" ", r.gutter+1)
	hang := len(sign)
	if label != "" {
		hang = len("help: ")
	}
	for i, l := range wrap(brief(text), r.options.Width-len(lead)-hang) {
		if i == 0 {
			r.b.WriteString(lead + r.paint(styleFrame, sign) + label + l + "\n")
		} else {
			r.b.WriteString(lead + strings.Repeat(" ", hang) + l + "\n")
		}
	}
}

// wrap cuts text into lines of at most width columns, at spaces; line ends in the text stay. Without width it only does
// the latter.
func wrap(text string, width int) []string {
	var lines []string
	for l := range strings.SplitSeq(text, "\n") {
		for width > 20 && widths.StringWidth(l) > width {
			cut := -1
			for i, r := range l {
				if widths.StringWidth(l[:i]) > width {
					break
				}
				if r == ' ' && i > 0 {
					cut = i
				}
			}
			if cut < 0 {
				break
			}
			lines = append(lines, l[:cut])
			l = strings.TrimLeft(l[cut:], " ")
		}
		lines = append(lines, l)
	}
	return lines
}

// The longest word and the longest paragraph that are shown whole, in code points.
const longestWord, longestText = 200, 4000

// brief returns a text as it is shown. What a source or data hold may be of any length, and only its beginning is shown.
func brief(s string) string {
	if len(s) <= longestWord {
		return visible(s)
	}
	var b strings.Builder
	shown, word := 0, 0
	for _, c := range s {
		if shown++; shown > longestText {
			b.WriteRune('…')
			break
		}
		if word++; c == ' ' || c == '\n' {
			word = 0
		}
		switch {
		case word == longestWord:
			b.WriteRune('…')
		case word < longestWord:
			b.WriteRune(c)
		}
	}
	return visible(b.String())
}

// visible keeps control characters of sources and data from reaching the terminal.
func visible(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n':
			return c
		case c == '\t':
			return ' '
		case Steers(c):
			return '\uFFFD'
		}
		return c
	}, s)
}

// Steers reports whether a character steers a terminal rather than being shown: it controls it, or
// turns the direction of the text around it.
func Steers(c rune) bool {
	return c < 0x20 || c >= 0x7f && c < 0xa0 || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069
}

// A mark is a span to be underlined.
type mark struct {
	span    Span
	message string
	primary bool
	style   string
}

// A marked file is what is shown of one file.
type marked struct {
	file  string
	at    Span
	marks []mark
}

// group gathers the spans of a diagnostic by file, the subject's file first.
func (r *renderer) group(d *Diagnostic) []*marked {
	var groups []*marked
	add := func(s Span, m mark) {
		if s.IsZero() {
			if m.message != "" {
				groups = append(groups, &marked{marks: []mark{m}})
			}
			return
		}
		i := slices.IndexFunc(groups, func(g *marked) bool { return g.file == s.File })
		if i < 0 {
			groups = append(groups, &marked{file: s.File, at: s})
			i = len(groups) - 1
		}
		groups[i].marks = append(groups[i].marks, m)
	}
	add(d.Subject, mark{span: d.Subject, primary: true, style: severityStyle(d.Severity)})
	for _, rel := range d.Related {
		add(rel.Span, mark{span: rel.Span, message: brief(rel.Message), style: styleFrame})
	}
	return groups
}
