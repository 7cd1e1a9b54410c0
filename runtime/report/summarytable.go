package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/runtime/metric"
)

// WriteTable writes the summary for a reader at a terminal.
func (s *Summary) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s", s.Spec, s.Data)
	if s.Test != "" {
		fmt.Fprintf(&b, ", tested on %s", s.Test)
	}
	fmt.Fprintf(&b, "\nmethod %s", s.Method)
	if s.MethodReason != "" {
		fmt.Fprintf(&b, " (%s)", s.MethodReason)
	}
	fmt.Fprintf(&b, ", %s target, %s, %s\n", s.Task, rowCounts(s.NTrain, s.NValid, s.NTest, s.NUnlabelled), s.seedsText(s.Seeds))
	b.WriteString(s.intervals())
	t := &grid{right: []bool{false, true, true, true, true}}
	head := []string{"", "mean"}
	if len(s.Contenders) > 0 {
		head = append(head, s.Method+" − it", s.Method+" better")
	}
	if len(s.GapsMissed) > 0 {
		head = append(head, "inexact")
	}
	t.add(head...)
	s.rows(t)
	t.write(&b)
	b.WriteByte('\n')
	s.remarks(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// rows adds the figures, and of transformed rows the one that matters most.
func (s *Summary) rows(t *grid) {
	names := metric.Headline(s.Task)
	shown := func(name string, among []string) bool { return s.All || slices.Contains(among, name) }
	for k := range s.Metrics {
		if own := &s.Metrics[k]; shown(own.Metric, names) || s.tells(own) {
			s.figure(t, own.Metric, own, func(c *Comparisons) []Compared { return c.Metrics })
		}
	}
	for u := range s.Under {
		for k := range s.Under[u].Metrics {
			if own := &s.Under[u].Metrics[k]; shown(own.Metric, names[:1]) {
				s.figure(t, own.Metric+" under "+s.Under[u].Transformation, own, func(c *Comparisons) []Compared { return c.Under[u].Metrics })
			}
		}
	}
}

// tells reports whether a figure of an invariance is one to be shown. Of one-sided ones shares of broken rows are, and of others values.
func (s *Summary) tells(f *Spread) bool {
	for _, of := range []string{valueOf, valueAtTest} {
		if name, ok := strings.CutPrefix(f.Metric, of); ok {
			counted := slices.ContainsFunc(s.Metrics, func(g Spread) bool {
				rest, ok := strings.CutPrefix(g.Metric, brokenTrain+name)
				return ok && slices.ContainsFunc(overWords[:], func(words [3]string) bool { return rest == words[2] })
			})
			return !counted && !math.IsNaN(float64(f.Mean))
		}
	}
	return ofInvariance(f.Metric)
}

// figure adds a figure of the method and of each contender.
func (s *Summary) figure(t *grid, label string, own *Spread, of func(*Comparisons) []Compared) {
	if len(s.Contenders) == 0 || own.Metric == metric.MajorityBaseline {
		t.add(s.owned(label, own)...)
		return
	}
	t.add(label)
	t.add(s.owned("  "+s.Method, own)...)
	for k := range s.Contenders {
		all := of(&s.Contenders[k])
		at := slices.IndexFunc(all, func(c Compared) bool { return c.Metric == own.Metric })
		if at < 0 { // such as a log loss without probabilities
			continue
		}
		c := &all[at]
		t.add("  "+s.Contenders[k].Name, withInterval(c.Mean, c.Interval, ""),
			withInterval(c.Difference, c.DifferenceInterval, "+"), fmt.Sprintf("%d of %d", c.Better, c.Pairs))
	}
}

// owned returns the cells of a figure of the method. Beside it stands in how many seeds of the mean the gap was
// missed, if in any.
func (s *Summary) owned(label string, own *Spread) []string {
	cells := []string{label, withInterval(own.Mean, own.Interval, "")}
	if own.Inexact == 0 {
		return cells
	}
	if len(s.Contenders) > 0 {
		cells = append(cells, "", "")
	}
	defined := 0
	for _, v := range own.Values {
		if !math.IsNaN(float64(v)) {
			defined++
		}
	}
	return append(cells, fmt.Sprintf("%d of %d", own.Inexact, defined))
}

// remarks writes what there is to know beside the figures.
func (s *Summary) remarks(b *strings.Builder) {
	if len(s.GapsMissed) > 0 {
		fmt.Fprintf(b, "certificate   a gap is not reached at %s; means hold what these %ss came to, and count them as inexact\n", s.seedsText(s.GapsMissed), s.part())
	}
	for _, c := range s.Chosen {
		fmt.Fprintf(b, "grid          chose %s at %s\n", c.Setting, s.seedsText(c.Seeds))
	}
	for _, c := range s.Contenders {
		for _, had := range c.Setting {
			fmt.Fprintf(b, "%-13s %s at %s\n", c.Name, had.Setting, s.seedsText(had.Seeds))
		}
	}
	if s.SameRows {
		b.WriteString("rows          are the same at every seed: the intervals tell nothing about other draws; split draws rows by the seed\n")
	}
	if len(s.AllProved) > 0 {
		fmt.Fprintf(b, "required      %s proved at %s\n", Counted(s.Proved, "statement"), s.seedsText(s.AllProved))
	}
	for _, u := range s.Unproved {
		fmt.Fprintf(b, "required      %s at %s\n", u.Text, s.seedsText(u.Seeds))
	}
	for _, u := range s.Untested {
		fmt.Fprintf(b, "test rows     have no value at %s of %s\n", s.seedsText(u.Seeds), firstLine(u.Text))
	}
	for _, f := range s.Failed {
		fmt.Fprintf(b, "failed        %s: %s\n", s.seedsText([]uint64{f.Seed}), firstLine(f.Error))
	}
	for _, h := range s.Hints {
		fmt.Fprintf(b, "hint: %s: %s\n", s.seedsText(h.Seeds), firstLine(h.Text))
	}
	for _, w := range s.Warnings {
		if !w.told {
			fmt.Fprintf(b, "warning: %s: %s\n", s.seedsText(w.Seeds), firstLine(w.Text))
		}
	}
}

// part returns what a run of the summary is called by.
func (s *Summary) part() string {
	if s.Folds > 0 {
		return "fold"
	}
	return "seed"
}

// intervals says what stands beside the means.
func (s *Summary) intervals() string {
	if s.Folds == 0 {
		return "means ± half of the 95 % interval, by Student's t over the seeds; differences are those of the same seed\n\n"
	}
	if s.Later {
		return "each fold is predicted by a model of the rows before it, whose numbers were chosen without it; means over folds ± half of the 95 % interval,\n" +
			"by Student's t as if the folds were alike: it allows for no change over time; differences are those of the same fold\n\n"
	}
	return "each fold is predicted by a model of the others, whose numbers were chosen without it; means over folds ± half of the 95 % interval,\n" +
		"by Student's t with the variance of Nadeau and Bengio; differences are those of the same fold\n\n"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// withInterval returns a mean with half of its interval's width; the flag is that of within.
func withInterval(mean, half Number, flag string) string {
	out := within(mean, half, flag)
	if !math.IsNaN(float64(half)) {
		out += " ± " + within(half, half, "")
	}
	return out
}

// seedsText lists seeds, those that follow each other by the first and the last.
func (s *Summary) seedsText(seeds []uint64) string {
	if len(seeds) == 1 {
		return fmt.Sprintf("%s %d", s.part(), seeds[0])
	}
	var parts []string
	for first := 0; first < len(seeds); {
		last := first
		for last+1 < len(seeds) && seeds[last+1] == seeds[last]+1 {
			last++
		}
		switch {
		case last > first+1:
			parts = append(parts, fmt.Sprintf("%d to %d", seeds[first], seeds[last]))
		default:
			for _, seed := range seeds[first : last+1] {
				parts = append(parts, strconv.FormatUint(seed, 10))
			}
		}
		first = last + 1
	}
	return s.part() + "s " + strings.Join(parts, ", ")
}
