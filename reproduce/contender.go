package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/rival"
)

// A Setting is a point of a contender's search space. Where the rows' representations do not depend on the strength C of the linear
// learner, C is chosen within, by cross-validation on the training rows and on one representation; C is then 0 here.
type Setting struct {
	rival.Setting
	Weight float64 `json:"weight,omitempty"` // of the invariance, times √n where a fit has n rows
	Both   bool    `json:"both,omitempty"`   // transformations go both ways, in the first table; the paper's go one way
}

// A Contender is a method of this program or a rival.
type Contender struct {
	Name     string
	Rival    rival.Name // empty: a spec
	Method   string     // of the spec
	Settings []Setting
	Within   []float64 // strengths that are compared within each setting
	Closed   bool      // decisions are closed under the implications
	Like     string    // another contender, with the same settings, whose choice it takes
}

// strengths are those that linear learners choose among.
func strengths() []float64 { return []float64{10, 1, 100} }

// ridges are the strengths 1/λ of ridge.
func ridges() []float64 { return []float64{100, 10, 1000} }

// spread are settings of all combinations.
func spread(widths, weights []float64) []Setting {
	var out []Setting
	for _, w := range widths {
		for _, r := range weights {
			out = append(out, Setting{Setting: rival.Setting{Width: w}, Weight: r})
		}
	}
	return out
}

// Of settings that score the same the first is chosen, so that the usual come before the extreme. plainWidths are compared where the width is
// all that there is to choose, and sharedWidths beside a weight.
func plainWidths() []float64  { return []float64{0.5, 0.7, 0.35, 1, 0.25, 1.4} }
func sharedWidths() []float64 { return []float64{0.5, 0.35} }

// method is a contender that is a method of this program, its representations made before the learner is fitted.
func method(name string, settings []Setting, within ...float64) Contender {
	return Contender{Name: name, Method: name, Settings: settings, Within: within}
}

// whole is a contender that is a method of this program which finds representation and function together, by one strength.
func whole(name string, settings []Setting, strengths ...float64) Contender {
	c := Contender{Name: name, Method: name}
	for _, s := range settings {
		for _, s.C = range strengths {
			c.Settings = append(c.Settings, s)
		}
	}
	return c
}

// chooser is the contender whose settings are compared.
func (c *Contender) chooser(t Table) *Contender {
	if c.Like == "" {
		return c
	}
	all := Contenders(t)
	like := all[slices.IndexFunc(all, func(o Contender) bool { return o.Name == c.Like })]
	like.Settings = like.Settings[:len(c.Settings)] // as few as were asked for
	return &like
}

// rivals are contenders with their own search spaces.
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

// Contenders are those of a table, in the order in which they are shown.
func Contenders(t Table) []Contender {
	none := []float64{0}
	switch t {
	case Table1:
		var space []Setting
		for _, both := range []bool{false, true} {
			for _, w := range []float64{24, 12, 48} {
				space = append(space, Setting{Setting: rival.Setting{Width: 0.5}, Weight: w, Both: both})
			}
		}
		// The dual solves risk's problem in other coordinates, more slowly.
		dual := whole(nameDual, space, strengths()...)
		dual.Like = nameRisk
		return append(rivals(rival.SVM), method(nameWarp, space, strengths()...), dual, method(nameEmbed, space, strengths()...), whole(nameRisk, space, strengths()...))
	case Table2:
		// Pairs are chosen by label, so that R knows the labels of the rows that a cross-validation within would hold out.
		space := spread(sharedWidths(), []float64{3, 1, 10})
		return append(rivals(rival.SVM, rival.Mixup, rival.StochasticMixup),
			method(namePlain, spread(plainWidths(), none), ridges()...), whole(nameEmbed, space, ridges()...), whole(nameRisk, space, ridges()...))
	case Table3:
		// The kernels are the control's, and one weight for each: on so few rows weights from 1 to 64 cannot be told apart by the
		// figure that is chosen by. More of it takes labels from embed, and violations from risk.
		little, much := spread(plainWidths(), []float64{1}), spread(plainWidths(), []float64{16})
		closed := whole(nameClosed, much, strengths()...)
		closed.Method, closed.Closed = nameRisk, true
		return append(rivals(rival.MultilabelSVM, rival.HRSVM, rival.Masking), whole(nameEmbed, little, strengths()...),
			whole(nameRisk, much, strengths()...), closed)
	}
	return nil
}

// ContenderNames are the names of all contenders.
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

// Text is a setting in words.
func (c *Contender) Text(s Setting) string {
	if c.Rival != "" {
		setting := s.Setting
		return setting.Text(c.Rival)
	}
	text := fmt.Sprintf("width = %g median", s.Width)
	if s.C > 0 {
		text += fmt.Sprintf(", C = %g", s.C)
	}
	if c.Method == namePlain {
		return text
	}
	text += fmt.Sprintf(", weight = %g/√n", s.Weight)
	if s.Both {
		text += ", both ways"
	}
	return text
}

// SearchText is the search space on one line.
func (c *Contender) SearchText() string {
	if c.Like != "" {
		return "the setting of " + c.Like + ", which solves the same problem"
	}
	var all []string
	for _, s := range c.Settings {
		all = append(all, c.Text(s))
	}
	text := strings.Join(all, "; ")
	if len(c.Within) > 0 {
		text += fmt.Sprintf("; each with C in %v by cross-validation", c.Within)
	}
	return text
}

// compared is how many settings are compared in all.
func (c *Contender) compared() int { return len(c.Settings) * max(1, len(c.Within)) }
