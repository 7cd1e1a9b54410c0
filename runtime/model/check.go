package model

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Words that a header may use.
var (
	methods  = []setting.Method{setting.Embed, setting.Warp, setting.Plain, setting.Risk, setting.Dual}
	betweens = []represent.Between{"", represent.Proved, represent.Measured, represent.AtNodes}
)

// model makes a model of what a file holds.
func (c *content) model() (*Model, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return c.build()
}

// check refuses a header that contradicts itself. It looks at shapes alone, so that it may come before any array is read.
func (c *content) check() error {
	if c.Preparation == nil {
		return errors.New("preparation is missing")
	}
	if err := c.Preparation.Check(); err != nil {
		return fmt.Errorf("preparation: %w", err)
	}
	if !slices.Contains(methods, c.Method) {
		return fmt.Errorf("method %q is none of %q", c.Method, methods)
	}
	if want := c.Preparation.Target.Functions(); c.Labels != want {
		return fmt.Errorf("labels is %d, and the target has %d", c.Labels, want)
	}
	if !(c.Scale > 0) || !(c.Gap >= 0) || !(c.Work >= 0) {
		return fmt.Errorf("scale is %v, gap %v and work %v; want a positive number, and two that are not negative", c.Scale, c.Gap, c.Work)
	}
	if c.Interval.Nodes < 0 || c.Interval.Nodes > curve.MostNodes || !slices.Contains(betweens, c.Interval.Between) {
		return fmt.Errorf("interval: %d nodes and %q; want 0 to %d and one of %q", c.Interval.Nodes, c.Interval.Between, curve.MostNodes, betweens)
	}
	if k, err := kernel.New(c.Features.Kernel); err != nil {
		return fmt.Errorf("features: %w", err)
	} else if p := k.Columns(); p > 0 && p != len(c.Preparation.Columns()) {
		return fmt.Errorf("features: a kernel of %d columns, want %d", p, len(c.Preparation.Columns()))
	}
	dim, err := c.Features.dim(len(c.Preparation.Columns()))
	if err != nil {
		return fmt.Errorf("features: %w", err)
	}
	return errors.Join(c.checkNorm(dim), c.checkFit(dim), c.checkCoefficients(), c.checkNearness(dim), c.checkWitnesses(), c.checkDrawn())
}

// dim returns d of features of so many columns. It returns an error if their shapes are of others.
func (f *features) dim(columns int) (int, error) {
	frequencies, waves := f.Frequencies.dims()
	switch f.Kind {
	case setting.Nystrom:
		return f.nystromDim(columns)
	case setting.Fourier:
		if frequencies == 0 || waves != columns || f.Phases.rows() > 1 {
			return 0, fmt.Errorf("frequencies of %d columns with %d phases, want %d columns and at most 1", waves, f.Phases.rows(), columns)
		}
		return 2*frequencies - f.Phases.rows(), nil
	case setting.Hashing:
		if f.Columns != columns || f.Bits < 1 || f.Bits > embed.MostBits {
			return 0, fmt.Errorf("%d bits and %d columns, want 1 to %d bits and %d columns", f.Bits, f.Columns, embed.MostBits, columns)
		}
		return 1 << f.Bits, nil
	case setting.Exact:
	}
	return 0, fmt.Errorf("kind %q is none of nystrom, fourier and hashing", f.Kind)
}

// nystromDim does what dim does for landmarks.
func (f *features) nystromDim(columns int) (int, error) {
	marks := 0
	for _, points := range []*array{f.Landmarks, f.At} {
		rows, cols := points.dims()
		if points != nil && cols != columns {
			return 0, fmt.Errorf("landmarks of %d columns, want %d", cols, columns)
		}
		marks += rows
	}
	at, cols := f.At.dims()
	if rows, wide := f.Along.dims(); rows != at || wide != cols {
		return 0, fmt.Errorf("tangents are %d×%d at %d×%d points", rows, wide, at, cols)
	}
	rows, dim := f.Whiten.dims()
	if dim == 0 || rows != marks {
		return 0, fmt.Errorf("%d landmarks with %d×%d weights", marks, rows, dim)
	}
	return dim, nil
}

// regularized reports whether embeddings differ from φ(x).
func (c *content) regularized() bool { return c.Norm != nil }

// joint reports whether every label has an embedding of its own.
func (c *content) joint() bool { return c.regularized() && c.Labels > 1 }

// checkNorm refuses a norm that does not suit the method or d features.
func (c *content) checkNorm(dim int) error {
	n := c.Norm
	if n == nil {
		if len(c.Interval.Curves) > 0 {
			return errors.New("the model has curves and no gauge")
		}
		return nil
	}
	if c.Method.Direct() {
		return fmt.Errorf("norm: method %s has none", c.Method)
	}
	if _, cols := n.Psi.dims(); n.Psi != nil && cols != dim || n.Functionals < 0 || n.Start.rows() != n.Functionals+1 {
		return fmt.Errorf("norm: %d functionals with %d starts in %d dimensions, want %d", n.Functionals, n.Start.rows(), cols, dim)
	}
	if n.Reach != nil && n.Reach.Start.rows() != c.Labels+1 {
		return errors.New("the model has embeddings at labels that it does not have")
	}
	return nil
}

// checkFit refuses a learner, weights, biases and label sets that do not suit the task, the labels and d features.
func (c *content) checkFit(dim int) error {
	f := &c.Fit
	if f.Task != c.Preparation.Target.Task {
		return fmt.Errorf("fit: the task is %q, and that of the preparation %q", f.Task, c.Preparation.Target.Task)
	}
	if err := f.Learner.Suits(f.Task); err != nil {
		return fmt.Errorf("fit: %w", err)
	}
	// Scores of joint embeddings are inner products with all weights, and those of shared ones with a row for each label.
	rows, cols := c.Labels, dim
	if c.joint() {
		rows, cols = 1, c.Labels*dim
	}
	if r, k := f.Weights.dims(); r != rows || k != cols || f.Joint != c.joint() {
		return fmt.Errorf("fit: weights are %d×%d (joint: %v), want %d×%d (joint: %v)", r, k, f.Joint, rows, cols, c.joint())
	}
	if f.Bias.rows() != c.Labels {
		return fmt.Errorf("fit: %d biases, want %d", f.Bias.rows(), c.Labels)
	}
	if f.Gap < 0 {
		return fmt.Errorf("fit: the gap is %v, and no gap is negative", float64(f.Gap))
	}
	if (f.Sets != nil) != f.Learner.LearnsSets(f.Task) {
		return fmt.Errorf("fit: label sets belong to softmax on labels, and the learner is %s on a %s target", f.Learner.Kind, f.Task)
	}
	return nil
}

// checkCoefficients refuses coefficients that are not those of the landmarks, and statements about a function that has none.
func (c *content) checkCoefficients() error {
	if c.Coefficients == nil {
		if len(c.Requirements) > 0 {
			return errors.New("requirements: the model has no coefficients of the function that they speak of")
		}
		return nil
	}
	marks, _ := c.Features.Whiten.dims()
	if rows, cols := c.Coefficients.dims(); rows != marks || cols != c.Labels || c.regularized() || c.Features.Kind != setting.Nystrom {
		return fmt.Errorf("coefficients are %d×%d, want %d×%d of a method whose scores are sums at landmarks", rows, cols, marks, c.Labels)
	}
	return nil
}

// checkNearness refuses bounds of errors that do not suit the labels or d features.
func (c *content) checkNearness(dim int) error {
	n := c.Nearness
	if n == nil {
		return nil
	}
	// Bounds follow from the gaps of embeddings, or from that of the risk.
	if c.Method.Embeds() && !c.regularized() {
		return errors.New("nearness: nothing was solved for")
	}
	if rows, cols := n.Center.dims(); n.Center != nil && (rows != c.Labels || cols != dim) || (n.Center != nil) != (len(n.Anchor) > 0) {
		return fmt.Errorf("nearness: a center of %d×%d numbers with %d anchors, want %d×%d and %d", rows, cols, len(n.Anchor), c.Labels, dim, c.Labels)
	}
	return nil
}

// checkWitnesses refuses witnesses that are not finite.
func (c *content) checkWitnesses() error {
	var all []report.Witness
	if c.Witnesses != nil {
		all = c.Witnesses.Invariances
	}
	if len(c.Everywhere) != len(all) {
		return fmt.Errorf("everywhere speaks of %d invariances, and there are %d", len(c.Everywhere), len(all))
	}
	for i := range all {
		if !finite(&all[i]) {
			return errors.New("the model's witnesses are not finite")
		}
	}
	return nil
}

// build makes a model of a header that was checked, and checks what the arrays hold.
func (c *content) build() (*Model, error) {
	features, err := embed.FromState(c.Features.state())
	if err != nil {
		return nil, err
	}
	learned, err := c.Fit.fit(c.Labels)
	if err != nil {
		return nil, err
	}
	near := c.Nearness.nearness()
	if err := errors.Join(checkImplications(c.Closure, c.Labels), learned.Sets.Check(c.Labels), learned.CheckSigmoids(c.Labels),
		near.check(c.Labels, features.Dim())); err != nil {
		return nil, err
	}
	required, err := requirements(c.Requirements, len(c.Preparation.Columns()), c.Labels)
	if err != nil {
		return nil, err
	}
	r := &represent.Representer{
		Method: c.Method, Features: features, Labels: c.Labels, Scale: c.Scale, Gap: c.Gap, MaxWork: c.Work,
		Nodes: c.Interval.Nodes, Between: c.Interval.Between, Afterwards: c.Interval.Afterwards,
	}
	if err := c.norm(r); err != nil {
		return nil, err
	}
	rows, err := c.Rows.rows()
	if err != nil {
		return nil, err
	}
	for i, everywhere := range c.Everywhere {
		c.Witnesses.Invariances[i].Everywhere = everywhere
	}
	about := About{
		Preparation: c.Preparation, Spec: c.Spec, SpecSHA256: c.SpecSHA256, DataSHA256: c.DataSHA256, Seed: c.Seed, Program: c.Program, Families: c.Families,
	}
	return &Model{
		Represent: r, Fit: learned, About: about, Witnesses: c.Witnesses, Nearness: near, Closure: c.Closure, Declared: c.Declared, Coefficients: c.Coefficients.dense(), Requirements: required,
		Rows: rows, Twin: c.Twin.twin(),
	}, nil
}

// norm gives a representer its operator and its curves.
func (c *content) norm(r *represent.Representer) (err error) {
	n := c.Norm
	if n == nil {
		return nil
	}
	// The gauge comes first: all that follows takes its size for granted.
	if r.Gauge, err = n.Gauge.gauge(); err == nil {
		err = r.Gauge.Validate()
	}
	if err != nil {
		return fmt.Errorf("the model's norm is unknown to this version: %w", err)
	}
	if size := r.Gauge.Size(); size != n.Functionals {
		return fmt.Errorf("norm: a gauge of %d functionals, and there are %d", size, n.Functionals)
	}
	// Only a quadratic form has the closed form of method warp.
	if _, ok := r.Gauge.Quadratic(); c.Method == setting.Warp && !ok {
		return fmt.Errorf("norm: %w", represent.ErrNotQuadratic)
	}
	if r.Operator, err = operator.FromState(n.state(c.Labels, r.Features.Dim())); err != nil {
		return err
	}
	if len(c.Interval.Curves) > 0 {
		if r.Curves, err = polar.NewCurves(n.Functionals, c.Interval.Curves, c.Interval.Slack, c.Interval.Drift); err != nil {
			return err
		}
	}
	if r.Support, err = n.Reach.all(); err != nil {
		return fmt.Errorf("norm.reach: %w", err)
	}
	if err := checkReach(r.Support, c.Labels); err != nil {
		return err
	}
	if r.Supports() && !r.Reducible() {
		return errors.New("the model has embeddings at some labels alone, and a norm that does not allow them")
	}
	return nil
}

// checkReach refuses supports with labels that are not among the m, and supports of another number of labels.
func checkReach(all [][]int32, m int) error {
	if all == nil {
		return nil
	}
	bad := errors.New("the model has embeddings at labels that it does not have")
	if len(all) != m {
		return bad
	}
	for y, reach := range all {
		for k, label := range reach {
			if label < 0 || int(label) >= m || (k > 0 && reach[k-1] >= label) {
				return bad
			}
		}
		// What pulls f(x, y) moves f(x, y).
		if !slices.Contains(reach, int32(y)) {
			return bad
		}
	}
	return nil
}

// checkDrawn refuses rows and a twin that do not suit the columns, landmarks or labels.
func (c *content) checkDrawn() error {
	if k := c.Rows; k != nil {
		n, p := k.X.dims()
		if p != len(c.Preparation.Columns()) || n > k.Of || k.Weight != nil && k.Weight.rows() != n {
			return fmt.Errorf("rows: %d rows of %d columns with %d weights, of %d rows; want %d columns and a weight for each row or none", n, p, k.Weight.rows(), k.Of, len(c.Preparation.Columns()))
		}
	}
	if t := c.Twin; t != nil {
		marks, _ := c.Features.Whiten.dims()
		if rows, cols := t.Coefficients.dims(); rows != marks || cols != c.Labels || t.Bias.rows() != c.Labels || c.regularized() || c.Features.Kind != setting.Nystrom {
			return fmt.Errorf("twin: coefficients are %d×%d with %d biases, want %d×%d and %d", rows, cols, t.Bias.rows(), marks, c.Labels, c.Labels)
		}
	}
	return nil
}
