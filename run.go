package sipc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/cache"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

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
	if err := sound(spec, o); err != nil {
		return nil, err
	}
	if err := o.askEmbeddings(spec); err != nil {
		return nil, err
	}
	if o.Blocks != "" {
		folder, err := cache.Open(o.Blocks, program())
		if err != nil {
			return nil, err
		}
		o.cache = folder
	}
	if err := canDraw(o.Draw); err != nil {
		return nil, err
	}
	if err := canReport(spec, &o); err != nil {
		return nil, err
	}
	if o.Whole && o.Test == "" && (o.Out != "" || o.Baseline || len(o.Rivals) > 0) {
		return nil, errUntested
	}
	out, err := openOutlet(spec, o)
	if err != nil {
		return nil, err
	}
	defer out.discard()
	made, err := perform(ctx, spec, o, out)
	if err != nil {
		return nil, spec.explain(err)
	}
	return made, nil
}

// errUntested says that results are asked for which test rows make.
var errUntested = errors.New("all rows train, and there are no test rows: name some by Test, or ask for no folder of results, no page, no baseline and no rivals")

// sound returns an error where a spec cannot be run with such a method and such rivals, whatever the data are.
func sound(spec *Spec, o RunOptions) error {
	if err := spec.Err(); err != nil {
		return err
	}
	if err := cmp.Or(notKept(spec, o.Method), notSearched(spec, o.Method)); err != nil {
		return err
	}
	for _, rival := range o.Rivals {
		if err := spec.suits(rival.Name); err != nil {
			return err
		}
	}
	return nil
}

// perform runs the chain: settle the problem, fit, examine, report, write.
func perform(ctx context.Context, spec *Spec, o RunOptions, out *outlet) (*Outcome, error) {
	j := newJournal(o.Warn)
	ctx = j.answers.Of(ctx)
	for _, d := range spec.Diagnostics {
		if d.Code != codes.EmbedOneSided || o.Method == "" || o.Method == setting.Embed {
			j.warn(d)
		}
	}
	s, err := settle(ctx, spec, o, j)
	if err != nil {
		return nil, err
	}
	f, err := s.fit(ctx, fitRequest{witnesses: o.Out != "" || o.Draw != "" || o.pages() != nil || o.Keep, unmeasured: o.Unmeasured, tighten: o.Gap == 0})
	if err != nil {
		return nil, err
	}
	for _, stage := range []string{"features", "operator", "embed", "learn", "values"} {
		j.spent(stage, f.Seconds[stage])
	}
	return conclude(ctx, s, f, o, out, j)
}

// conclude examines, reports and writes what was fitted.
func conclude(ctx context.Context, s *settled, f *model.Fitting, o RunOptions, out *outlet, j *journal) (*Outcome, error) {
	found, err := examine(ctx, s, f, o, out, j)
	if err != nil {
		return nil, err
	}
	rep := found.report(j)
	rep.Data, rep.Test = o.Data, o.Test
	if hint := out.hintLarge(f.Model.Represent, s.rows.Train.Len()+s.rows.Test.Len()); hint != "" {
		rep.Hints = append(rep.Hints, hint)
	}
	if ended := limits.Ended(ctx); ended != "" {
		rep.Missed = strings.TrimSuffix(ended+"; "+rep.Missed, "; ")
	}
	rep.Timing.Figures = j.total()
	programs := s.rows.Spec.launcher
	rep.Families = programs.answered(&j.answers)
	unsteady := out.otherwise(rep.Families)
	if err := out.write(ctx, found, rep); err != nil {
		return nil, err
	}
	programs.unsteady(o.Out, unsteady)
	if o.Draw != "" {
		if rep.Pictures, err = Draw(ctx, f.Model, o.Draw, DrawOptions{rows: model.Spread(s.rows.Train)}); err != nil {
			return nil, err
		}
	}
	if err := writePages(ctx, found, rep, o); err != nil {
		return nil, err
	}
	return &Outcome{Report: rep, Train: s.rows.Train, Test: s.rows.Test, Model: f.Model, Scores: found.scores}, nil
}

// examine measures a fitted model on the test rows, and beside it the baseline and the rivals that were asked for.
func examine(ctx context.Context, s *settled, f *model.Fitting, o RunOptions, out *outlet, j *journal) (*findings, error) {
	sink, err := out.embeddings(testName, s.rows.Test, f.Model.Represent)
	if err != nil {
		return nil, err
	}
	x := newExaminer(s, f.Regularizer, j.warn)
	x.keeps = o.pages() != nil
	found := &findings{settled: s, fitting: f}
	tell(s.rows, "evaluate", 0, 0)
	if found.evaluation, err = x.evaluate(ctx, f, sink); err != nil {
		return nil, err
	}
	inWitnesses(f.Model.Witnesses, found.summands, func(w *report.Witness, s *report.Summand) { w.Broken, w.Test = s.Broken, s.Test })
	j.lap("evaluate")
	return found, x.beside(ctx, found, o, j)
}

// beside measures the baseline and the rivals that were asked for. Those for which no time is left are left out.
func (x *examiner) beside(ctx context.Context, found *findings, o RunOptions, j *journal) error {
	contend := func(name string, do func(context.Context) error) error {
		err := limits.Whole(ctx, do)
		if limits.TimeOver(err) {
			j.note(fmt.Sprintf("no time was left for %s", name))
			return nil
		}
		return err
	}
	if found.alone = o.Baseline && x.method != setting.Plain && !found.differs(); found.alone {
		j.lap("baseline")
	} else if o.Baseline && x.method != setting.Plain {
		err := contend("the baseline", func(ctx context.Context) (err error) {
			if found.baseline, err = x.baseline(ctx, found.fitting, o.Unmeasured); err == nil {
				found.cost, err = costOf(ctx, found)
			}
			return err
		})
		if err != nil {
			return err
		}
		found.keepTwin()
		j.lap("baseline")
	}
	for _, rival := range o.Rivals {
		err := contend("the rival "+string(rival.Name), func(ctx context.Context) error {
			scored, err := x.rival(ctx, rival)
			if err == nil {
				found.rivals = append(found.rivals, scored)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(o.Rivals) > 0 {
		j.lap("rivals")
	}
	return nil
}
