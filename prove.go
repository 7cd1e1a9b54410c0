package sipc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/report"
)

// ProveOptions say what is decided. The zero value decides the statements that the model was fitted to keep.
type ProveOptions struct {
	// Statements are further ones in the language, as behind `require`: "f(x) >= 0 over x in box", with or without the word and a name.
	// With any, those of the fit are not decided.
	Statements []string
	// Data is a file of rows, which Statements range over by x in rows and others = rows. Empty gives them none.
	Data string
	// Rows are those rows where they are in memory; nil leaves them to Data.
	Rows *dataset.Table
	// Cells bounds the work for each statement; 0 means 20,000.
	Cells int
	// Progress is told how many statements are decided; it may be nil.
	Progress func(done, total int)
}

// A Proving is what is proved of a model's function.
type Proving struct {
	Requirements []report.Requirement `json:"statements"`
	Warnings     []string             `json:"warnings,omitempty"` // about the statements
}

// ErrUnprovable is why a model, or what is said of it, gives nothing to decide.
var ErrUnprovable = errors.New("nothing can be proved of this model")

// Prove decides statements about the function of a model's stored numbers. Nothing of the fit is trusted: the verdicts follow from the
// coefficients alone. It returns an error if the model has no such function, a *SpecError for a faulty statement, and ctx's when ctx ends.
func Prove(ctx context.Context, m *model.Model, o ProveOptions) (*Proving, error) {
	all, out := m.Requirements, &Proving{}
	if len(o.Statements) > 0 {
		var err error
		if all, out.Warnings, err = stated(ctx, m, o); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: it was fitted to keep no statement; write one behind the model, sipc prove MODEL 'f(x) >= 0 over x in box', or write `require NAME = …` in its spec and run it again", ErrUnprovable)
	}
	found, err := model.Prove(ctx, m, all, o.Cells, o.Progress)
	if err != nil {
		return nil, err
	}
	p := m.About.Preparation
	out.Requirements = requirements(p, found)
	for i := range out.Requirements {
		r, s, v := &out.Requirements[i], &found[i].Statement, found[i].Verdict
		r.Held, r.Seconds, r.Open = held(p, s), report.Number(found[i].Seconds), v.Open
		for k := range v.Left {
			r.Left = append(r.Left, report.Cell{Where: cellOf(p, s, &v.Left[k]), Least: report.Number(v.Left[k].Bound)})
		}
	}
	return out, nil
}

// requirements returns statements and their verdicts as reports show them.
func requirements(p *dataset.Preparation, all []model.Requirement) []report.Requirement {
	var out []report.Requirement
	for i := range all {
		r, v := &all[i], all[i].Verdict
		one := report.Requirement{Name: r.Statement.Name, Text: r.Statement.Text, Answer: v.Answer.String(), Aim: report.Number(r.Aim), Within: report.Number(r.Statement.Within), Cells: v.Cells, Why: v.Reason, Over: regionOf(p, &r.Statement)}
		if !math.IsInf(v.Margin, 0) {
			margin := report.Number(v.Margin)
			one.Margin = &margin
		}
		if v.At != nil {
			for _, c := range dataset.Cells(p, v.At) {
				one.At = append(one.At, report.Coordinate(c))
			}
			one.Low, one.High = report.Number(v.Low), report.Number(v.High)
		}
		out = append(out, one)
	}
	return out
}

// A Standing is what is known at a row of all that a model is required to keep.
type Standing int

// The standings of a row.
const (
	// Kept says that the row lies in a region of every statement, and all statements whose regions hold it are proved. The prediction is then as
	// near to the function that they are about as their margins are large.
	Kept     Standing = iota
	Outside           // it lies outside the regions of a statement
	Unproved          // it lies in a region of a statement that is not proved
	Apart             // its prediction may be farther from the function than a margin
)

// standings returns what is known at each row with its scores; nil where a model keeps nothing. The verdicts are those of the model file, and how
// near predictions are is bounded anew.
func standings(ctx context.Context, m *model.Model, s *dataset.Set, scores *mat.Dense, progress func(done, total int)) ([]Standing, error) {
	if len(m.Requirements) == 0 {
		return nil, nil
	}
	apart, err := model.Apart(ctx, m, s.X, scores, progress)
	if err != nil {
		return nil, err
	}
	out := make([]Standing, s.Len())
	for i := range out {
		if out[i] = standingAt(m.Requirements, s.X.RawRowView(i), apart.RawRowView(i)); out[i] == Kept && s.Clipped != nil && s.Clipped[i] {
			out[i] = Outside // its inputs do, and the statement is about the ends of the box in their place
		}
	}
	return out, nil
}

// A family is the statements of one requirement that differ in the rows that they are about.
type family struct {
	name   string
	number int
}

// standingAt returns what is known at a prepared row whose scores differ from the function by at most apart.
func standingAt(all []model.Requirement, x, apart []float64) Standing {
	in, far := map[family]bool{}, false
	for k := range all {
		r := &all[k]
		holds := r.Statement.Holds(x)
		if holds && r.Verdict.Answer != proof.Proved {
			return Unproved
		}
		of := family{r.Statement.Name, r.Statement.Family}
		in[of] = in[of] || holds
		if holds {
			off := 0.0
			for _, t := range r.Statement.Terms {
				off += math.Abs(t.Coef) * apart[t.Label]
			}
			far = far || !(off <= r.Verdict.Margin)
		}
	}
	switch {
	case slices.Contains(slices.Collect(maps.Values(in)), false):
		return Outside
	case far:
		return Apart
	}
	return Kept
}

// lacking says of how many rows nothing is proved, for each cause that there is.
func lacking(m *model.Model, rows []Standing) (out []string) {
	var names, failed []string
	for i := range m.Requirements {
		r := &m.Requirements[i]
		if name := r.Statement.Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
		if name := r.Statement.Name; r.Verdict.Answer != proof.Proved && !slices.Contains(failed, name) {
			failed = append(failed, name)
		}
	}
	count := map[Standing]int{}
	for _, s := range rows {
		count[s]++
	}
	regions, then := "outside the regions of ", "nothing is proved there"
	if len(names) > 1 {
		regions, then = "outside the region of at least one of ", "not all is proved there"
	}
	say := func(of Standing, one, many, rest, then string) {
		verb := many
		if count[of] == 1 {
			verb = one
		}
		if count[of] > 0 {
			out = append(out, fmt.Sprintf("%d of %d rows %s %s: %s", count[of], len(rows), verb, rest, then))
		}
	}
	say(Outside, "lies", "lie", regions+strings.Join(names, ", "), then)
	say(Unproved, "lies", "lie", "in regions of statements that are not proved, of "+strings.Join(failed, ", "), "nothing is proved there")
	say(Apart, "has a prediction", "have predictions", "that may differ by more than a margin from the function that is proved, by rounding", "nothing is proved there")
	return out
}
