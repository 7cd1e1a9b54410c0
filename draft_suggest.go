package sipc

import (
	"fmt"
	"slices"
	"strings"
)

// suggest says what may be true of the columns. It declares only what the file says itself: nobody but the user knows the rest.
func (d *drafting) suggest() {
	if d.image > 0 {
		d.suggested = append(d.suggested, suggestion{
			when: "If what is seen stays the same when it is turned a little or moved by a pixel", name: "steady",
			body: d.over() + "max over t in {rotate(10deg), rotate(-10deg), shift(dx = 1), shift(dx = -1), shift(dy = 1), shift(dy = -1)} of |" +
				d.f("t(x)", d.each()) + " - " + d.f("x", d.each()) + "|",
		})
		return
	}
	switch {
	case d.hierarchy:
		up := suggestion{
			when: "A label implies the labels above it, as the file has them.", name: "up",
			body: "rms over x of max over (child, parent) in edges(taxonomy(data)) of implies(child, parent)",
		}
		if d.many {
			d.suggested = append(d.suggested, up)
		} else {
			d.active = append(d.active, up)
		}
	case len(d.labels) > 1:
		d.suggested = append(d.suggested, suggestion{
			when: `If a row with one label always has another (for all of a file "child,parent": max over (a, b) in edges(taxonomy("FILE.csv")) of implies(a, b))`,
			name: "implied", body: "rms over x of implies(" + quoted(d.labels[0]) + ", " + quoted(d.labels[1]) + ")",
		})
	}
	if slow := d.numbers[:min(len(d.numbers), mostSlow)]; len(slow) > 0 {
		d.suggested = append(d.suggested, suggestion{
			when: "If small errors of measurement hardly matter, so that f changes slowly along each of these columns" + firstOf(len(slow), len(d.numbers)),
			name: "steady", body: d.over() + d.slow(slow),
		})
		d.suggestSlopes()
	}
	d.suggestGroups()
}

// suggestSlopes says what may be true of the slopes along columns of numbers.
func (d *drafting) suggestSlopes() {
	first, second := d.numbers[0], d.numbers[min(1, len(d.numbers)-1)]
	slope := func(c *columnSummary, sign string) string {
		return "rms over x of pos(" + sign + "d/d(" + quoted(c.name) + ") " + d.f("", d.label) + ")"
	}
	rising, falling := slope(first, "-"), slope(second, "")
	if !d.joint {
		rising, falling = "increasing("+quoted(first.name)+")", "decreasing("+quoted(second.name)+")"
	}
	always := ""
	provable := !d.joint && len(d.words) == 0 && len(d.numbers)+len(d.groups) <= mostProved
	if !d.joint && !provable {
		always = " (for any row that may come, and proved: `require` in docs/language.md, with kernel pairwise(gaussian(width = median)))"
	}
	d.suggested = append(d.suggested,
		suggestion{when: "If the score cannot fall as " + first.name + " grows" + always, name: "rising", body: rising},
		suggestion{when: "If the score cannot rise as " + second.name + " grows", name: "falling", body: falling})
	if d.joint {
		return
	}
	d.suggested = append(d.suggested, suggestion{
		when: "If each further unit of " + first.name + " adds less than the one before", name: "bending", body: "concave(" + quoted(first.name) + ")",
	})
	if provable {
		d.suggested = append(d.suggested, suggestion{
			when: "If the score must not fall with " + first.name + " for any row that may come, which is proved",
			name: "always", body: "d/d(" + quoted(first.name) + ") f >= 0 over x in box", required: true,
		})
	}
}

// fewestOfGroup is how many rows a group must have to be compared with another: some may be held out.
const fewestOfGroup = 10

// largestGroups returns the places of the two largest groups of a column, and whether there are two that are large enough.
func largestGroups(c *columnSummary) (one, other int, enough bool) {
	one, other = -1, -1
	for k, count := range c.counts {
		switch {
		case one < 0 || count > c.counts[one]:
			one, other = k, one
		case other < 0 || count > c.counts[other]:
			other = k
		}
	}
	return one, other, other >= 0 && c.counts[other] >= fewestOfGroup
}

// suggestGroups says what may be true of the groups that texts make. Where rows with gaps are left out a group may be gone.
func (d *drafting) suggestGroups() {
	at := slices.IndexFunc(d.groups, func(c *columnSummary) bool { return c.texts && len(c.values) > 1 })
	if at < 0 || d.joint || d.undecided {
		return
	}
	c := d.groups[at]
	first, second, enough := largestGroups(c)
	if !enough {
		return
	}
	text := func(value string) string {
		if strings.HasPrefix(value, `"`) { // as it is no name
			return value
		}
		return `"` + value + `"`
	}
	one, other := text(c.values[first]), text(c.values[second])
	put := func(value string) string { return fmt.Sprintf("f(put(%s, %s)(x))", quoted(c.name), value) }
	d.suggested = append(d.suggested,
		suggestion{
			when: "If the mean score is to be the same in two groups of " + c.name + ", which may cost error", name: "alike",
			body: fmt.Sprintf("parity_between(%s, %s, %s)", quoted(c.name), one, other),
		},
		suggestion{
			when: "If the score of a row is to be the same whichever of two groups of " + c.name + " it is put into", name: "blind",
			body: "rms over x of |" + put(one) + " - " + put(other) + "|",
		})
}

// each returns the label of a statement: a bound one, or the first of many.
func (d *drafting) each() string {
	if d.many {
		return d.label
	}
	return "c"
}

// firstOf says that some columns stand for all; empty where they are all.
func firstOf(some, all int) string {
	if some == all {
		return ""
	}
	return fmt.Sprintf(" (the first %d of %d; take those that you mean)", some, all)
}

// over quantifies over rows, and over labels where f is a function of few.
func (d *drafting) over() string {
	if d.joint && !d.many {
		return "rms over x, c in labels of "
	}
	return "rms over x of "
}

// f returns f at a point and a label, as far as it is a function of them.
func (d *drafting) f(point, label string) string {
	var at []string
	if point != "" {
		at = append(at, point)
	}
	if d.joint && label != "" {
		at = append(at, label)
	}
	if len(at) == 0 {
		return "f"
	}
	return "f(" + strings.Join(at, ", ") + ")"
}

// slow writes the size of the slopes of f along some columns: their 2-norm if there are several.
func (d *drafting) slow(columns []*columnSummary) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = "|d/d(" + quoted(c.name) + ") " + d.f("", d.each()) + "|"
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "hypot(" + strings.Join(parts, ", ") + ")"
}
