package verify

import (
	"context"
	"slices"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/probe"
)

// empty asks about data without rows, of one and two rows, and of one and two columns. It also calls maps without
// functionals. The family must answer, or refuse in a line that says why.
func empty(ctx context.Context, s *suite) {
	for _, sub := range s.subjects() {
		if refusesUsual(ctx, s, sub) {
			continue
		}
		narrow, column := sub.narrowed(1)
		pair, two := sub.narrowed(2)
		for _, k := range []struct {
			on   string
			of   *subject
			data *plugins.Data
		}{
			{"data without rows", sub, sub.data(0, 17)},
			{"data of one row", sub, sub.data(1, 17)},
			{"data of two rows", sub, sub.data(2, 17)},
			{"data of one column", narrow, column},
			{"data of two columns", pair, two},
		} {
			if k.data == nil {
				continue
			}
			p := s.sound(ctx)
			if p == nil {
				return
			}
			q := &question{subject: k.of, data: k.data, seed: 7, derivative: sub.path()}
			_, err := q.ask(ctx, p)
			s.check.Tried++
			answeredOrRefused(s, q, k.on, err)
		}
		if sub.of != nil {
			withoutFunctionals(ctx, s, sub)
		}
	}
}

// narrowed returns the subject on data of so many columns, which the arguments that name columns name in turn, as
// they must in a run. It returns nil data if the subject asks for more by name, or for an image.
func (s *subject) narrowed(p int) (*subject, *plugins.Data) {
	asked := *s
	asked.args = nil
	names := asked.needs().Names // without those that arguments name
	if len(names) > p || (s.of != nil && s.of.NeedsImage) {
		return s, nil
	}
	d := probe.Table(rows, p, s.labels, 17)
	copy(d.Columns, names)
	asked.args = slices.Clone(s.args)
	nth := 0
	for i := range asked.args {
		if v := &asked.args[i]; v.Kind == plugins.KindColumn {
			v.Index, v.Text = nth%p, d.Columns[nth%p]
			nth++
		}
	}
	return &asked, d
}

// withoutFunctionals moves no point: the answer is not a functional, and zero functionals stay zero.
func withoutFunctionals(ctx context.Context, s *suite, sub *subject) {
	p := s.sound(ctx)
	if p == nil {
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
			s.faultf(sub, "functionals without terms", "%s", told(err))
			return
		case err == nil && len(a.blocks[0].Coef) != 0:
			s.faultf(sub, "functionals without terms", "it makes %d terms of them", len(a.blocks[0].Coef))
		}
	}
}
