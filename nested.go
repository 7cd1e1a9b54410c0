package sipc

import (
	"context"
	"fmt"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// RunFolds tells what a spec is worth with all that it chooses: nested cross-validation. Each of some folds of the training rows is predicted by a
// model of the others. Where the spec splits rows by time, it is a model of the rows before the fold. Its numbers were chosen among these, as are the settings of
// rivals. Test rows of the spec have no part in it.
//
// The summary is that of RunSeeds, with folds in place of seeds. Out and Draw are for one model, and stay empty; no page is written.
func RunFolds(ctx context.Context, spec *Spec, o RunOptions, folds int) (*report.Summary, error) {
	p, err := Prepare(ctx, spec, o)
	if err != nil {
		return nil, err
	}
	r := newRepetition(spec, o)
	r.o.Out, r.o.Draw, r.o.Report, r.o.Card, r.o.Unmeasured = "", "", "", "", true
	r.drawn = &setting.Drawn{Train: p.Train.Rows}
	if p.Valid != nil {
		r.drawn.Valid = p.Valid.Rows
	}
	r.of = model.Targets(p.Train)
	if r.folds, err = learn.Folds(r.of, folds, p.Seed); err != nil {
		return nil, err
	}
	if len(r.folds) < folds {
		return nil, fmt.Errorf("%d training rows make no %d folds; ask for fewer", p.Train.Len(), folds)
	}
	var numbers []uint64
	for k := range r.folds {
		numbers = append(numbers, uint64(k)+1)
	}
	if err := r.run(ctx, numbers); err != nil {
		return nil, err
	}
	s := report.SummarizeFolds(r.runs, r.done, folds, r.of.Time != nil)
	s.Failed = r.failed
	return s, nil
}

// heldOut returns the rows of a run whose test rows are a fold of the training rows.
func heldOut(all *setting.Drawn, rest, fold []int) *setting.Drawn {
	out := &setting.Drawn{Valid: all.Valid}
	for _, i := range fold {
		out.Test = append(out.Test, all.Train[i])
	}
	for _, i := range rest {
		out.Train = append(out.Train, all.Train[i])
	}
	return out
}
