package portable

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/onnx"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A run is landmarks that are derived equally often, with the coefficients of f there.
type run struct {
	order         int
	points, along *mat.Dense // along is nil for order 0
	coefficients  *mat.Dense // points × m
}

// runs returns the landmarks of a map with the coefficients of weights V (m×d): a = W Vᵀ, W the whitening matrix. Coefficients that are known are
// taken as they are; nil stands for unknown ones.
func runs(s *embed.State, weights, known *mat.Dense) []run {
	a := known
	if a == nil {
		a = new(mat.Dense)
		a.Mul(denseOf(s.Whiten), weights.T())
	}
	var out []run
	first := 0
	add := func(points, along plugins.Matrix, lo, hi, order int) {
		if lo == hi {
			return
		}
		r := run{order: order, points: part(denseOf(points), lo, hi), coefficients: part(a, first, first+hi-lo)}
		if order > 0 {
			r.along = part(denseOf(along), lo, hi)
		}
		first += hi - lo
		out = append(out, r)
	}
	once := s.At.Rows - s.Twice
	add(s.Landmarks, plugins.Matrix{}, 0, s.Landmarks.Rows, 0)
	add(s.At, s.Along, 0, once, 1)
	add(s.At, s.Along, once, s.At.Rows, 2)
	return out
}

func denseOf(m plugins.Matrix) *mat.Dense { return mat.NewDense(m.Rows, m.Cols, m.Data) }

// part returns rows lo … hi−1 of a matrix, in the same memory.
func part(m *mat.Dense, lo, hi int) *mat.Dense {
	_, c := m.Dims()
	return m.Slice(lo, hi, 0, c).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
}

// matrix returns a constant matrix.
func matrix(g *onnx.Graph, m mat.Matrix) onnx.Value {
	r, c := m.Dims()
	v := make([]float64, 0, r*c)
	for i := range r {
		for j := range c {
			v = append(v, m.At(i, j))
		}
	}
	return g.Doubles(v, r, c)
}

// row returns a constant row.
func row(g *onnx.Graph, v []float64) onnx.Value { return g.Doubles(v, 1, len(v)) }

// scores returns f at prepared rows (rows×m), with biases, for weights V (m×d) on the features.
func (b *builder) scores(x onnx.Value, weights *mat.Dense) (onnx.Value, error) {
	s := b.m.Represent.Features.State()
	var sum onnx.Value
	switch s.Kind {
	case setting.Nystrom:
		for _, r := range runs(s, weights, b.m.Coefficients) {
			k, err := b.kernel(&s.Kernel, x, &r)
			if err != nil {
				return "", err
			}
			sum = plus(b.g, sum, product(b.g, k, matrix(b.g, r.coefficients)))
		}
	case setting.Fourier:
		sum = waves(b.g, s, x, weights)
	case setting.Hashing:
		// The map is linear in x, so that its features at unit vectors say what a column is worth.
		unit := mat.NewDense(s.Columns, s.Columns, nil)
		for j := range s.Columns {
			unit.Set(j, j, 1)
		}
		sum = product(b.g, x, matrix(b.g, featuresAt(b.m.Represent.Features.Weighted(weights), unit)))
	default:
		return "", &RefusedError{fmt.Sprintf("features are %q, for which there is no graph", s.Kind), "take features nystrom"}
	}
	return b.g.Op("Add", sum, row(b.g, b.m.Fit.Bias)), nil
}

// featuresAt returns the values of functions at points.
func featuresAt(f embed.Functions, x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, f.Dim(), nil)
	f.Features(out, x)
	return out
}

// plus returns a sum; empty stands for 0.
func plus(g *onnx.Graph, sum, v onnx.Value) onnx.Value {
	switch {
	case sum == "":
		return v
	case v == "":
		return sum
	}
	return g.Op("Add", sum, v)
}

// times returns a product; empty stands for 0.
func times(g *onnx.Graph, u, v onnx.Value) onnx.Value {
	if u == "" || v == "" {
		return ""
	}
	return g.Op("Mul", u, v)
}

// scale returns a multiple; empty stands for 0.
func scale(g *onnx.Graph, c float64, v onnx.Value) onnx.Value {
	switch {
	case v == "" || c == 0:
		return ""
	case c == 1:
		return v
	}
	return g.Op("Mul", v, g.Double(c))
}

// waves returns Vφ(x) of random waves: √(2/d) Σ_k (V_{2k} cos⟨ω_k, x⟩ + V_{2k+1} sin⟨ω_k, x⟩), the last cosine with a phase where there is one.
func waves(g *onnx.Graph, s *embed.State, x onnx.Value, weights *mat.Dense) onnx.Value {
	n, m := s.Frequencies.Rows, weights.RawMatrix().Rows
	d := 2*n - len(s.Phases)
	scale := math.Sqrt(2 / float64(d))
	cosines, sines := mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	phases := make([]float64, n)
	copy(phases[n-len(s.Phases):], s.Phases)
	for k := range n {
		for y := range m {
			cosines.Set(k, y, scale*weights.At(y, 2*k))
			if 2*k+1 < d {
				sines.Set(k, y, scale*weights.At(y, 2*k+1))
			}
		}
	}
	t := product(g, x, matrix(g, denseOf(s.Frequencies).T()))
	if len(s.Phases) > 0 {
		t = g.Op("Add", t, row(g, phases))
	}
	return g.Op("Add", product(g, g.Op("Cos", t), matrix(g, cosines)), product(g, g.Op("Sin", t), matrix(g, sines)))
}

// kernel returns k at prepared rows and landmarks (rows×points), derived at the landmarks as often as they ask for.
func (b *builder) kernel(k *setting.Kernel, x onnx.Value, r *run) (onnx.Value, error) {
	switch {
	case k.Sums():
		return b.sumKernel(x, r), nil
	case k.Kind == setting.Laplacian:
		return laplacian(b.g, k, x, r)
	case k.Radial():
		return radial(b.g, k, x, r), nil
	case k.Kind == setting.Linear || k.Kind == setting.Polynomial:
		return power(b.g, k, x, r), nil
	}
	return "", &RefusedError{fmt.Sprintf("the kernel is %s, for which there is no graph", k.Kind), "take another kernel"}
}

// radial returns κ(t) of the squared distance t = ‖x − z‖², or its derivatives along ż at z: with t_b = −2⟨x − z, ż⟩ and t_bb = 2‖ż‖²,
//
//	κ′t_b,   κ″t_b² + κ′t_bb.
//
// The origin is moved to the mean of the landmarks, as package kernel does, so that little cancels.
func radial(g *onnx.Graph, k *setting.Kernel, x onnx.Value, r *run) onnx.Value {
	z := mat.DenseCopyOf(r.points)
	n, p := z.Dims()
	origin := make([]float64, p)
	for i := range n {
		floats.Add(origin, z.RawRowView(i))
	}
	floats.Scale(1/float64(n), origin)
	norms := make([]float64, n)
	for i := range n {
		floats.Sub(z.RawRowView(i), origin)
		norms[i] = floats.Dot(z.RawRowView(i), z.RawRowView(i))
	}
	x = g.Op("Sub", x, row(g, origin))
	var twice mat.Dense
	twice.Scale(-2, z.T())
	t := g.Op("Add", g.Op("ReduceSum", g.Op("Mul", x, x), g.Ints(1)), row(g, norms))
	t = g.Op("Max", g.Op("Add", t, product(g, x, matrix(g, &twice))), g.Double(0))
	kappa := profile(g, k, t, r.order)
	if r.order == 0 {
		return kappa[0]
	}
	at, square := make([]float64, n), make([]float64, n)
	for i := range n {
		along := r.along.RawRowView(i)
		at[i], square[i] = 2*floats.Dot(z.RawRowView(i), along), 2*floats.Dot(along, along)
	}
	twice.Scale(-2, r.along.T())
	tb := g.Op("Add", product(g, x, matrix(g, &twice)), row(g, at))
	if r.order == 1 {
		return g.Op("Mul", kappa[1], tb)
	}
	return g.Op("Add", g.Op("Mul", kappa[2], g.Op("Mul", tb, tb)), g.Op("Mul", kappa[1], row(g, square)))
}

// profile returns κ at squared distances, or from its first derivative up to that of an order.
func profile(g *onnx.Graph, k *setting.Kernel, t onnx.Value, order int) (kappa [3]onnx.Value) {
	if k.Kind == setting.Gaussian {
		rate := -1 / (2 * k.Width * k.Width)
		value := g.Op("Exp", g.Op("Mul", t, g.Double(rate)))
		return [3]onnx.Value{value, scale(g, rate, value), scale(g, rate*rate, value)}
	}
	five := k.Kind == setting.Matern52
	rate := math.Sqrt(3) / k.Width
	if five {
		rate = math.Sqrt(5) / k.Width
	}
	u := g.Op("Mul", g.Op("Sqrt", t), g.Double(rate))
	decay := g.Op("Exp", g.Op("Neg", u))
	up := g.Op("Add", u, g.Double(1))
	kappa = [3]onnx.Value{}
	switch {
	case order == 0 && five:
		kappa[0] = g.Op("Mul", decay, g.Op("Add", up, scale(g, 1.0/3, g.Op("Mul", u, u))))
	case order == 0:
		kappa[0] = g.Op("Mul", decay, up)
	case five:
		kappa[1] = scale(g, -rate*rate/6, g.Op("Mul", decay, up))
		kappa[2] = scale(g, rate*rate*rate*rate/12, decay)
	default:
		kappa[1] = scale(g, -rate*rate/2, decay)
	}
	return kappa
}

// mostDifferences bounds the columns of a laplacian kernel, of which the graph has three nodes each.
const mostDifferences = 4096

// laplacian returns exp(−‖x − z‖/s). Its distance is summed up column by column: where points coincide, the root of what cancels would keep
// half of the digits.
func laplacian(g *onnx.Graph, k *setting.Kernel, x onnx.Value, r *run) (onnx.Value, error) {
	n, p := r.points.Dims()
	if p > mostDifferences {
		return "", &RefusedError{fmt.Sprintf("the laplacian kernel has %d columns, and a graph would need three nodes for each, at most %d columns", p, mostDifferences), "take kernel gaussian or matern32"}
	}
	var sum onnx.Value
	for j := range p {
		d := g.Op("Sub", column(g, x, j), row(g, mat.Col(make([]float64, n), j, r.points)))
		sum = plus(g, sum, g.Op("Mul", d, d))
	}
	return g.Op("Exp", g.Op("Mul", g.Op("Sqrt", sum), g.Double(-1/k.Width))), nil
}

// power returns (⟨x, z⟩ + c)^q, or its derivatives along ż at z: q(q−1)…(⟨x, z⟩ + c)^(q−order) ⟨x, ż⟩^order.
func power(g *onnx.Graph, k *setting.Kernel, x onnx.Value, r *run) onnx.Value {
	degree, offset := k.Degree, k.Offset
	if k.Kind == setting.Linear {
		degree, offset = 1, 0
	}
	t := product(g, x, matrix(g, r.points.T()))
	if offset != 0 {
		t = g.Op("Add", t, g.Double(offset))
	}
	factor := 1.0
	for i := range r.order {
		factor *= float64(degree - i)
	}
	if left := degree - r.order; left != 1 {
		t = g.Op("Pow", t, g.Double(float64(max(left, 0))))
	}
	for range r.order {
		t = g.Op("Mul", t, product(g, x, matrix(g, r.along.T())))
	}
	if factor != 1 { // also 0, as of second derivatives of a linear function
		t = g.Op("Mul", t, g.Double(factor))
	}
	return t
}

// product returns a matrix product. It is a Gemm: onnxruntime fuses a MatMul with a factor beside it, which it keeps in single precision. So half of
// the digits would go.
func product(g *onnx.Graph, u, v onnx.Value) onnx.Value { return g.Op("Gemm", u, v) }
