package page

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/sipc-ml/sipc/runtime/report"
)

const (
	mostStatements = 8
	mostMembers    = 12
	// witnessesAll says where all members are.
	witnessesAll = "sipc explain --model has them, of a model that --out writes"
)

// witnesses tells which statements, rows and members pull most.
func (r *Run) witnesses() section {
	s := section{ID: "witnesses", Title: "Witnesses"}
	if len(r.Pulls) == 0 {
		return s
	}
	s.Blocks = append(s.Blocks, block{Text: "A statement is an aggregate of members: one for each row, pair, label or transformation that it ranges over. " +
		"These are the members that pull most: their share of its value at f. A member with a large share is where f obeys least, and perhaps where the statement is not true."})
	for k := range r.Pulls {
		s.Blocks = append(s.Blocks, witness(&r.Pulls[k])...)
	}
	return s
}

// witness shows one invariance.
func witness(w *Pull) []block {
	head := block{Heading: w.Name, Text: fmt.Sprintf("%s of %s active; the value is %s.", grouped(w.Active), counted(w.Functionals, "functional", "is", "are"), number(float64(w.Value)))}
	if w.Active == 0 {
		head.Text = "No functional is active: f obeys it at all training rows."
		return []block{head}
	}
	out := []block{head}
	if w.Spoken > 1 {
		t := &table{Caption: "Parts of " + w.Name + " that pull most", Head: []string{"part", "share", "active", "members"}, Numbers: numbers(4)}
		for _, st := range w.Statements {
			t.Rows = append(t.Rows, []cell{{Text: st.Part}, {Text: percent(float64(st.Share)), Shade: float64(st.Share)}, {Text: grouped(st.Active)}, {Text: grouped(st.Members)}})
		}
		out = append(out, block{Table: t.most(mostStatements, w.Spoken, "parts")})
	}
	if n := len(w.Images); n > 0 {
		out = append(out, block{Pairs: pairs(w.Images)})
		if n < w.Active {
			out = append(out, block{Quiet: true, Text: mostOf(n, w.Active, "members")})
		}
		return out
	}
	t := &table{Caption: "Members of " + w.Name + " that pull most", Head: []string{"member", "rows", "value", "share"}, Numbers: numbers(4, 1)}
	for i := range w.Members {
		m := &w.Members[i]
		t.Rows = append(t.Rows, []cell{{Text: m.Part}, {Text: where(m)}, {Text: number(float64(m.Value))}, {Text: percent(float64(m.Share)), Shade: float64(m.Share)}})
	}
	return append(out, block{Table: t.most(mostMembers, w.Active, "members")})
}

// most keeps the first rows, and says below the table of how many they are those that pull most.
func (t *table) most(most, of int, noun string) *table {
	if t.Rows = t.Rows[:min(most, len(t.Rows))]; len(t.Rows) < of {
		t.Note = mostOf(len(t.Rows), of, noun)
	}
	return t
}

// mostOf says of how many active things some are those that pull most.
func mostOf(n, of int, noun string) string {
	return fmt.Sprintf("%s of %s active %s, those that pull most; %s.", grouped(n), grouped(of), noun, witnessesAll)
}

// where tells the rows and elements at which a member is.
func where(m *report.WitnessMember) string {
	var parts []string
	for _, b := range m.At {
		if !strings.Contains(m.Part, b.Value) {
			parts = append(parts, b.Variable+" = "+b.Value)
		}
	}
	if len(parts) == 0 && len(m.Rows) > 0 {
		return "row " + strings.Join(m.Rows, ", ")
	}
	return strings.Join(parts, ", ")
}

// pairs shows images before and after.
func pairs(all []Pair) (out []pair) {
	for _, p := range all {
		text := fmt.Sprintf("row %s; value %s, %s of the whole", p.Row, number(p.Value), percent(p.Share))
		if !math.IsNaN(p.FBefore) && !math.IsNaN(p.FAfter) {
			text += fmt.Sprintf("; f is %s, and %s after it", number(p.FBefore), number(p.FAfter))
		}
		out = append(out, pair{Title: p.Part, Text: text, Before: template.URL(p.Before), After: template.URL(p.After), //nolint:gosec // data URIs of the program
			BeforeAlt: "row " + p.Row, AfterAlt: "row " + p.Row + " under " + p.Part})
	}
	return out
}
