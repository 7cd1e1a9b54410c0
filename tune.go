package sipc

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// Tune chooses the numbers for which a spec has grids, as Run does, and looks at no test row. Rivals are tuned on the same folds of the same
// training rows. The source is the spec with the chosen numbers in place of the grids. It is nil where a grid stands elsewhere, see [Spec.GridElsewhere].
// A spec that leaves nothing to choose is a *TuneError.
//
// Of the options Data, Open, Seed, Method, Gap, MaxIterations, Rivals, Warn and Progress count.
func Tune(ctx context.Context, spec *Spec, o RunOptions) (*report.Tuning, []byte, error) {
	if err := sound(spec, o); err != nil {
		return nil, nil, err
	}
	if len(spec.Plan.Grid) == 0 {
		return nil, nil, &TuneError{spec.Path}
	}
	out, source, err := tune(ctx, spec, o)
	return out, source, spec.explain(err)
}

// A TuneError is a spec that leaves nothing to choose.
type TuneError struct{ Spec string }

// Error says how to leave a number open.
func (e *TuneError) Error() string {
	return e.Spec + ": the spec leaves no number to choose; write grid(0.1, 1, 10) in place of one, or auto * NAME in regularize"
}

// tune does what Tune does, with errors as they come.
func tune(ctx context.Context, spec *Spec, o RunOptions) (*report.Tuning, []byte, error) {
	j := newJournal(o.Warn)
	ctx = j.answers.Of(ctx)
	s, err := settle(ctx, spec, o, j)
	if err != nil {
		return nil, nil, err
	}
	if s.grid == nil { // the learner alone has grids, which the fit compares
		f, err := s.fit(ctx, fitRequest{unmeasured: true})
		if err != nil {
			return nil, nil, err
		}
		if f.Choice == nil {
			return nil, nil, fmt.Errorf("%s: nothing was compared: %v", spec.Path, f.Left)
		}
		l := f.Choice.Scores[f.Choice.Best].Learner
		s.learner, s.grid, s.folds = &l, strengthOf(f), f.Choice.Scores[f.Choice.Best].Folds
	}
	p := s.rows
	out := &report.Tuning{
		Spec: spec.Path, Data: o.Data, Seed: p.Seed, Task: string(p.Train.Task), Method: string(s.method), NTrain: p.Train.Len(), NTest: p.Test.Len(),
		Grid: s.grid, Warnings: append(p.Warnings, j.warnings...), SpecSHA256: spec.SHA256, DataSHA256: p.dataSHA256,
	}
	if p.Valid != nil {
		out.NValid = p.Valid.Len()
	}
	choice, err := s.numbersTaken()
	if err != nil {
		return nil, nil, err
	}
	out.Numbers = numbers(spec, choice)
	for _, r := range o.Rivals {
		tuned, err := s.tuneRival(ctx, r)
		if err != nil {
			return nil, nil, err
		}
		out.Rivals = append(out.Rivals, *tuned)
	}
	return out, tuned(spec, choice), nil
}

// numbersTaken returns which value of each grid was chosen.
func (s *settled) numbersTaken() ([]int, error) {
	choice := s.rows.Spec.Plan.Choice(s.instance, s.learner.Strength)
	if choice == nil {
		return nil, fmt.Errorf("%s: no values of its grids make what was chosen, %s, which is a fault of the program: no spec is written", s.rows.Spec.Path, s.grid.Chosen)
	}
	return choice, nil
}

// numbers returns what was chosen of each grid. Those at an end of their grid say so, as a better value may lie beyond it.
func numbers(spec *Spec, choice []int) (out []report.Tuned) {
	for g, k := range choice {
		grid := &spec.Plan.Grid[g]
		own := report.Tuned{Name: grid.Name, Value: grid.Texts[k], Of: grid.Sorted(), Place: grid.Place.String(), Auto: grid.Auto}
		least, most := slices.Min(grid.Values), slices.Max(grid.Values)
		switch v := grid.Values[k]; {
		case least == most || grid.Auto && v == 0:
		case v == least:
			own.End = "smallest"
		case v == most:
			own.End = "largest"
		}
		out = append(out, own)
	}
	return out
}

// tuned returns the text of a spec with chosen numbers in place of its grids; nil where one of them stands elsewhere.
func tuned(spec *Spec, choice []int) []byte {
	type edit struct {
		at   diag.Span
		text string
	}
	var edits []edit
	for g, k := range choice {
		at := spec.Plan.Grid[g].Place
		if at.File != spec.Path || at.End.Offset > len(spec.Source) {
			return nil
		}
		edits = append(edits, edit{at, spec.Plan.Grid[g].Written[k]})
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.at.Start.Offset - a.at.Start.Offset })
	out := slices.Clone(spec.Source)
	for _, e := range edits {
		out = slices.Replace(out, e.at.Start.Offset, e.at.End.Offset, []byte(e.text)...)
	}
	return out
}

// tuneRival chooses a rival's setting on the folds, or valid rows, on which the spec's numbers were chosen.
func (s *settled) tuneRival(ctx context.Context, o RivalOptions) (*report.TunedRival, error) {
	reg, err := implying(ctx, s.rows, s.instance, s.reg, o.Name)
	if err != nil {
		return nil, err
	}
	options := s.rows.RivalOptions(s.instance, reg, o)
	if s.rows.Valid == nil {
		folds, err := learn.Folds(model.Targets(s.rows.Train), learn.UsualFolds, s.rows.Seed)
		if err != nil {
			return nil, err
		}
		options.Folds = folds
	}
	e, top, tried, err := chooseRival(ctx, s.rows, s.instance, o.Name, options)
	if err != nil {
		return nil, err
	}
	out := &report.TunedRival{Name: string(o.Name), Setting: e.text(top.Setting), Score: report.Number(top.Score), Error: report.Number(math.NaN()), Search: tried}
	out.Compare(s.folds, top.Folds, s.grid.Later)
	return out, nil
}

// GridElsewhere returns an error if a grid stands in another file than the spec or in an override, where Tune writes no number.
func (s *Spec) GridElsewhere() error {
	for _, g := range s.Plan.Grid {
		if g.Place.File != s.Path {
			return fmt.Errorf("%s: the grid of %s does not stand in the spec but in %s; leave out the file of the tuned spec, and write the chosen number there",
				s.Path, g.Name, g.Place)
		}
	}
	return nil
}
