package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Requirement is a statement that a function is to keep at every point of a region, and what is proved of it.
type Requirement struct {
	Name string `json:"name"`
	Text string `json:"text"` // the relation, as the spec has it
	// Held is the statement as the model file holds it, made of its numbers; empty where the text is known to be true.
	Held string `json:"held,omitempty"`
	// Over is the region, by column, in units of the data; Held has it, too.
	Over   []string `json:"-"`
	Answer string   `json:"answer"` // proved, refuted or open
	// Margin is a proven lower bound of the difference of both sides on the region; null where there is none.
	Margin *Number `json:"margin"`
	Aim    Number  `json:"aim,omitempty"`    // the margin that the fit aimed at; 0 where it knew nothing of the statement
	Within Number  `json:"within,omitempty"` // what an equation is kept to within; 0 for others
	Cells  int     `json:"cells"`            // that were looked at
	// At is the worst point that was found, where the statement is not proved: the difference there lies between Low and High.
	At   []Coordinate `json:"at,omitempty"`
	Low  Number       `json:"low,omitempty"`
	High Number       `json:"high,omitempty"`
	Why  string       `json:"why,omitempty"` // it is open
	// Open is how many cells are left open, and Left has the lowest of them; absent where nobody asked.
	Open int    `json:"open,omitempty"`
	Left []Cell `json:"left,omitempty"`
	// Seconds are those of the proof; 0 where nobody asked.
	Seconds Number `json:"seconds,omitempty"`
}

// A Cell is a part of a region that is left open, as columns in intervals. Least is a proven lower bound of the difference of both sides there.
type Cell struct {
	Where string `json:"where"`
	Least Number `json:"least"`
}

// A Coordinate is the value of a column at a point, as the file has it.
type Coordinate struct {
	Column string `json:"column"`
	Value  string `json:"value"`
}

// answerProved is the answer of a statement that holds at every point of its region.
const answerProved = "proved"

// unproved returns what is said of the names of statements that are not proved, each once.
func unproved(all []Requirement) (missing []string) {
	for i := range all {
		if r := &all[i]; r.Answer != answerProved && !slices.Contains(missing, r.Name+" is "+r.Answer) {
			missing = append(missing, r.Name+" is "+r.Answer)
		}
	}
	return missing
}

// Unproved says which statements are not proved. Empty means that all are.
func Unproved(all []Requirement) string {
	missing := unproved(all)
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("not all of %d statements are proved: %s", len(all), strings.Join(missing, ", "))
}

// mostListed is how many statements of one name are listed one by one.
const mostListed = 8

// mostCells is how many of the cells that are left open are listed.
const mostCells = 3

// WriteRequirements writes a line for each statement, and the worst point of those that are not proved. Of many that are proved under one
// name, as a sweep of rows makes them, it writes one line.
func WriteRequirements(b *strings.Builder, all []Requirement) {
	head := "required"
	line := func(format string, args ...any) {
		fmt.Fprintf(b, "%-13s %s\n", head, fmt.Sprintf(format, args...))
		head = ""
	}
	for len(all) > 0 {
		many := 1
		for many < len(all) && all[many].Name == all[0].Name {
			many++
		}
		group := all[:many]
		all = all[many:]
		proved, least, within := 0, Number(math.Inf(1)), Number(0)
		told := 0
		for i := range group {
			r := &group[i]
			within = max(within, r.Within)
			if r.Answer == answerProved && r.Margin != nil {
				proved, least = proved+1, min(least, *r.Margin)
			}
			if r.Answer != answerProved {
				told++
			}
			if many <= mostListed || r.Answer != answerProved && told <= mostListed {
				r.write(line)
			}
		}
		if many > mostListed {
			if told > mostListed {
				line("and %d more that are not proved, which --json lists", told-mostListed)
			}
			line("%s", summed(group[0].Name, proved, many, least, within))
			for _, text := range heldOf(group) {
				line("  %s", text)
			}
		}
	}
}

// write writes the lines of one statement.
func (r *Requirement) write(line func(format string, args ...any)) {
	line("%s: %s", r.heading(), r.verdict())
	if r.Held != "" {
		line("  held: %s", r.Held)
	}
	if len(r.At) > 0 && r.Answer != answerProved {
		line("  %s at %s", r.between(), r.point())
	}
	for _, c := range r.Left[:min(len(r.Left), mostCells)] {
		line("  open, %s at least: %s", AtLeast(c.Least), c.Where)
	}
	if more := r.Open - mostCells; more > 0 {
		line("  and %d more cells", more)
	}
}

// mostHeld is how many of the proved statements of a name are told one by one where these are too many to list.
const mostHeld = 3

// heldOf says what the first of the proved statements of a name hold, and how many more there are. It says nothing where texts are known to be true.
func heldOf(group []Requirement) (out []string) {
	proved := slices.DeleteFunc(slices.Clone(group), func(r Requirement) bool { return r.Answer != answerProved || r.Held == "" })
	for i := range proved[:min(len(proved), mostHeld)] {
		out = append(out, "held: "+proved[i].Held)
	}
	if more := len(proved) - mostHeld; more > 0 {
		out = append(out, fmt.Sprintf("and %d more, which --json lists", more))
	}
	return out
}

// summed says how many statements of a name are proved, by how much at least, and what equations among them are kept to within.
func summed(name string, proved, many int, least, within Number) string {
	out := fmt.Sprintf("%s: %d of %d statements proved", name, proved, many)
	if proved > 0 {
		out += fmt.Sprintf(", by %s at least", AtLeast(least))
	}
	if within > 0 {
		out += "; equations are kept to within " + Bound(float64(within), 1, 'g', withinDigits)
	}
	return out
}

// heading names a statement.
func (r *Requirement) heading() string {
	if strings.HasPrefix(r.Text, r.Name+":") {
		return r.Text
	}
	return r.Name + ": " + r.Text
}

// verdict says what is proved, in words.
func (r *Requirement) verdict() string {
	out := r.Answer
	switch {
	case r.Margin == nil:
	case r.Answer == answerProved:
		out += fmt.Sprintf(", by %s at least", AtLeast(*r.Margin))
	default:
		out += fmt.Sprintf(", not below %s", AtLeast(*r.Margin))
	}
	if r.Aim != 0 {
		out += fmt.Sprintf(" (aimed at %.3g)", float64(r.Aim))
	}
	out += fmt.Sprintf(", %d cells", r.Cells)
	if r.Seconds > 0 {
		out += fmt.Sprintf(", %.2g s", float64(r.Seconds))
	}
	if r.Why != "" {
		out += ": " + r.Why
	}
	return out
}

// between says what the larger side less the smaller is at the worst point. Both ends of its enclosure are told where they differ.
func (r *Requirement) between() string {
	low, high := Bound(float64(r.Low), -1, 'g', pointDigits), Bound(float64(r.High), 1, 'g', pointDigits)
	if low == high {
		return "the sides differ by " + low
	}
	return "the sides differ by " + low + " to " + high
}

// point writes the worst point.
func (r *Requirement) point() string {
	var parts []string
	for _, c := range r.At {
		parts = append(parts, c.Column+" = "+c.Value)
	}
	return strings.Join(parts, ", ")
}
