package rival

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Name is a rival's name in the language of the command line.
type Name string

// The rivals.
const (
	SVM             Name = "svm"
	MultilabelSVM   Name = "ml-svm"
	HRSVM           Name = "hr-svm"
	Masking         Name = "masking"
	Mixup           Name = "mixup"
	StochasticMixup Name = "stochastic-mixup"
	SVR             Name = "svr"
	Ridge           Name = "ridge"
	Augment         Name = "augment"
)

// Names returns all rivals.
func Names() []Name {
	return []Name{SVM, MultilabelSVM, HRSVM, Masking, Mixup, StochasticMixup, SVR, Ridge, Augment}
}

// For returns the rivals that learn a task.
func For(task setting.Task) []Name {
	switch task {
	case setting.Real:
		return []Name{SVR, Ridge, Augment}
	case setting.Multilabel:
		return []Name{MultilabelSVM, HRSVM, Masking, Augment}
	case setting.Counts, setting.Quantiles:
		return []Name{Augment}
	case setting.Binary, setting.Class:
	}
	return []Name{SVM, Mixup, StochasticMixup, Augment}
}

// Hierarchical reports whether a rival needs implications between labels.
func (n Name) Hierarchical() bool { return n == HRSVM || n == Masking }

// mixes reports whether a rival mixes rows.
func (n Name) mixes() bool { return n == Mixup || n == StochasticMixup }

// Suits says why a rival cannot learn a task, and which rivals can; nil where it can.
func (n Name) Suits(task setting.Task) error {
	fit := For(task)
	if slices.Contains(fit, n) {
		return nil
	}
	names := make([]string, len(fit))
	for i, k := range fit {
		names[i] = string(k)
	}
	others := fmt.Sprintf("for a %s target there %s %s", task, map[bool]string{true: "is", false: "are"}[len(names) == 1], strings.Join(names, ", "))
	switch {
	case !slices.Contains(Names(), n):
		return fmt.Errorf("there is no rival %q; %s", n, others)
	case slices.Contains(For(setting.Real), n):
		return fmt.Errorf("rival %s predicts numbers; %s", n, others)
	case slices.Contains(For(setting.Multilabel), n):
		return fmt.Errorf("rival %s decides sets of labels; %s", n, others)
	}
	return fmt.Errorf("rival %s gives each row one class; %s", n, others)
}

// A Setting is chosen by validation. Its zero fields are the defaults.
type Setting struct {
	// Width of the gaussian kernel, a multiple of the median distance of training rows; 0 stands for 0.5. Of augment: of the spec's
	// kernel, whose own it is where this is 0.
	Width   float64 `json:"width"`
	C       float64 `json:"c"`                 // 1/λ of a ridge; 0 stands for 10
	Beta    float64 `json:"beta,omitempty"`    // both parameters of the distribution of λ, of the mixup rivals; 0 stands for 0.5
	Keep    bool    `json:"keep,omitempty"`    // of hr-svm: thresholds are left where the machines put them
	Epsilon float64 `json:"epsilon,omitempty"` // of svr: the error that costs nothing, in standard deviations of the target; 0 stands for 0.1
}

// filled returns the setting with the defaults of a rival in place of zeros.
func (s Setting) filled(n Name) Setting {
	s.C, s.Beta, s.Epsilon = cmp.Or(s.C, 10), cmp.Or(s.Beta, 0.5), cmp.Or(s.Epsilon, 0.1)
	if n != Augment {
		s.Width = cmp.Or(s.Width, 0.5)
	}
	return s
}

// Text returns the setting in words.
func (s Setting) Text(n Name) string {
	s = s.filled(n)
	text := ""
	if s.Width > 0 {
		text = fmt.Sprintf("width = %g median, ", s.Width)
	}
	if n == Ridge {
		return text + fmt.Sprintf("lambda = %g", 1/s.C)
	}
	text += fmt.Sprintf("C = %g", s.C)
	switch {
	case n.mixes():
		text += fmt.Sprintf(", β = %g", s.Beta)
	case n == SVR:
		text += fmt.Sprintf(", epsilon = %g deviations", s.Epsilon)
	case s.Keep:
		text += ", thresholds kept"
	}
	return text
}

// An Edge says that label Child implies label Parent.
type Edge struct{ Child, Parent int }

// Options say how a rival is fitted. The zero value is the default.
type Options struct {
	Setting Setting
	Pairs   int      // that mixup draws; 0 stands for 4 a row
	Edges   []Edge   // implications, of the hierarchical rivals
	Machine *Machine // of augment
	Seed    uint64
	// By names the figure that settings are compared by: metric.HammingAccuracy of labels, or the usual where it is empty.
	By string
	// Valid are the rows on which settings are compared in place of training rows held out; nil means these.
	Valid *dataset.Set
	// Folds are training rows held out by turns to compare settings; nil stands for those of [Folds].
	Folds [][]int
	// Part returns the rows that a fold is learnt from and those held out, prepared as if there were no others. It returns the machine of augment for
	// them, too. Nil takes rows as all are prepared.
	Part func(ctx context.Context, rest, held []int) (learnt, test *dataset.Set, machine *Machine, err error)
	// MaxIterations bounds the work of each fit, passes over the data or steps of mixup's descent; 0 stands for 1000. A fit that ends
	// there says so by its solution.
	MaxIterations int

	shared *shared // by settings that are compared on the same rows; nil: a fit stands alone
}

// A Model is a fitted rival.
type Model struct {
	Name Name
	// Solution says how near to the minimum of its objective a rival came, without weights. It is nil for stochastic-mixup, which takes a
	// number of steps and solves for nothing. Of hr-svm the objective is the sum over its machines. The gap is the largest among them, those
	// that thresholds are set by included.
	Solution *learn.Fit
	features embed.Map
	task     setting.Task
	weights  *mat.Dense // m×d
	bias     []float64
	order    []int   // labels, parents first; nil where labels stand alone
	parents  [][]int // of each label
	copied   *copied // of augment, which has no weights of its own
}

// add adds a machine that is a part of the rival, own, or only sets a threshold.
func (m *Model) add(f *learn.Fit, own bool) {
	s := m.Solution
	if own {
		s.Objective += f.Objective
	}
	s.Gap = max(s.Gap, f.Gap)
	s.Iterations += f.Iterations
	s.Converged = s.Converged && f.Converged
}

// Fit fits a rival to training rows.
func Fit(ctx context.Context, n Name, train *dataset.Set, o Options) (*Model, error) {
	if err := n.Suits(train.Task); err != nil {
		return nil, err
	}
	if train.Weight != nil && (n == HRSVM || n.mixes()) {
		return nil, fmt.Errorf("rival %s knows no weights of rows: take `weight` out of the data block, or another rival", n)
	}
	o.Setting = o.Setting.filled(n)
	m := &Model{Name: n, task: train.Task}
	if n == Augment {
		if err := m.fitAugment(ctx, train, o); err != nil {
			return nil, err
		}
		return m, nil
	}
	if err := m.hierarchy(train, o.Edges); err != nil {
		return nil, err
	}
	phi, err := m.represent(ctx, train.X, o)
	if err != nil {
		return nil, err
	}
	switch n {
	case HRSVM:
		err = m.fitLocal(ctx, phi, train, o)
	case Mixup:
		err = m.fitMixup(ctx, train, o)
	case StochasticMixup:
		err = m.fitStochastic(ctx, train, o)
	case SVM, MultilabelSVM, Masking:
		_, err = m.solve(ctx, machine(o), phi, labels(train), targetsOf(train), o)
	case SVR, Ridge:
		err = m.fitNumbers(ctx, phi, train, o)
	case Augment: // see above
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// represent sets up φ, and evaluates it at the training rows.
func (m *Model) represent(ctx context.Context, x *mat.Dense, o Options) (*mat.Dense, error) {
	if o.shared.holds(o.Setting.Width) {
		m.features = o.shared.features
		return o.shared.phi, nil
	}
	median, err := kernel.MedianDistance(x, o.Seed)
	if err != nil {
		return nil, err
	}
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: o.Setting.Width * median})
	if err != nil {
		return nil, err
	}
	m.features, err = embed.New(ctx, k, setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks, Seed: o.Seed}, x, nil)
	if err != nil {
		return nil, err
	}
	phi := m.phi(x)
	o.shared.keep(shared{width: o.Setting.Width, features: m.features, phi: phi})
	return phi, nil
}

// phi returns the features of rows (n×d).
func (m *Model) phi(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, m.features.Dim(), nil)
	m.features.Features(out, x)
	return out
}

// labels returns m: 1 for a binary or a real target.
func labels(s *dataset.Set) int {
	if !s.Task.Joint() {
		return 1
	}
	return len(s.LabelNames)
}

// Scores returns those of the rows of x (n×p): n×m, m = 1 for a binary or real target. Those of augment are means over a row and its copies.
func (m *Model) Scores(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	if m.copied != nil {
		return m.copied.scores(ctx, x)
	}
	var out mat.Dense
	out.Mul(m.phi(x), m.weights.T())
	n, labels := out.Dims()
	for i := range n {
		row := out.RawRowView(i)
		for y := range labels {
			row[y] += m.bias[y]
		}
		for _, y := range m.order {
			for _, parent := range m.parents[y] {
				row[y] = min(row[y], row[parent])
			}
		}
	}
	return &out, nil
}

// Probabilities returns those of the classes, n×2 for a binary target; nil if the rival has none.
func (m *Model) Probabilities(scores *mat.Dense) *mat.Dense {
	if m.copied != nil {
		return m.copied.fit.Probabilities(scores)
	}
	if !m.Name.mixes() {
		return nil
	}
	f := learn.Fit{Learner: setting.Learner{Kind: setting.Softmax}, Task: m.task}
	return f.Probabilities(scores)
}
