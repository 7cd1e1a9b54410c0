package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"
)

// A measure is a figure of the code with its target.
type measure struct {
	name, title, unit string
	each              string // the unit of offenders, if it is not the value's
	value, target     float64
	least             bool    // the target is a least value, not a largest one
	grain             float64 // what bounds are rounded to; 0: 1
	held              bool    // value is the worst of those given to hold
	offenders         []offender
}

// An offender misses the target of its measure.
type offender struct {
	value float64
	what  string
}

// hold notes the value of one thing: the worst becomes the measure's, and those that miss the target are kept.
func (m *measure) hold(value float64, what string) {
	if !m.held || m.worse(value, m.value) {
		m.value, m.held = value, true
	}
	if m.worse(value, m.target) {
		m.offenders = append(m.offenders, offender{value, what})
	}
}

// worse reports whether value is farther than limit from the good side.
func (m *measure) worse(value, limit float64) bool {
	if m.least {
		return value < limit
	}
	return value > limit
}

func (m *measure) reached() bool { return !m.worse(m.value, m.target) }

// misses returns how many things miss the target, or 0 if the measure reaches it as a whole.
func (m *measure) misses() int {
	if m.reached() {
		return 0
	}
	return len(m.offenders)
}

// bound returns what is committed for the value: the target if it is reached, else the value, rounded to the worse side.
func (m *measure) bound() float64 {
	grain := cmp.Or(m.grain, 1)
	switch {
	case m.reached():
		return m.target
	case m.least:
		return clean(math.Floor(clean(m.value/grain)) * grain)
	default:
		return clean(math.Ceil(clean(m.value/grain)) * grain)
	}
}

// clean takes away what binary fractions add to decimal ones.
func clean(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// worst returns the offenders, the worst first.
func (m *measure) worst() []offender {
	return slices.SortedStableFunc(slices.Values(m.offenders), func(a, b offender) int {
		if m.least {
			return cmp.Compare(a.value, b.value)
		}
		return cmp.Compare(b.value, a.value)
	})
}

// number writes a value of the measure with its unit.
func (m *measure) number(x float64) string {
	digits := 0
	if m.unit != "" {
		digits = 1
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if m.unit != "" {
		s += " " + m.unit
	}
	return s
}

// printTable writes a line per measure, and with all of them what misses its target.
func printTable(out io.Writer, measures []measure, b *bounds, verbose bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "measure\tnow\ttarget\treached\tbound\tmiss\tworst")
	for i := range measures {
		m := &measures[i]
		sign, reached, worst, bound := "≤", "no", "", "–"
		if m.least {
			sign = "≥"
		}
		if m.reached() {
			reached = "yes"
		}
		if list := m.worst(); m.misses() > 0 {
			worst = brief(list[0].what)
		}
		if committed, ok := b.measures[m.name]; ok {
			bound = m.number(committed.value)
		}
		fmt.Fprintf(w, "%s\t%s\t%s %s\t%s\t%s\t%d\t%s\n", m.title, m.number(m.value), sign, m.number(m.target), reached, bound, m.misses(), worst)
	}
	_ = w.Flush() // out keeps its error
	if !verbose {
		return
	}
	for i := range measures {
		printOffenders(out, &measures[i])
	}
}

// brief cuts what is said of an offender for a line of the table.
func brief(what string) string {
	const most = 60
	if r := []rune(what); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return what
}

func printOffenders(out io.Writer, m *measure) {
	if len(m.offenders) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s, target %s:\n", m.title, m.number(m.target))
	for _, o := range m.worst() {
		value := m.number(o.value)
		if m.each != "" {
			value = fmt.Sprintf("%.0f %s", o.value, m.each)
		}
		fmt.Fprintf(out, "  %s  %s\n", value, o.what)
	}
}
