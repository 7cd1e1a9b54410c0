package portable

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/onnx"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A jet has derivatives of a function of x and z along ż at z: its value, the first and the second. Empty ones are 0.
type jet [kernel.MostOrder + 1]onnx.Value

// sumKernel returns an additive or pairwise kernel, c₁ Σ_j k_j + c₂ Σ k_j k_l, derived at the landmarks as often as they ask for.
func (b *builder) sumKernel(x onnx.Value, r *run) onnx.Value {
	parts := b.m.Represent.Features.Kernel().Parts()
	components := parts.Components
	jets := make([]jet, len(components))
	var sums jet
	for j := range components {
		jets[j] = b.component(&components[j], x, r)
		for q := range sums {
			sums[q] = plus(b.g, sums[q], jets[j][q])
		}
	}
	out := scale(b.g, parts.Single, sums[r.order])
	d := len(components)
	if len(parts.Pairs) < d*(d-1)/2 {
		var pairs onnx.Value
		for _, p := range parts.Pairs {
			pairs = plus(b.g, pairs, leibniz(b.g, &jets[p[0]], &jets[p[1]], r.order))
		}
		return plus(b.g, out, scale(b.g, parts.Pair, pairs))
	}
	if d < 2 {
		return out
	}
	// Over all pairs Σ k_j k_l = ((Σ k_j)² − Σ k_j²)/2.
	var squares onnx.Value
	for j := range jets {
		squares = plus(b.g, squares, leibniz(b.g, &jets[j], &jets[j], r.order))
	}
	all := plus(b.g, leibniz(b.g, &sums, &sums, r.order), scale(b.g, -1, squares))
	return plus(b.g, out, scale(b.g, parts.Pair/2, all))
}

// leibniz returns a derivative of a product by Leibniz's rule.
func leibniz(g *onnx.Graph, u, v *jet, order int) (sum onnx.Value) {
	binomials := [...][kernel.MostOrder + 1]float64{{1}, {1, 1}, {1, 2, 1}}
	for q := range order + 1 {
		sum = plus(g, sum, scale(g, binomials[order][q], times(g, u[q], v[order-q])))
	}
	return sum
}

// component returns k_j at rows and landmarks, with its derivatives up to the order of the landmarks:
//
//	(1 − Σm)(1 − Σm′)(κ(v − v′) + w·v·v′) + ⟨m, m′⟩
//
// of a number v with masks m, or of a category the same without a number.
func (b *builder) component(c *setting.Component, x onnx.Value, r *run) jet {
	marks := c.Columns
	var out jet
	if c.Kind != setting.Category {
		out = b.line(c, x, r)
		marks = c.Columns[1:]
	}
	if len(marks) == 0 {
		return out
	}
	own := b.g.OpWith("Gather", []onnx.Attribute{onnx.Number("axis", 1)}, x, b.g.Ints(marks...))
	open := b.g.Op("Sub", b.g.Double(1), b.g.Op("ReduceSum", own, b.g.Ints(1)))
	n, _ := r.points.Dims()
	at := mat.NewDense(len(marks), n, nil)
	var moves *mat.Dense
	for k, m := range marks {
		at.SetRow(k, mat.Col(nil, m, r.points))
	}
	if r.order > 0 {
		moves = mat.NewDense(len(marks), n, nil)
		for k, m := range marks {
			moves.SetRow(k, mat.Col(nil, m, r.along))
		}
	}
	others, closes := opened(b.g, at, 1), opened(b.g, moves, 0)
	if c.Kind == setting.Category {
		out = jet{times(b.g, open, others), times(b.g, open, closes)}
	} else {
		was := out
		for q := range out {
			v := times(b.g, was[q], others)
			if q > 0 {
				v = plus(b.g, v, scale(b.g, float64(q), times(b.g, was[q-1], closes)))
			}
			out[q] = times(b.g, open, v)
		}
	}
	out[0] = plus(b.g, out[0], product(b.g, own, matrix(b.g, at)))
	if closes != "" {
		out[1] = plus(b.g, out[1], product(b.g, own, matrix(b.g, moves)))
	}
	return out
}

// opened returns start less the sums of columns, as a constant row; empty if these are nil or 0.
func opened(g *onnx.Graph, marks *mat.Dense, start float64) onnx.Value {
	if marks == nil || start == 0 && mat.Norm(marks, 1) == 0 {
		return ""
	}
	_, n := marks.Dims()
	out := make([]float64, n)
	for i := range out {
		out[i] = start - mat.Sum(marks.ColView(i))
	}
	return row(g, out)
}

// line returns κ(v − v′) + w·v·v′ of the number of a component, with its derivatives (−ż)^q κ^(q) and wvż.
func (b *builder) line(c *setting.Component, x onnx.Value, r *run) (out jet) {
	g := b.g
	column := c.Columns[0]
	v := b.only(x, column)
	z := mat.Col(nil, column, r.points)
	order := 0
	var along, turned, square []float64
	if r.order > 0 {
		along = mat.Col(nil, column, r.along)
		for _, t := range along {
			if t != 0 {
				order = r.order
			}
			turned, square = append(turned, -t), append(square, t*t)
		}
	}
	if c.Kind != setting.Linear {
		kappa := univariate(b.g, &c.Base, g.Op("Sub", v, row(b.g, z)), order)
		out[0] = kappa[0]
		if order > 0 {
			out[1] = times(b.g, kappa[1], row(b.g, turned))
		}
		if order > 1 {
			out[2] = times(b.g, kappa[2], row(b.g, square))
		}
	}
	slope := c.Linear
	if c.Kind == setting.Linear {
		slope++
	}
	if slope > 0 {
		out[0] = plus(b.g, out[0], scale(b.g, slope, times(b.g, v, row(b.g, z))))
		if order > 0 {
			out[1] = plus(b.g, out[1], scale(b.g, slope, times(b.g, v, row(b.g, along))))
		}
	}
	return out
}

// only returns one prepared column, rows×1.
func (b *builder) only(x onnx.Value, at int) onnx.Value {
	v, ok := b.columns[at]
	if !ok {
		v = column(b.g, x, at)
		b.columns[at] = v
	}
	return v
}

// univariate returns κ at differences r, with its derivatives up to an order.
func univariate(g *onnx.Graph, c *setting.Base, r onnx.Value, order int) (kappa jet) {
	switch c.Kind { //nolint:exhaustive // others are no kernels of a difference
	case setting.Gaussian:
		return gaussianLine(g, c.Width, r, order)
	case setting.Periodic:
		return periodicLine(g, c, r, order)
	}
	return maternLine(g, c, r, order)
}

// gaussianLine returns exp(−r²/2s²), times −r/s² and r²/s⁴ − 1/s².
func gaussianLine(g *onnx.Graph, width float64, r onnx.Value, order int) (kappa jet) {
	square := g.Op("Mul", r, r)
	w := 1 / (width * width)
	kappa[0] = g.Op("Exp", g.Op("Mul", square, g.Double(-1/(2*width*width))))
	if order > 0 {
		kappa[1] = times(g, kappa[0], scale(g, -w, r))
	}
	if order > 1 {
		kappa[2] = times(g, kappa[0], g.Op("Sub", scale(g, w*w, square), g.Double(w)))
	}
	return kappa
}

// periodicLine returns exp(−2a h²), h = sin(ωr/2), with its derivatives: times −u and u² − w, u = aω sin ωr, w = aω² cos ωr = aω²(1 − 2h²).
func periodicLine(g *onnx.Graph, c *setting.Base, r onnx.Value, order int) (kappa jet) {
	omega := 2 * math.Pi / c.Period
	a := 1 / (omega * omega * c.Width * c.Width)
	half := g.Op("Sin", g.Op("Mul", r, g.Double(omega/2)))
	square := g.Op("Mul", half, half)
	kappa[0] = g.Op("Exp", scale(g, -2*a, square))
	if order == 0 {
		return kappa
	}
	u := scale(g, a*omega, g.Op("Sin", g.Op("Mul", r, g.Double(omega))))
	kappa[1] = times(g, kappa[0], g.Op("Neg", u))
	if order > 1 {
		w := g.Op("Sub", g.Double(a*omega*omega), scale(g, 2*a*omega*omega, square))
		kappa[2] = times(g, kappa[0], g.Op("Sub", g.Op("Mul", u, u), w))
	}
	return kappa
}

// maternLine returns (1 + a)e^(−a), a = |u| and u = cr, or (1 + a + a²/3)e^(−a), with its derivatives: in units of e^(−a)
//
//	matern32   −cu            c²(a − 1)
//	matern52   −cu(1 + a)/3   −c²(1 + a − a²)/3
func maternLine(g *onnx.Graph, c *setting.Base, r onnx.Value, order int) (kappa jet) {
	five := c.Kind == setting.Matern52
	rate := math.Sqrt(3) / c.Width
	if five {
		rate = math.Sqrt(5) / c.Width
	}
	u := scale(g, rate, r)
	a := g.Op("Abs", u)
	decay := g.Op("Exp", g.Op("Neg", a))
	up := g.Op("Add", a, g.Double(1))
	square := g.Op("Mul", a, a)
	value, first, second := up, scale(g, -rate, u), scale(g, rate*rate, g.Op("Sub", a, g.Double(1)))
	if five {
		value = g.Op("Add", up, scale(g, 1.0/3, square))
		first, second = times(g, scale(g, -rate/3, u), up), scale(g, -rate*rate/3, g.Op("Sub", up, square))
	}
	kappa[0] = times(g, decay, value)
	if order > 0 {
		kappa[1] = times(g, decay, first)
	}
	if order > 1 {
		kappa[2] = times(g, decay, second)
	}
	return kappa
}
