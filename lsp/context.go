package lsp

import (
	"bytes"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
)

// A place says where in a statement an offset is, by the lexemes before it: the text at hand need not parse.
type place struct {
	before    []dsl.Token // of the statement, before the word that is being typed
	from      int         // where that word begins; the offset itself where there is none
	statement string      // the word that begins the statement; empty at the beginning of one
	inData    bool        // inside a data block
	item      string      // the word that begins its item; empty at the beginning of one
	inText    bool        // inside a comment, or a text in quotes
	quoted    bool        // of these, a text in quotes
	call      string      // the innermost call around the offset; empty where there is none
	argument  int         // which of its arguments
	name      string      // `name =` of the argument; empty where it has none
	given     []string    // the names of its other arguments
	braces    bool        // the innermost bracket is a brace, outside calls
	bound     []string    // names that quantifiers of the statement bind before the offset
	over      []string    // index sets whose elements the statement gives no names
}

// contextAt says where an offset is.
func (s *syntax) contextAt(offset int) *place {
	p := &place{from: offset}
	var tokens []dsl.Token
	for _, t := range s.file.Tokens {
		if t.Span.Start.Offset >= offset {
			break
		}
		ends := t.Span.End.Offset
		switch {
		case t.Kind == dsl.CommentToken:
			p.inText = !bytes.ContainsAny(s.file.Source[t.Span.Start.Offset:offset], "\r\n")
			continue
		case (t.Kind == dsl.StringToken && offset < ends) || (t.Kind == dsl.OpenStringToken && offset <= ends):
			p.inText, p.quoted, p.from = true, true, t.Span.Start.Offset+1
			continue
		case offset <= ends && (t.Kind == dsl.WordToken || t.Kind == dsl.NumberToken):
			p.from = t.Span.Start.Offset
			p.inText = p.inText || t.Kind == dsl.NumberToken
			continue
		}
		tokens = append(tokens, t)
	}
	p.cut(tokens, s.beginsLine(p.from))
	p.binders()
	return p
}

// beginsLine reports whether nothing but spaces stands before an offset on its line.
func (s *syntax) beginsLine(offset int) bool {
	src := s.file.Source
	for i := min(offset, len(src)) - 1; i >= 0; i-- {
		switch src[i] {
		case '\n':
			return true
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return true
}

// cut finds the statement, and in a data block the item, that the offset is in, and the brackets around it. Fresh says that the word
// at the offset begins its line.
func (p *place) cut(tokens []dsl.Token, fresh bool) {
	start, depth := lastStatement(tokens)
	p.before = tokens[start:]
	if fresh && depth == 0 && finished(tokens) {
		p.before = nil
	}
	if len(p.before) > 0 {
		p.statement = p.before[0].Word
	}
	open, depths := nesting(p.before)
	p.inData = p.statement == wordData && len(open) > 0 && open[0] == 1 && p.before[1].Text == "{"
	if len(open) > 0 {
		p.innermost(open[len(open)-1])
	}
	if !p.inData {
		return
	}
	p.before = lastItem(p.before, depths, fresh && len(open) == 1)
	if len(p.before) > 0 {
		p.item = p.before[0].Word
	}
}

// turn returns how many brackets are open behind a sign, given how many are before it.
func turn(depth int, sign string) int {
	switch sign {
	case "(", "[", "{":
		return depth + 1
	case ")", "]", "}":
		return max(0, depth-1)
	}
	return depth
}

// nesting returns the brackets that are open at the end of a statement, and how many are before each lexeme.
func nesting(tokens []dsl.Token) (open, depths []int) {
	for i, t := range tokens {
		depths = append(depths, len(open))
		if depth := turn(len(open), t.Text); depth > len(open) {
			open = append(open, i)
		} else {
			open = open[:depth]
		}
	}
	return open, depths
}

// lastStatement returns where the last statement begins, and how many of its brackets are open at the end. A statement that is not
// finished ends where a line begins another.
func lastStatement(tokens []dsl.Token) (start, depth int) {
	for i, t := range tokens {
		if i > start && t.First && !trails(tokens[start], t) && (depth == 0 && finished(tokens[:i]) || depth > 0 && isStatement(tokens, i)) {
			start, depth = i, 0
		}
		depth = turn(depth, t.Text)
	}
	return start, depth
}

// trails reports whether the first lexeme of a line goes on with a requirement: with its region, or its condition.
func trails(statement, t dsl.Token) bool {
	return statement.Text == wordRequire && (t.Word == wordOver || t.Word == wordWhere)
}

// lastItem returns the last item of a data block. Nil means that the place begins another.
func lastItem(tokens []dsl.Token, depths []int, fresh bool) []dsl.Token {
	start := 2
	for i := start; i < len(tokens); i++ {
		begins := i == start || tokens[i].First || tokens[i-1].Text == "," || tokens[i-1].Text == ";"
		if begins && depths[i] == 1 && slices.Contains(dsl.Keywords().Items, tokens[i].Word) && tokens[i].Kind == dsl.WordToken {
			start = i
		}
	}
	if tokens[len(tokens)-1].Text == ";" || len(tokens) == 2 || fresh && finished(tokens) {
		return nil
	}
	return tokens[start:]
}

// finished reports whether a line break after some lexemes ends what they say.
func finished(tokens []dsl.Token) bool {
	return len(tokens) == 0 || !wantsMore(tokens[len(tokens)-1])
}

// isStatement reports whether a lexeme begins a statement: `kernel gaussian`, `data {`.
func isStatement(tokens []dsl.Token, i int) bool {
	if tokens[i].Kind != dsl.WordToken || i+1 == len(tokens) || !slices.Contains(dsl.Keywords().Statements, tokens[i].Word) {
		return false
	}
	return tokens[i+1].Kind == dsl.WordToken || tokens[i].Word == wordData && tokens[i+1].Text == "{"
}

// wantsMore reports whether a line that ends in a lexeme goes on.
func wantsMore(t dsl.Token) bool {
	switch t.Word {
	case "+", "-", "*", "/", "=", "==", "!=", "<", "<=", ">", ">=", ",", ":", wordOver, "of", wordIn, wordWhere, "and", "or", "not":
		return true
	}
	return false
}

// innermost takes in the innermost bracket around the offset, which is a lexeme of the statement.
func (p *place) innermost(at int) {
	p.braces = p.before[at].Text == "{"
	if p.before[at].Text != "(" || at == 0 || p.before[at-1].Kind != dsl.WordToken {
		return
	}
	p.call = p.before[at-1].Word
	depth, begin := 0, true
	tokens := p.before[at+1:]
	for i, t := range tokens {
		switch {
		case depth == 0 && t.Text == ",":
			p.argument++
			p.name, begin = "", true
			continue
		case depth == 0 && begin && t.Kind == dsl.WordToken && i+1 < len(tokens) && tokens[i+1].Text == "=":
			p.name = t.Word
			p.given = append(p.given, t.Word)
		}
		depth, begin = turn(depth, t.Text), false
	}
}

// binders collects the names that the statement binds before the offset: parameters of a definition, variables.
func (p *place) binders() {
	tokens := p.before
	if p.statement == "def" {
		for _, t := range tokens[min(len(tokens), 3):] {
			if t.Text == ")" {
				break
			}
			if t.Kind == dsl.WordToken {
				p.bound = append(p.bound, t.Text)
			}
		}
	}
	for i, t := range tokens {
		switch {
		case t.Word == wordIn && i > 0:
			p.bound = append(p.bound, boundBefore(tokens[:i])...)
		case t.Word == wordOver && i+1 < len(tokens) && (i+2 == len(tokens) || tokens[i+2].Word != wordIn):
			p.over = append(p.over, tokens[i+1].Word)
		}
	}
}

// boundBefore returns the names before `in`: one, or several in brackets.
func boundBefore(tokens []dsl.Token) []string {
	last := tokens[len(tokens)-1]
	if last.Kind == dsl.WordToken {
		return []string{last.Text}
	}
	var out []string
	for i := len(tokens) - 2; last.Text == ")" && i >= 0 && tokens[i].Text != "("; i-- {
		if tokens[i].Kind == dsl.WordToken {
			out = append(out, tokens[i].Text)
		}
	}
	slices.Reverse(out)
	return out
}

// last returns the lexeme before the word that is being typed, by its canonical form. It is empty at the beginning of
// a statement.
func (p *place) last() string {
	if len(p.before) == 0 {
		return ""
	}
	return p.before[len(p.before)-1].Word
}

// compared returns the column that the text behind the place is compared with: `region == "`, `region(a) != "`, `region in {"`. It is
// empty elsewhere.
func (p *place) compared() string {
	side := p.before
	for n := len(side); n > 1 && (side[n-1].Text == "," || side[n-1].Kind == dsl.StringToken && p.braces); n-- {
		side = side[:n-1]
	}
	if n := len(side); n > 1 && side[n-1].Text == "{" && side[n-2].Word == wordIn {
		side = side[:n-1]
	}
	last := len(side) - 1
	if !p.contains(wordWhere) && p.statement != "let" && p.statement != "def" || last < 1 || !slices.Contains([]string{"==", "!=", wordIn}, side[last].Word) {
		return ""
	}
	side = side[:last]
	if n := len(side); n > 3 && side[n-1].Text == ")" && side[n-3].Text == "(" {
		side = side[:n-3]
	}
	return strings.Trim(side[len(side)-1].Text, `"`)
}

// open reports whether a bracket of the statement, or of the item of a data block, is open at the offset.
func (p *place) open() bool {
	open, _ := nesting(p.before)
	return len(open) > 0
}

// contains reports whether a word stands in the statement before the offset.
func (p *place) contains(word string) bool {
	return slices.ContainsFunc(p.before, func(t dsl.Token) bool { return t.Kind == dsl.WordToken && t.Word == word })
}
