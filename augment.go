package sipc

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// An augmentation is a kernel machine of the spec, for the rival augment, and the settings that it is compared with.
type augmentation struct {
	*rival.Machine
	kernel   string
	copies   []string
	settings []rival.Setting
}

// augmentations returns those to which the spec's grids lead, each once: that of the instance first.
func (p *Prepared) augmentations(first *compiler.Instance) []augmentation {
	instances := []*compiler.Instance{first}
	for _, choice := range outerChoices(p.Spec.Plan.Grid) {
		instances = append(instances, p.Spec.Plan.At(choice))
	}
	var out []augmentation
	for _, in := range instances {
		a := p.augmentation(in)
		if !slices.ContainsFunc(out, func(b augmentation) bool { return a.kernel == b.kernel && slices.Equal(a.copies, b.copies) }) {
			out = append(out, a)
		}
	}
	return out
}

// augmentation returns that of an instance. The strengths are those that every rival is compared with, and the spec's own.
func (p *Prepared) augmentation(in *compiler.Instance) augmentation {
	copies, _ := in.Copies()
	texts := make([]string, len(copies))
	for i, t := range copies {
		texts[i] = t.Text
	}
	l := in.Learn
	out := augmentation{
		kernel: in.Kernel.String(), copies: texts, settings: rival.Search(rival.Augment),
		Machine: &rival.Machine{
			Kernel: in.Kernel, Features: in.Features, Learner: l, Copies: copier(copies, p.Train),
		},
	}
	for _, c := range p.strengths(in) {
		if l.Kind == setting.Ridge {
			c = 1 / c
		}
		if s := (rival.Setting{C: c}); c > 0 && !slices.Contains(out.settings, s) {
			out.settings = append(out.settings, s)
		}
	}
	return out
}

// copier copies prepared rows. It shows no labels of theirs: transformations that need them are none to copy by.
func copier(copies []compiler.Transform, train *dataset.Set) func(ctx context.Context, x *mat.Dense) ([]*mat.Dense, error) {
	like := *familyData(train)
	return func(ctx context.Context, x *mat.Dense) ([]*mat.Dense, error) {
		data := like
		data.Rows = matrix(x)
		if like.Labels != nil {
			data.Labels = make([]plugins.Label, data.Rows.Rows)
		}
		out := make([]*mat.Dense, len(copies))
		for k, t := range copies {
			moved, err := t.Apply(ctx, &data)
			if err != nil {
				return nil, err
			}
			out[k] = dense(moved)
		}
		return out, nil
	}
}

// augment settles which machine augment is, and with which strength.
func (s *settled) augment(ctx context.Context, o *RivalOptions, options *rival.Options, out *report.Contender) error {
	all := s.rows.augmentations(s.instance)
	best := 0
	if o.Setting == nil {
		var top rival.Trial
		for k, a := range all {
			options.Machine = a.Machine
			won, trials, err := rival.Choose(ctx, o.Name, s.rows.Train, a.settings, *options, s.rows.stage(fmt.Sprintf("choose the setting of %s, %d of %d", o.Name, k+1, len(all))))
			if err != nil {
				return err
			}
			for _, t := range trials {
				out.Search = append(out.Search, report.Tried{Choice: a.describe(t.Setting, len(all) > 1), Score: report.Number(t.Score)})
			}
			if k == 0 || rival.Better(s.rows.Train.Task, won.Score, top.Score) {
				best, top = k, won
			}
		}
		o.Setting = &top.Setting
	}
	options.Machine = all[best].Machine
	out.Setting, out.Copies = all[best].describe(*o.Setting, len(all) > 1), all[best].copies
	return nil
}

// describe returns a setting in words: the learner, the kernel, and the copies where grids vary them.
func (a *augmentation) describe(s rival.Setting, varied bool) string {
	text := a.With(s).String() + ", " + a.kernel
	if s.Width > 0 {
		text = fmt.Sprintf("%s, width = %g median", a.With(s), s.Width)
	}
	if varied {
		text += ", copies under " + strings.Join(a.copies, "; ")
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
	return &RivalError{fmt.Errorf(
		"rival augment copies rows under the transformations of the spec, and there are none; %s\nwrite an invariance such as "+
			"rms over x, t in {…} of |f(t(x)) - f(x)|, or take another rival: %s", why, strings.Join(others, ", "))}
}
