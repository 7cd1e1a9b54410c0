package compiler

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// disguises warns of what looks otherwise than it is read: characters that are not seen, and names
// that cannot be told apart by eye. Who reads a spec of another author should know of both.
func disguises(c *names.Spec) {
	for _, file := range []*dsl.File{c.File, c.Beside} {
		if file != nil {
			unseen(c, file)
			lookAlikes(c, file)
		}
	}
}

// unseen warns of the first such character of each comment, of each text, and of a name where that
// stands first. In code such a character is an error already.
func unseen(c *names.Spec, file *dsl.File) {
	told := map[string]bool{} // names
	for _, t := range file.Tokens {
		if t.Kind == dsl.InvalidToken || told[t.Text] {
			continue
		}
		column, before := 0, ' '
		for i, r := range t.Text {
			if isUnseen(r, before, t.Kind) {
				at := t.Span
				at.Start.Column += column
				at.Start.Offset += i
				at.End = at.Start
				at.End.Column++
				at.End.Offset += len(string(r))
				c.Diags.Add(unseenAt(at, r, t.Kind))
				told[t.Text] = t.Kind == dsl.WordToken
				break
			}
			column, before = column+1, r
		}
	}
}

// isUnseen reports whether a character of a token takes no place on a line, or steers what is shown
// there. What joins letters or changes a sign belongs to many scripts and to emoji. It may follow
// what is not ASCII, though not in a name.
func isUnseen(r, before rune, kind dsl.TokenKind) bool {
	switch {
	case r < 0x80 || diag.Steers(r):
		return r != '\t' && diag.Steers(r)
	case r == 0x200c || r == 0x200d || unicode.Is(unicode.Variation_Selector, r):
		return kind == dsl.WordToken || before < 0x80
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// unseenAt returns the warning of a character, and how it is taken out or made visible.
func unseenAt(at diag.Span, r rune, kind dsl.TokenKind) *diag.Diagnostic {
	d := &diag.Diagnostic{
		Code: codes.Unseen, Severity: diag.Warning, Subject: at, Summary: fmt.Sprintf("%U is not seen, and two texts that look the same may differ by it", r),
		Mend: "Leave it out.",
	}
	switch {
	case unicode.Is(unicode.Bidi_Control, r):
		d.Summary = fmt.Sprintf("%U turns the direction of the text around it", r)
		d.Detail = "Editors show this line in another order than it is read."
	case unicode.IsControl(r):
		d.Summary = fmt.Sprintf("%U steers the terminal on which the line is shown", r)
	}
	switch kind {
	case dsl.CommentToken:
		d.Fixes = []diag.Fix{{Title: fmt.Sprintf("leave out %U", r), Edits: []diag.Edit{{Span: at}}, Spelling: true}}
	case dsl.StringToken:
		visible := fmt.Sprintf(`\u%04x`, r)
		if r > 0xffff {
			visible = fmt.Sprintf(`\U%08x`, r)
		}
		d.Mend = "Leave it out, or write " + visible + " if it belongs to the text."
		d.Fixes = []diag.Fix{{Title: "write " + visible, Edits: []diag.Edit{{Span: at, New: visible}}, Spelling: true}}
	}
	return d
}

// twins are letters that look like Latin ones in most fonts. Small letters that only resemble one are
// not among them.
var twins = map[rune]rune{
	// Cyrillic
	'а': 'a', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'ӏ': 'l', 'о': 'o', 'р': 'p', 'ԛ': 'q', 'ѕ': 's', 'ѵ': 'v',
	'ԝ': 'w', 'х': 'x', 'у': 'y', 'А': 'A', 'В': 'B', 'С': 'C', 'Е': 'E', 'Ԍ': 'G', 'Н': 'H', 'І': 'I', 'Ј': 'J', 'К': 'K', 'М': 'M',
	'О': 'O', 'Р': 'P', 'Ѕ': 'S', 'Т': 'T', 'Ԝ': 'W', 'Х': 'X', 'Ү': 'Y',
	// Greek
	'Α': 'A', 'Β': 'B', 'Ε': 'E', 'Ζ': 'Z', 'Η': 'H', 'Ι': 'I', 'Κ': 'K', 'Μ': 'M', 'Ν': 'N', 'Ο': 'O', 'Ρ': 'P', 'Τ': 'T', 'Υ': 'Y',
	'Χ': 'X', 'ο': 'o', 'ν': 'v',
}

// inLatin replaces letters by the Latin ones that they look like.
func inLatin(text string) string {
	return strings.Map(func(r rune) rune { return cmp.Or(twins[r], r) }, text)
}

// lookAlikes warns of each name, or text in quotes, that looks like another one of the spec. It warns
// too of one that mixes Latin letters with Cyrillic ones that look like such. Greek letters beside
// Latin ones are common in formulas.
func lookAlikes(c *names.Spec, file *dsl.File) {
	first, told := map[string]dsl.Token{}, map[string]bool{}
	for _, t := range file.Tokens {
		text, latin := written(t), inLatin(written(t))
		if t.Kind != dsl.WordToken && t.Kind != dsl.StringToken || told[text] {
			continue
		}
		other, known := first[latin]
		if !known {
			first[latin], other = t, t
		}
		d := &diag.Diagnostic{Code: codes.LookAlike, Severity: diag.Warning, Subject: t.Span}
		switch {
		case written(other) != text:
			d.Summary = text + " looks like another name, and is not that one"
			d.Related = []diag.Related{{Span: other.Span, Message: "the other name"}}
			d.Mend = "Write both in letters of one script, or change one of them."
		case mixesScripts(text):
			d.Summary = text + " has Cyrillic letters that look like the Latin ones beside them"
			d.Mend = "Write " + latin + ", in Latin letters alone."
		default:
			continue
		}
		d.Detail = stranger(text + written(other))
		told[text] = true
		c.Diags.Add(d)
	}
}

// written returns a name as the spec has it, without quotes.
func written(t dsl.Token) string { return strings.Trim(t.Text, `"`) }

// stranger says which the first letter is that is not the Latin one.
func stranger(text string) string {
	for _, r := range text {
		if latin := twins[r]; latin != 0 {
			return fmt.Sprintf("%c is %U, and not the Latin letter %c.", r, r, latin)
		}
	}
	return ""
}

// mixesScripts reports whether letters in a row are Latin ones and Cyrillic ones that look like
// such.
func mixesScripts(text string) bool {
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	for word := range strings.FieldsFuncSeq(text, notLetter) {
		latin := strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Latin, r) })
		cyrillic := strings.ContainsFunc(word, func(r rune) bool { return twins[r] != 0 && unicode.Is(unicode.Cyrillic, r) })
		if latin && cyrillic {
			return true
		}
	}
	return false
}
