package reproduce

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options say what is to be reproduced. Data and Out must be given where there are cells.
type Options struct {
	Data  string   // the folder of the data sets
	Out   string   // the folder of the results
	Cells []string // patterns of the cells' names, such as mnist-n500-*; none: all
	Only  []string // contenders; none: all
	// Runs is the number of draws of each cell; 0 stands for the paper's 10. The paper gives no number for the first table, which has 5.
	Runs int
	// Rows, where it is larger than zero, stands for n in every cell, and p shrinks with it.
	Rows int
	// Settings, where it is larger than zero, bounds the settings that each contender compares.
	Settings int
	// Progress is told of every unit that is done or found done; it may be nil.
	Progress func(Progress)
	// Stage is told how far the unit at hand has come; it may be nil.
	Stage func(stage string, done, total int)
}

// A Progress says how far the work has come.
type Progress struct {
	Unit        string
	Done, Total int
	Seconds     float64       // that the unit took
	Found       bool          // it was done before
	Broken      string        // why the file that was found is not a result, so that the unit was done again; empty where none was
	Left        time.Duration // an estimate for the units to come
}

// runs returns the number of draws of a table's cells.
func (o *Options) runs(t Table) int {
	switch {
	case o.Runs > 0:
		return o.Runs
	case t == Table1:
		return 5
	}
	return 10
}

// Tables are the results of cells.
type Tables struct {
	Cells []*CellResult
	Runs  map[Table]int
}

// A CellResult holds what all contenders came to in a cell.
type CellResult struct {
	Cell    *Cell
	Entries []*Entry
}

// An Entry is one contender in one cell.
type Entry struct {
	Contender *Contender
	Choices   []*Result
	Chosen    int // among the choices
	Runs      []*Result
	Curve     *Result // nil where the first run has the losses, or nothing has
}

// Seconds returns the time that all units of an entry took, without those of a choice that it takes from another.
func (e *Entry) Seconds() (total float64) {
	results := e.results()
	if e.Contender.Like != "" {
		results = results[len(e.Choices):]
	}
	for _, r := range results {
		total += r.Seconds
	}
	return total
}

// results returns the results of an entry, the choices first.
func (e *Entry) results() []*Result {
	out := slices.Concat(e.Choices, e.Runs)
	if e.Curve != nil {
		out = append(out, e.Curve)
	}
	return out
}

// A NothingError says that of a part nothing was asked for: none of its cells, or none of its contenders. Reproduce and Classify
// return it.
type NothingError struct{ text string }

func (e *NothingError) Error() string { return e.text }

// Reproduce does the units of cells that are not done, and gathers all.
func Reproduce(ctx context.Context, cells []*Cell, o Options) (*Tables, error) {
	names := namesOf(cells)
	cells, err := narrowed(cells, o.Cells, o.Rows)
	if err != nil {
		return nil, err
	}
	if len(cells) == 0 {
		return nil, &NothingError{fmt.Sprintf("no cell matches %v; there are %s", o.Cells, strings.Join(names, ", "))}
	}
	if err := o.open(); err != nil {
		return nil, err
	}
	w := &worker{
		o: o, store: store{filepath.Join(o.Out, "units")}, results: map[string]*Result{},
		sources: &sources{data: o.Data, out: o.Out, known: map[string]*source{}},
	}
	out := &Tables{Runs: map[Table]int{}}
	for _, c := range cells {
		out.Cells = append(out.Cells, w.entries(c))
		out.Runs[c.Table] = o.runs(c.Table)
	}
	w.plan(out)
	if w.clock.total == 0 {
		return nil, &NothingError{fmt.Sprintf("none of the contenders %v is in these cells", o.Only)}
	}
	for _, c := range out.Cells {
		for _, e := range c.Entries {
			if err := w.entry(ctx, c.Cell, e); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", c.Cell.Name(), e.Contender.Name, err)
			}
		}
	}
	return out, nil
}

// A worker does units one after the other.
type worker struct {
	o       Options
	store   store
	sources *sources
	clock   clock
	results map[string]*Result // of the units that are done, by name: a contender may take another's choice
}

// entries returns the contenders of a cell, with nothing done.
func (w *worker) entries(c *Cell) *CellResult {
	out := &CellResult{Cell: c}
	for _, k := range Contenders(c.Table) {
		if len(w.o.Only) > 0 && !slices.Contains(w.o.Only, k.Name) {
			continue
		}
		if w.o.Settings > 0 && w.o.Settings < len(k.Settings) {
			k.Settings = k.Settings[:w.o.Settings]
		}
		out.Entries = append(out.Entries, &Entry{Contender: &k})
	}
	return out
}

// plan counts the units.
func (w *worker) plan(t *Tables) {
	for _, c := range t.Cells {
		for _, e := range c.Entries {
			for _, u := range w.units(c.Cell, e) {
				w.clock.expect(u)
			}
		}
	}
}

// units returns the units that an entry needs. Its choices are the chooser's, who may need them too.
func (w *worker) units(c *Cell, e *Entry) []*Unit {
	var out []*Unit
	for k := range w.choices(e) {
		out = append(out, &Unit{c, e.Contender.chooser(c.Table), Choice, k})
	}
	for r := range w.o.runs(c.Table) {
		out = append(out, &Unit{c, e.Contender, Run, r})
	}
	if curved(c, e.Contender) {
		out = append(out, &Unit{c, e.Contender, Curve, 0})
	}
	return out
}

// choices returns how many settings are compared: 0 where there is only one.
func (w *worker) choices(e *Entry) int {
	if len(e.Contender.Settings) < 2 {
		return 0
	}
	return len(e.Contender.Settings)
}

// choose compares the settings of a contender, or of the one whose setting it takes. Of settings that score the same the first is chosen.
func (w *worker) choose(ctx context.Context, c *Cell, e *Entry) error {
	k := e.Contender.chooser(c.Table)
	for number := range w.choices(e) {
		r, err := w.unit(ctx, &Unit{c, k, Choice, number}, k.Settings[number])
		if err != nil {
			return err
		}
		e.Choices = append(e.Choices, r)
		if *r.Score > *e.Choices[e.Chosen].Score {
			e.Chosen = number
		}
	}
	return nil
}

// entry chooses a contender's setting and runs it.
func (w *worker) entry(ctx context.Context, c *Cell, e *Entry) error {
	if err := w.choose(ctx, c, e); err != nil {
		return err
	}
	for k := range w.o.runs(c.Table) {
		r, err := w.unit(ctx, &Unit{c, e.Contender, Run, k}, e.Contender.Settings[e.Chosen])
		if err != nil {
			return err
		}
		e.Runs = append(e.Runs, r)
	}
	if !curved(c, e.Contender) {
		return nil
	}
	var err error
	e.Curve, err = w.unit(ctx, &Unit{c, e.Contender, Curve, 0}, e.Contender.Settings[e.Chosen])
	return err
}

// curved reports whether the loss between test rows needs a unit of its own; rivals that give probabilities have it in their first run.
func curved(c *Cell, k *Contender) bool { return c.Table == Table2 && k.Rival == "" }

// losses returns the losses of an entry between test rows; nil means that it has none.
func (e *Entry) losses() [][]float64 {
	if e.Curve != nil {
		return e.Curve.Losses
	}
	if len(e.Runs) == 0 {
		return nil
	}
	return e.Runs[0].Losses
}

// unit finds a unit done, or does it.
func (w *worker) unit(ctx context.Context, u *Unit, s Setting) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if known := w.results[u.Name()]; known != nil {
		return known, nil
	}
	from, err := w.sources.of(ctx, u.Cell.Dataset)
	if err != nil {
		return nil, err
	}
	fingerprint, err := u.fingerprint(s, u.spec(s), from)
	if err != nil {
		return nil, err
	}
	out, broken, err := w.store.load(u, fingerprint)
	if err != nil {
		return nil, err
	}
	found := out != nil
	if !found {
		if out, err = u.do(ctx, s, from, w.o.Stage); err != nil {
			return nil, err
		}
		if err := w.store.save(u, out); err != nil {
			return nil, err
		}
	}
	w.results[u.Name()] = out
	w.clock.took(u, out.Seconds)
	w.tell(Progress{Unit: u.Name(), Seconds: out.Seconds, Found: found, Broken: broken})
	return out, nil
}

func (w *worker) tell(p Progress) {
	if w.o.Progress == nil {
		return
	}
	p.Done, p.Total, p.Left = w.clock.done, w.clock.total, w.clock.left()
	w.o.Progress(p)
}
