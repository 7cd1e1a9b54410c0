package lsp

import (
	"maps"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/plugins"
)

// Glossary returns what each word of the language, of its standard library and of some families means, in plain text. A word that stands for
// several things has them below each other.
func Glossary(families []*plugins.Schema) map[string]string {
	all := map[string]string{}
	add := func(word, form, doc string) {
		if all[word] != "" {
			all[word] += "\n"
		}
		all[word] += "# " + strings.ReplaceAll(plain(doc), "\n", "\n# ") + "\n" + form + "\n"
	}
	for _, table := range []map[string]wordDoc{
		statementDocs, itemDocs, typeDocs, columnTypeDocs, reservedDocs, aggregationDocs, functionDocs, domainDocs, dataCallDocs, figureDocs,
	} {
		for word, doc := range table {
			add(word, doc.form, doc.doc)
		}
	}
	for _, setting := range slices.Sorted(maps.Keys(choiceDocs)) {
		_, word, _ := strings.Cut(setting, " ")
		add(word, setting, choiceDocs[setting])
	}
	definitions := compiler.Standard()
	for _, f := range families {
		definitions = append(definitions, f.Definitions...)
		for _, d := range f.Domains {
			add(d.Name, "over "+signature(d.Name, d.Args), d.Doc+argList(d.Args))
		}
		for _, m := range f.Maps {
			add(m.Name, "f("+signature(m.Name, m.Args)+")", m.Doc+argList(m.Args))
		}
	}
	for _, d := range definitions {
		add(d.Name, d.Source, d.Doc)
	}
	return all
}
