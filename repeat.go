package sipc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/whole"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/page"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// summaryFile is what RunSeeds writes beside the folders of the seeds.
const summaryFile = "summary.json"

// A repetition runs a spec under several seeds, or on several folds.
type repetition struct {
	spec   *Spec
	folds  [][]int        // of the training rows, by which the numbers of runs count; nil: they count by seeds
	drawn  *setting.Drawn // the rows that folds are of
	of     *learn.Targets // of these rows
	o      RunOptions
	tables map[string]*dataset.Table
	told   map[string]bool // diagnostics that Warn has heard of
	runs   []*report.Report
	done   []uint64 // their numbers
	failed []report.Failed
	rows   [2][]int // of the first run, for training and for the test
	same   bool
}

// RunSeeds runs a spec under each seed, as Run does, and sums up. The summary has means with their intervals, and the
// differences to the baseline and the rivals, seed by seed. It reports a seed whose run fails, and the others count;
// if all fail, RunSeeds returns the first error. With Out, each seed has its own folder there, seed-0 and so on, and
// the summary is a file beside them. Report and Card get one page, of all seeds, at the end. Warn is called once with each diagnostic.
func RunSeeds(ctx context.Context, spec *Spec, o RunOptions, seeds []uint64) (*report.Summary, error) {
	if len(seeds) == 0 {
		return nil, errors.New("sipc: there is no seed to run under")
	}
	if err := canReport(spec, &o); err != nil {
		return nil, err
	}
	p := newRepetition(spec, o)
	if err := p.run(ctx, seeds); err != nil {
		return nil, err
	}
	s := report.Summarize(p.runs)
	s.Failed, s.SameRows = p.failed, p.same && len(p.runs) > 1
	if err := p.write(s); err != nil {
		return s, err
	}
	return s, p.writePages(s)
}

func newRepetition(spec *Spec, o RunOptions) *repetition {
	return &repetition{spec: spec, o: o, tables: map[string]*dataset.Table{}, told: map[string]bool{}, same: true}
}

// run runs the spec once for each number. It returns an error where no run came to its end.
func (p *repetition) run(ctx context.Context, numbers []uint64) error {
	var first error
	for k, number := range numbers {
		out, err := Perform(limits.Part(ctx, 1/float64(len(numbers)-k)), p.spec, p.options(number, k, len(numbers)))
		switch {
		case ctx.Err() != nil && (len(p.runs) == 0 || !limits.TimeOver(context.Cause(ctx))):
			return &SeedsError{len(p.runs), ctx.Err()}
		case err == nil:
			p.runs, p.done = append(p.runs, out.Report), append(p.done, number)
			p.compareRows(out)
			continue
		case first == nil:
			first = err
		}
		if anySeed(err) {
			return err
		}
		p.failed = append(p.failed, report.Failed{Seed: number, Error: err.Error()})
	}
	if len(p.runs) == 0 {
		return first
	}
	return nil
}

// A SeedsError says that RunSeeds was stopped. With Out, the folders of the seeds that were done before stay.
type SeedsError struct {
	Done int // how many seeds
	Err  error
}

// Error returns the reason.
func (e *SeedsError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *SeedsError) Unwrap() error { return e.Err }

// anySeed reports whether an error is one of the call, whatever the seed.
func anySeed(err error) bool {
	var rival *RivalError
	return errors.As(err, &rival)
}

// part returns what a run is called by.
func (p *repetition) part() string {
	if p.folds != nil {
		return "fold"
	}
	return "seed"
}

// options returns those of one run, the k-th of some. What was read once is not read again. A single run writes no page.
func (p *repetition) options(number uint64, k, of int) RunOptions {
	o := p.o
	o.Report, o.Card = "", ""
	if p.folds != nil {
		o.drawn = heldOut(p.drawn, p.of.Rest(p.folds[k]), p.folds[k])
	} else {
		o.Seed = &number
	}
	if o.Out != "" {
		o.Out = p.folder(number)
	}
	open := o.Open
	if open == nil {
		open = openData
	}
	o.Open = func(ctx context.Context, path string) (*dataset.Table, error) {
		if p.tables[path] == nil {
			table, err := open(ctx, path)
			if err != nil {
				return nil, err
			}
			p.tables[path] = table
		}
		return p.tables[path], nil
	}
	if p.o.Warn != nil {
		o.Warn = func(d *diag.Diagnostic) {
			if key := fmt.Sprint(d.Code, d.Subject); !p.told[key] {
				p.told[key] = true
				first := *d
				first.Summary += fmt.Sprintf(" (first at %s %d)", p.part(), number)
				p.o.Warn(&first)
			}
		}
	}
	if p.o.Progress != nil {
		o.Progress = func(stage string, done, total int) {
			p.o.Progress(fmt.Sprintf("%s %d (%d of %d): %s", p.part(), number, k+1, of, stage), done, total)
		}
	}
	return o
}

// folder returns that of a seed.
func (p *repetition) folder(seed uint64) string {
	return filepath.Join(p.o.Out, fmt.Sprintf("seed-%d", seed))
}

// compareRows tells whether every seed has the same rows.
func (p *repetition) compareRows(o *Outcome) {
	if p.rows[0] == nil {
		p.rows = [2][]int{o.Train.Rows, o.Test.Rows}
	}
	p.same = p.same && slices.Equal(p.rows[0], o.Train.Rows) && slices.Equal(p.rows[1], o.Test.Rows)
}

// write writes the summary beside the folders of the seeds. Earlier results of other seeds go, which would seem to belong to it.
func (p *repetition) write(s *report.Summary) error {
	if p.o.Out == "" {
		return nil
	}
	file, err := whole.New(filepath.Join(p.o.Out, summaryFile), resultMode)
	if err != nil {
		return cannotWrite(err)
	}
	defer file.Discard()
	if err := s.WriteJSON(file); err != nil {
		return cannotWrite(err)
	}
	for _, seed := range p.earlier() {
		if !slices.Contains(s.Seeds, seed) {
			o := outlet{dir: p.folder(seed)}
			file.Replaces(append(o.everyEmbeddings(), o.others()...)...)
		}
	}
	return cannotWrite(whole.Keep(file))
}

// writePages writes the page of all runs and its card, if they are asked for.
func (p *repetition) writePages(s *report.Summary) (err error) {
	if p.o.pages() == nil {
		return nil
	}
	of := &page.Seeds{Summary: s, Program: "sipc " + Version, Command: p.o.Call}
	of.Sources, of.Sets = sourcesOf(p.spec)
	s.Pages, err = p.o.writePage(of)
	return err
}

// earlier returns the seeds that may have results of an earlier run: those that failed, and those of the summary that is there.
func (p *repetition) earlier() (seeds []uint64) {
	for _, f := range p.failed {
		seeds = append(seeds, f.Seed)
	}
	raw, err := limits.Read(filepath.Join(p.o.Out, summaryFile), limits.MetricsBytes)
	var last report.Summary
	if err != nil || json.Unmarshal(raw, &last) != nil {
		return seeds
	}
	return append(seeds, last.Seeds...)
}
