package model

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// Witnesses say of each invariance what it comes to at the fitted function, and which of its members are to blame. The fitted
// function is f(x, y) = φ(x)ᵀVy with V = ι(W), W being the learner's weights: ⟨W, ι(G)⟩ = ⟨V, G⟩ at the optimum. Method risk learns
// V itself, with biases. It is one function of rows and labels, and each R_k has one value there. f is scaled so that its root mean
// square over the training rows and labels is 1.
type Witnesses struct {
	Method      Method
	Rows        int // of the training data
	Nodes       int // that stand for an interval over which R takes a maximum; 0 where it takes none
	Invariances []Witness
}

// A Witness is one invariance at the fitted function.
type Witness struct {
	Name, Kind, Text string
	Weight           float64 // w_k
	Value            float64 // R_k(f)
	Share            float64 // w_k² R_k² over R²
	Functionals      int
	// Active counts the members with a share.
	Active int
	// Statements are the members of the same part, labels and transformations taken together, those with the largest shares first.
	Statements []Statement
	Spoken     int // how many statements are active; Statements may hold fewer
	Members    []ActiveMember
	// Held says that the multipliers of the members are known. They are not where R was solved for in other functionals, nor for
	// method plain, which solves for none, nor for method risk.
	Held bool
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
	Value  float64  // ℓ(f)
	Share  float64  // of R_k: ℓ(f)·∂R_k/∂ℓ over R_k; see shares
	// Multiplier is c of V = W − Aᵀc for this functional, and Pull its share ℓ(f)·c of what the invariance holds W by.
	Multiplier, Pull float64
}

// The most that is kept of an invariance.
const (
	mostMembers    = 1000
	mostStatements = 200
)

// witness fills the witnesses of a function V on features, with the values t of the functionals that were solved for and their
// multipliers c, which may be nil; size is the root mean square of the function.
func (f *fitter) witness(features embed.Map, v, t, c []float64, size float64) error {
	out := &Witnesses{Method: f.rep.Method, Rows: f.train.Len(), Nodes: nodesOf(f.reg)}
	f.out.Model.Witnesses = out
	if size == 0 {
		size = 1
	}
	total := 0.0
	for k := range f.reg.Invariances {
		values, multipliers, err := f.held(features, k, v, t, c)
		if err != nil {
			return err
		}
		for i := range values {
			values[i] /= size
		}
		w := f.witnessOf(&f.reg.Invariances[k], values, multipliers, size)
		w.Value = f.out.Values[k]
		total += w.Weight * w.Weight * w.Value * w.Value
		out.Invariances = append(out.Invariances, w)
	}
	for i := range out.Invariances {
		if w := &out.Invariances[i]; total > 0 {
			w.Share = w.Weight * w.Weight * w.Value * w.Value / total
		}
	}
	return f.ctx.Err()
}

// held are the values of the k-th invariance's functionals at V, and their multipliers where it was solved for in these functionals.
func (f *fitter) held(features embed.Map, k int, v, t, c []float64) (values, multipliers []float64, err error) {
	inv, solved := &f.reg.Invariances[k], &f.solved.Invariances[k]
	if solved.Gauge != inv.Gauge {
		values, err = f.functionals(features, inv, v)
		return values, nil, err
	}
	if c != nil {
		multipliers = c[solved.First : solved.First+solved.Count]
	}
	return slices.Clone(t[solved.First : solved.First+solved.Count]), multipliers, nil
}

// functionals are the values of an invariance's functionals at V, from f at the points that they name.
func (f *fitter) functionals(features embed.Map, inv *regularizer.Invariance, v []float64) ([]float64, error) {
	b := f.reg.Functionals
	index := map[embed.Atom]int{}
	var atoms []embed.Atom
	for k := b.Start[inv.First]; k < b.Start[inv.First+inv.Count]; k++ {
		a := embed.Atom{Point: b.Point[k], Tangent: b.Tangent[k]}
		if _, ok := index[a]; !ok {
			index[a] = len(atoms)
			atoms = append(atoms, a)
		}
	}
	scores, err := f.scores(features, atoms, v)
	if err != nil {
		return nil, err
	}
	out := make([]float64, inv.Count)
	for i := range out {
		for k := b.Start[inv.First+i]; k < b.Start[inv.First+i+1]; k++ {
			row := scores.RawRowView(index[embed.Atom{Point: b.Point[k], Tangent: b.Tangent[k]}])
			if b.Label[k] == plugins.NoLabel {
				out[i] += b.Coef[k] * row[0]
				continue
			}
			y := b.Labels[b.Label[k]]
			for j, l := range y.Index {
				out[i] += b.Coef[k] * y.Value[j] * row[l]
			}
		}
	}
	return out, nil
}

// scores are φ(x)ᵀV at points, and Dφ(x)[ẋ]ᵀV where there are tangents: one row each, one column a label.
func (f *fitter) scores(features embed.Map, atoms []embed.Atom, v []float64) (*mat.Dense, error) {
	m, d := f.rep.Labels, features.Dim()
	points := embed.NewPoints(f.train.X, f.reg.Functionals)
	out := mat.NewDense(max(1, len(atoms)), m, nil)
	weights := blas64.General{Rows: m, Cols: d, Stride: d, Data: v}
	for lo := 0; lo < len(atoms); {
		if err := f.ctx.Err(); err != nil {
			return nil, err
		}
		derivative := atoms[lo].Tangent != plugins.Evaluation
		var at, along []int32
		hi := lo
		for ; hi < len(atoms) && hi < lo+blockRows && (atoms[hi].Tangent != plugins.Evaluation) == derivative; hi++ {
			at, along = append(at, atoms[hi].Point), append(along, atoms[hi].Tangent)
		}
		phi := mat.NewDense(hi-lo, d, nil)
		if derivative {
			features.Derivatives(phi, points.Gather(at), points.Tangents(along))
		} else {
			features.Features(phi, points.Gather(at))
		}
		raw := out.RawMatrix()
		part := blas64.General{Rows: hi - lo, Cols: m, Stride: m, Data: raw.Data[lo*m : hi*m]}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, phi.RawMatrix(), weights, 0, part)
		lo = hi
	}
	return out, nil
}

// witnessOf finds the active members of an invariance.
func (f *fitter) witnessOf(inv *regularizer.Invariance, values, multipliers []float64, size float64) Witness {
	out := Witness{
		Name: inv.Name, Kind: regularizer.KindText(inv.Kind, inv.Smooth), Text: inv.Text, Weight: inv.Weight, Functionals: inv.Count, Held: multipliers != nil,
	}
	share := make([]float64, len(values))
	shares(inv.Gauge, share, values)
	var active []int
	for i, s := range share {
		if s > 0 {
			active = append(active, i)
		}
	}
	out.Active = len(active)
	out.Statements, out.Spoken = statements(inv, share)
	slices.SortStableFunc(active, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	pulled := 0.0
	for i, c := range multipliers {
		pulled += c * values[i]
	}
	for _, i := range active[:min(len(active), mostMembers)] {
		m := ActiveMember{Member: memberOf(inv, i), Value: values[i], Share: share[i]}
		for _, r := range m.Member.Rows() {
			m.Rows = append(m.Rows, f.rowName(int(r)))
		}
		if multipliers != nil {
			m.Multiplier = multipliers[i] / size
			if pulled > 0 {
				m.Pull = multipliers[i] * values[i] / pulled
			}
		}
		out.Members = append(out.Members, m)
	}
	return out
}

// memberOf is what a functional stands for, its text where nobody knows.
func memberOf(inv *regularizer.Invariance, i int) regularizer.Member {
	if inv.Members == nil {
		return regularizer.Member{Part: inv.Text}
	}
	return inv.Members.At(i)
}

// rowName is a training row's name.
func (f *fitter) rowName(r int) string {
	if r < len(f.train.ID) {
		return f.train.ID[r]
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

// hold embeds the learner's weights: V, and the multipliers c with V = W − Aᵀc where they are kept.
func (r *Representer) hold(ctx context.Context, a []float64) (v, c []float64, err error) {
	if err := r.prepare(ctx); err != nil {
		return nil, nil, err
	}
	rhs := mat.NewDense(1, len(a), slices.Clone(a))
	if !r.regularized() {
		return rhs.RawRowView(0), nil, nil
	}
	if r.Method == Warp {
		part, err := r.closedForm(ctx, rhs)
		if err != nil {
			return nil, nil, err
		}
		v = part.Iota.RawRowView(0)
		functionals, _ := r.Operator.Dims()
		t := mat.NewDense(1, functionals, nil)
		r.Operator.Apply(t, part.Iota)
		c = t.RawRowView(0)
		for j := range c {
			c[j] *= r.warp[j]
		}
		return v, c, nil
	}
	out, err := r.solver.Solve(ctx, rhs)
	if err != nil {
		return nil, nil, err
	}
	if out.Multipliers != nil {
		c = out.Multipliers.RawRowView(0)
	}
	return out.Iota.RawRowView(0), c, nil
}

// finite says of numbers that a file holds whether they are numbers.
func (w *Witness) finite() bool {
	ok := isFinite(w.Value) && isFinite(w.Share)
	for i := range w.Members {
		m := &w.Members[i]
		ok = ok && isFinite(m.Value) && isFinite(m.Share) && isFinite(m.Multiplier) && isFinite(m.Pull)
	}
	return ok
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
