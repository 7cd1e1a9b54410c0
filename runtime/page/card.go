package page

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/metric"
)

// mostCardRows is how many rows a table of the card has.
const mostCardRows = 30

// markdown writes a text as Markdown has it, without markup of its own, on one line.
func markdown(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer("\\", `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`, "#", `\#`, "~", `\~`).Replace(text)
}

// code writes a text in a span of code, on one line.
func code(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// A carder writes a card.
type carder struct{ *bytes.Buffer }

func (c carder) linef(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

// table writes a table.
func (c carder) table(t *table) {
	if t == nil || len(t.Rows) == 0 {
		return
	}
	c.linef("")
	c.line(len(t.Head), func(k int) string { return markdown(t.Head[k]) })
	c.line(len(t.Head), func(k int) string {
		if t.Number(k) {
			return "--:"
		}
		return "---"
	})
	for _, row := range t.Rows[:min(len(t.Rows), mostCardRows)] {
		c.line(len(row), func(k int) string {
			text := markdown(row[k].Text)
			if sign := row[k].Sign(); sign != "" {
				text = sign + " " + text
			}
			return text
		})
	}
	c.linef("")
	if left := len(t.Rows) - mostCardRows; left > 0 {
		c.linef("%s left out.\n", counted(left, "further row", "is", "are"))
	}
	if t.Note != "" {
		c.linef("%s\n", markdown(t.Note))
	}
}

// beside names the page beside the card; empty stands for no page.
func (c carder) beside(page string) {
	if page != "" {
		address := strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A", "\\", "%5C").Replace(page)
		c.linef("\nThe page [%s](<%s>) has the figures as pictures, and more.", markdown(page), address)
	}
}

// alone says why no free function stands beside the run's own; empty stands for nothing.
func (c carder) alone(why string) {
	if why != "" {
		c.linef("Nothing stands beside it: %s.\n", markdown(why))
	}
}

// sets lists the values of the spec that the call replaced.
func (c carder) sets(all []Set) {
	for _, s := range all {
		c.linef("- set by the call: %s = %s in place of %s", code(s.Name), code(s.Value), code(s.Before))
	}
}

// line writes one line of a table.
func (c carder) line(n int, cell func(k int) string) {
	c.WriteString("|")
	for k := range n {
		c.WriteString(" " + cell(k) + " |")
	}
	c.WriteString("\n")
}

// WriteCard writes the model card. Beside is the page; empty stands for no page.
func (r *Run) WriteCard(b *bytes.Buffer, beside string) {
	c := carder{b}
	rep := r.Report
	c.linef("# Model card: %s\n\n%s %s\n", markdown(filepath.Base(rep.Spec)), markdown(r.lead()), markdown(r.how()))
	for _, badge := range r.badges() {
		c.linef("- %s %s", badge.Sign(), markdown(badge.Text))
	}
	c.beside(beside)
	c.linef("\n## What it is for\n\nIt predicts %s for rows that come from where the training rows come from. What the spec declares of it:\n", markdown(object(r)))
	cardDeclared(r, c)
	c.linef("\n## Data\n")
	c.linef("- data: %s, SHA-256 %s\n- training rows: %s; test rows: %s, never looked at before the end", code(rep.Data), code(rep.DataSHA256), grouped(rep.NTrain), grouped(rep.NTest))
	if text := rep.WeightLine(); text != "" {
		c.linef("- weight: %s", markdown(text))
	}
	if rep.NValid > 0 {
		c.linef("- valid rows, which decide between values of grids: %s", grouped(rep.NValid))
	}
	if len(r.Columns) > 0 && r.Image[0] == 0 {
		c.linef("- columns: %s", markdown(listed(r.Columns, mostCardRows)))
	}
	c.linef("\n## How well it predicts")
	c.table(contest(r, r.main()))
	c.alone(r.Alone)
	c.linef("%s\n", markdown(howIntervals(r, r.Machines[0].figure(r.main()))))
	c.linef("All figures of this run on the test rows:\n")
	for _, f := range r.Machines[0].Figures {
		c.linef("- %s: %s%s; %s", code(f.Name), number(f.Value), within(f.Interval), markdown(metric.Meaning(f.Name)))
	}
	for _, f := range r.Machines[0].Violations {
		c.linef("- violations of %s: %s%s; share of rows whose decided labels break it", code(f.Name), number(f.Value), within(f.Interval))
	}
	if t := movedTable(r); t != nil {
		c.linef("\nUnder transformations of the test rows:")
		c.table(t)
	}
	c.linef("\n## Limits\n")
	for _, text := range limits(r) {
		c.linef("- %s", markdown(text))
	}
	c.linef("\n## How to repeat it\n\n```sh\n%s\n```\n", strings.ReplaceAll(quoted(r.Command), "```", "'``'`"))
	c.sets(r.Sets)
	c.linef("- program: %s\n- seed: %d\n- SHA-256 of the spec: %s", markdown(r.Program), rep.Seed, code(rep.SpecSHA256))
	if rep.TestSHA256 != "" {
		c.linef("- SHA-256 of the test rows: %s", code(rep.TestSHA256))
	}
	if rep.ModelSHA256 != "" {
		c.linef("- SHA-256 of the model file: %s", code(rep.ModelSHA256))
	}
	for _, f := range rep.Families {
		c.linef("- SHA-256 of the program of family %s: %s", markdown(f.Name), code(f.Program))
	}
}

// object names what is predicted.
func object(r *Run) string {
	if r.Target == "" {
		return "the label, " + taskWords[r.Report.Task]
	}
	return r.Target + ", " + taskWords[r.Report.Task]
}

// cardDeclared lists statements with what is known of them.
func cardDeclared(r *Run, c carder) {
	if len(r.Declared) == 0 && len(r.Report.Required) == 0 {
		c.linef("nothing: it is as the kernel and the learner make it.")
	}
	for _, measures := range []bool{false, true} {
		for _, card := range cardsOf(r, measures) {
			c.linef("- **%s** %s", markdown(card.Name), code(card.Code))
			for _, text := range []string{card.Text, card.Quiet} {
				if text != "" {
					c.linef("  <br>%s", markdown(text))
				}
			}
			var said []string
			for _, b := range card.Badges {
				said = append(said, b.Text)
			}
			first := card.Table.Rows[0]
			value := "value at the training rows " + first[1].Text
			if len(first) > 2 {
				value += ", of the free function " + first[2].Text
			}
			c.linef("  <br>%s; %s", markdown(strings.Join(said, "; ")), value)
		}
	}
	for _, b := range requiredBlocks(r) {
		if b.Table != nil {
			c.linef("\nWhat must hold at every point of a region:")
			c.table(b.Table)
		}
		for _, text := range b.List {
			c.linef("- %s", markdown(text))
		}
	}
}

// limits says what the run does not show.
func limits(r *Run) (out []string) {
	rep := r.Report
	out = append(out, "Figures are those of rows drawn like the test rows. Of rows from elsewhere they tell nothing.")
	if e := scoresOf(r); e != "" {
		out = append(out, "Error of scores: "+e+".")
	}
	if len(r.Declared) > 0 {
		out = append(out, "A weight makes a statement cheap to obey and dear to break; it does not forbid. What is required, and proved, holds on its region alone.")
	}
	for _, s := range slices.Concat(rep.Regularizer, rep.Measures) {
		if s.Searched != nil {
			out = append(out, s.Name+" is a maximum over an orbit. "+s.Searched.Sentence(s.Value))
		}
		if s.Drawn != nil {
			out = append(out, s.Drawn.Sentence(s.Name)+".")
		}
	}
	if rep.Missed != "" {
		out = append(out, "The run missed its aim: "+rep.Missed+".")
	}
	if text := rep.IdleText(); text != "" {
		out = append(out, text+".")
	}
	for _, text := range rep.Warnings {
		out = append(out, "Warning: "+text)
	}
	for _, text := range rep.Hints {
		out = append(out, "Hint: "+text)
	}
	return out
}
