package model

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// content is a model as its file holds it: the header, whose arrays stand behind it.
type content struct {
	// Schema and Version name the format again, so that the header stands for itself.
	Schema  string `json:"schema"`
	Version int    `json:"version"`
	// Arrays is the digest of what follows the header.
	Arrays digest `json:"arrays"`

	// These say where the model comes from. Only Preparation has a part in predictions: it holds the ranges and the
	// categories of the training columns.
	Program     string               `json:"program"`
	Spec        []byte               `json:"spec"`
	SpecSHA256  string               `json:"spec_sha256"`
	DataSHA256  string               `json:"data_sha256"`
	Seed        uint64               `json:"seed"`
	Families    []report.Pin         `json:"families,omitempty"`
	Preparation *dataset.Preparation `json:"preparation"`

	// These are the fields of represent.Representer, of which caches and solvers are left out.
	// Labels is 1 for a function of a row alone.
	Method setting.Method `json:"method"`
	Labels int            `json:"labels"`
	Scale  float64        `json:"scale"`
	Gap    float64        `json:"gap"`
	// Work bounds the multiplications for an embedding; 0 where there is nothing to solve.
	Work     float64  `json:"work,omitempty"`
	Features features `json:"features"`
	// Norm is nil where embeddings are the features themselves.
	Norm *norm `json:"norm,omitempty"`
	// Interval matters to certificates, not to scores.
	Interval between `json:"interval"`
	// Fit, Closure and Declared make scores of embeddings, and Nearness bounds their errors.
	Fit fit `json:"fit"`
	// Coefficients and Requirements are those of Model.
	Coefficients *array                    `json:"coefficients,omitempty"`
	Requirements []requirement             `json:"requirements,omitempty"`
	Closure      []regularizer.Implication `json:"closure,omitempty"`
	Declared     bool                      `json:"declared,omitempty"`
	Nearness     *nearness                 `json:"nearness,omitempty"`

	// Witnesses have no part in predictions: sipc explain shows them.
	// Everywhere is beside them, as what they print leaves it out.
	Witnesses  *report.Witnesses `json:"witnesses,omitempty"`
	Everywhere []bool            `json:"everywhere,omitempty"` // of each invariance among the witnesses
	// Rows and Twin have no part in predictions: sipc explain --draw shows them.
	Rows *rowsStored `json:"rows,omitempty"`
	Twin *twinStored `json:"twin,omitempty"`
}

// A digest says how many bytes follow the header, and what their SHA-256 is.
type digest struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// features are an embed.State.
type features struct {
	// Kind says which of the fields below are used.
	Kind   setting.FeatureKind `json:"kind"`
	Kernel setting.Kernel      `json:"kernel"`
	// Of a Nyström map. Its rows are landmarks first, derivatives after them, and Whiten has a row for each.
	Landmarks *array `json:"landmarks,omitempty"`
	At        *array `json:"at,omitempty"`
	Along     *array `json:"along,omitempty"`
	Twice     int    `json:"twice,omitempty"`
	Whiten    *array `json:"whiten,omitempty"`
	// Of a Fourier map. Dimensions are twice the frequencies, less one if there is a phase.
	Frequencies *array `json:"frequencies,omitempty"`
	Phases      *array `json:"phases,omitempty"`
	// Of a hashing map, whose places and signs follow from the seed.
	Bits    int    `json:"bits,omitempty"`
	Columns int    `json:"columns,omitempty"`
	Seed    uint64 `json:"seed,omitempty"`
}

// A norm is an operator.State, the gauge of its functionals, and the labels at which embeddings are not zero.
type norm struct {
	// Functionals is the number of leaves of Gauge, and of the rows of A.
	Functionals int `json:"functionals"`
	// Psi has the stored rows of A, which functionals share.
	Psi *array `json:"psi,omitempty"`
	// A column of S belongs to a label and to a row of Psi.
	ColumnLabel *array `json:"column_label,omitempty"`
	ColumnRow   *array `json:"column_row,omitempty"`
	// The rows of S, one behind the other.
	Start *array `json:"start"`
	At    *array `json:"at,omitempty"`
	Value *array `json:"value,omitempty"`
	// Errors is nil where every row is exact.
	Errors *array `json:"errors,omitempty"`
	// Off is nil where no functional stands for the squares of others.
	Off *array `json:"off,omitempty"`
	// Gauge says how the values of the functionals make up R.
	Gauge *node `json:"gauge"`
	// Reach is nil where embeddings are solved for at all labels.
	Reach *lists `json:"reach,omitempty"`
}

// A node is a gauge.Node.
type node struct {
	// Op is one of opNames; P belongs to a norm, and K to top.
	Op string  `json:"op"`
	P  float64 `json:"p,omitempty"`
	K  int     `json:"k,omitempty"`
	// A node that repeats has one child, whose copies have leaves of their own.
	Repeat int `json:"repeat,omitempty"`
	// Weights has a number for each child or copy; nil stands for ones.
	Weights  *array  `json:"weights,omitempty"`
	Children []*node `json:"children,omitempty"`
}

// A between says what is known between the nodes that stand for an interval.
type between struct {
	// Nodes is 0 where R takes neither a maximum nor an integral.
	Nodes      int               `json:"nodes"`
	Between    represent.Between `json:"between"`
	Afterwards bool              `json:"afterwards,omitempty"`
	// Curves say which leaves are nodes of one curve. Slack and Drift bound what lies between them.
	Curves []curve.Run `json:"curves,omitempty"`
	Slack  float64     `json:"slack"`
	Drift  float64     `json:"drift"`
}

// A fit is a learn.Fit.
type fit struct {
	// Learner says what the scores mean: Suits refuses learners of another task.
	Learner setting.Learner `json:"learner"`
	Task    setting.Task    `json:"task"`
	// Joint says that each label has an embedding of its own. Weights are then one row.
	Joint   bool   `json:"joint"`
	Weights *array `json:"weights"`
	Bias    *array `json:"bias"`
	// Sets and Sigmoids belong to some learners alone.
	Sets     *lists          `json:"sets,omitempty"`
	Sigmoids []learn.Sigmoid `json:"sigmoids,omitempty"`
	Odds     bool            `json:"odds,omitempty"`
	// What the solver said when it ended.
	Objective  bound `json:"objective"`
	Gap        bound `json:"gap"`
	Iterations int   `json:"iterations"`
	Converged  bool  `json:"converged"`
}

// A requirement is a Requirement. Margin and Aim are as the fit left them.
type requirement struct {
	Statement statement.Statement `json:"statement"`
	Answer    string              `json:"answer"`
	Margin    bound               `json:"margin"`
	Aim       float64             `json:"aim"`
}

// A nearness is a Nearness.
type nearness struct {
	// Spread is the size of scores, with which errors are compared.
	Spread float64 `json:"spread"`
	// Radius, Bias, Center and Anchor are of methods that minimize the risk.
	Radius bound   `json:"radius"`
	Bias   float64 `json:"bias"`
	Center *array  `json:"center,omitempty"`
	Anchor []bound `json:"anchor,omitempty"`
}

// content returns the model as its file holds it. It leaves out solvers and factors, which are made anew from the operator when they are
// needed.
func (m *Model) content() *content {
	r, a := m.Represent, &m.About
	c := &content{
		Schema: schema, Version: version,
		Program: a.Program, Spec: a.Spec, SpecSHA256: a.SpecSHA256, DataSHA256: a.DataSHA256, Seed: a.Seed, Families: a.Families, Preparation: a.Preparation,
		Method: r.Method, Labels: r.Labels, Scale: r.Scale, Gap: r.Gap, Work: r.MaxWork, Features: featuresOf(r.Features.State()),
		Interval: between{Nodes: r.Nodes, Between: r.Between, Afterwards: r.Afterwards},
		Fit:      fitOf(m.Fit), Coefficients: denseOf(m.Coefficients), Requirements: requirementsOf(m.Requirements), Closure: m.Closure, Declared: m.Declared, Nearness: nearnessOf(m.Nearness), Witnesses: m.Witnesses,
		Rows: rowsStoredOf(m.Rows), Twin: twinStoredOf(m.Twin),
	}
	if r.Curves != nil {
		c.Interval.Curves, c.Interval.Slack, c.Interval.Drift = r.Curves.Runs(), r.Curves.Slack(), r.Curves.Drift()
	}
	if r.Regularized() {
		c.Norm = normOf(r.Operator.State(), r.Gauge, r.Support)
	}
	if m.Witnesses != nil {
		for i := range m.Witnesses.Invariances {
			c.Everywhere = append(c.Everywhere, m.Witnesses.Invariances[i].Everywhere)
		}
	}
	return c
}

// slots returns the places of all arrays, in the order in which they stand in the file.
func (c *content) slots() []slot {
	f := &c.Features
	out := []slot{
		{"features.landmarks", f.Landmarks, float64Type, 2},
		{"features.at", f.At, float64Type, 2},
		{"features.along", f.Along, float64Type, 2},
		{"features.whiten", f.Whiten, float64Type, 2},
		{"features.frequencies", f.Frequencies, float64Type, 2},
		{"features.phases", f.Phases, float64Type, 1},
	}
	if n := c.Norm; n != nil {
		out = append(out,
			slot{"norm.psi", n.Psi, float64Type, 2},
			slot{"norm.column_label", n.ColumnLabel, int32Type, 1},
			slot{"norm.column_row", n.ColumnRow, int32Type, 1},
			slot{"norm.start", n.Start, int32Type, 1},
			slot{"norm.at", n.At, int32Type, 1},
			slot{"norm.value", n.Value, float64Type, 1},
			slot{"norm.errors", n.Errors, float64Type, 1},
			slot{"norm.off", n.Off, float64Type, 1},
		)
		out = n.Gauge.slots(append(out, n.Reach.slots("norm.reach")...))
	}
	out = append(out, slot{"fit.weights", c.Fit.Weights, float64Type, 2}, slot{"fit.bias", c.Fit.Bias, float64Type, 1})
	out = append(out, c.Fit.Sets.slots("fit.sets")...)
	out = append(out, slot{"coefficients", c.Coefficients, float64Type, 2})
	if c.Nearness != nil {
		out = append(out, slot{"nearness.center", c.Nearness.Center, float64Type, 2})
	}
	if k := c.Rows; k != nil {
		out = append(out, slot{"rows.x", k.X, float64Type, 2}, slot{"rows.weight", k.Weight, float64Type, 1})
	}
	if t := c.Twin; t != nil {
		out = append(out, slot{"twin.coefficients", t.Coefficients, float64Type, 2}, slot{"twin.bias", t.Bias, float64Type, 1})
	}
	return out
}

// featuresOf returns a feature map as the file holds it.
func featuresOf(s *embed.State) features {
	return features{
		Kind: s.Kind, Kernel: s.Kernel, Landmarks: matrixOf(s.Landmarks), At: matrixOf(s.At), Along: matrixOf(s.Along), Twice: s.Twice,
		Whiten: matrixOf(s.Whiten), Frequencies: matrixOf(s.Frequencies), Phases: floatsOf(s.Phases), Bits: s.Bits, Columns: s.Columns, Seed: s.Seed,
	}
}

// state returns the feature map as plain data.
func (f *features) state() *embed.State {
	return &embed.State{
		Kind: f.Kind, Kernel: f.Kernel, Landmarks: f.Landmarks.matrix(), At: f.At.matrix(), Along: f.Along.matrix(), Twice: f.Twice,
		Whiten: f.Whiten.matrix(), Frequencies: f.Frequencies.matrix(), Phases: f.Phases.list(), Bits: f.Bits, Columns: f.Columns, Seed: f.Seed,
	}
}

// normOf returns an operator and its gauge as the file holds them.
func normOf(s *operator.State, root *gauge.Node, reach [][]int32) *norm {
	return &norm{
		Functionals: s.Functionals, Psi: matrixOf(s.Psi), ColumnLabel: intsOf(s.ColumnLabel), ColumnRow: intsOf(s.ColumnRow), Start: intsOf(s.Start),
		At: intsOf(s.At), Value: floatsOf(s.Value), Errors: floatsOf(s.Errors), Off: floatsOf(s.Off), Gauge: nodeOf(root), Reach: listsOf(reach),
	}
}

// state returns the operator as plain data, for so many labels and features.
func (n *norm) state(labels, dim int) *operator.State {
	psi := n.Psi.matrix()
	psi.Cols = dim // of no rows too
	return &operator.State{
		Functionals: n.Functionals, Labels: labels, Dim: dim, Psi: psi, ColumnLabel: n.ColumnLabel.indices(), ColumnRow: n.ColumnRow.indices(),
		Start: n.Start.indices(), At: n.At.indices(), Value: n.Value.list(), Errors: n.Errors.list(), Off: n.Off.list(),
	}
}

// opNames are the operations of a gauge in their order.
var opNames = [...]string{gauge.Abs: "abs", gauge.Pos: "pos", gauge.Max: "max", gauge.Sum: "sum", gauge.Norm: "norm", gauge.Top: "top"}

// nodeOf returns a gauge as the file holds it.
func nodeOf(g *gauge.Node) *node {
	n := &node{Op: fmt.Sprintf("operation %d", int(g.Op)), P: g.P, K: g.K, Repeat: g.Repeat, Weights: floatsOf(g.Weights)}
	if int(g.Op) < len(opNames) {
		n.Op = opNames[g.Op]
	}
	for _, child := range g.Children {
		n.Children = append(n.Children, nodeOf(child))
	}
	return n
}

// slots appends the places of the weights of a gauge.
func (n *node) slots(to []slot) []slot {
	if n == nil {
		return to
	}
	to = append(to, slot{"norm.gauge.weights", n.Weights, float64Type, 1})
	for _, child := range n.Children {
		to = child.slots(to)
	}
	return to
}

// gauge returns the gauge that a node stands for. It returns an error if an operation is unknown or a node is missing.
func (n *node) gauge() (*gauge.Node, error) {
	if n == nil {
		return nil, errors.New("a node is missing")
	}
	out := &gauge.Node{Op: -1, P: n.P, K: n.K, Repeat: n.Repeat, Weights: n.Weights.list()}
	for op, name := range opNames {
		if name == n.Op {
			out.Op = gauge.Op(op)
		}
	}
	if out.Op < 0 {
		return nil, fmt.Errorf("%q is none of %v", n.Op, opNames)
	}
	for _, child := range n.Children {
		one, err := child.gauge()
		if err != nil {
			return nil, err
		}
		out.Children = append(out.Children, one)
	}
	return out, nil
}

// fitOf returns a fit as the file holds it.
func fitOf(f *learn.Fit) fit {
	out := fit{
		Learner: f.Learner, Task: f.Task, Joint: f.Joint, Weights: denseOf(f.Weights), Bias: floatsOf(f.Bias), Sigmoids: f.Sigmoids, Odds: f.Odds,
		Objective: bound(f.Objective), Gap: bound(f.Gap), Iterations: f.Iterations, Converged: f.Converged,
	}
	if f.Sets != nil {
		out.Sets = listsOf(f.Sets.Each)
	}
	return out
}

// fit returns the fit of so many labels.
func (f *fit) fit(labels int) (*learn.Fit, error) {
	out := &learn.Fit{
		Learner: f.Learner, Task: f.Task, Joint: f.Joint, Weights: f.Weights.dense(), Bias: f.Bias.list(), Sigmoids: f.Sigmoids, Odds: f.Odds,
		Objective: float64(f.Objective), Gap: float64(f.Gap), Iterations: f.Iterations, Converged: f.Converged,
	}
	if f.Sets != nil {
		each, err := f.Sets.all()
		if err != nil {
			return nil, fmt.Errorf("fit.sets: %w", err)
		}
		out.Sets = &learn.Sets{Labels: labels, Each: each}
	}
	return out, nil
}

// requirementsOf returns statements and what was found of them as the file holds them.
func requirementsOf(all []Requirement) []requirement {
	var out []requirement
	for i := range all {
		r := &all[i]
		out = append(out, requirement{Statement: r.Statement, Answer: r.Verdict.Answer.String(), Margin: bound(r.Verdict.Margin), Aim: r.Aim})
	}
	return out
}

// requirements returns statements and what was found of them, for p columns and so many labels.
func requirements(all []requirement, p, labels int) ([]Requirement, error) {
	var out []Requirement
	for i := range all {
		r := &all[i]
		if err := r.Statement.Validate(p, labels); err != nil {
			return nil, fmt.Errorf("requirements: %w", err)
		}
		at := slices.Index(answers, r.Answer)
		if at < 0 {
			return nil, fmt.Errorf("requirements: %s is %q, which is none of %q", r.Statement.Name, r.Answer, answers)
		}
		v := &proof.Verdict{Answer: proof.Answer(at), Margin: float64(r.Margin)}
		out = append(out, Requirement{Statement: r.Statement, Verdict: v, Aim: r.Aim})
	}
	return out, nil
}

// answers are the words of verdicts in their order.
var answers = []string{proof.Open.String(), proof.Proved.String(), proof.Refuted.String()}

// nearnessOf returns what is known of errors as the file holds it.
func nearnessOf(n *Nearness) *nearness {
	if n == nil {
		return nil
	}
	out := &nearness{Spread: n.Spread, Radius: bound(n.Radius), Bias: n.Bias, Center: denseOf(n.Center)}
	for _, e := range n.Anchor {
		out.Anchor = append(out.Anchor, bound(e))
	}
	return out
}

// nearness returns what is known of errors.
func (n *nearness) nearness() *Nearness {
	if n == nil {
		return nil
	}
	out := &Nearness{Spread: n.Spread, Radius: float64(n.Radius), Bias: n.Bias, Center: n.Center.dense()}
	for _, e := range n.Anchor {
		out.Anchor = append(out.Anchor, float64(e))
	}
	return out
}
