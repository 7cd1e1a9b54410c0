package model

import (
	"math"
	"slices"
	"sort"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

// The most that is kept of an invariance.
const (
	mostMembers    = 1000
	mostStatements = 200
)

// shareR fills the shares of R², by which a reader sees which invariance to look at first.
//
// They sum to 1 unless R is 0. They are w_k² R_k² over their sum, as R² = Σ w_k² R_k² in reports.
func shareR(all []report.Witness) {
	total := 0.0
	for i := range all {
		total += squareOf(&all[i])
	}
	for i := range all {
		if total > 0 {
			all[i].Share = report.Number(squareOf(&all[i]) / total)
		}
	}
}

// squareOf returns w_k² R_k², an invariance's part of R².
func squareOf(w *report.Witness) float64 {
	return w.Weight * w.Weight * float64(w.Value) * float64(w.Value)
}

// witnessOf finds the active members of an invariance, those with a share in its value. A share is ℓ(f)·∂R_k/∂ℓ over
// R_k; see shares. It is that of the values as they are weighed where they are a sample. Members with the largest
// shares come first, and contribute their share times the value. Of a two-sided functional a member tells the size.
// Statements are the members of one part, labels and transformations taken together.
func witnessOf(rows *dataset.Set, inv *regularizer.Invariance, m *measurement) report.Witness {
	out := report.Witness{
		Name: inv.Name, Kind: regularizer.KindText(inv.Kind, inv.Smooth), Text: inv.Text, Weight: inv.Weight, Functionals: inv.Count,
		Value: m.Value, Sampled: m.Sampled, Broken: m.Broken,
	}
	share := make([]float64, len(m.values))
	shares(inv.Gauge, share, m.weighed)
	parts := partsAt(inv.Gauge, m.values)
	var active []int
	for i, s := range share {
		if s > 0 {
			active = append(active, i)
		}
	}
	out.Active = len(active)
	out.Statements, out.Spoken = statements(inv, share)
	sort.SliceStable(active, func(i, j int) bool { return share[active[i]] > share[active[j]] })
	for _, i := range active[:min(len(active), mostMembers)] {
		of := memberOf(inv, i)
		one := report.WitnessMember{
			Part: of.Part, At: of.Bindings, Value: report.Number(parts[i]), Share: report.Number(share[i]),
			Contribution: report.Number(share[i]) * m.Value,
		}
		for _, r := range of.Rows() {
			one.Rows = append(one.Rows, rowName(rows, int(r)))
		}
		out.Members = append(out.Members, one)
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
func rowName(rows *dataset.Set, r int) string {
	if r < rows.Len() {
		return rows.ID(r)
	}
	return ""
}

// statements adds up the shares of members that make the same statement.
func statements(inv *regularizer.Invariance, share []float64) (list []report.WitnessStatement, active int) {
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
			list, first = append(list, report.WitnessStatement{}), append(first, i)
		}
		list[at].Members++
		list[at].Share += report.Number(s)
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
	sort.SliceStable(order, func(i, j int) bool { return list[order[i]].Share > list[order[j]].Share })
	out := make([]report.WitnessStatement, 0, min(active, mostStatements))
	for _, i := range order[:min(active, mostStatements)] {
		list[i].Part = memberOf(inv, first[i]).Part
		out = append(out, list[i])
	}
	return out, active
}

// finite reports whether the numbers of a witness that a file holds are numbers, or known not to be.
func finite(w *report.Witness) bool {
	known := func(t *report.Tested) bool { return t == nil || t.Unknown != "" || isFinite(float64(t.Value)) }
	ok := isFinite(float64(w.Value)) && isFinite(float64(w.Share)) && known(w.Test) &&
		(w.Baseline == nil || isFinite(float64(w.Baseline.Value)) && known(w.Baseline.Test))
	for i := range w.Members {
		m := &w.Members[i]
		ok = ok && isFinite(float64(m.Value)) && isFinite(float64(m.Share))
	}
	return ok
}
