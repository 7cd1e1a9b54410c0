package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/rival"
)

// A Setting is a point of a contender's search space. All of it is chosen at once, on the same rows for every contender.
type Setting struct {
	rival.Setting
	Weight float64 `json:"weight,omitempty"` // of the invariance, times √n where a fit has n rows
	Both   bool    `json:"both,omitempty"`   // transformations, and copies, go both ways, in the first table; the paper's go one way
}

// A Contender is a method of this program or a rival.
type Contender struct {
	Name     string
	Rival    rival.Name // empty: a spec
	Method   string     // of the spec
	Settings []Setting
	Form     form   // of R, where a table has more than one
	Closed   bool   // decisions are closed under the implications
	Like     string // another contender, with the same settings, whose choice it takes
}

// A form is which R a contender has.
type form int

// The forms. The third table's R is the paper's, implications and exclusions, but where exclusions are left out.
const (
	formUsual        form = iota
	formAnyPairs          // of the second table: pairs of any two rows, and the largest of them, as the paper has it
	formImplications      // of the third table: without exclusions
)

// strengths returns the values of C that linear learners choose among.
func strengths() []float64 { return []float64{10, 1, 100} }

// ridges returns the strengths 1/λ of ridge.
func ridges() []float64 { return []float64{100, 10, 1000} }

// spread returns the settings of all combinations.
func spread(widths, weights []float64) []Setting {
	var out []Setting
	for _, w := range widths {
		for _, r := range weights {
			out = append(out, Setting{Setting: rival.Setting{Width: w}, Weight: r})
		}
	}
	return out
}

// plainWidths returns the widths to compare where nothing else is chosen. Of settings that score the same the first is taken, so that the
// usual come before the extreme.
func plainWidths() []float64 { return []float64{0.5, 0.7, 0.35, 1, 0.25, 1.4} }

// sharedWidths returns the widths to compare beside a weight.
func sharedWidths() []float64 { return []float64{0.5, 0.35} }

// method returns a contender that is a method of this program, with each setting at each strength of its learner.
func method(name string, settings []Setting, strengths ...float64) Contender {
	c := Contender{Name: name, Method: name}
	for _, s := range settings {
		for _, s.C = range strengths {
			c.Settings = append(c.Settings, s)
		}
	}
	return c
}

// named returns the contender under another name, with another form of R.
func (c Contender) named(name string, f form) Contender {
	c.Name, c.Form = name, f
	return c
}

// ways returns settings with each way that transformations go, one way first.
func ways(settings []Setting) []Setting {
	var out []Setting
	for _, both := range []bool{false, true} {
		for _, s := range settings {
			s.Both = both
			out = append(out, s)
		}
	}
	return out
}

// augmenting returns the rival that learns rows and their copies under the setting's transformations.
func augmenting() Contender {
	c := method(nameAugment, ways(spread([]float64{0.5, 0.7, 0.35}, []float64{0})), strengths()...)
	c.Rival, c.Method = rival.Augment, ""
	return c
}

// chooser returns the contender whose settings are compared.
func (c *Contender) chooser(t Table) *Contender {
	if c.Like == "" {
		return c
	}
	all := Contenders(t)
	like := all[slices.IndexFunc(all, func(o Contender) bool { return o.Name == c.Like })]
	like.Settings = like.Settings[:len(c.Settings)] // as few as were asked for
	return &like
}

// rivals returns contenders with their own search spaces.
func rivals(names ...rival.Name) []Contender {
	var out []Contender
	for _, n := range names {
		c := Contender{Name: string(n), Rival: n}
		for _, s := range rival.Search(n) {
			c.Settings = append(c.Settings, Setting{Setting: s})
		}
		out = append(out, c)
	}
	return out
}

// Contenders returns the contenders of a table, in the order in which they are shown.
func Contenders(t Table) []Contender {
	switch t {
	case Table1:
		space := ways(spread([]float64{0.5}, []float64{24, 12, 48}))
		// The dual solves risk's problem in other coordinates, more slowly.
		dual := method(nameDual, space, strengths()...)
		dual.Like = nameRisk
		return append(rivals(rival.SVM), augmenting(), method(nameWarp, space, strengths()...), dual,
			method(nameEmbed, space, strengths()...), method(nameRisk, space, strengths()...))
	case Table2:
		// A maximum over pairs is larger than their root mean square, and its weights are smaller.
		space, own := spread(sharedWidths(), []float64{3, 1, 10}), spread(sharedWidths(), []float64{1, 0.3, 0.1})
		return append(rivals(rival.SVM, rival.Mixup, rival.StochasticMixup),
			method(namePlain, spread(plainWidths(), []float64{0}), ridges()...), method(nameEmbed, space, ridges()...),
			method(nameRisk, space, ridges()...), method(nameRisk, own, ridges()...).named(nameAnyPairs, formAnyPairs))
	case Table3:
		// Of weights that score the same the larger is taken, so that R acts where nothing speaks against it.
		space := spread([]float64{0.5, 0.7, 1.4}, []float64{16, 1})
		risk := method(nameRisk, space, strengths()...)
		closed := risk.named(nameClosed, formUsual)
		closed.Closed = true
		return append(rivals(rival.MultilabelSVM, rival.HRSVM, rival.Masking),
			method(nameEmbed, space, strengths()...).named(nameEmbed, formImplications), risk.named(nameImplied, formImplications), risk, closed)
	}
	return nil
}

// ContenderNames returns the names of all contenders.
func ContenderNames() []string {
	var out []string
	for _, t := range []Table{Table1, Table2, Table3} {
		for _, c := range Contenders(t) {
			if !slices.Contains(out, c.Name) {
				out = append(out, c.Name)
			}
		}
	}
	return out
}

// Text returns a setting in words.
func (c *Contender) Text(s Setting) string {
	if c.Rival != "" {
		setting := s.Setting
		return setting.Text(c.Rival) + s.way()
	}
	text := fmt.Sprintf("width = %g median, C = %g", s.Width, s.C)
	if c.Method == namePlain {
		return text
	}
	return text + fmt.Sprintf(", weight = %g/√n", s.Weight) + s.way()
}

// way says where transformations go both ways.
func (s *Setting) way() string {
	if s.Both {
		return ", both ways"
	}
	return ""
}

// SearchText returns the search space on one line.
func (c *Contender) SearchText() string {
	if c.Like != "" {
		return "the setting of " + c.Like + ", which solves the same problem"
	}
	var all []string
	for _, s := range c.Settings {
		all = append(all, c.Text(s))
	}
	return strings.Join(all, "; ")
}
