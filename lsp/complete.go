package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A completer collects what may be typed at a place.
type completer struct {
	*place
	s     *session
	d     *document
	a     *sense
	at    Range // of the word that is being typed
	items []CompletionItem
	seen  map[string]bool
}

// complete is what may be typed at a place.
func (s *session) complete(_ context.Context, d *document, offset int) *CompletionList {
	list := &CompletionList{Items: []CompletionItem{}}
	c := &completer{place: d.syntax().contextAt(offset), s: s, d: d, a: s.sense(d), seen: map[string]bool{}}
	c.at = d.text.rangeOf(c.from, offset)
	switch {
	case c.quoted:
		c.texts(d.text.src[min(c.from, offset):offset])
	case c.inText:
	case c.inData:
		c.data()
	case c.statement == "":
		c.statements()
	default:
		c.within()
	}
	if c.items != nil {
		list.Items = c.items
	}
	return list
}

// add offers a text. In a snippet, ${1:…} are places to fill.
func (c *completer) add(label string, kind int, detail, doc, insert string) {
	if c.seen[label] {
		return
	}
	c.seen[label] = true
	item := CompletionItem{Label: label, Kind: kind, Detail: detail, SortText: fmt.Sprintf("%03d", len(c.items))}
	if doc != "" {
		m := c.s.markup(doc)
		item.Documentation = &m
	}
	if insert == "" {
		insert = label
	}
	if strings.Contains(insert, "$") {
		if c.s.client.Load().TextDocument.Completion.CompletionItem.SnippetSupport {
			item.InsertTextFormat = formatSnippet
		} else {
			insert = label
		}
	}
	item.TextEdit = &TextEdit{Range: c.at, NewText: insert}
	c.items = append(c.items, item)
}

// words offers all words of a table, sorted.
func (c *completer) words(table map[string]wordDoc, kind int, snippets map[string]string) {
	for _, w := range sortedKeys(table) {
		c.add(w, kind, table[w].form, table[w].doc, snippets[w])
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

var statementSnippets = map[string]string{
	"use": "use ${1:name} from \"${2:./program}\"", "data": "data {\n    target ${1:name} : ${2:class}\n}", "let": "let ${1:name} = ${2:1}",
	wordKernel: "kernel ${1:gaussian}", wordFeatures: "features ${1:nystrom}", wordLearn: "learn ${1:svm}", "method": "method ${1:embed}", "decode": "decode ${1:closure}",
	"seed": "seed ${1:7}", wordRegularize: "regularize ${1:1} * ${2:name}", "def": "def ${1:name}(${2:a, b}) = ${3:|f(a) - f(b)|}",
	"invariance": "invariance ${1:name} = rms over ${2:x} of ${3:|f|}", "evaluate": "evaluate under {${1:rotate(15deg)}}",
}

func (c *completer) statements() { c.words(statementDocs, itemKeyword, statementSnippets) }

// data offers what may stand in a data block.
func (c *completer) data() {
	switch {
	case c.item == "" || c.last() == "" || c.last() == ";":
		c.words(itemDocs, itemKeyword, nil)
	case c.call != "" && c.call != wordColumns && c.call != wordLabels:
		c.callArguments()
	case c.item == "target" && (c.last() == ":" || c.contains(":")):
		c.words(typeDocs, itemKeyword, map[string]string{"binary": "binary(${1:a}, ${2:b})"})
	case c.item == "target":
		c.columns()
		c.add(wordColumns, itemFunction, "columns(\"topic_*\")", "The columns that match.", "columns(\"${1:*}\")")
		c.add(wordLabels, itemFunction, functionDocs[wordLabels].form, functionDocs[wordLabels].doc, "labels(${1:data})")
	case c.item == wordColumns:
		c.columns()
		c.add("image", itemFunction, "image(height, width)", choiceDocs["columns image"], "image(${1:28}, ${2:28})")
		c.add(wordColumns, itemFunction, "columns(\"a_*\")", "The columns that match.", "columns(\"${1:*}\")")
	case c.item == wordIgnore:
		c.columns()
		c.add(wordColumns, itemFunction, "columns(\"a_*\")", "The columns that match.", "columns(\"${1:*}\")")
	case c.item == wordID:
		c.columns()
	default:
		c.fill(choiceArgs(c.item, c.item))
	}
}

// columns offers the columns of the data, as words, or in quotes where they are none.
func (c *completer) columns() {
	detail := "a column of " + filepath.Base(c.a.columns.file)
	for i, name := range c.a.columns.names {
		if i == maxColumns {
			return
		}
		c.add(name, itemField, detail, "", quotedName(name))
	}
	for _, o := range c.a.names().occurrences {
		if o.symbol.kind == columnSymbol {
			c.add(o.symbol.name, itemField, o.symbol.detail, "", quotedName(o.symbol.name))
		}
	}
}

// maxColumns bounds how many columns are offered.
const maxColumns = 2000

// quotedName is a name as the language writes it: in quotes where it is no word.
func quotedName(name string) string {
	if dsl.IsName(name) {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`).Replace(name) + `"`
}

// labels offers the labels of the target.
func (c *completer) labels() {
	target := &c.a.around.Data.Target
	if target.Task == setting.Multilabel {
		for _, name := range target.Names {
			c.add(name, itemEnumMember, "a label of the target", "", quotedName(name))
		}
		for _, name := range c.a.columns.names {
			if slices.ContainsFunc(target.Globs, func(g string) bool { ok, _ := filepath.Match(g, name); return ok }) {
				c.add(name, itemEnumMember, "a label of the target", "", quotedName(name))
			}
		}
	}
	for _, o := range c.a.names().occurrences {
		if o.symbol.kind == labelSymbol {
			c.add(o.symbol.name, itemEnumMember, o.symbol.detail, "", quotedName(o.symbol.name))
		}
	}
}

// fill offers the names and values of arguments.
func (c *completer) fill(args []plugins.Arg) {
	i := min(c.argument, len(args)-1)
	if c.name != "" {
		i = slices.IndexFunc(args, func(a plugins.Arg) bool { return a.Name == c.name })
	}
	if i >= 0 && i < len(args) {
		c.values(&args[i])
	}
	if c.name != "" || c.last() == "=" {
		return
	}
	for i := range args {
		if !slices.Contains(c.given, args[i].Name) {
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
		c.add(wordTaxonomy, itemFunction, functionDocs[wordTaxonomy].form, functionDocs[wordTaxonomy].doc, "taxonomy(\"${1:file.csv}\")")
	default:
		if len(arg.Choices) == 0 {
			c.add(wordGrid, itemFunction, functionDocs[wordGrid].form, functionDocs[wordGrid].doc, "grid(${1:0.1, 1, 10})")
		}
	}
	if len(arg.Choices) == 0 {
		c.globals(letSymbol)
	}
}

// globals offers what the spec declares.
func (c *completer) globals(kinds ...symbolKind) {
	for _, name := range sortedKeys(c.a.names().globals) {
		g := c.a.names().globals[name]
		if !slices.Contains(kinds, g.kind) {
			continue
		}
		kind, insert := itemVariable, ""
		switch g.kind {
		case defSymbol:
			kind, insert = itemFunction, callSnippet(g.name, g.args)
		case invarianceSymbol:
			kind = itemProperty
		}
		c.add(name, kind, c.d.source(g.decl.Span()), "", insert)
	}
}

// callSnippet is a call with its arguments to be filled in.
func callSnippet(name string, args []plugins.Arg) string {
	var parts []string
	for i := range args {
		if args[i].Optional || args[i].Default != "" {
			continue
		}
		parts = append(parts, fmt.Sprintf("${%d:%s}", len(parts)+1, args[i].Name))
	}
	if len(args) == 0 {
		return name
	}
	if len(parts) == 0 {
		return name + "($0)"
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// texts offers what may stand in quotes: files beside the spec, columns.
func (c *completer) texts(typed string) {
	if c.call == wordColumns || c.inData && c.call != wordLabels || c.contains(wordWhere) && c.call == "" {
		for _, name := range c.a.columns.names[:min(len(c.a.columns.names), maxColumns)] {
			c.add(name, itemField, "a column", "", strings.ReplaceAll(name, "$", ""))
		}
		return
	}
	dir, _ := filepath.Split(typed)
	folder := c.d.resolve(dir)
	if folder == "" {
		return
	}
	file, err := os.Open(folder)
	if err != nil {
		return
	}
	defer file.Close()                     //nolint:errcheck // only read
	entries, _ := file.ReadDir(maxEntries) // as far as it goes
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
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
