package rival

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Machine is the kernel machine that augment fits: the spec's own, and the transformations under which rows are copied.
type Machine struct {
	Kernel   setting.Kernel
	Features setting.Features
	Learner  setting.Learner // its strength is the setting's
	// Copies are the rows of x under each transformation, as many matrices as there are transformations.
	Copies func(ctx context.Context, x *mat.Dense) ([]*mat.Dense, error)
}

// With returns the machine's learner with a setting's strength.
func (m *Machine) With(s Setting) setting.Learner {
	l := m.Learner
	if l.Strength = s.filled(Augment).C; l.Kind == setting.Ridge {
		l.Strength = 1 / l.Strength
	}
	return l
}

// copied holds the machine that augment has fitted.
type copied struct {
	machine  *Machine
	features embed.Map
	scale    float64 // of the features
	fit      *learn.Fit
}

// fitAugment fits the machine to the rows and their copies, each with the target of its row.
func (m *Model) fitAugment(ctx context.Context, train *dataset.Set, o Options) error {
	if o.Machine == nil {
		return errors.New("rival augment needs a kernel machine and transformations")
	}
	c := &copied{machine: o.Machine}
	phi, rows, err := c.represent(ctx, train, o)
	if err != nil {
		return err
	}
	l := o.Machine.With(o.Setting)
	l.MaxSweeps = o.MaxIterations
	m.copied = c
	c.fit, err = m.solve(ctx, l, phi, labels(train), targetsOf(train).Subset(rows), o)
	return err
}

// represent makes the feature map, and the representations of the rows and below them of their copies; rows says of which row each is. They
// are scaled so that those of the rows have a mean squared norm of 1.
func (c *copied) represent(ctx context.Context, train *dataset.Set, o Options) (phi *mat.Dense, rows []int, err error) {
	if s := o.shared; s.holds(o.Setting.Width) {
		c.features, c.scale = s.features, s.scale
		return s.phi, s.rows, nil
	}
	copies, err := o.Machine.Copies(ctx, train.X)
	if err != nil {
		return nil, nil, err
	}
	if err := c.build(ctx, train, copies, o); err != nil {
		return nil, nil, err
	}
	n, d := train.Len(), c.features.Dim()
	phi = mat.NewDense(n*(1+len(copies)), d, nil)
	for k, part := range append([]*mat.Dense{train.X}, copies...) {
		c.features.Features(phi.Slice(k*n, (k+1)*n, 0, d).(*mat.Dense), part) //nolint:forcetypeassert // so gonum documents it
		for i := range n {
			rows = append(rows, i)
		}
	}
	c.scale = 1
	if norm := mat.Norm(phi.Slice(0, n, 0, d), 2); norm > 0 {
		c.scale = math.Sqrt(float64(n)) / norm
	}
	phi.Scale(c.scale, phi)
	o.shared.keep(shared{width: o.Setting.Width, features: c.features, phi: phi, scale: c.scale, rows: rows})
	return phi, rows, nil
}

// build makes the feature map. The copies are points that landmarks may be taken from, as those of R's functionals are.
func (c *copied) build(ctx context.Context, train *dataset.Set, copies []*mat.Dense, o Options) error {
	spec, err := kernel.Fixed(o.Machine.Kernel, train.Groups, train.X, o.Seed)
	if err != nil {
		return err
	}
	if o.Setting.Width > 0 && spec.Radial() {
		median, err := kernel.MedianDistance(train.X, o.Seed)
		if err != nil {
			return err
		}
		spec.Width = o.Setting.Width * median
	}
	k, err := kernel.New(spec)
	if err != nil {
		return err
	}
	block := &plugins.Block{}
	for _, x := range copies {
		n, _ := x.Dims()
		for i := range n {
			block.Term(1, ^int32(block.Points.Append(x.RawRowView(i))), plugins.Evaluation, plugins.NoLabel)
			block.End()
		}
	}
	c.features, err = embed.ForLabels(ctx, k, o.Machine.Features.Fixed(train.Len(), o.Seed), embed.Labels{Count: labels(train), Coupled: 1}, train.X, block)
	return err
}

// scores returns the means of the scores of rows and of their copies.
func (c *copied) scores(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	copies, err := c.machine.Copies(ctx, x)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	var sum *mat.Dense
	for _, part := range append([]*mat.Dense{x}, copies...) {
		phi := mat.NewDense(n, c.features.Dim(), nil)
		c.features.Features(phi, part)
		phi.Scale(c.scale, phi)
		design, err := learn.Shared(phi, len(c.fit.Bias))
		if err != nil {
			return nil, err
		}
		scores, err := c.fit.Scores(design)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = scores
			continue
		}
		sum.Add(sum, scores)
	}
	sum.Scale(1/float64(1+len(copies)), sum)
	return sum, nil
}
