package sipc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// An entrant is a machine of a rival, which only augment has, and the settings that it is compared with.
type entrant struct {
	machine  *rival.Machine
	instance *compiler.Instance // of augment
	copies   []string           // the transformations
	number   int                // of copies of each row
	settings []rival.Setting
	text     func(s rival.Setting) string
}

// augmentations returns the machines of augment to which the spec's grids lead, each once: that of an instance first.
func (p *Prepared) augmentations(first *compiler.Instance) []*entrant {
	out := []*entrant{p.augmentation(first)}
	for _, choice := range outerChoices(p.Spec.Plan.Grid) {
		a := p.augmentation(p.Spec.Plan.At(choice))
		if !slices.ContainsFunc(out, func(b *entrant) bool {
			return a.machine.Kernel.String() == b.machine.Kernel.String() && slices.Equal(a.copies, b.copies)
		}) {
			out = append(out, a)
		}
	}
	for _, e := range out {
		e.text = func(s rival.Setting) string { return e.describe(s, len(out) > 1) }
	}
	return out
}

// augmentation returns the machine of an instance. The strengths are those that every rival is compared with, and the spec's own.
func (p *Prepared) augmentation(in *compiler.Instance) *entrant {
	copies, _ := in.Copies()
	out := &entrant{
		instance: in,
		number:   len(copies),
		settings: rival.Search(rival.Augment),
		machine:  &rival.Machine{Kernel: in.Kernel, Features: in.Features, Learner: in.Learn.Alone(), Copies: copier(copies, p.Train, p.Seed)},
	}
	for _, t := range copies {
		if text := cmp.Or(t.Orbit, t.Text); !slices.Contains(out.copies, text) {
			out.copies = append(out.copies, text)
		}
	}
	for _, c := range p.strengths(in) {
		if in.Learn.Kind == setting.Ridge {
			c = 1 / c
		}
		if s := (rival.Setting{C: c}); c > 0 && !slices.Contains(out.settings, s) {
			out.settings = append(out.settings, s)
		}
	}
	return out
}

// copier copies prepared rows. It shows no labels of theirs: transformations that need them are none to copy by.
func copier(copies []compiler.Transform, train *dataset.Set, seed uint64) func(ctx context.Context, x *mat.Dense) ([]*mat.Dense, error) {
	like := *familyData(train)
	return func(ctx context.Context, x *mat.Dense) ([]*mat.Dense, error) {
		data := like
		data.Rows = matrix(x)
		if like.Labels != nil {
			data.Labels = make([]plugins.Label, data.Rows.Rows)
		}
		out := make([]*mat.Dense, len(copies))
		for k, t := range copies {
			moved, err := t.Apply(ctx, &data, seed)
			if err != nil {
				return nil, err
			}
			out[k] = dense(moved)
		}
		return out, nil
	}
}

// describe returns a setting in words: the learner, the kernel, and the copies where grids vary them.
func (e *entrant) describe(s rival.Setting, varied bool) string {
	text := e.machine.With(s).String() + ", " + e.machine.Kernel.String()
	if s.Width > 0 {
		text = fmt.Sprintf("%s, width = %g median", e.machine.With(s), s.Width)
	}
	if varied {
		text += ", copies under " + strings.Join(e.copies, "; ")
	}
	return text
}

// suits returns an error if a rival cannot be compared with on the spec. Either it does not learn such a target, or it copies rows under
// transformations and the spec has none.
func (s *Spec) suits(n rival.Name) error {
	in := s.Plan.At(nil)
	task := s.Plan.Data.Target.Task
	if err := n.Suits(task); err != nil {
		return &RivalError{err}
	}
	if n != rival.Augment {
		return nil
	}
	copies, without := in.Copies()
	if len(copies) > 0 {
		return nil
	}
	why := "regularize takes no invariance"
	if len(without) > 0 {
		lines := make([]string, len(without))
		for i, w := range without {
			lines[i] = fmt.Sprintf("  %s: %s", w.Name, w.Why)
		}
		why = "no invariance says that f stays as it is where every row is moved:\n" + strings.Join(lines, "\n")
	}
	var others []string
	for _, other := range rival.For(task) {
		if other != rival.Augment {
			others = append(others, string(other))
		}
	}
	instead := "take another rival: " + strings.Join(others, ", ")
	if others == nil {
		instead = "take --baseline plain"
	}
	return &RivalError{fmt.Errorf(
		"rival augment copies rows under the transformations of the spec, and there are none; %s\nwrite an invariance such as "+
			"rms over x, t in {…} of |f(t(x)) - f(x)|, or %s", why, instead)}
}
