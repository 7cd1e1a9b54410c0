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
		narrow, column := sub.oneColumn()
		for _, k := range []struct {
			on   string
			of   *subject
			data *plugins.Data
		}{
			{"data without rows", sub, sub.data(0, 17)},
			{"data of one row", sub, sub.data(1, 17)},
			{"data of two rows", sub, sub.data(2, 17)},
			{"data of one column", narrow, column},
		} {
			if k.data == nil {
				continue
			}
			p, err := s.family(ctx)
			if err != nil {
				s.findf("%v", err)
				return
			}
			q := &question{subject: k.of, data: k.data, seed: 7, derivative: sub.path()}
			_, err = q.ask(ctx, p)
			s.check.Tried++
			s.answeredOrRefused(q, k.on, err)
		}
		if sub.of != nil {
			s.withoutFunctionals(ctx, sub)
		}
	}
}

// oneColumn is the subject on data of one column, which every argument that names a column then names, as in a run it must. There are
// no such data where it asks for more.
func (s *subject) oneColumn() (*subject, *plugins.Data) {
	asked := *s
	asked.args = nil
	names := asked.needs().Names // without those that arguments name
	if len(names) > 1 || (s.of != nil && s.of.NeedsImage) {
		return s, nil
	}
	d := probe.Table(rows, 1, s.labels, 17)
	copy(d.Columns, names)
	asked.args = slices.Clone(s.args)
	for i := range asked.args {
		if v := &asked.args[i]; v.Kind == plugins.KindColumn {
			v.Index, v.Text = 0, d.Columns[0]
		}
	}
	return &asked, d
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
