package verify

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/plugins"
)

// someArgs returns arguments that the schema allows: defaults where it has them. It leaves out optional ones, or
// gives all.
func (s *suite) someArgs(name string, args []plugins.Arg, all bool) (out []plugins.Value, perRow map[string]float64, ok bool) {
	perRow = map[string]float64{}
	given := slices.DeleteFunc(slices.Clone(args), func(a plugins.Arg) bool { return a.Optional && a.Default == "" && !all })
	pick := newChooser(given)
	for i := range given {
		a := &given[i]
		v, err := s.value(pick, a)
		if err != nil {
			s.notef("%s is not tried: %v", name, err)
			s.untried.add(name, name, "not tried: "+err.Error())
			return nil, nil, false
		}
		if m := defaultNumber.FindStringSubmatch(a.Default); a.Kind == plugins.KindCount && m != nil && m[2] == "n" {
			perRow[a.Name] = v.Number
		}
		out = append(out, *v)
	}
	return out, perRow, true
}

// value returns a value for an argument: its default, or one that differs from those of the other arguments of its
// kind.
func (s *suite) value(pick *chooser, a *plugins.Arg) (*plugins.Value, error) {
	v := &plugins.Value{Name: a.Name, Kind: a.Kind}
	if a.Default != "" && a.Kind <= plugins.KindChoice {
		err := parseDefault(v, a.Default)
		pick.took(a.Kind, v.Number)
		return v, err
	}
	switch a.Kind {
	case plugins.KindNumber, plugins.KindAngle, plugins.KindCount:
		v.Number = pick.number(a)
	case plugins.KindText:
		v.Text = "text"
	case plugins.KindChoice:
		v.Text = a.Choices[0]
	case plugins.KindColumn:
		v.Index = pick.next(a.Kind) % columns
		v.Text = fmt.Sprint("x", v.Index)
	case plugins.KindLabel:
		v.Index = pick.next(a.Kind) % classes
		v.Text = fmt.Sprint("class", v.Index)
	case plugins.KindTaxonomy:
		v.Edges = []plugins.Edge{{Child: 1, Parent: 0}, {Child: 2, Parent: 0}, {Child: 3, Parent: 2}}
	case plugins.KindFile:
		content, ok := s.options.Files[a.Name]
		if !ok {
			return nil, fmt.Errorf("%s is a file; give one with --file %s=PATH", a.Name, a.Name)
		}
		v.Text, v.Bytes = a.Name, content
	}
	return v, nil
}

// A chooser gives the arguments of a call values that differ. Two columns are not the same, and numbers ascend, like
// those of a stretch from low to high. Equal ones would be refused, or hide a fault: on a path of length zero all
// derivatives are right.
type chooser struct {
	// named counts the columns or labels that are named.
	named map[plugins.ValueKind]int
	// last is the largest number of a kind so far, and later has defaults of arguments to come.
	last  map[plugins.ValueKind]float64
	later map[plugins.ValueKind][]float64
	// left counts the numbers that are still to be chosen.
	left map[plugins.ValueKind]int
}

// newChooser looks at the arguments of a call.
func newChooser(args []plugins.Arg) *chooser {
	c := &chooser{
		named: map[plugins.ValueKind]int{}, last: map[plugins.ValueKind]float64{},
		later: map[plugins.ValueKind][]float64{}, left: map[plugins.ValueKind]int{},
	}
	for i := range args {
		a := &args[i]
		var v plugins.Value
		switch v.Kind = a.Kind; {
		case !numeric(a.Kind):
		case a.Default == "":
			c.left[a.Kind]++
		case parseDefault(&v, a.Default) == nil:
			c.later[a.Kind] = append(c.later[a.Kind], v.Number)
		}
	}
	return c
}

func numeric(k plugins.ValueKind) bool {
	return k == plugins.KindNumber || k == plugins.KindAngle || k == plugins.KindCount
}

// next counts the columns and labels that are named.
func (c *chooser) next(k plugins.ValueKind) int {
	c.named[k]++
	return c.named[k] - 1
}

// took takes note of an argument's default.
func (c *chooser) took(k plugins.ValueKind, x float64) {
	if later := c.later[k]; len(later) > 0 {
		c.later[k] = later[1:]
	}
	c.after(k, x)
}

func (c *chooser) after(k plugins.ValueKind, x float64) {
	if last, some := c.last[k]; !some || x > last {
		c.last[k] = x
	}
}

// number returns a number above those of the kind before it, and below a default that comes after it, as far as the
// bounds allow.
func (c *chooser) number(a *plugins.Arg) float64 {
	x, by := c.step(a)
	if last, some := c.last[a.Kind]; some && last+by > x {
		x = last + by
	}
	if slices.Contains(c.later[a.Kind], x) {
		x -= by / 2
	}
	if a.Kind == plugins.KindCount {
		x = math.Round(x)
	}
	x = c.bounded(a, x)
	c.left[a.Kind]--
	c.after(a.Kind, x)
	return x
}

// step returns the first number of a kind, and how far the next is from it. Whole bounds may be those of whole
// numbers, such as a seed: they are tried where enough are left.
func (c *chooser) step(a *plugins.Arg) (first, by float64) {
	switch a.Kind {
	case plugins.KindAngle:
		return 10 * math.Pi / 180, 10 * math.Pi / 180
	case plugins.KindCount:
		return 3, 1
	}
	least := max(a.Min, 1)
	if last, some := c.last[a.Kind]; some {
		least = max(least, last+1)
	}
	if a.Min < a.Max && a.Min == math.Trunc(a.Min) && c.roomAbove(a, least) {
		return 1, 1
	}
	return 0.5, 0.5
}

// roomAbove reports whether whole numbers from x to a whole bound are enough for those still to be chosen.
func (c *chooser) roomAbove(a *plugins.Arg, x float64) bool {
	return a.Max == math.Trunc(a.Max) && a.Max-x >= float64(c.left[a.Kind]-1)
}

// bounded returns a number within an argument's bounds. One that leaves no room becomes one between the last and the
// upper bound.
func (c *chooser) bounded(a *plugins.Arg, x float64) float64 {
	if !(a.Min < a.Max) || x < a.Max-(a.Max-a.Min)/1024 {
		return within(a, x)
	}
	low := a.Min
	if last, some := c.last[a.Kind]; some && last > low && last < a.Max {
		low = last
	} else if x == a.Max && c.left[a.Kind] == 1 {
		return x
	}
	if x = low + (a.Max-low)/2; a.Kind == plugins.KindCount || (x > 1 && c.roomAbove(a, math.Ceil(x))) {
		x = math.Ceil(x)
	}
	return x
}

// within returns the number between an argument's bounds that is nearest to the wanted one.
func within(a *plugins.Arg, want float64) float64 {
	if a.Min < a.Max {
		return min(max(want, a.Min), a.Max)
	}
	return want
}

var defaultNumber = regexp.MustCompile(`^(-?[0-9.]+(?:[eE][-+]?[0-9]+)?)(deg|n)?$`)

// defaultUnits are the units that defaults may have, by kind, and what one looks like.
var defaultUnits = map[plugins.ValueKind]struct {
	units []string
	like  string
}{
	plugins.KindNumber: {[]string{""}, "a number such as 0.5"},
	plugins.KindAngle:  {[]string{"deg"}, "an angle such as 10deg"},
	plugins.KindCount:  {[]string{"", "n"}, "a count such as 100 or 4n"},
}

// parseDefault reads a default in the language's syntax: a number, with its unit, a text or a word.
func parseDefault(v *plugins.Value, text string) error {
	if v.Kind == plugins.KindChoice || v.Kind == plugins.KindText {
		v.Text = strings.Trim(text, `"`)
		return nil
	}
	want := defaultUnits[v.Kind]
	wrong := fmt.Errorf("the default of %s, %s, cannot be tried: write %s", v.Name, text, want.like)
	m := defaultNumber.FindStringSubmatch(text)
	if len(m) < 3 || !slices.Contains(want.units, m[2]) {
		return wrong
	}
	number, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return wrong
	}
	if m[2] == "deg" {
		number *= math.Pi / 180
	}
	v.Number = number
	return nil
}
