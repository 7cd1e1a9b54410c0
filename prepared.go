package sipc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/cache"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// A Prepared holds the rows of a run, split and prepared, and what all fits on them share. It does not change.
type Prepared struct {
	*dataset.Prepared
	Spec *Spec
	Seed uint64

	// seen are the rows that R sees: the training rows, and then those without a label.
	seen *dataset.Set

	dataSHA256, testSHA256 string         // of the files; empty without a file of test rows
	apart                  bool           // the test rows have a file of their own
	data                   *dataset.Table // of the training rows
	open                   func(ctx context.Context, path string) (*dataset.Table, error)
	method                 setting.Method // that the caller asks for; empty leaves it to the instance
	free                   bool           // of method embed, to give way to risk
	gap                    float64
	limit                  int // of iterations; 0 stands for the solvers' own
	cache                  *cache.Folder
	progress               func(stage string, done, total int)
}

// Prepare reads the data of a run, splits them and prepares them. The spec has no errors. Of the options, Data, Test, Open, Seed, Strict,
// Method, Gap, MaxIterations and Progress count.
func Prepare(ctx context.Context, spec *Spec, o RunOptions) (*Prepared, error) {
	if err := spec.Err(); err != nil {
		return nil, cmp.Or(missingLabel(ctx, spec, o), err)
	}
	p, err := prepare(ctx, spec, o)
	return p, spec.explain(err)
}

// missingLabel returns the error that a column of the target is not in the data. It does so for a spec whose only faults are
// labels that its target lacks, as the target may misspell them. Nil means that the columns are there.
func missingLabel(ctx context.Context, spec *Spec, o RunOptions) error {
	other := func(d *diag.Diagnostic) bool { return d.Severity == diag.Error && d.Code != codes.UnknownLabel }
	at := slices.IndexFunc(spec.File.Decls, func(d dsl.Decl) bool { _, ok := d.(*dsl.Data); return ok })
	if at < 0 || slices.ContainsFunc(spec.Diagnostics, other) {
		return nil
	}
	block := spec.File.Decls[at].Span()
	target := NewSpec(ctx, spec.Path, slices.Concat(
		spec.Source[block.Start.Offset:block.End.Offset], []byte("\nkernel linear\nfeatures nystrom(landmarks = rows)\n")), SpecOptions{})
	defer target.Close() //nolint:errcheck // it has no plugins
	_, err := Prepare(ctx, target, o)
	if e, ok := errors.AsType[*DataError](err); ok && e.Data.Code == dataset.CodeColumn {
		return spec.explain(e.Data)
	}
	return nil
}

// prepare does what Prepare does, with errors as they come.
func prepare(ctx context.Context, spec *Spec, o RunOptions) (*Prepared, error) {
	p := &Prepared{
		Spec: spec, Seed: spec.Plan.Seed, apart: o.Test != "", method: o.Method, free: o.Method == "" && !o.asked, gap: cmp.Or(o.Gap, model.DefaultGap), limit: o.MaxIterations,
		progress: o.Progress, cache: o.cache,
	}
	if o.Seed != nil {
		p.Seed = *o.Seed
	}
	from := o.Open
	if from == nil {
		from = openData
	}
	open := func(ctx context.Context, path string) (*dataset.Table, error) {
		p.step("read " + path)
		return from(ctx, path)
	}
	data, err := open(ctx, o.Data)
	if err != nil {
		return nil, err
	}
	p.dataSHA256 = data.SHA256
	var test *dataset.Table
	if o.Test != "" {
		if test, err = open(ctx, o.Test); err != nil {
			return nil, err
		}
		p.testSHA256 = test.SHA256
	}
	rows := spec.data()
	switch {
	case o.drawn != nil:
		rows.Split.Drawn = o.drawn
	case o.Whole:
		rows.Split = setting.Split{By: rows.Split.By, Time: rows.Split.Time, Untested: test == nil}
	}
	p.data, p.open = data, open
	if err := divide(ctx, p, rows, test); err != nil {
		return nil, err
	}
	if o.Strict {
		err = p.Test.RefuseUnseen()
	}
	return p, err
}

// divide splits the rows and prepares them, and joins all that R sees.
func divide(ctx context.Context, p *Prepared, rows *setting.Data, test *dataset.Table) (err error) {
	if p.Prepared, err = dataset.Prepare(ctx, rows, p.data, test, p.Seed); err != nil {
		return err
	}
	return join(ctx, p, p.open)
}

// inTime returns the problem of a fold of training rows that follow each other in time. Rows to learn from are its training rows and those held out its
// test rows. All is prepared as if there were no later ones.
func inTime(ctx context.Context, p *Prepared, rest, held []int) (*Prepared, error) {
	at := func(positions []int) (rows []int) {
		for _, i := range positions {
			rows = append(rows, p.Train.Rows[i])
		}
		return rows
	}
	q, rows := *p, p.Spec.data()
	rows.Split.Drawn = &setting.Drawn{Train: at(rest), Test: at(held)}
	if err := divide(ctx, &q, rows, nil); err != nil {
		return nil, amongEarliest(len(rest), err)
	}
	if rows.Balanced { // classes count alike where numbers are chosen
		dataset.Balance(q.Test)
	}
	return &q, nil
}

// join reads the rows without a label that have a file of their own, and joins all that R sees.
func join(ctx context.Context, p *Prepared, open func(ctx context.Context, path string) (*dataset.Table, error)) error {
	if file := p.Spec.data().Unlabelled.File; file != "" {
		more, err := open(ctx, file)
		if err != nil {
			return err
		}
		s, err := p.Preparation.ApplyUntold(ctx, more, p.Train, p.Spec.data())
		if err != nil {
			return err
		}
		p.Unlabelled, p.Warnings = append(p.Unlabelled, s), append(p.Warnings, s.Warnings...)
	}
	p.seen = p.Train.With(p.Unlabelled...)
	return nil
}

// seenBeside returns what R sees when it knows the labels of part of the training rows. The rows held out are among it
// where the test rows are: they stand for these.
func seenBeside(p *Prepared, part *dataset.Set, held []int) *dataset.Set {
	others := p.Unlabelled
	if p.Spec.Plan.Data.Unlabelled.Test && len(held) > 0 {
		others = append(slices.Clone(others), p.Train.Subset(held).Untold())
	}
	return part.With(others...)
}

// instanceAt returns an instance of the plan. Where the caller asks for method plain, it is as if the spec did: R is not grounded.
func instanceAt(p *Prepared, choice []int) *compiler.Instance {
	in := p.Spec.Plan.At(choice)
	if p.method == setting.Plain {
		return compiler.Plain(in)
	}
	return in
}

// Ground returns R on the training rows, every grid at its first value. Under method plain it is zero.
func (p *Prepared) Ground(ctx context.Context) (*regularizer.Regularizer, error) {
	reg, err := p.ground(ctx, instanceAt(p, nil), nil)
	return reg, p.Spec.explain(err)
}

func (p *Prepared) ground(ctx context.Context, in *compiler.Instance, warn func(*diag.Diagnostic)) (*regularizer.Regularizer, error) {
	if err := p.bounded(in); err != nil {
		return nil, err
	}
	return in.Ground(ctx, grounding(p, p.seen, warn))
}

// grounding returns a set as the compiler sees it. Progress says for which family it waits.
func grounding(p *Prepared, s *dataset.Set, warn func(*diag.Diagnostic)) *compiler.Ground {
	g := ground(s, p.Seed, warn)
	g.Elsewhere = elsewhere(p)
	g.File = readRows(p)
	g.Waiting = func(family string) {
		if family == "" {
			p.step("enumerate functionals")
		} else {
			p.step("waiting for " + family)
		}
	}
	return g
}

// Options returns the settings of an instance for the training rows, with R as Ground makes it.
func (p *Prepared) Options(in *compiler.Instance) model.Options {
	return options(p, in, p.Train, p.seen)
}

// options returns the settings of an instance for training rows, with R grounded on what it sees.
func options(p *Prepared, in *compiler.Instance, train, seen *dataset.Set) model.Options {
	o := model.Options{
		Method: cmp.Or(p.method, in.Method), Free: p.free && in.FreeMethod(), Kernel: in.Kernel, Features: in.Features, Learner: in.Learn, Strengths: p.strengths(in),
		Gap: p.gap, MaxIterations: p.limit, Cache: p.cache, Seed: p.Seed, Progress: p.progress, Ground: grounder(in, seen, p.Seed), Seen: seen,
		Valid: p.Valid,
	}
	if maps := slices.Concat(in.Augmentations(), in.LearnUnder()); len(maps) > 0 { // of one of them alone
		o.Augment = func(ctx context.Context, train *dataset.Set) (*dataset.Set, error) {
			return augmented(ctx, maps, train, p.Seed)
		}
	}
	if len(p.Spec.Plan.Requires()) > 0 && o.Method == setting.Risk {
		o.Margin = in.Margin
		o.Require = func(ctx context.Context) ([]statement.Statement, error) { return required(ctx, p, in) }
	}
	if in.ByRowLabels() || train.Times != nil {
		o.Pose = p.poser(in, train, nil)
	}
	return o
}

// strengths returns those among which the strength of an instance's learner is chosen.
func (p *Prepared) strengths(in *compiler.Instance) []float64 {
	var out []float64
	for _, l := range p.Spec.Plan.Learners(in) {
		out = append(out, l.Strength)
	}
	return out
}

// imply sets the implications that scores or probabilities keep: those that the invariances are about. Without `decode closure` they count where
// labels have probabilities.
func (p *Prepared) imply(ctx context.Context, in *compiler.Instance, reg *regularizer.Regularizer, seen *dataset.Set, o *model.Options) error {
	closes := in.Decode == setting.Closure
	if !closes && (seen.Task != setting.Multilabel || !o.Learner.Probabilistic()) {
		return nil
	}
	if in.Method == setting.Plain { // under which no invariance counts
		var err error
		if reg, err = compiler.WithR(in).Ground(ctx, grounding(p, seen, nil)); err != nil {
			return err
		}
	}
	o.Closure, o.Declared = reg.Implications(), !closes
	return nil
}

// poser returns a maker of the problems of folds of training rows. They are prepared as they were with the rows held out: means and scales of
// features see no label. Rows that follow each other in time are prepared anew. An R that known gives for a fold is taken as it is; otherwise R is grounded. A nil
// known gives none.
func (p *Prepared) poser(in *compiler.Instance, train *dataset.Set, known func(model.Fold) *regularizer.Regularizer) model.Poser {
	return func(ctx context.Context, fold model.Fold) (*dataset.Set, *regularizer.Regularizer, model.Options, error) {
		if err := p.bounded(in); err != nil {
			return nil, nil, model.Options{}, err
		}
		q, part, seen, err := foldOf(ctx, p, train, fold)
		if err != nil {
			return nil, nil, model.Options{}, err
		}
		var reg *regularizer.Regularizer
		if known != nil {
			reg = known(fold)
		}
		if reg == nil {
			if reg, err = groundForFit(ctx, q, seen, in, cmp.Or(q.method, in.Method), nil); err != nil {
				return nil, nil, model.Options{}, inFold(err, fold.Number, fold.Of, part.Len())
			}
		}
		o := options(q, in, part, seen)
		o.Unmeasured = true // folds are for scores alone
		if q != p {
			o.Held = q.Test
		}
		err = q.imply(ctx, in, reg, seen, &o)
		return part, reg, o, err
	}
}

// foldOf returns the rows of a fold, those that R sees in it, and the problem by which they are prepared. That is another one where rows follow each
// other in time.
func foldOf(ctx context.Context, p *Prepared, train *dataset.Set, fold model.Fold) (q *Prepared, part, seen *dataset.Set, err error) {
	if train.Times == nil {
		part = train.Subset(fold.Rows)
		return p, part, seenBeside(p, part, learn.Complement(train.Len(), fold.Rows)), nil
	}
	if q, err = inTime(ctx, p, fold.Rows, fold.Held); err != nil {
		return nil, nil, nil, err
	}
	return q, q.Train, q.seen, nil
}

// Fold makes the problem of a fold of the training rows, every grid at its first value.
func (p *Prepared) Fold(ctx context.Context, fold model.Fold) (*dataset.Set, *regularizer.Regularizer, model.Options, error) {
	return p.poser(instanceAt(p, nil), p.Train, nil)(ctx, fold)
}

// step tells what is at hand where nothing counts how far it is.
func (p *Prepared) step(name string) { tell(p, name, 0, 0) }

// tell tells what is at hand, and how far it is.
func tell(p *Prepared, name string, done, total int) {
	if progress := p.stage(name); progress != nil {
		progress(done, total)
	}
}

// stage returns the progress of a stage by name; nil where nobody asks.
func (p *Prepared) stage(name string) func(done, total int) {
	if p.progress == nil {
		return nil
	}
	return func(done, total int) { p.progress(name, done, total) }
}

// amongEarliest says of an error that it was met on the rows of the earliest times alone. One of the data keeps its place.
func amongEarliest(rows int, err error) error {
	where := fmt.Sprintf("among the %d rows of the earliest times, from which later ones are predicted to choose numbers", rows)
	if e, ok := errors.AsType[*dataset.Error](err); ok {
		own := *e
		own.Problem = where + ": " + own.Problem
		return &own
	}
	return fmt.Errorf("%s: %w", where, err)
}

// openData reads a data file. A spec or a model in its place is told apart by its name: as a table its text would be faulted line by line.
func openData(ctx context.Context, path string) (*dataset.Table, error) {
	problem, mend := "", ""
	switch filepath.Ext(path) {
	case ".inv":
		problem, mend = "this is a spec, not data", "the spec comes first, the data second: sipc run SPEC DATA; sipc init takes data, and writes a spec"
	case ".sipc":
		problem, mend = "this is a model, not data", "the model comes first, the data second: sipc predict MODEL DATA"
	}
	if problem != "" {
		return nil, &dataset.Error{Code: dataset.CodeFormat, File: path, Problem: problem, Mend: mend}
	}
	return dataset.Open(ctx, path)
}
