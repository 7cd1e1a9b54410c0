package sipc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// RunOptions say what to run a spec on. Only Data must be given.
type RunOptions struct {
	Data string // the data file
	Test string // a file of test rows; without it some rows of Data are held out
	// Open reads Data and Test; nil stands for dataset.Open. Who runs many specs on the same files may hand out what was read once.
	Open func(ctx context.Context, path string) (*dataset.Table, error)
	Out  string // a folder for the model, the embeddings and the metrics; empty: none is written
	// Embeddings is the format in which Out gets them: "npy", "csv" or "none". Empty means "npy" where the method makes any. Methods risk and
	// dual make none, and refuse the first two.
	Embeddings string
	Seed       *uint64        // overrides the spec's; without either it is 0
	Method     setting.Method // overrides the spec's
	// Baseline runs method plain on the same rows and features also.
	Baseline bool
	// Strict makes test rows that hold what no training row does an error.
	Strict bool
	// Rivals are fitted to the same rows also.
	Rivals []RivalOptions
	// Unmeasured leaves out the value of R at the function that predicts, the shares of rows that break it, and
	// witnesses. Under method embed these may take longer than the fit. The report has no value then.
	Unmeasured bool
	// Warn is told of each diagnostic of the spec on the data, as soon as it is known; it may be nil. The report holds them too,
	// on a line each.
	Warn func(*diag.Diagnostic)
	// Gap is the certified gap to reach. 0 is model.DefaultGap, from which method risk goes on where scores may be far off.
	Gap      float64
	Progress func(stage string, done, total int)
}

// An EmbeddingsError is the wish for embeddings under a method that makes none.
type EmbeddingsError struct{ Method setting.Method }

// Error says which method makes them, and what there is instead.
func (e *EmbeddingsError) Error() string {
	return fmt.Sprintf("method %s makes no embeddings: it learns f on the features φ; method embed makes them, "+
		"and sipc embed --features writes φ(x)", e.Method)
}

// A runner holds what the steps of Run hand on.
type runner struct {
	ctx      context.Context //nolint:containedctx // a runner lives for one call of Run
	spec     *Spec
	o        RunOptions
	prepared *Prepared
	instance *compiler.Instance
	learner  *setting.Learner // that was chosen together with the instance; nil: the fit chooses it
	method   setting.Method
	fitting  *model.Fitting
	reg      *regularizer.Regularizer
	tested   map[string]grounded // by invariance
	result   *evaluation
	out      *outlet
	report   *report.Report
	further  []further
	started  time.Time
	clock    time.Time
}

// Run fits a model to data under a spec, evaluates it, and reports. The spec has no errors. Errors of the data are
// *DataError, those that lie between spec and data *SpecError.
func Run(ctx context.Context, spec *Spec, o RunOptions) (*report.Report, error) {
	out, err := Perform(ctx, spec, o)
	if err != nil {
		return nil, err
	}
	return out.Report, nil
}

// Perform does what Run does, and returns all that the run made.
func Perform(ctx context.Context, spec *Spec, o RunOptions) (*Outcome, error) {
	if err := spec.Err(); err != nil {
		return nil, err
	}
	for _, rival := range o.Rivals {
		if err := spec.suits(rival.Name); err != nil {
			return nil, err
		}
	}
	r := newRunner(ctx, spec, o)
	if err := r.embeddable(); err != nil {
		return nil, err
	}
	defer func() { r.out.discard() }()
	for _, d := range spec.Diagnostics {
		if d.Code != codes.EmbedOneSided || o.Method == "" || o.Method == setting.Embed {
			r.warn(d)
		}
	}
	for _, step := range []func() error{r.open, r.load, r.choose, r.ground, r.fit, r.evaluate, r.baseline, r.rivals, r.describe, r.write} {
		if err := step(); err != nil {
			return nil, r.explain(err)
		}
	}
	return r.outcome(), nil
}

// embeddable refuses embeddings that are asked for and that the method does not make. It asks for them where nobody says otherwise.
func (r *runner) embeddable() error {
	method := cmp.Or(r.o.Method, r.spec.Plan.At(nil).Method)
	switch {
	case r.o.Embeddings == "" && method.Embeds():
		r.o.Embeddings = "npy"
	case (r.o.Embeddings == "npy" || r.o.Embeddings == "csv") && !method.Embeds() && r.o.Out != "":
		return &EmbeddingsError{method}
	}
	return nil
}

func newRunner(ctx context.Context, spec *Spec, o RunOptions) *runner {
	return &runner{ctx: ctx, spec: spec, o: o, started: time.Now(), clock: time.Now(), report: &report.Report{}, tested: map[string]grounded{}}
}

// explain makes diagnostics a *SpecError and errors of the data a *DataError, so that they are shown in the spec's text.
func (r *runner) explain(err error) error { return r.spec.explain(err) }

// lap adds the time since the last lap to the report's timing.
func (r *runner) lap(name string) {
	now := time.Now()
	r.addTiming(name, now.Sub(r.clock).Seconds())
	r.clock = now
}

func (r *runner) addTiming(name string, seconds float64) {
	r.report.Timing.Figures = append(r.report.Timing.Figures, metric.Figure{Name: name, Value: seconds})
}

// warn adds a warning to the report that has a place in the spec, and tells the caller all of it.
func (r *runner) warn(d *diag.Diagnostic) {
	text := d.Error()
	r.report.Warnings = append(r.report.Warnings, text)
	if r.o.Warn != nil {
		r.report.Told = append(r.report.Told, text)
		r.o.Warn(d)
	}
}

// open makes the folder of the results.
func (r *runner) open() (err error) {
	r.out, err = openOutlet(r.o)
	return err
}

// load reads the data, splits them and prepares them.
func (r *runner) load() (err error) {
	if r.prepared, err = prepare(r.ctx, r.spec, r.o); err != nil {
		return err
	}
	r.report.DataSHA256, r.report.TestSHA256 = r.prepared.dataSHA256, r.prepared.testSHA256
	r.lap("load")
	return nil
}

// choose fixes the numbers for which the spec gives a grid.
func (r *runner) choose() error {
	c, err := r.prepared.choose(r.ctx)
	if err != nil {
		return err
	}
	r.instance, r.learner, r.report.Grid, r.further = c.instance, c.learner, c.grid, c.further
	if c.grid != nil {
		r.lap("choose")
	}
	return nil
}

// reportedOffenders is how many statements that labels break a report of a run names of each invariance; explain --top names more.
const reportedOffenders = 20

// ground settles the method and grounds the regularizer.
func (r *runner) ground() (err error) {
	r.method = cmp.Or(r.o.Method, r.instance.Method)
	if d := r.instance.DoubtEmbed(); d != nil && r.o.Method == setting.Embed && r.instance.Method != setting.Embed {
		r.warn(d)
	}
	if r.reg, err = r.prepared.ground(r.ctx, r.instance, r.warn); err != nil {
		return err
	}
	if r.report.Lint, err = lint(r.ctx, r.reg, r.prepared.Train, r.prepared.Seed); err != nil {
		return err
	}
	for _, d := range doubts(r.report.Lint, r.instance, r.reg) {
		r.warn(d)
	}
	for i := range r.report.Lint {
		r.report.Lint[i].Keep(reportedOffenders)
	}
	r.lap("ground")
	return nil
}

// fit fits the model.
func (r *runner) fit() error {
	options := r.prepared.options(r.instance, r.prepared.Train)
	if r.learner != nil {
		options.Learner, options.Strengths = *r.learner, nil
	}
	options.Witnesses, options.Unmeasured = r.o.Out != "", r.o.Unmeasured
	options.Tighten = r.o.Gap == 0
	var err error
	if options.Closure, err = r.prepared.closure(r.ctx, r.instance, r.reg, r.prepared.Train); err != nil {
		return err
	}
	if r.fitting, err = model.Fit(r.ctx, r.prepared.Train, r.reg, options); err != nil {
		return placed(r.instance, err)
	}
	r.reg = r.fitting.Regularizer
	r.fitting.Model.About = model.About{
		Preparation: r.prepared.Preparation, Spec: r.spec.Source, SpecSHA256: r.spec.SHA256, DataSHA256: r.report.DataSHA256,
		Seed: r.prepared.Seed, Program: "sipc " + Version,
	}
	for _, stage := range []string{"features", "operator", "embed", "learn", "values"} {
		r.addTiming(stage, r.fitting.Seconds[stage])
	}
	r.clock = time.Now()
	return nil
}

// baseline fits method plain to the same rows and the same features.
func (r *runner) baseline() error {
	if !r.o.Baseline || r.method == setting.Plain {
		return nil
	}
	options := r.prepared.options(r.instance, r.prepared.Train)
	options.Method, options.Map, options.Closure = setting.Plain, r.fitting.Model.Represent.Features, r.fitting.Model.Closure
	options.Unmeasured = r.o.Unmeasured
	fitting, err := model.Fit(r.ctx, r.prepared.Train, r.reg, options)
	if err != nil {
		return err
	}
	out, err := r.measure(fitting, nil)
	if err != nil {
		return err
	}
	r.describeBaseline(fitting, out)
	out.besideWitnesses(r.fitting.Model.Witnesses, fitting)
	r.lap("baseline")
	return nil
}

// explain makes diagnostics of grounding a *SpecError, and errors of the data a *DataError.
func (s *Spec) explain(err error) error {
	if e, ok := errors.AsType[*dataset.Error](err); ok {
		return s.dataError(e)
	}
	if list, ok := errors.AsType[diag.List](err); ok {
		return s.specError(list)
	}
	return err
}
