package main

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A row is a line of text and its number in the file.
type row struct {
	line int
	text string
}

// A paragraph is rows that belong together: of plain text, or one item of a list.
type paragraph []row

// A syntax says how blocks are told apart.
type syntax int

const (
	goComment syntax = iota // code is indented
	markdown                // code is fenced, or indented by four after a blank line
)

var (
	listMark   = regexp.MustCompile(`^\s*(?:[-*+•]|\d+[.)])\s+`)
	fence      = regexp.MustCompile("^\\s*(```|~~~)")
	notProse   = regexp.MustCompile(`^\s*(?:#+\s|\||<|!\[|\[[^\]]+\]:|(?:-{3,}|={3,}|\*{3,})\s*$)`)
	quoteMark  = regexp.MustCompile(`^\s*>\s?`)
	codeSpan   = regexp.MustCompile("``.+?``|`[^`]+`")
	texFormula = regexp.MustCompile(`\$\$.+?\$\$|\$[^$\s](?:[^$]*[^$\s])?\$`)
	link       = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	tag        = regexp.MustCompile(`</?[a-zA-Z][^>]*>`)
)

// A blockReader parts text into paragraphs.
type blockReader struct {
	syntax  syntax
	out     []paragraph
	open    paragraph
	fenced  bool
	inList  bool
	inCode  bool // of a comment
	blank   bool // the line before
	comment bool // of HTML
}

// paragraphs returns the prose of a text: no headings, tables or code.
func paragraphs(rows []row, s syntax) []paragraph {
	r := &blockReader{syntax: s, blank: true}
	for _, row := range rows {
		r.take(row)
	}
	r.end()
	return r.out
}

func (r *blockReader) end() {
	if len(r.open) > 0 {
		r.out = append(r.out, r.open)
	}
	r.open = nil
}

func (r *blockReader) take(x row) {
	if r.syntax == markdown {
		x.text = quoteMark.ReplaceAllString(x.text, "")
	}
	blank := strings.TrimSpace(x.text) == ""
	switch {
	case r.skips(x.text):
		r.end()
	case blank:
		r.end()
	case r.isItem(x.text):
		r.end()
		r.inList = true
		x.text = listMark.ReplaceAllString(x.text, "")
		r.open = append(r.open, x)
	case r.isCode(x.text):
		r.end()
		r.inCode = true
	default:
		if !indented(x.text, 1) {
			r.inCode = false
			r.inList = r.inList && !r.blank && r.syntax == markdown
		}
		r.open = append(r.open, x)
	}
	r.blank = blank
}

// skips follows fences and comments of HTML, and reports whether a line is in them or else no prose.
func (r *blockReader) skips(text string) bool {
	if r.syntax == goComment {
		return strings.HasPrefix(text, "# ")
	}
	if fence.MatchString(text) {
		r.fenced = !r.fenced
		return true
	}
	if strings.Contains(text, "<!--") {
		r.comment = true
	}
	if r.comment {
		r.comment = !strings.Contains(text, "-->")
		return true
	}
	return r.fenced || notProse.MatchString(text)
}

// isItem reports whether a line begins an item of a list, which in a comment is indented.
func (r *blockReader) isItem(text string) bool {
	return listMark.MatchString(text) && (r.syntax == markdown || indented(text, 1) && !r.inCode)
}

// isCode reports whether a line is one of a block of code by its indentation.
func (r *blockReader) isCode(text string) bool {
	if r.inList {
		return false
	}
	if r.syntax == goComment {
		return indented(text, 1)
	}
	return indented(text, 4) && len(r.open) == 0 && r.blank
}

func indented(text string, by int) bool {
	return strings.HasPrefix(text, "\t") || strings.HasPrefix(text, strings.Repeat(" ", by))
}

// A sentence is one of a paragraph, with the words that count.
type sentence struct {
	line  int
	words int
	text  string
}

// A word is a word of text with the line that it is on.
type word struct {
	line int
	text string
}

// inSpan stands for the blanks and newlines within code spans and formulas.
var (
	inSpan   = strings.NewReplacer(" ", spanBlank, "\n", spanLine)
	fromSpan = strings.NewReplacer(spanBlank, " ", spanLine, " ")
)

const spanBlank, spanLine = "\x01", "\x02"

// words parts a paragraph at blanks; code spans and formulas of TeX stay whole.
func words(p paragraph) []word {
	var text strings.Builder
	for _, r := range p {
		text.WriteString(r.text + "\n")
	}
	joined := codeSpan.ReplaceAllStringFunc(text.String(), inSpan.Replace)
	joined = texFormula.ReplaceAllStringFunc(joined, inSpan.Replace)
	joined = link.ReplaceAllString(joined, "$1")
	joined = tag.ReplaceAllStringFunc(joined, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
	var out []word
	at := 0
	for _, line := range strings.SplitAfter(joined, "\n") {
		for _, text := range strings.Fields(line) {
			out = append(out, word{p[min(at, len(p)-1)].line, text})
			at += strings.Count(text, spanLine)
		}
		at += strings.Count(line, "\n")
	}
	return out
}

// sentences parts a paragraph where a word ends one.
func sentences(p paragraph) []sentence {
	all := words(p)
	var out []sentence
	start := 0
	for i := range all {
		if i+1 < len(all) && !endsSentence(all[i].text, all[i+1].text) {
			continue
		}
		s := sentence{line: all[start].line}
		var text []string
		for k := start; k <= i; k++ {
			text = append(text, all[k].text)
			if isWord(all[k].text) && !isOperand(all[start:i+1], k-start) {
				s.words++
			}
		}
		s.text = fromSpan.Replace(strings.Join(text, " "))
		out = append(out, s)
		start = i + 1
	}
	return out
}

// abbreviations end with a full stop that ends no sentence.
var abbreviations = []string{
	"al.", "approx.", "ca.", "cf.", "ch.", "def.", "e.g.", "eq.", "eqs.", "fig.", "figs.", "i.e.", "no.", "p.", "pp.", "prop.", "resp.",
	"sec.", "st.", "thm.", "viz.", "vol.", "vs.", "w.r.t.",
}

// endsSentence reports whether a word is the last of a sentence, by what follows it.
func endsSentence(word, next string) bool {
	inner := strings.TrimRight(word, `)]"'”’*_`)
	if inner == "" || !strings.ContainsAny(inner[len(inner)-1:], ".!?") {
		return false
	}
	open := strings.ToLower(strings.TrimLeft(inner, `([“"'‘*_`))
	if slices.Contains(abbreviations, open) {
		return false
	}
	initial := []rune(strings.TrimSuffix(inner, "."))
	if len(initial) == 1 && unicode.IsUpper(initial[0]) || open == "etc." || strings.HasSuffix(inner, "...") {
		return !startsLower(next) && len(initial) != 1
	}
	return true
}

func startsLower(word string) bool {
	for _, r := range word {
		return unicode.IsLower(r)
	}
	return false
}

// formulaSigns are what words do not have.
const formulaSigns = "$=<>|^_+*/\\{}≤≥≈≠≡∼·×÷±−∓∈∉∑Σ∏∫∂∇√∞→←↔↦⇒⇔∀∃∪∩⊂⊆⊕⊗∅⟨⟩‖∥′″½⅓¼²³ᵀ⁻¹⁺₀₁₂₃°"

// operators stand between parts of a formula.
const operators = "=<>+*/≤≥≈≠≡∼·×÷±−∈∉∪∩⊂⊆"

// isOperand reports whether an operator stands beside a word, which then is part of a formula.
func isOperand(all []word, i int) bool {
	return i > 0 && isOperator(all[i-1].text) || i+1 < len(all) && isOperator(all[i+1].text)
}

func isOperator(text string) bool { return strings.Trim(text, operators) == "" }

// isWord reports whether a token is read as a word: text or a number, and no part of a formula.
func isWord(text string) bool {
	if strings.Contains(text, "`") {
		return true
	}
	text = strings.Trim(text, `.,:;!?()[]"'“”‘’*_…`)
	letters, digits, greek := 0, 0, 0
	for _, r := range text {
		switch {
		case strings.ContainsRune(formulaSigns, r):
			return isAlternative(text)
		case unicode.Is(unicode.Greek, r):
			greek++
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	if greek > 0 || isCall(text) {
		return false
	}
	if letters == 1 && digits == 0 {
		return strings.EqualFold(text, "a") || text == "I"
	}
	return letters+digits > 0
}

// isAlternative reports whether signs of a token only part words, as in and/or, ./file or snake_case.
func isAlternative(text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("/_.-*", r) })
	for _, w := range words {
		if len(w) < 2 || strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) || r > unicode.MaxLatin1 }) >= 0 {
			return false
		}
	}
	return len(words) > 0
}

var call = regexp.MustCompile(`^[\pL\d.]+\(`)

// isCall reports whether a token is a function of something, as f(x).
func isCall(text string) bool {
	m := call.FindString(text)
	return m != "" && len([]rune(m)) <= 5
}
