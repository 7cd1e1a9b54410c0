package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/symbols"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A completer collects what may be typed at a place.
type completer struct {
	q     *question
	n     *names
	in    *place
	at    Range // of the word that is being typed
	items []CompletionItem
	seen  map[string]bool
}

// complete returns what may be typed at a place.
func complete(q *question) *CompletionList {
	d := q.doc
	c := &completer{q: q, n: q.names, in: d.syntax().contextAt(q.offset), items: []CompletionItem{}, seen: map[string]bool{}}
	c.at = d.text.rangeOf(c.in.from, q.offset)
	switch {
	case c.in.quoted:
		c.texts(d.text.src[min(c.in.from, q.offset):q.offset])
	case c.in.inText:
	case c.in.inData:
		c.data()
	case c.in.statement == "":
		c.words(statementDocs, itemKeyword)
	default:
		c.within()
	}
	return &CompletionList{Items: c.items}
}

// add offers a text. In a snippet, ${1:…} are places to fill.
func (c *completer) add(label string, kind int, detail, doc, insert string) {
	if c.seen[label] {
		return
	}
	c.seen[label] = true
	item := CompletionItem{Label: label, Kind: kind, Detail: detail, SortText: fmt.Sprintf("%03d", len(c.items))}
	if doc != "" {
		m := c.q.client.markup(doc)
		item.Documentation = &m
	}
	if insert == "" {
		insert = label
	}
	if strings.Contains(insert, "$") {
		if c.q.client.TextDocument.Completion.CompletionItem.SnippetSupport {
			item.InsertTextFormat = formatSnippet
		} else {
			insert = label
		}
	}
	item.TextEdit = &TextEdit{Range: c.at, NewText: insert}
	c.items = append(c.items, item)
}

// words offers words of a table; without any, all of them, sorted.
func (c *completer) words(table map[string]wordDoc, kind int, words ...string) {
	if len(words) == 0 {
		words = sortedKeys(table)
	}
	for _, w := range words {
		key := w
		if kind == itemFunction {
			key += "("
		}
		c.add(w, kind, table[w].form, table[w].doc, snippets[key])
	}
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// data offers what may stand in a data block.
func (c *completer) data() {
	switch {
	case c.in.item == "" || c.in.last() == "" || c.in.last() == ";":
		c.words(itemDocs, itemKeyword)
	case c.in.call != "" && c.in.call != wordColumns && c.in.call != wordLabels:
		c.callArguments()
	case c.in.item == "target":
		c.target()
	case c.in.item == wordTypes:
		c.types()
	case c.in.item == wordColumns:
		c.columns()
		c.words(dataCallDocs, itemFunction, "image", wordColumns)
	case c.in.item == wordIgnore:
		c.columns()
		c.words(dataCallDocs, itemFunction, wordColumns)
	case c.in.item == wordID, c.in.item == wordSplit && c.in.last() == wordBy:
		c.columns()
	default:
		c.fill(compiler.ArgsOf(c.in.item, c.in.item))
		if c.in.last() == wordSplit {
			c.words(reservedDocs, itemKeyword, wordBy)
		}
	}
}

// target offers the columns that may be targets, and behind the colon their type.
func (c *completer) target() {
	if c.in.last() == ":" {
		c.words(typeDocs, itemKeyword)
		return
	}
	c.columns()
	c.words(dataCallDocs, itemFunction, wordColumns, wordLabels)
}

// types offers what may stand in `types`: columns, and behind a colon their types.
func (c *completer) types() {
	switch {
	case c.in.last() == ":":
		c.words(columnTypeDocs, itemKeyword, "real", "integer", "date", "text", "{north, south}")
	case !c.in.open():
		c.columns()
	}
}

// columns offers the columns of the data, as words, or in quotes where they are none. In a statement those that `types` declares come
// first. Where the data are not known it offers those that the spec uses elsewhere.
func (c *completer) columns() {
	if types := c.n.info.Data.Types; !c.in.inData {
		for i := range types {
			c.add(types[i].Column, itemField, types[i].String(), "", quotedName(types[i].Column))
		}
	}
	for _, name := range c.n.columns.some() {
		c.add(name, itemField, "a column of "+c.n.columns.Name, "", quotedName(name))
	}
	if len(c.n.columns.Columns) == 0 {
		c.met(symbols.Column, itemField)
	}
}

// met offers the names of a kind that the spec uses elsewhere: what is being typed is not a name yet.
func (c *completer) met(kind symbols.Kind, item int) {
	for _, o := range c.n.Occurrences {
		typed := o.Span.Start.Offset <= c.q.offset && c.q.offset <= o.Span.End.Offset
		if o.Symbol.Kind == kind && !typed {
			c.add(o.Symbol.Name, item, o.Symbol.Detail, "", quotedName(o.Symbol.Name))
		}
	}
}

// quotedName returns a name as the language writes it: in quotes where it is not a word.
func quotedName(name string) string {
	if dsl.IsName(name) {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`).Replace(name) + `"`
}

// labels offers the labels of the target.
func (c *completer) labels() {
	target := &c.n.info.Data.Target
	if target.Task == setting.Multilabel {
		matches := func(name string) bool {
			return slices.ContainsFunc(target.Globs, func(g string) bool { ok, _ := filepath.Match(g, name); return ok })
		}
		for _, name := range slices.Concat(target.Names, c.n.columns.Columns) {
			if slices.Contains(target.Names, name) || matches(name) {
				c.add(name, itemEnumMember, "a label of the target", "", quotedName(name))
			}
		}
	}
	for _, level := range setting.LevelNames(target.Levels) {
		c.add(level, itemEnumMember, "a level of the quantiles", "", level)
	}
	c.met(symbols.Label, itemEnumMember)
}

// fill offers the names and values of arguments.
func (c *completer) fill(args []plugins.Arg) {
	i := min(c.in.argument, len(args)-1)
	if c.in.name != "" {
		i = slices.IndexFunc(args, func(a plugins.Arg) bool { return a.Name == c.in.name })
	}
	if i >= 0 && i < len(args) {
		c.values(&args[i])
	}
	if c.in.name != "" || c.in.last() == "=" {
		return
	}
	for i := range args {
		if !slices.Contains(c.in.given, args[i].Name) {
			c.add(args[i].Name+" = ", itemProperty, compiler.Wants(&args[i]), argDoc(&args[i]), "")
		}
	}
}

// values offers what an argument may be.
func (c *completer) values(arg *plugins.Arg) {
	for _, word := range compiler.Fills(arg) {
		c.add(word, itemEnumMember, arg.Name, functionDocs[word].doc, "")
	}
	switch arg.Kind {
	case plugins.KindColumn:
		c.columns()
	case plugins.KindLabel:
		c.labels()
	case plugins.KindTaxonomy:
		c.words(functionDocs, itemFunction, wordTaxonomy)
	default:
		if len(arg.Choices) == 0 {
			c.words(functionDocs, itemFunction, wordGrid)
		}
	}
	if len(arg.Choices) == 0 {
		c.declared(symbols.Let)
	}
}

// symbolItems are how symbols are shown, by their kinds.
var symbolItems = map[symbols.Kind]int{
	symbols.Let: itemVariable, symbols.Def: itemFunction, symbols.Invariance: itemProperty,
	symbols.Map: itemFunction, symbols.IndexSet: itemValue, symbols.Definition: itemFunction,
}

// declared offers what the spec, a family or the standard library declares.
func (c *completer) declared(kinds ...symbols.Kind) {
	for _, s := range c.n.All(kinds...) {
		detail := s.Source
		switch {
		case s.Family != nil && s.Kind != symbols.Definition:
			detail = signature(s.Name, s.Args)
		case s.Decl != nil:
			detail = c.n.doc.source(s.Decl.Span())
		}
		c.add(s.Name, symbolItems[s.Kind], detail, s.Doc, callSnippet(s.Name, s.Args))
	}
}

// callSnippet returns a call with its arguments to be filled in, in the syntax of snippets. It leaves out arguments
// that are optional or have a default.
func callSnippet(name string, args []plugins.Arg) string {
	if len(args) == 0 {
		return name
	}
	var parts []string
	for i := range args {
		if !args[i].Optional && args[i].Default == "" {
			parts = append(parts, fmt.Sprintf("${%d:%s}", len(parts)+1, args[i].Name))
		}
	}
	if len(parts) == 0 {
		parts = []string{"$0"}
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// texts offers what may stand in quotes: files beside the spec, columns, the texts of the column that is compared.
func (c *completer) texts(typed string) {
	for _, column := range []string{c.in.compared(), c.given()} {
		if column != "" && c.textsOf(column) {
			return
		}
	}
	if c.in.call == wordColumns || c.in.inData && c.in.call != wordLabels || c.in.contains(wordWhere) && c.in.call == "" {
		for _, name := range c.n.columns.some() {
			c.add(name, itemField, "a column", "", strings.ReplaceAll(name, "$", ""))
		}
		return
	}
	c.files(typed)
}

// given returns the column that the argument at the place is a value of: put(region, ". It is empty elsewhere.
func (c *completer) given() string {
	m := c.n.Lookup(symbols.Map, c.in.call)
	if m == nil || c.in.argument != 1 || len(m.Args) < 2 || m.Args[1].Unit != plugins.Cells || m.Args[1].Kind == plugins.KindColumn {
		return ""
	}
	last := len(c.in.before) - 1
	if last < 1 || c.in.last() != "," {
		return ""
	}
	return strings.Trim(c.in.before[last-1].Text, `"`)
}

// textsOf offers the texts of a column: those of its type, or of the data. It returns false where none are known.
func (c *completer) textsOf(column string) bool {
	texts := c.n.columns.Texts[column]
	for i := range c.n.info.Data.Types {
		if t := &c.n.info.Data.Types[i]; t.Column == column {
			texts = t.Values.List
		}
	}
	for _, text := range texts {
		if text != "" {
			c.add(text, itemEnumMember, "a value of "+column, "", strings.ReplaceAll(text, "$", ""))
		}
	}
	return len(texts) > 0
}

// files offers the files and folders beside the spec whose path begins as typed.
func (c *completer) files(typed string) {
	dir, _ := filepath.Split(typed)
	folder := c.n.doc.resolve(dir)
	if folder == "" {
		return
	}
	file, err := os.Open(folder)
	if err != nil {
		return
	}
	defer file.Close()                     //nolint:errcheck // only read
	entries, _ := file.ReadDir(maxEntries) // as far as it goes
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	for _, e := range entries {
		name := dir + e.Name()
		if e.IsDir() {
			name += "/"
		}
		if !strings.HasPrefix(e.Name(), ".") && !strings.Contains(name, "$") {
			c.add(name, itemFile, "", "", "")
		}
	}
}

// maxEntries bounds how many files of a folder are looked at.
const maxEntries = 500
