package diag

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// sourceWidth is that of source lines where the width of the terminal is not known.
const sourceWidth = 120

// tabStop is the distance of tab stops where sources are shown.
const tabStop = 4

// maxSpanLines is how many lines of a long span are shown; the middle ones are left out.
const maxSpanLines = 6

// snippet writes the lines of a file that the marks lie on, each mark beneath its line.
func (r *renderer) snippet(g *marked, first bool) {
	lead := strings.Repeat(" ", r.gutter)
	if g.file == "" {
		r.noted("= ", "", g.marks[0].message)
		return
	}
	arrow := "-->"
	if !first {
		arrow = ":::"
	}
	fmt.Fprintf(&r.b, "%s%s %s\n", lead, r.paint(styleFrame, arrow), visible(g.at.String()))
	source := r.text(g.file)
	lines := g.lines(len(source.starts), r.options.Context)
	if len(lines) == 0 {
		for _, m := range g.marks {
			if m.message != "" {
				r.noted("= ", "", m.span.String()+": "+m.message)
			}
		}
		return
	}
	bar := r.paint(styleFrame, "|")
	fmt.Fprintf(&r.b, "%s %s\n", lead, bar)
	last := 0
	for _, n := range lines {
		if last > 0 && n > last+1 {
			fmt.Fprintf(&r.b, "%s\n", r.paint(styleFrame, strings.Repeat(".", r.gutter+2)))
		}
		last = n
		r.sourceLine(g, n, source.line(n), bar)
	}
}

// lines returns the numbers of the lines to be shown.
func (g *marked) lines(count, context int) []int {
	var lines []int
	for _, m := range g.marks {
		from, to := m.span.Start.Line, max(m.span.Start.Line, m.span.End.Line)
		for n := from - context; n <= to+context && from > 0; n++ {
			middle := to-from >= maxSpanLines && n > from+maxSpanLines/2-1 && n < to-maxSpanLines/2+1
			if n >= 1 && n <= count && !middle {
				lines = append(lines, n)
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// A text is a source cut into lines.
type text struct {
	source []byte
	starts []int // offsets of the lines
}

// text returns the source of a file, cut into lines on first use.
func (r *renderer) text(file string) *text {
	if t, ok := r.texts[file]; ok {
		return t
	}
	source, ok := r.sources[file]
	t := &text{source: source}
	if ok {
		t.starts = append(t.starts, 0)
		for i, c := range source {
			if c == '\n' {
				t.starts = append(t.starts, i+1)
			}
		}
	}
	r.texts[file] = t
	return t
}

// line returns line n, without its end.
func (t *text) line(n int) string {
	end := len(t.source)
	if n < len(t.starts) {
		end = t.starts[n] - 1
	}
	return strings.TrimSuffix(string(t.source[t.starts[n-1]:end]), "\r")
}

// An underline is the stretch of a line, in columns of the terminal, that a mark covers.
type underline struct {
	from, to int
	mark     mark
	last     bool // the mark ends on this line, and its message stands here
}

// sourceLine writes a line and what is marked on it.
func (r *renderer) sourceLine(g *marked, n int, line string, bar string) {
	around, before, after := window(line, firstMarked(g.marks, n))
	cells := expand(around)
	var under []underline
	for _, m := range g.marks {
		if u, ok := cells.underline(m.moved(n, before), n, around); ok {
			under = append(under, u)
		}
	}
	sort.SliceStable(under, func(i, j int) bool {
		a, b := under[i], under[j]
		return a.mark.primary && !b.mark.primary || a.mark.primary == b.mark.primary && a.from < b.from
	})
	text, shift, cropped := r.crop(cells, under, before > 0, after)
	fmt.Fprintf(&r.b, "%s\n", strings.TrimRight(fmt.Sprintf("%s %s %s", r.paint(styleFrame, fmt.Sprintf("%*d", r.gutter, n)), bar, text), " "))
	for _, u := range under {
		u.from, u.to = max(0, u.from-shift), u.to-shift
		if cropped > 0 {
			u.to = min(u.to, cropped)
		}
		sign := "-"
		if u.mark.primary {
			sign = "^"
		}
		marks := strings.Repeat(" ", u.from) + r.paint(u.mark.style, strings.Repeat(sign, max(1, u.to-u.from)))
		if u.last && u.mark.message != "" {
			marks += " " + r.paint(u.mark.style, u.mark.message)
		}
		fmt.Fprintf(&r.b, "%s %s %s\n", strings.Repeat(" ", r.gutter), bar, marks)
	}
}

// Source lines are measured within so many code points before a mark and behind its beginning. Longer ones would take
// longer to measure than to read, and are cut anyway.
const measuredBefore, measuredBehind = 500, 1000

// window returns the part of a line around a column, how many code points are left out before it, and whether any are
// behind it.
func window(line string, column int) (part string, before int, after bool) {
	if len(line) <= measuredBefore+measuredBehind {
		return line, 0, false
	}
	runes := []rune(line)
	from := max(0, min(column-1, len(runes))-measuredBefore)
	to := min(len(runes), from+measuredBefore+measuredBehind)
	return string(runes[from:to]), from, to < len(runes)
}

// firstMarked returns the column at which the primary mark of line n begins, or else another.
func firstMarked(marks []mark, n int) int {
	column := 1
	for i := len(marks) - 1; i >= 0; i-- {
		if m := marks[i].span.Start; m.Line == n && (column == 1 || marks[i].primary) {
			column = m.Column
		}
	}
	return column
}

// moved returns a mark as it lies in line n without its first code points.
func (m mark) moved(n, before int) mark {
	if m.span.Start.Line == n {
		m.span.Start.Column = max(1, m.span.Start.Column-before)
	}
	if m.span.End.Line == n {
		m.span.End.Column = max(1, m.span.End.Column-before)
	}
	return m
}

// cells are a line as the terminal shows it: tabs expanded and control characters replaced. They have for each code
// point, and the end, the column where it begins. A terminal may draw several code points as one, such as a letter
// with its accents or the parts of an emoji. Of these all after the first begin where the first ends.
type cells struct {
	text    string
	columns []int
}

// maxCluster bounds the code points that are measured together.
const maxCluster = 64

func expand(line string) cells {
	var c cells
	var b strings.Builder
	column, base := 0, 0 // column is base and the width of the cluster
	var cluster []rune
	for _, ch := range line {
		c.columns = append(c.columns, column)
		if ch == '\t' {
			n := tabStop - column%tabStop
			b.WriteString(strings.Repeat(" ", n))
			column += n
			base, cluster = column, nil
			continue
		}
		shown := visible(string(ch))
		b.WriteString(shown)
		if ch < utf8.RuneSelf || len(cluster) == maxCluster {
			base, cluster = column, nil
		}
		cluster = append(cluster, []rune(shown)...)
		column = base + widths.StringWidth(string(cluster))
	}
	c.columns = append(c.columns, column)
	c.text = b.String()
	return c
}

// underline returns the part of line n that a mark covers.
func (c cells) underline(m mark, n int, line string) (underline, bool) {
	from, to := m.span.Start, m.span.End
	if to.Line < from.Line {
		to = from
	}
	if n < from.Line || n > to.Line {
		return underline{}, false
	}
	u := underline{mark: m, last: n == to.Line}
	if n == from.Line {
		u.from = c.at(from.Column - 1)
	} else {
		u.from = c.at(utf8.RuneCountInString(line) - utf8.RuneCountInString(strings.TrimLeft(line, " \t")))
	}
	u.to = c.columns[len(c.columns)-1]
	if n == to.Line {
		u.to = c.at(to.Column - 1)
	}
	if u.to <= u.from && from.Line != to.Line && n != from.Line {
		return underline{}, false
	}
	return u, true
}

func (c cells) at(i int) int { return c.columns[min(max(i, 0), len(c.columns)-1)] }

// crop cuts a line to the width of the terminal, around what is marked. It returns the text, by how much it is shifted, and
// its width where it was cut. Before and after say that it goes on at its ends.
func (r *renderer) crop(c cells, under []underline, before, after bool) (text string, shift, width int) {
	room := cmp.Or(r.options.Width, sourceWidth) - r.gutter - 3
	total := c.columns[len(c.columns)-1]
	if !before && !after && total <= room {
		return c.text, 0, 0
	}
	room = max(room, 20)
	from := 0
	if len(under) > 0 {
		u := under[0]
		if u.to > room {
			from = min(u.from, max(0, u.to-room)+room/4, u.from-room/4)
		}
	}
	from = max(0, from)
	var b strings.Builder
	column := 0
	for _, ch := range c.text {
		w := widths.RuneWidth(ch)
		if column >= from && column+w <= from+room {
			b.WriteRune(ch)
		} else if column < from && column+w > from {
			b.WriteString(strings.Repeat(" ", column+w-from))
		}
		column += w
	}
	return ellipsis(b.String(), before || from > 0, after || from+room < total), from, room
}

// ellipsis marks the ends of a line where it was cut.
func ellipsis(s string, left, right bool) string {
	runes := []rune(s)
	if left && len(runes) > 0 && widths.RuneWidth(runes[0]) == 1 {
		runes[0] = '…'
	}
	if right && len(runes) > 0 && widths.RuneWidth(runes[len(runes)-1]) == 1 {
		runes[len(runes)-1] = '…'
	}
	return string(runes)
}
