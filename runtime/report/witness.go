package report

import (
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// Witnesses say what each invariance comes to on the fit, and which of its members are to blame.
type Witnesses struct {
	Model       string    `json:"model"` // path of the model, as given
	File        *File     `json:"file,omitempty"`
	Program     string    `json:"program"`
	SpecSHA256  string    `json:"spec_sha256"`
	DataSHA256  string    `json:"data_sha256"`
	Method      string    `json:"method"`
	Rows        int       `json:"rows"`                 // of the training data
	Unlabelled  int       `json:"unlabelled,omitempty"` // further rows that R sees
	Nodes       int       `json:"nodes,omitempty"`      // that stand for an interval over which R takes a maximum
	Value       Number    `json:"value"`                // of R
	Invariances []Witness `json:"invariances"`
	// Components are those of f; nil where f is no sum over columns and pairs.
	Components *Components `json:"components,omitempty"`
}

// A Witness is one invariance on the fit. Values are those of the function that predicts, scaled so that its standard deviation over the
// training rows is 1.
type Witness struct {
	Name        string             `json:"name"`
	Kind        string             `json:"kind"`
	Text        string             `json:"text"`
	Weight      float64            `json:"weight"`
	Value       Number             `json:"value"`
	Share       Number             `json:"share"` // of R²
	Functionals int                `json:"functionals"`
	Sampled     *Sampled           `json:"sampled,omitempty"` // from how many elements the value is known; nothing is said of the others
	Active      int                `json:"active"`            // members that contribute
	Spoken      int                `json:"statements_active"` // statements of which a member contributes
	Statements  []WitnessStatement `json:"statements"`        // those with the largest shares first
	Members     []WitnessMember    `json:"members"`           // likewise
	Broken      *Broken            `json:"broken,omitempty"`  // at how many rows a one-sided statement is broken
	Test        *Tested            `json:"test,omitempty"`    // its value by the test rows; absent where nothing was measured
	Baseline    *WitnessBaseline   `json:"baseline,omitempty"`
	// Everywhere says that it asks the same of every row, beyond the training rows too.
	Everywhere bool `json:"-"`
}

// A WitnessBaseline is one invariance at the function of method plain.
type WitnessBaseline struct {
	Value  Number  `json:"value"`
	Broken *Broken `json:"broken,omitempty"`
	Test   *Tested `json:"test,omitempty"`
}

// A WitnessStatement is an implication, a transformation, an expression, wherever it is looked at.
type WitnessStatement struct {
	Part    string `json:"part"`
	Members int    `json:"members"`
	Active  int    `json:"active"`
	Share   Number `json:"share"` // of the invariance's value
}

// A WitnessMember is one functional that contributes.
type WitnessMember struct {
	Part         string                `json:"part"`
	At           []regularizer.Binding `json:"at,omitempty"` // what its variables stand for, the outermost first
	Rows         []string              `json:"rows,omitempty"`
	Value        Number                `json:"value"`        // of the functional at f; of a two-sided one its size
	Share        Number                `json:"share"`        // of the invariance's value
	Contribution Number                `json:"contribution"` // share times value: these sum to the invariance's value
}

// Top keeps so many statements and members of each invariance, and parts of f.
func (w *Witnesses) Top(most int) *Witnesses {
	out := *w
	out.Components = w.Components.Top(most)
	out.Invariances = make([]Witness, len(w.Invariances))
	for i, inv := range w.Invariances {
		inv.Statements = inv.Statements[:min(most, len(inv.Statements))]
		inv.Members = inv.Members[:min(most, len(inv.Members))]
		out.Invariances[i] = inv
	}
	return &out
}

// Text returns what a reader at a terminal sees.
func (w *Witnesses) Text() string {
	var b strings.Builder
	rows, seen := Counted(w.Rows, "training row"), "training rows"
	if w.Unlabelled > 0 {
		rows, seen = rows+" and "+Counted(w.Unlabelled, "unlabelled row"), "rows that R sees"
	}
	fmt.Fprintf(&b, "%s: method %s on %s, by %s\n", w.Model, w.Method, rows, w.Program)
	if f := w.File; f != nil {
		f.write(&b)
	}
	if len(w.Invariances) == 0 {
		b.WriteString("R is zero: the model was fitted without an invariance, and there is nothing to witness.\n")
	} else {
		w.writeInvariances(&b, seen)
	}
	if w.Components != nil {
		w.Components.write(&b)
	}
	return b.String()
}

// writeInvariances writes R and its summands. Seen is the name of the rows that R sees.
func (w *Witnesses) writeInvariances(b *strings.Builder, seen string) {
	fmt.Fprintf(b, "R comes to %s at the function that predicts, scaled to a standard deviation of 1", figureText(float64(w.Value)))
	if w.Nodes > 0 {
		fmt.Fprintf(b, "; %d nodes stand for an interval", w.Nodes)
	}
	b.WriteString(".\n")
	for i := range w.Invariances {
		w.Invariances[i].write(b, len(w.Invariances) > 1, seen)
	}
}

// write writes an invariance with its value, and where it comes from. Several says that R has other summands, whose
// shares count. Seen is the name of the rows that R sees.
func (w *Witness) write(b *strings.Builder, several bool, seen string) {
	fmt.Fprintf(b, "\n%s = %s  %s, weight %g, %d of %s active", w.Name, figureText(float64(w.Value)), w.Kind, w.Weight,
		w.Active, Counted(w.Functionals, "functional"))
	if several {
		fmt.Fprintf(b, ", %s of R²", share(float64(w.Share)))
	}
	var base *Broken
	if w.Baseline != nil {
		fmt.Fprintf(b, "; plain %s", figureText(float64(w.Baseline.Value)))
		base = w.Baseline.Broken
	}
	b.WriteByte('\n')
	if w.Sampled != nil {
		word := "estimated"
		if w.Sampled.AtLeast {
			word = "at least, known"
		}
		fmt.Fprintf(b, "  %s from %d of %d elements%s; the others were not looked at\n", word, w.Sampled.Elements, w.Sampled.Of, w.Sampled.errorText())
	}
	w.writeTest(b)
	if w.Broken != nil {
		fmt.Fprintf(b, "  %s\n", w.Broken.sentence(base))
	}
	if w.Active == 0 {
		where := "all " + seen
		if w.Sampled != nil {
			where = "these"
		}
		fmt.Fprintf(b, "  the function that predicts obeys it at %s\n", where)
		return
	}
	if w.Spoken > 1 {
		t := &grid{right: []bool{false, true, true}}
		t.add("  statement", "share", "active")
		for _, s := range w.Statements {
			t.add("  "+s.Part, share(float64(s.Share)), fmt.Sprintf("%d of %d", s.Active, s.Members))
		}
		t.write(b)
		more(b, w.Spoken, len(w.Statements), "statement")
	}
	w.writeMembers(b)
}

// writeTest says what the invariance comes to by the test rows.
func (w *Witness) writeTest(b *strings.Builder) {
	switch t := w.Test; {
	case t == nil:
	case t.Unknown != "":
		if w.Broken == nil || w.Broken.Untested == "" { // else the line of broken rows says so
			fmt.Fprintf(b, "  no value by the test rows: %s\n", t.Unknown)
		}
	default:
		fmt.Fprintf(b, "  %s by the test rows", figureText(float64(t.Value)))
		if w.Baseline != nil && w.Baseline.Test.known() {
			fmt.Fprintf(b, ", plain %s", figureText(float64(w.Baseline.Test.Value)))
		}
		if t.Sampled != nil {
			fmt.Fprintf(b, "; %s", t.Sampled.sentence(w.Name))
		}
		b.WriteByte('\n')
	}
}

// writeMembers writes the members that have the largest parts in the value.
func (w *Witness) writeMembers(b *strings.Builder) {
	t := &grid{right: []bool{false, true, true, false}}
	t.add("  member", "share", "value", "at")
	for i := range w.Members {
		m := &w.Members[i]
		t.add("  "+m.Part, share(float64(m.Share)), fmt.Sprintf("%.4g", float64(m.Value)), m.where())
	}
	t.write(b)
	more(b, w.Active, len(w.Members), "member")
}

// more says how many of some things are not shown.
func more(b *strings.Builder, all, shown int, word string) {
	if n := all - shown; n > 0 {
		fmt.Fprintf(b, "  and %s\n", Counted(n, "more active "+word))
	}
}

// where returns what the variables stand for, without labels and transformations, which the part shows in their
// places.
func (m *WitnessMember) where() string {
	var parts []string
	for _, b := range m.At {
		if !strings.Contains(m.Part, b.Value) {
			parts = append(parts, b.Variable+" = "+b.Value)
		}
	}
	return strings.Join(parts, ", ")
}
