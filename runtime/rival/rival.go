package rival

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/learn"
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
)

// Names are all rivals.
func Names() []Name { return []Name{SVM, MultilabelSVM, HRSVM, Masking, Mixup, StochasticMixup} }

// hierarchical reports whether a rival needs implications between labels.
func (n Name) hierarchical() bool { return n == HRSVM || n == Masking }

// mixes reports whether a rival mixes rows.
func (n Name) mixes() bool { return n == Mixup || n == StochasticMixup }

// Suits says why a rival cannot learn a task, or nil.
func (n Name) Suits(task dataset.Task) error {
	if !slices.Contains(Names(), n) {
		var all []string
		for _, k := range Names() {
			all = append(all, string(k))
		}
		return fmt.Errorf("there is no rival %q; there are %s", n, strings.Join(all, ", "))
	}
	multilabel := n != SVM && !n.mixes()
	switch {
	case task == dataset.Real:
		return fmt.Errorf("rival %s classifies, and the target is a number", n)
	case multilabel && task != dataset.Multilabel:
		return fmt.Errorf("rival %s is for multilabel targets; take svm or mixup for one class a row", n)
	case !multilabel && task == dataset.Multilabel:
		return fmt.Errorf("rival %s gives each row one class; take ml-svm, hr-svm or masking for a multilabel target", n)
	}
	return nil
}

// A Setting is what is chosen by validation. Its zero fields are the defaults.
type Setting struct {
	Width float64 `json:"width"`          // of the gaussian kernel, a multiple of the median distance of training rows; 0 stands for 0.5
	C     float64 `json:"c"`              // 0 stands for 10
	Beta  float64 `json:"beta,omitempty"` // both parameters of the distribution of λ, of the mixup rivals; 0 stands for 0.5
	Keep  bool    `json:"keep,omitempty"` // of hr-svm: thresholds are left where the machines put them
}

func (s Setting) filled() Setting {
	if s.Width == 0 {
		s.Width = 0.5
	}
	if s.C == 0 {
		s.C = 10
	}
	if s.Beta == 0 {
		s.Beta = 0.5
	}
	return s
}

// Text is the setting in words.
func (s Setting) Text(n Name) string {
	s = s.filled()
	text := fmt.Sprintf("width = %g median, C = %g", s.Width, s.C)
	if n.mixes() {
		text += fmt.Sprintf(", β = %g", s.Beta)
	}
	if s.Keep {
		text += ", thresholds kept"
	}
	return text
}

// An Edge says that label Child implies label Parent.
type Edge struct{ Child, Parent int }

// Options say how a rival is fitted. The zero value is the default.
type Options struct {
	Setting Setting
	Pairs   int    // that mixup draws; 0 stands for 4 a row
	Edges   []Edge // implications, of the hierarchical rivals
	Seed    uint64
	// By names the figure that settings are compared by: metric.HammingAccuracy of labels, or the usual where it is empty.
	By string
	// MaxIterations bounds the work of each fit, passes over the data or steps of mixup's descent; 0 stands for 1000. A fit that ends
	// there says so by its solution.
	MaxIterations int
}

// A Solution says how near to the minimum of its objective a rival came.
type Solution struct {
	Learner   learn.Learner
	Objective float64 // of hr-svm the sum over its machines
	// Gap is the share of the objective by which it may lie above the minimum: proven. Of hr-svm it is the largest among the machines,
	// those that thresholds are set by included.
	Gap        float64
	Iterations int
	Converged  bool // the gap is what was asked for
}

// add adds a machine that is a part of the rival, own, or only sets a threshold.
func (s *Solution) add(f *learn.Fit, own bool) {
	if own {
		s.Objective += f.Objective
	}
	s.Gap = max(s.Gap, f.Gap)
	s.Iterations += f.Iterations
	s.Converged = s.Converged && f.Converged
}

// A Model is a fitted rival.
type Model struct {
	Name Name
	// Solution is nil for stochastic-mixup, which takes a number of steps and solves for nothing.
	Solution *Solution
	features embed.Map
	task     dataset.Task
	weights  *mat.Dense // m×d
	bias     []float64
	order    []int   // labels, parents first; nil where labels stand alone
	parents  [][]int // of each label
}

// Fit fits a rival to training rows.
func Fit(ctx context.Context, n Name, train *dataset.Set, o Options) (*Model, error) {
	if err := n.Suits(train.Task); err != nil {
		return nil, err
	}
	o.Setting = o.Setting.filled()
	m := &Model{Name: n, task: train.Task}
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
		err = m.fitSVM(ctx, phi, train, o)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// represent sets up φ, and evaluates it at the training rows.
func (m *Model) represent(ctx context.Context, x *mat.Dense, o Options) (*mat.Dense, error) {
	median, err := kernel.MedianDistance(x, o.Seed)
	if err != nil {
		return nil, err
	}
	k, err := kernel.New(kernel.Spec{Kind: kernel.Gaussian, Width: o.Setting.Width * median})
	if err != nil {
		return nil, err
	}
	m.features, err = embed.New(ctx, k, embed.Spec{Kind: embed.Nystrom, Landmarks: embed.Rows, Seed: o.Seed}, x, nil)
	if err != nil {
		return nil, err
	}
	return m.phi(x), nil
}

func (m *Model) phi(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, m.features.Dim(), nil)
	m.features.Features(out, x)
	return out
}

// labels is m: 1 for a binary target.
func labels(s *dataset.Set) int {
	if s.Task == dataset.Binary {
		return 1
	}
	return len(s.LabelNames)
}

// Scores are those of the rows of x (n×p): n×m, m = 1 for a binary target.
func (m *Model) Scores(x *mat.Dense) *mat.Dense {
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
	return &out
}

// Probabilities are those of the classes, n×2 for a binary target; nil where the rival has none.
func (m *Model) Probabilities(scores *mat.Dense) *mat.Dense {
	if !m.Name.mixes() {
		return nil
	}
	f := learn.Fit{Learner: learn.Learner{Kind: learn.Softmax}, Task: learn.Task(m.task)}
	return f.Probabilities(scores)
}
