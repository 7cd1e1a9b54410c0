package docs_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/internal/pagetest"
)

// A production is a node of a grammar in EBNF: a choice, a sequence, an option, a repetition, or a symbol.
type production struct {
	kind byte // '|', ' ', '[', '{', or 0
	kids []*production
	word string // of a symbol: as the page writes it, terminals in quotes
}

// readGrammar reads the page's EBNF into its productions. What it says in words is put in symbols.
func readGrammar(t *testing.T) map[string]*production {
	t.Helper()
	text := ebnf(t, pagetest.Read(t, reference))
	for words, symbols := range map[string]string{
		`"d" followed at once by NAME`:  `DNAME`,
		`expr, or a cond in brackets .`: `expr | "(" cond ")" .`,
	} {
		if !strings.Contains(text, words) {
			t.Fatalf("the grammar does not say %q any more", words)
		}
		text = strings.Replace(text, words, symbols, 1)
	}
	r := &ebnfReader{t: t, words: regexp.MustCompile(`"[^"]+"|[A-Za-z]+|[=|.()\[\]{}]`).FindAllString(text, -1)}
	rules := map[string]*production{}
	for len(r.words) > 0 {
		name := r.next()
		r.want("=")
		rules[name] = r.choice()
		r.want(".")
	}
	return rules
}

type ebnfReader struct {
	t     *testing.T
	words []string
}

func (r *ebnfReader) next() string {
	if len(r.words) == 0 {
		r.t.Fatal("the grammar ends within a production")
	}
	w := r.words[0]
	r.words = r.words[1:]
	return w
}

func (r *ebnfReader) want(word string) {
	r.t.Helper()
	if w := r.next(); w != word {
		r.t.Fatalf("the grammar has %q where %q is wanted, before %q", w, word, strings.Join(r.words[:min(8, len(r.words))], " "))
	}
}

func (r *ebnfReader) choice() *production {
	p := &production{kind: '|', kids: []*production{r.sequence()}}
	for len(r.words) > 0 && r.words[0] == "|" {
		r.next()
		p.kids = append(p.kids, r.sequence())
	}
	return p
}

// closing are the signs that end a sequence.
var closing = map[string]bool{"|": true, ".": true, ")": true, "]": true, "}": true}

func (r *ebnfReader) sequence() *production {
	p := &production{kind: ' '}
	for len(r.words) > 0 && !closing[r.words[0]] {
		switch w := r.next(); w {
		case "(":
			p.kids = append(p.kids, r.choice())
			r.want(")")
		case "[":
			p.kids = append(p.kids, &production{kind: '[', kids: []*production{r.choice()}})
			r.want("]")
		case "{":
			p.kids = append(p.kids, &production{kind: '{', kids: []*production{r.choice()}})
			r.want("}")
		default:
			p.kids = append(p.kids, &production{word: w})
		}
	}
	return p
}

// A writer writes random sentences of a grammar.
type writer struct {
	rules map[string]*production
	rng   *rand.Rand
	out   []string
	depth int
	item  bool           // within an item of a data block
	least map[string]int // the fewest symbols of each production
}

// deepest is how deep productions may be nested before the shortest of each are taken.
const deepest = 12

func (w *writer) write(p *production) {
	switch p.kind {
	case '|':
		w.write(p.kids[w.choose(p.kids)])
	case ' ':
		for _, k := range p.kids {
			w.write(k)
		}
	case '[':
		if w.depth < deepest && w.rng.IntN(3) == 0 {
			w.write(p.kids[0])
		}
	case '{':
		for w.depth < deepest && w.rng.IntN(3) == 0 {
			w.write(p.kids[0])
		}
	default:
		w.symbol(p.word)
	}
}

// choose is an alternative at random; deep down, the one that ends soonest.
func (w *writer) choose(kids []*production) int {
	if w.depth < deepest {
		return w.rng.IntN(len(kids))
	}
	best, least := 0, 1<<30
	for i, k := range kids {
		if n := w.shortest(k); n < least {
			best, least = i, n
		}
	}
	return best
}

// shortest is how many symbols a production has at least, by what is known of the others.
func (w *writer) shortest(p *production) int {
	total := 0
	switch p.kind {
	case '|':
		total = endless
		for _, k := range p.kids {
			total = min(total, w.shortest(k))
		}
	case ' ':
		for _, k := range p.kids {
			total += w.shortest(k)
		}
	case '[', '{':
	default:
		total = 1
		if _, ok := w.rules[p.word]; ok {
			total = w.least[p.word]
		}
	}
	return min(total, endless)
}

// endless is more symbols than any production needs.
const endless = 1 << 20

// leastOf are the fewest symbols of each production, found by going round until nothing changes.
func leastOf(rules map[string]*production) map[string]int {
	w := &writer{rules: rules, least: map[string]int{}}
	for name := range rules {
		w.least[name] = endless
	}
	for changed := true; changed; {
		changed = false
		for name, p := range rules {
			if n := w.shortest(p); n < w.least[name] {
				w.least[name], changed = n, true
			}
		}
	}
	return w.least
}

func (w *writer) symbol(word string) {
	if word == "separator" { // a comma is one where the notes say so
		w.out = append(w.out, []string{"\n", ";"}[w.rng.IntN(2)])
		return
	}
	if rule, ok := w.rules[word]; ok {
		outer := w.item
		w.item = w.item || word == "item"
		w.depth++
		if bare := word == "quantifier" && w.item; bare { // a comma between its binders would end the item
			w.out = append(w.out, "(")
			defer func() { w.out = append(w.out, ")") }()
		}
		w.write(rule)
		w.depth--
		w.item = outer
		return
	}
	pick := func(words ...string) string { return words[w.rng.IntN(len(words))] }
	switch word {
	case "NEWLINE":
		word = "\n"
	case "NAME":
		word = pick("a", "f", "x", "λ", "area", "a2", "long_name", "straße", "max")
	case "STRING":
		word = pick(`"a"`, `"living area"`, `"say \"x\""`)
	case "NUMBER":
		word = pick("1", "0.5", "1e-3", "4n", "10deg", ".5")
	case "DNAME":
		word = pick("dt", "dλ", "darea")
	default:
		word = strings.Trim(word, `"`)
	}
	w.out = append(w.out, word)
}

// text is what was written, its symbols apart by blanks, but for those that are one word.
func (w *writer) text() string { return strings.Join(w.out, " ") }

// Every sentence of the grammar on the page is parsed, but for what the notes below it exclude: the name `d` before a stroke.
func TestSentencesOfTheGrammarParse(t *testing.T) {
	rules := readGrammar(t)
	rng, least := rand.New(rand.NewPCG(1, 2)), leastOf(rules)
	for range 1000 {
		w := &writer{rules: rules, rng: rng, least: least}
		w.write(rules["statement"])
		src := w.text() + "\n"
		if _, list := dsl.Parse("sentence.inv", []byte(src)); len(list) > 0 {
			t.Fatalf("%v\n%s", list[0], src)
		}
	}
}
