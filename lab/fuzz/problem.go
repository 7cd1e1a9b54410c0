package fuzz

import (
	"context"
	"encoding/json"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// polar solves a random polar problem, and computes every certificate anew.
func (c *Case) polar(ctx context.Context) error {
	d := newDraw(c.Seed)
	problem, rhs, err := c.problem(d)
	if err != nil {
		return nil //nolint:nilerr // the file was refused, as it should be
	}
	scaled, exponent := problem.Rescaled()
	gaps := []float64{0, 1e-2, 1e-6, 1e-9, 1e-12}
	solver, err := polar.New(ctx, scaled, polar.Settings{Gap: gaps[d.IntN(len(gaps))], Multipliers: true, Double: d.chance(30), NoFinish: d.chance(20)})
	if err != nil {
		return nil //nolint:nilerr // likewise
	}
	result, err := solver.Solve(ctx, rhs)
	if err != nil {
		return err
	}
	n, ok := normOf(scaled)
	if !ok {
		return nil
	}
	rows, dim := rhs.Dims()
	for i := range rows {
		c.solved(n, result, rhs.RawRowView(i)[:dim], i)
	}
	result.Rescale(exponent)
	for i, status := range result.Status {
		if v := result.Value[i]; status == polar.Converged && !(v > 0 && v <= math.MaxFloat64) {
			c.faultf("value %d is %v, and converged", i, v)
		}
	}
	return nil
}

// solved checks one right-hand side.
func (c *Case) solved(n *norm, r *polar.Result, a []float64, i int) {
	switch r.Status[i] {
	case polar.Infeasible, polar.OutOfRange:
		return
	case polar.Contradiction:
		c.faultf("the bounds of %d contradict each other", i)
		return
	default:
	}
	if floats.Norm(a, 2) < leastNorm {
		c.Left++
		return
	}
	c.Certificates++
	var multipliers []float64
	if r.Multipliers != nil {
		multipliers = r.Multipliers.RawRowView(i)
	} else {
		multipliers = make([]float64, len(n.terms))
	}
	v := r.Iota.RawRowView(i)
	lower := n.lower(a, v)
	c.wrong(exceeds(r.Status[i].String(), lower, n.upper(a, multipliers), r.Gap[i]))
	if claim := r.Norm2[i] * (1 - allowance); !math.IsInf(claim, 1) && lower.Cmp(exact(claim)) < 0 {
		got, _ := lower.Float64()
		c.faultf("⟨a, ι⟩ of %d is given as %v, and is %v", i, r.Norm2[i], got)
	}
}

// problem draws a problem: half of them as files.
func (c *Case) problem(d draw) (polar.Problem, *mat.Dense, error) {
	dim := d.between(1, 12)
	vector := func(n int) []float64 {
		out, scale := make([]float64, n), 1.0
		if d.chance(10) {
			scale = math.Pow(10, float64(d.between(-160, 160)))
		}
		for i := range out {
			if !d.chance(15) {
				out[i] = scale * d.NormFloat64()
			}
			if d.chance(1) {
				out[i] = math.Pow(10, float64(d.between(-320, 308)))
			}
		}
		return out
	}
	rows := func(n int) [][]float64 {
		out := make([][]float64, n)
		for i := range out {
			out[i] = vector(dim)
			if i > 0 && d.chance(10) {
				out[i] = out[d.IntN(i)]
			}
		}
		return out
	}
	alpha := []float64{1, 1, 1, 1, 0.01, 0.01, 1e-4, 1e6, 1e-100, 1e100}[d.IntN(10)]
	if d.chance(50) {
		return c.file(d, alpha, rows, vector)
	}
	node := randomGauge(d, 3)
	z, a := rows(node.Size()), rows(d.between(1, 4))
	dense, err := polar.NewDense(matrix(z))
	if err != nil {
		return polar.Problem{}, nil, err
	}
	return polar.Problem{Alpha: alpha, A: dense, Gauge: node}, matrix(a), node.Validate()
}

func matrix(rows [][]float64) *mat.Dense {
	out := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		out.SetRow(i, r)
	}
	return out
}

// randomGauge returns a gauge of any shape.
func randomGauge(d draw, depth int) *gauge.Node {
	if depth == 0 || d.chance(15) {
		return gauge.Leaf([]gauge.Op{gauge.Abs, gauge.Pos}[d.IntN(2)])
	}
	n := &gauge.Node{Op: []gauge.Op{gauge.Max, gauge.Sum, gauge.Norm, gauge.Norm, gauge.Top}[d.IntN(5)]}
	count := d.between(1, 4)
	if d.chance(40) {
		n.Repeat, n.Children = count, []*gauge.Node{randomGauge(d, depth-1)}
	} else {
		for range count {
			n.Children = append(n.Children, randomGauge(d, depth-1))
		}
	}
	if n.Op == gauge.Norm {
		n.P = []float64{2, 2, 1.000001, 1.1, 1.5, 3, 40, 1e6}[d.IntN(8)]
	}
	n.K = map[gauge.Op]int{gauge.Top: d.between(1, 3)}[n.Op]
	if d.chance(40) {
		for range count {
			n.Weights = append(n.Weights, math.Pow(10, d.NormFloat64()*float64(d.between(0, 3))))
		}
	}
	return n
}

// file draws a problem as JSON, spoilt now and then, and reads it.
func (c *Case) file(d draw, alpha float64, rows func(int) [][]float64, vector func(int) []float64) (polar.Problem, *mat.Dense, error) {
	type object = map[string]any
	var terms []object
	for range d.between(0, 4) {
		groups, size := d.between(1, 6), d.between(1, 4)
		t := object{"kind": d.one("abs", "pos", "l2", "l1", "lp"), "group_size": size, "Z": rows(groups * size)}
		weights := vector(groups)
		for i, w := range weights {
			weights[i] = math.Abs(w) + map[bool]float64{true: 0, false: 1e-3}[d.chance(1)]
		}
		t["weights"] = weights
		if t["kind"] == "lp" {
			t["p"] = []float64{1.5, 2, 3, 7, 1.01}[d.IntN(5)]
		}
		if d.chance(30) {
			shares := make([]float64, size)
			for i := range shares {
				shares[i] = 0.1 + d.Float64()
			}
			t["c"] = shares
		}
		terms = append(terms, t)
	}
	whole := object{"alpha": alpha, "a": rows(d.between(1, 4)), "terms": terms}
	if d.chance(40) {
		whole["a"] = rows(1)[0]
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return polar.Problem{}, nil, err
	}
	c.Text = string(text)
	if d.chance(25) {
		at := d.IntN(len(text))
		c.Text = c.Text[:at] + d.one("", "null", "-", "[", "1e999", "0", `"`, ",", "]") + c.Text[min(len(text), at+d.IntN(4)):]
	}
	f, err := polar.ReadProblem(strings.NewReader(c.Text))
	if err != nil {
		return polar.Problem{}, nil, err
	}
	return f.Problem, f.RHS, nil
}
