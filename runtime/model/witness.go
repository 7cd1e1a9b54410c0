package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Witnesses say of each invariance what it comes to at the function that predicts, and which of its members are to
// blame. It is one function of rows and labels, ⟨W, ι(x, y)⟩ + b_y for methods that embed and V itself with biases
// for the others, and each R_k has one value there. It is scaled so that its standard deviation over the training
// rows, about the mean of each label, is 1.
type Witnesses struct {
	Method      setting.Method
	Rows        int // of the training data
	Nodes       int // that stand for an interval over which R takes a maximum; 0 where it takes none
	Invariances []Witness
}

// A Witness is one invariance at the function that predicts.
type Witness struct {
	Name, Kind, Text string
	Weight           float64 // w_k
	Value            float64 // R_k(f)
	Share            float64 // w_k² R_k² over R²
	Functionals      int
	// Sampled says from how many elements the value is estimated, the only ones that are looked at.
	Sampled Sample
	// Active counts the members with a share.
	Active int
	// Statements are the members of the same part, labels and transformations taken together, those with the
	// largest shares first.
	Statements []Statement
	Spoken     int // how many statements are active; Statements may hold fewer
	Members    []ActiveMember
	// Broken says at how many training rows a one-sided invariance is broken, and Test the same of test rows. Both
	// are nil where there is nothing to count.
	Broken, Test *Broken
	// Tested is its value by the test rows; nil where nothing was measured there.
	Tested *Tested
	// Baseline is the same of method plain; nil where it was not fitted beside.
	Baseline *BaselineWitness
	// Everywhere says that it asks the same of every row, beyond the training rows too: see everywhere.
	Everywhere bool
}

// A BaselineWitness is an invariance at the function of method plain.
type BaselineWitness struct {
	Value        float64
	Broken, Test *Broken
	Tested       *Tested
}

// A Statement is one implication, one transformation, one expression, wherever it is looked at.
type Statement struct {
	Part    string
	Members int
	Active  int
	Share   float64
}

// An ActiveMember is a functional that contributes to an invariance, those with the largest shares first.
type ActiveMember struct {
	Member regularizer.Member
	Rows   []string // the names of the rows that it is about
	Value  float64  // ℓ(f), of a two-sided functional its size
	Share  float64  // of R_k: ℓ(f)·∂R_k/∂ℓ over R_k; see shares
}

// The most that is kept of an invariance.
const (
	mostMembers    = 1000
	mostStatements = 200
)

// share fills the shares of R². They are w_k² R_k² over their sum, as R² = Σ w_k² R_k² in reports.
func (w *Witnesses) share() {
	total := 0.0
	for i := range w.Invariances {
		v := &w.Invariances[i]
		total += v.Weight * v.Weight * v.Value * v.Value
	}
	for i := range w.Invariances {
		if v := &w.Invariances[i]; total > 0 {
			v.Share = v.Weight * v.Weight * v.Value * v.Value / total
		}
	}
}

// witnessOf finds the active members of an invariance. Its shares are those of the values as they are weighed
// where they are a sample.
func witnessOf(rows []string, inv *regularizer.Invariance, values, weighed []float64) Witness {
	out := Witness{
		Name: inv.Name, Kind: regularizer.KindText(inv.Kind, inv.Smooth), Text: inv.Text, Weight: inv.Weight, Functionals: inv.Count,
	}
	share := make([]float64, len(values))
	shares(inv.Gauge, share, weighed)
	parts := partsAt(inv.Gauge, values)
	var active []int
	for i, s := range share {
		if s > 0 {
			active = append(active, i)
		}
	}
	out.Active = len(active)
	out.Statements, out.Spoken = statements(inv, share)
	slices.SortStableFunc(active, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	for _, i := range active[:min(len(active), mostMembers)] {
		m := ActiveMember{Member: memberOf(inv, i), Value: parts[i], Share: share[i]}
		for _, r := range m.Member.Rows() {
			m.Rows = append(m.Rows, rowName(rows, int(r)))
		}
		out.Members = append(out.Members, m)
	}
	return out
}

// partsAt returns what the leaves of a gauge come to: of a two-sided one the size of its functional.
func partsAt(root *gauge.Node, values []float64) []float64 {
	out := slices.Clone(values)
	i := 0
	root.Leaves(func(op gauge.Op) {
		if op == gauge.Abs {
			out[i] = math.Abs(out[i])
		}
		i++
	})
	return out
}

// memberOf returns what a functional stands for, its text where nobody knows.
func memberOf(inv *regularizer.Invariance, i int) regularizer.Member {
	if inv.Members == nil {
		return regularizer.Member{Part: inv.Text}
	}
	return inv.Members.At(i)
}

// rowName returns a training row's name.
func rowName(rows []string, r int) string {
	if r < len(rows) {
		return rows[r]
	}
	return ""
}

// statements adds up the shares of members that make the same statement.
func statements(inv *regularizer.Invariance, share []float64) (list []Statement, active int) {
	index := map[int]int{}
	var first []int
	for i, s := range share {
		group := 0
		if inv.Members != nil {
			group = inv.Members.Group(i)
		}
		at, ok := index[group]
		if !ok {
			at = len(list)
			index[group] = at
			list, first = append(list, Statement{}), append(first, i)
		}
		list[at].Members++
		list[at].Share += s
		if s > 0 {
			list[at].Active++
		}
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
		if list[i].Active > 0 {
			active++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].Share, list[a].Share) })
	out := make([]Statement, 0, min(active, mostStatements))
	for _, i := range order[:min(active, mostStatements)] {
		list[i].Part = memberOf(inv, first[i]).Part
		out = append(out, list[i])
	}
	return out, active
}

// finite reports whether the numbers that a file holds are numbers.
func (w *Witness) finite() bool {
	ok := isFinite(w.Value) && isFinite(w.Share) && w.Tested.finite() && (w.Baseline == nil || isFinite(w.Baseline.Value) && w.Baseline.Tested.finite())
	for i := range w.Members {
		m := &w.Members[i]
		ok = ok && isFinite(m.Value) && isFinite(m.Share)
	}
	return ok
}
