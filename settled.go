package sipc

import (
	"cmp"
	"context"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/truth"
)

// A settled is a problem with every number fixed, and its R on the training rows. Only its fit changes it, where the rows decide the method.
type settled struct {
	rows *Prepared
	*chosen
	method setting.Method
	reason string // for the method, where the rows decided; empty leaves it to the instance
	reg    *regularizer.Regularizer
	lints  []report.Lint
	hunt   *hunt // of worst moves; nil where R takes no maximum over an orbit, and before the fit
}

// reportedOffenders is how many statements that labels break a report of a run names of each invariance; explain --top names more.
const reportedOffenders = 20

// settle prepares the rows, chooses the numbers for which the spec gives grids, and grounds the regularizer.
func settle(ctx context.Context, spec *Spec, o RunOptions, j *journal) (*settled, error) {
	var p *Prepared
	err := limits.Whole(ctx, func(ctx context.Context) (err error) {
		if p, err = prepare(ctx, spec, o); err != nil {
			return err
		}
		j.lap("load")
		return p.ordersLabels(ctx, o.Rivals)
	})
	if err != nil {
		return nil, err
	}
	c, err := p.choose(ctx)
	if err != nil {
		return nil, err
	}
	if c.grid != nil {
		j.lap("choose")
	}
	if c.left != "" {
		j.note(c.left)
	}
	s := &settled{rows: p, chosen: c, method: cmp.Or(o.Method, c.instance.Method)}
	if d := c.instance.DoubtEmbed(); d != nil && o.Method == setting.Embed && c.instance.Method != setting.Embed {
		j.warn(d)
	}
	err = limits.Whole(ctx, func(ctx context.Context) (err error) {
		if err := p.bounded(c.instance); err != nil {
			return err
		}
		if s.reg, err = groundForFit(ctx, p, p.seen, c.instance, s.method, j.warn); err != nil {
			return err
		}
		s.lints, err = truth.Judge(ctx, s.reg, labelsOf(p.Train), p.Seed)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, d := range append(spec.Plan.OutOfSight(p.Train.Height, p.Train.Width), doubts(s.lints, c.instance, s.reg)...) {
		j.warn(d)
	}
	for i := range s.lints {
		s.lints[i].Keep(reportedOffenders)
	}
	j.lap("ground")
	return s, nil
}

// manyEmbeddings is why method risk takes the place of embed.
const manyEmbeddings = "embeddings of all rows and labels would be too many to keep"

// A fitRequest says what a fit is for.
type fitRequest struct {
	witnesses, unmeasured, tighten bool // see model.Options
}

// fit fits the model.
func (s *settled) fit(ctx context.Context, q fitRequest) (*model.Fitting, error) {
	options := s.rows.Options(s.instance)
	if s.learner != nil {
		options.Learner, options.Strengths = *s.learner, nil
	}
	options.TestRows = s.rows.Test.Len()
	options.Witnesses, options.Unmeasured, options.Tighten = q.witnesses, q.unmeasured, q.tighten
	options.Measures = len(s.instance.Measures()) > 0
	if err := s.rows.imply(ctx, s.instance, s.reg, s.rows.seen, &options); err != nil {
		return nil, err
	}
	if s.hunt = newHunt(s); s.hunt != nil {
		options.Exchange, options.Ground = s.hunt.next, s.hunt.ground
	}
	f, err := model.Fit(ctx, s.rows.Train, s.reg, options)
	if err != nil {
		return nil, placed(s.instance, err)
	}
	if m := f.Model.Represent.Method; m != s.method {
		s.method, s.reason = m, manyEmbeddings
	}
	pins, err := s.rows.Spec.pins()
	if err != nil {
		return nil, err
	}
	f.Model.About = model.About{
		Preparation: s.rows.Preparation, Spec: s.rows.Spec.Source, SpecSHA256: s.rows.Spec.SHA256, DataSHA256: s.rows.dataSHA256,
		Seed: s.rows.Seed, Program: "sipc " + Version, Families: pins,
	}
	return f, nil
}

// fitPlain fits method plain to the same rows on the features of a fitted model, with R as that has it.
func (s *settled) fitPlain(ctx context.Context, beside *model.Fitting, unmeasured bool) (*model.Fitting, error) {
	options := s.rows.Options(s.instance)
	options.Method, options.Map = setting.Plain, beside.Model.Represent.Features
	options.Closure, options.Declared = beside.Model.Closure, beside.Model.Declared
	options.Unmeasured, options.Measures = unmeasured, len(s.instance.Measures()) > 0
	return model.Fit(ctx, s.rows.Train, beside.Regularizer, options)
}
