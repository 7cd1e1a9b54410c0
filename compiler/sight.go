package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// A Sight is what a family from elsewhere is shown of the data, and for what.
type Sight struct {
	Family  string
	Version string
	Place   diag.Span // of `use`
	For     []string  // the domains and maps that the spec uses
	Needs   plugins.Needs
}

// String says what the family sees: "the columns front and back, no labels".
func (s *Sight) String() string {
	columns := "no columns"
	switch names := s.Needs.Names; {
	case len(s.For) == 0:
		return "nothing: the regularizer asks it for nothing"
	case s.Needs.Columns == plugins.AllColumns:
		columns = "all columns"
	case len(names) == 1:
		columns = "the column " + names[0]
	case len(names) > 1:
		columns = "the columns " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	labels := [...]string{plugins.NoLabels: "no labels", plugins.LabelNames: "the labels' names", plugins.RowLabels: "the label of each row"}
	if s.Needs.Columns == plugins.NoColumns && len(s.Needs.Names) == 0 && s.Needs.Labels == plugins.NoLabels {
		return "only the number of rows"
	}
	return fmt.Sprintf("%s, %s", columns, labels[s.Needs.Labels])
}

// line is a sight as explain prints it.
func (s *Sight) line() string {
	text := fmt.Sprintf("family %s %s sees %s", s.Family, s.Version, s)
	if len(s.For) > 0 {
		text += ", for " + strings.Join(s.For, ", ")
	}
	return text
}

// A SightJSON is a Sight as tools read it.
type SightJSON struct {
	Family  string     `json:"family"`
	Version string     `json:"version"`
	At      *PlaceJSON `json:"at,omitempty"`
	For     []string   `json:"for"`
	Sees    string     `json:"sees"`
	Columns any        `json:"columns"` // "all", or the names of those that it sees
	Labels  string     `json:"labels"`  // none, names, rows
}

func sightsJSON(sights []Sight) []SightJSON {
	var out []SightJSON
	for i := range sights {
		s := &sights[i]
		var columns any = append([]string{}, s.Needs.Names...)
		if s.Needs.Columns == plugins.AllColumns {
			columns = "all"
		}
		out = append(out, SightJSON{
			Family: s.Family, Version: s.Version, At: placeJSON(s.Place), For: append([]string{}, s.For...), Sees: s.String(),
			Columns: columns, Labels: [...]string{plugins.NoLabels: "none", plugins.LabelNames: "names", plugins.RowLabels: "rows"}[s.Needs.Labels],
		})
	}
	return out
}

// sights are what the families from elsewhere see, in the order of their use.
func (in *Instance) sights() []Sight {
	var out []Sight
	for _, fam := range in.checker.families {
		if fam.place.IsZero() {
			continue
		}
		w := in.watch(fam)
		out = append(out, Sight{Family: fam.name, Version: fam.schema.Version, Place: fam.place, For: w.calls, Needs: w.needs})
	}
	return out
}

// sees is what a family needs for what the spec asks it for. Columns that an argument names and the data do not have are left
// out: the call that names them says so.
func (in *Instance) sees(fam *family, columns []string) plugins.Needs {
	w := in.watch(fam)
	named := w.named
	w.needs.Names = slices.DeleteFunc(w.needs.Names, func(name string) bool {
		return slices.Contains(named, name) && !slices.Contains(columns, name)
	})
	return w.needs
}

// A needsWatch gathers what a spec asks a family for.
type needsWatch struct {
	fam   *family
	needs plugins.Needs
	named []string // the columns that arguments name
	calls []string
	seen  map[*axis]bool
}

func (in *Instance) watch(fam *family) *needsWatch {
	w := &needsWatch{fam: fam, seen: map[*axis]bool{}}
	for _, t := range in.regularized {
		if t.weight > 0 && t.inv.form != nil && in.Method != Plain {
			w.node(t.inv.root)
		}
	}
	w.mappings(in.transforms)
	return w
}

func (w *needsWatch) node(n *node) {
	if n.quant != nil {
		for _, a := range n.quant.axes {
			w.axis(a)
		}
	}
	if n.leaf != nil {
		w.axis(n.leaf.point.axis)
		w.mappings(n.leaf.maps)
		if n.leaf.deriv.along != nil {
			w.mappings([]*mapping{n.leaf.deriv.along})
		}
	}
	for _, k := range n.kids {
		w.node(k)
	}
}

func (w *needsWatch) axis(a *axis) {
	if a == nil || w.seen[a] {
		return
	}
	w.seen[a] = true
	if a.kind == familyAxis && a.fam == w.fam {
		w.call(a.dom.Name, &a.dom.Needs, a.args)
	}
	w.mappings(a.maps)
	w.axis(a.path)
}

func (w *needsWatch) mappings(maps []*mapping) {
	for _, m := range maps {
		switch {
		case m.bound != nil:
			w.axis(m.bound.axis)
		case m.fam == w.fam:
			w.call(m.schema.Name, &m.schema.Needs, m.args)
		}
	}
}

// call takes note of a call.
func (w *needsWatch) call(name string, needs *plugins.Needs, args []*value) {
	var columns []plugins.Value
	for _, v := range args {
		if v != nil && v.arg.Kind == plugins.KindColumn {
			columns = append(columns, plugins.Value{Kind: plugins.KindColumn, Text: v.text})
			w.named = append(w.named, v.text)
		}
	}
	w.needs = w.needs.Union(needs.Of(columns))
	if !slices.Contains(w.calls, name) {
		w.calls = append(w.calls, name)
	}
}
