package sipc

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

// How many of the rows that no sample holds are looked at. They are fewer where rows would have to be embedded, or would have more functionals than R and than
// mostOthers. Of less than the least nothing is told.
const (
	mostOthers     = 4096
	othersEmbedded = 64
	leastOthers    = 16
)

// tiesWithin is by what share a row must exceed another to violate a statement more, as equal rows differ by rounding.
const tiesWithin = 1e-9

// tellOthers fills in what rows outside of samples come to, given the gauge of the sample. Of those looked at the invariance may concern some alone.
func tellOthers(out *report.Drawn, own *report.Summand, root *gauge.Node, rows []rowPart, looked int, name func(row int) string) {
	unseen := 1 - float64(looked)/float64(out.Others)
	switch {
	case unseen > 0 && len(rows) < leastOthers:
		return
	case root.Op == gauge.Max && own.Sampled == nil:
		most := float64(own.Value)
		if own.Searched != nil {
			most = max(most, float64(own.Searched.Value))
		}
		beyond(out, rows, most, name, unseen == 0)
	case root.Op == gauge.Norm || root.Op == gauge.Sum:
		out.Value = estimateOf(rows, powerOf(root), sizeOf(root), unseen)
	default:
		return
	}
	out.Looked, out.Concerned = looked, len(rows)
}

// A rowPart is what one row has of an invariance over rows.
type rowPart struct {
	row  int32
	most float64 // of its elements
	sum  float64 // of their p-th powers, for the p of the norm
	size float64 // of those of their weights
}

// partsOf returns the parts of rows, given the values of all functionals.
func partsOf(inv *regularizer.Invariance, values []float64) (rows []rowPart) {
	root, of, at := inv.Gauge, inv.Members.Rows(), map[int32]int{}
	each, power := root.Children[0].Size(), powerOf(root)
	for e := range root.Repeat {
		row := of(e * each)[0][0]
		i, ok := at[row]
		if !ok {
			i = len(rows)
			at[row], rows = i, append(rows, rowPart{row: row})
		}
		weight := weightOf(root, e)
		value := weight * root.Children[0].Value(values[e*each:(e+1)*each])
		rows[i].most = max(rows[i].most, value)
		rows[i].sum += math.Pow(value, power)
		rows[i].size += math.Pow(weight, power)
	}
	return rows
}

// powerOf returns the p of a norm, and 1 for a sum or a maximum.
func powerOf(root *gauge.Node) float64 { return max(root.P, 1) }

// weightOf returns the weight of an element.
func weightOf(root *gauge.Node, e int) float64 {
	if root.Weights == nil {
		return 1
	}
	return root.Weights[e]
}

// sizeOf returns the sum of the p-th powers of the weights of a norm.
func sizeOf(root *gauge.Node) (size float64) {
	for e := range root.Repeat {
		size += math.Pow(weightOf(root, e), powerOf(root))
	}
	return size
}

// growth returns by how much a sum or a norm over an index set is larger than one over another set of elements as large. For means, maxima and
// sets of one size it is 1.
func growth(own, other *gauge.Node) float64 {
	if own.Op != gauge.Norm && own.Op != gauge.Sum || own.Repeat == 0 || other.Repeat == 0 || own.Repeat == other.Repeat {
		return 1
	}
	if by := math.Pow(sizeOf(own)/sizeOf(other), 1/powerOf(own)); math.Abs(by-1) > tiesWithin {
		return by
	}
	return 1
}

// beyond tells the share of the rows that exceed a maximum, and the worst. If they are all, the share has no interval.
func beyond(out *report.Drawn, rows []rowPart, most float64, name func(row int) string, all bool) {
	worst, count := rows[0], 0
	for _, r := range rows {
		if r.most > worst.most {
			worst = r
		}
		if r.most > most*(1+tiesWithin) {
			count++
		}
	}
	i, share := metric.ClopperPearson(count, len(rows)), float64(count)/float64(len(rows))
	if all {
		i = metric.Interval{Low: share, High: share}
	}
	out.Beyond = &report.Estimate{Value: report.Number(share), Low: report.Number(i.Low), High: report.Number(i.High)}
	out.Worst, out.Row = report.Number(worst.most), name(int(worst.row))
}

// estimateOf returns what a norm over rows comes to, for elements of a size, by some of the rows. With y and w what each of m rows has of the sum of p-th
// powers and of the size, the estimate of a p-norm is
//
//	(size q)^(1/p),   q = Σ y / Σ w,   with the error √(m/(m − 1) unseen Σ (y − q w)²) / Σ w of q.
//
// That is the error of a ratio by rows drawn without replacement (Cochran 1977). Divided by q it is the error of log q, of which the quantile of Student's t for m − 1 makes the interval.
// Unseen is the share of the rows that were not looked at.
func estimateOf(rows []rowPart, power, size, unseen float64) *report.Estimate {
	var sum, all, squares float64
	for _, r := range rows {
		sum, all = sum+r.sum, all+r.size
	}
	q := sum / all
	for _, r := range rows {
		squares += (r.sum - q*r.size) * (r.sum - q*r.size)
	}
	m, half := float64(len(rows)), 0.0
	if sum > 0 && unseen > 0 {
		half = distuv.StudentsT{Sigma: 1, Nu: m - 1}.Quantile(0.975) * math.Sqrt(unseen*squares*m/(m-1)) / sum
	}
	root := func(factor float64) report.Number { return report.Number(math.Pow(size*q*factor, 1/power)) }
	return &report.Estimate{Value: root(1), Low: root(math.Exp(-half)), High: root(math.Exp(half))}
}
