package symbols

import (
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A recorder fills a table: it makes symbols, each once, and notes where they stand.
type recorder struct {
	*Table
	file     string // whose occurrences are noted
	data     *setting.Data
	declared map[*dsl.Ident]*Symbol // statements and the parameters of definitions
}

// add makes a symbol known by its kind and its name, with what it is of.
func (r *recorder) add(s *Symbol) { r.known[key{s.Kind, s.Of, s.Name}] = s }

// note adds an occurrence. Names that mean nothing, and those of other files, have none.
func (r *recorder) note(id *dsl.Ident, s *Symbol, declares bool) {
	if s != nil && id.Span().File == r.file {
		r.Occurrences = append(r.Occurrences, Occurrence{id.Span(), s, declares})
	}
}

// external returns the symbol of a name that the spec does not declare: of a word of the language, a label, a column, an argument. It
// is made where it is first met, so that a table holds those alone that the spec uses, beside what families add.
func (r *recorder) external(kind Kind, of, name string) *Symbol {
	k := key{kind, of, name}
	if r.known[k] == nil {
		r.known[k] = &Symbol{Kind: kind, Name: name, Of: of}
	}
	return r.known[k]
}

// named returns the symbol of a label or column, under the name that the data have: Greek letters are not spelled out. Where the
// data block declares a label of that name, a column is that label.
func (r *recorder) named(kind Kind, id *dsl.Ident, declares bool) *Symbol {
	name := values.RawName(id)
	if kind == Column && !declares && r.Lookup(Label, name) != nil {
		kind = Label
	}
	s := r.external(kind, "", name)
	if s.Detail == "" {
		s.Detail = r.detail(kind, name)
		if declares {
			s.At = id.Span()
		}
	}
	return s
}

// detail says in a few words what a label or a column is. Of a column it adds the type that the data
// block declares, which an editor shows at each of its uses.
func (r *recorder) detail(kind Kind, name string) string {
	if kind == Label {
		return "a label of the target"
	}
	for i := range r.data.Types {
		if t := &r.data.Types[i]; t.Column == name {
			return "a column of the data: " + t.String()
		}
	}
	return "a column of the data"
}

// parameter returns the symbol of a definition's parameter.
func (r *recorder) parameter(of *Symbol, name string) *Symbol {
	if def, ok := of.Decl.(*dsl.Def); ok {
		for _, p := range def.Params {
			if p.Name == name {
				return r.declared[p]
			}
		}
	}
	return nil
}
