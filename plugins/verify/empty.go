package verify

import (
	"context"
	"slices"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/probe"
)

// empty asks about data without rows, of one and two rows, of one column, and makes calls of maps without functionals: answered, or
// refused by a line that says why.
func empty(ctx context.Context, s *suite) {
	for _, sub := range s.subjects() {
		for _, k := range []struct {
			on   string
			data *plugins.Data
		}{
			{"data without rows", sub.data(0, 17)},
			{"data of one row", sub.data(1, 17)},
			{"data of two rows", sub.data(2, 17)},
			{"data of one column", sub.oneColumn()},
		} {
			if k.data == nil {
				continue
			}
			p, err := s.family(ctx)
			if err != nil {
				s.findf("%v", err)
				return
			}
			q := &question{subject: sub, data: k.data, seed: 7, derivative: sub.path()}
			_, err = q.ask(ctx, p)
			s.check.Tried++
			s.answeredOrRefused(q, k.on, err)
		}
		if sub.of != nil {
			s.withoutFunctionals(ctx, sub)
		}
	}
}

// oneColumn is data of one column, where the subject asks for no other.
func (s *subject) oneColumn() *plugins.Data {
	named := slices.ContainsFunc(s.args, func(v plugins.Value) bool { return v.Kind == plugins.KindColumn && v.Index > 0 })
	if len(s.needs().Names) > 0 && (named || len(s.needs().Names) > 1) || (s.of != nil && s.of.NeedsImage) {
		return nil
	}
	d := probe.Table(rows, 1, s.labels, 17)
	for _, name := range s.needs().Names {
		d.Columns[0] = name
	}
	return d
}

// withoutFunctionals moves no point: the answer is no functional, and zero functionals stay zero.
func (s *suite) withoutFunctionals(ctx context.Context, sub *subject) {
	p, err := s.family(ctx)
	if err != nil {
		s.findf("%v", err)
		return
	}
	zero := &plugins.Block{}
	zero.End()
	zero.End()
	for _, at := range []*plugins.Block{{}, zero} {
		q := &question{subject: sub, data: sub.data(rows, 17), at: at}
		a, err := q.ask(ctx, p)
		s.check.Tried++
		switch {
		case err != nil && broke(err):
			s.findf("%v of %d functionals without terms: %v", sub, at.Len(), err)
			return
		case err == nil && len(a.blocks[0].Coef) != 0:
			s.findf("%v makes %d terms of functionals that have none", sub, len(a.blocks[0].Coef))
		}
	}
}
