package represent

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// A closedForm embeds where ρ(t)² = Σ_j w_j t_j²: ι = M⁻¹a, M = αI + G, G = AᵀWA.
//
// The multipliers c = WAι certify it. From Mι = a follows a − Aᵀc = αι, and ρ°(c) = ρ(Aι). So both bounds are J(ι), up to rounding.
//
// Functions of one label need A for G alone. With Aᵀc = Gι and ρ°(c)² = ιᵀGι the bounds are those of d numbers,
//
//	⟨a, ι⟩²/(α‖ι‖² + ιᵀGι)  ≤  ⟨a, M⁻¹a⟩  ≤  ‖a − Gι‖²/α + ιᵀGι,
//
// for whatever ι rounding leaves. G as it is computed is off by γ tr G at most, by which both are moved apart.
type closedForm struct {
	problem polar.Problem
	weights []float64
	factor  polar.Factor // M; nil where root is M's
	// gram and root are those of functions of one label. They are nil where there are several.
	gram *blas64.General
	root *blas64.Triangular
	// beside bounds how far R² lies from ρ(AV)² for ‖V‖ = 1, where functionals stand for the squares of others.
	beside float64
	// off bounds ‖fl(GV) − GV‖ and the error of VᵀGV, for ‖V‖ = 1, with what is beside.
	off float64
	// gap is that from which the bounds by G are replaced by those with A.
	gap float64
}

// newClosedForm prepares the closed form of a problem under the quadratic form of some weights, certified to a gap where rounding allows.
func newClosedForm(ctx context.Context, p polar.Problem, a *operator.Operator, weights []float64, gap float64) (*closedForm, error) {
	f := &closedForm{problem: p, weights: weights, gap: gap, beside: operator.RootsOf(a).Off(weights)}
	var err error
	if parts := a.Parts(); len(parts) == 1 && len(parts[0].Labels) == 1 && a.Errors() == nil && p.Curves == nil {
		if f.gram, err = operator.RootsOf(a).Gram(ctx, weights); err != nil {
			return nil, err
		}
	}
	if f.gram == nil {
		f.factor, err = a.Factor(ctx, p.Alpha, weights)
		return f, err
	}
	if f.root, err = operator.RootsOf(a).Root(ctx, p.Alpha, weights); err != nil {
		return nil, err
	}
	// G is a sum over functionals, and a product with it one over features. The sums of magnitudes of both are at most tr G.
	trace := 0.0
	for i := range f.gram.Rows {
		trace += f.gram.Data[i*f.gram.Stride+i]
	}
	functionals, dim := a.Dims()
	f.off = gauge.Gamma(float64(functionals+3*dim+roundings))*trace + f.beside
	return f, nil
}

// roundings is how many further operations a bound takes, of which each is off by a unit in the last place at most.
const roundings = 64

// solve sets v to a M⁻¹, row by row.
func (f *closedForm) solve(ctx context.Context, v, a *mat.Dense) error {
	if f.root == nil {
		return f.factor.Solve(ctx, v, a)
	}
	v.Copy(a)
	blas64.Trsm(blas.Right, blas.Trans, 1, *f.root, v.RawMatrix())
	blas64.Trsm(blas.Right, blas.NoTrans, 1, *f.root, v.RawMatrix())
	return ctx.Err()
}

// embed returns the embeddings of the rows of a, unscaled.
func (f *closedForm) embed(ctx context.Context, a *mat.Dense) (Batch, error) {
	b, dim := a.Dims()
	v := mat.NewDense(b, dim, nil)
	if err := f.solve(ctx, v, a); err != nil {
		return Batch{}, err
	}
	out := Batch{Iota: v, Gap: make([]float64, b), Norm2: make([]float64, b)}
	if f.gram == nil {
		f.certify(&out, a)
		return out, nil
	}
	f.certifyByGram(&out, a)
	for i, gap := range out.Gap {
		if !(gap <= f.gap) { // by rounding of G, which products with A have less of
			one := Batch{Iota: asRow(v, i), Gap: out.Gap[i : i+1], Norm2: out.Norm2[i : i+1]}
			f.certify(&one, asRow(a, i))
		}
	}
	return out, nil
}

// asRow returns row i as a matrix, in the same memory.
func asRow(m *mat.Dense, i int) *mat.Dense {
	row := m.RawRowView(i)
	return mat.NewDense(1, len(row), row)
}

// certify bounds by products with A.
func (f *closedForm) certify(b *Batch, a *mat.Dense) {
	n, _ := a.Dims()
	c := mat.NewDense(n, len(f.weights), nil)
	f.problem.A.Apply(c, b.Iota)
	for i := range n {
		row := c.RawRowView(i)
		for j := range row {
			row[j] *= f.weights[j]
		}
	}
	lower, upper := polar.Certify(f.problem, a, b.Iota, c)
	for i := range n {
		if f.beside > 0 { // (α ± beside)‖V‖² + ρ(AV)² have J between them
			share := f.beside/f.problem.Alpha*(1+gauge.Gamma(roundings)) + gauge.Gamma(roundings)
			lower[i], upper[i] = lower[i]/(1+share), upper[i]/max(0, 1-share)
		}
		b.Gap[i], b.Norm2[i] = polar.Gap(lower[i], upper[i]), lower[i]
	}
}

// certifyByGram takes the same bounds without A, for Aᵀc = GV and ρ°(c)² = ρ(AV)² = VᵀGV. So they take d² multiplications for each row,
// however many functionals there are.
func (f *closedForm) certifyByGram(b *Batch, a *mat.Dense) {
	n, dim := a.Dims()
	q := blas64.General{Rows: n, Cols: dim, Stride: dim, Data: make([]float64, n*dim)}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, b.Iota.RawMatrix(), *f.gram, 0, q)
	gamma := gauge.Gamma(float64(dim + roundings))
	for i := range n {
		row, v, g := vector(a.RawRowView(i)), vector(b.Iota.RawRowView(i)), vector(q.Data[i*dim:(i+1)*dim])
		size, long := blas64.Nrm2(v)*(1+gamma), blas64.Nrm2(row)*(1+gamma)
		along := blas64.Dot(row, v) - gamma*long*size
		form := math.Max(0, blas64.Dot(v, g)) + f.off*size*size // at least VᵀGV
		j := (f.problem.Alpha*size*size + form) * (1 + gamma)
		lower := 0.0
		if along > 0 && j > 0 && !math.IsInf(j, 1) {
			lower = along / j * along * (1 - gamma)
		}
		reach := blas64.Nrm2(g)
		blas64.Axpy(-1, row, g) // GV − a
		rest := blas64.Nrm2(g)*(1+gamma) + gamma*(long+reach) + f.off*size
		upper := (rest*rest/f.problem.Alpha + form) * (1 + gamma)
		b.Gap[i], b.Norm2[i] = polar.Gap(lower, upper), lower
	}
}
