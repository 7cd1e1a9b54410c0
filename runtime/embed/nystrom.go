package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// The sizes of blocks, and how many landmarks there may be.
const (
	// blockRows is the number of rows of a destination between two matrix products.
	blockRows = 512
	// mostValues bounds the values at landmarks that are held at once, unless blockRows are more.
	mostValues = 2 << 20
	// panelColumns is the number of columns of a triangle that are multiplied at once.
	panelColumns = 256
	// All takes every one of so many points.
	fewPoints = 1500
	// Exact refuses more rows and derivatives than mostExact.
	mostExact = 6000
	// mostPoints bounds the landmarks of any Nyström map: two matrices of this size fill 2.3 GB.
	mostPoints = 12000
	machineEps = 0x1p-52
)

// nystrom is φ(x) = Wᵀ (k(z_1, x), …, D₂k(x, z_j)[ż_j], …). Its landmarks are elements of the space: evaluations,
// first and second derivatives at points. Let K be their Gram matrix. With WᵀKW = I the map is the orthogonal
// projection T onto their span, in an orthonormal basis (Williams and Seeger 2001). So of all functions of the span,
// Tf is nearest to f.
type nystrom struct {
	kernel *kernel.Function
	// marks are the landmarks, orders ascending, each order at most once.
	marks []kernel.Argument
	// whiten is W, landmarks × d; upper says that it is upper triangular.
	whiten *mat.Dense
	upper  bool
	choice *Choice
	drawn  *drawn // nil where features are computed
}

// Choose returns how the landmarks of a map were drawn from more points than are always taken. Nil means that they
// were not.
func Choose(m Map) *Choice {
	if n, ok := m.(*nystrom); ok {
		return n.choice
	}
	return nil
}

// Dim returns d.
func (m *nystrom) Dim() int {
	_, d := m.whiten.Dims()
	return d
}

// Kernel returns k.
func (m *nystrom) Kernel() *kernel.Function { return m.kernel }

// State returns the map as plain data.
func (m *nystrom) State() *State {
	s := &State{Kind: setting.Nystrom, Kernel: m.kernel.Setting(), Whiten: stateOf(m.whiten)}
	for _, marks := range m.marks {
		points := stateOf(marks.Points)
		if marks.Order == 0 {
			s.Landmarks = points
			continue
		}
		if marks.Order == 2 {
			s.Twice = points.Rows
		}
		s.At, s.Along = joined(s.At, points), joined(s.Along, stateOf(marks.Along))
	}
	return s
}

// joined returns the rows of a, then those of b.
func joined(a, b plugins.Matrix) plugins.Matrix {
	return plugins.Matrix{Rows: a.Rows + b.Rows, Cols: b.Cols, Data: slices.Concat(a.Data, b.Data)}
}

// nystromFromState makes the map of a state, or returns an error about it.
func nystromFromState(k *kernel.Function, s *State) (Map, error) {
	var parts [4]*mat.Dense
	for i, from := range []plugins.Matrix{s.Landmarks, s.At, s.Along, s.Whiten} {
		var err error
		if parts[i], err = denseOf(from); err != nil {
			return nil, err
		}
	}
	z, at, along, whiten := parts[0], parts[1], parts[2], parts[3]
	if whiten == nil || s.Whiten.Rows != s.Landmarks.Rows+s.At.Rows || s.At.Rows != s.Along.Rows || s.At.Cols != s.Along.Cols ||
		(z != nil && at != nil && s.At.Cols != s.Landmarks.Cols) || s.Twice < 0 || s.Twice > s.At.Rows {
		return nil, fmt.Errorf("features: state of %d landmarks and %d derivatives, %d of them second ones, with %d×%d weights",
			s.Landmarks.Rows, s.At.Rows, s.Twice, s.Whiten.Rows, s.Whiten.Cols)
	}
	m := &nystrom{kernel: k, whiten: whiten}
	if z != nil {
		m.marks = append(m.marks, kernel.At(z))
	}
	once := s.At.Rows - s.Twice
	for order, rows := range [][2]int{{}, {0, once}, {once, s.At.Rows}} {
		if rows[0] < rows[1] {
			m.marks = append(m.marks, some(kernel.Argument{Points: at, Along: along, Order: order}, rows[0], rows[1]))
		}
	}
	// With derivatives the rows are no longer in the order of the pivots.
	m.upper = at == nil && upperTriangular(whiten)
	return m, nil
}

// suits returns an error about landmarks that a kernel does not have: of other columns, or derivatives.
func (s *State) suits(k *kernel.Function) error {
	if p := k.Columns(); p > 0 && p != max(s.Landmarks.Cols, s.At.Cols) {
		return fmt.Errorf("features: a kernel of %d columns for points of %d", p, max(s.Landmarks.Cols, s.At.Cols))
	}
	if s.At.Rows > 0 && k.Derivatives() == 0 || s.Twice > 0 && k.Derivatives() < kernel.MostOrder {
		return fmt.Errorf("features: derivatives that functions of the %s kernel do not have", k.Setting().Kind)
	}
	return nil
}

// some returns rows lo … hi−1 of an argument, in the same memory.
func some(a kernel.Argument, lo, hi int) kernel.Argument {
	_, p := a.Points.Dims()
	a.Points = view(a.Points, lo, hi, 0, p)
	if a.Order > 0 {
		a.Along = view(a.Along, lo, hi, 0, p)
	}
	return a
}

// upperTriangular reports whether m is square and zero below the diagonal.
func upperTriangular(m *mat.Dense) bool {
	r, c := m.Dims()
	for i := range r {
		for _, v := range m.RawRowView(i)[:min(i, c)] {
			if v != 0 {
				return false
			}
		}
	}
	return r == c
}

// Weighted multiplies V by the whitening matrix, once, so that no features are computed.
func (m *nystrom) Weighted(v *mat.Dense) Functions {
	size, _ := m.whiten.Dims()
	count, _ := v.Dims()
	whiten := mat.NewDense(size, count, nil)
	whiten.Mul(m.whiten, v.T())
	return &nystrom{kernel: m.kernel, marks: m.marks, whiten: whiten}
}

// Sums returns x ↦ (Σ_i a_iy L_i k(·, z_i))_y for coefficients a (landmarks × m) of the landmarks of a Nyström map. It returns nil for other
// maps, and for another number of landmarks.
func Sums(m Map, a *mat.Dense) Functions {
	n, ok := m.(*nystrom)
	if !ok {
		return nil
	}
	marks, _ := n.whiten.Dims()
	if own, _ := a.Dims(); own != marks {
		return nil
	}
	return &nystrom{kernel: n.kernel, marks: n.marks, whiten: a}
}

// Features sets row i of dst to φ(x_i).
func (m *nystrom) Features(dst, x *mat.Dense) { m.Derivatives(dst, kernel.At(x)) }

// Derivatives sets dst to the landmarks' values at x, or their derivatives, times the whitening matrix.
func (m *nystrom) Derivatives(dst *mat.Dense, x kernel.Argument) {
	n, _ := x.Points.Dims()
	if n == 0 {
		return
	}
	size, d := m.whiten.Dims()
	if r, c := dst.Dims(); r != n || c != d {
		panic(fmt.Sprintf("embed: destination %d×%d for %d points in %d dimensions", r, c, n, d)) //nolint:forbidigo // the caller's mistake, as everywhere in gonum
	}
	if m.drawn != nil && x.Order == 0 {
		m.remembered(dst, x.Points)
		return
	}
	// Kernels prepare the landmarks anew for every block.
	step := blockOf(n, size)
	values := mat.NewDense(step, size, nil)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		vb := view(values, 0, hi-lo, 0, size)
		m.landmarkValues(vb, some(x, lo, hi))
		m.whitened(view(dst, lo, hi, 0, d), vb)
	}
}

// remembered sets dst to the features of points. It computes those that the draw has not left.
func (m *nystrom) remembered(dst, x *mat.Dense) {
	others := m.drawn.fill(dst, x)
	if len(others) == 0 {
		return
	}
	computed := *m
	computed.drawn = nil
	part := mat.NewDense(len(others), m.Dim(), nil)
	computed.Features(part, pick(x, others))
	for k, i := range others {
		dst.SetRow(i, part.RawRowView(k))
	}
}

// blockOf returns how many of n points are mapped at once, for so many landmarks.
func blockOf(n, landmarks int) int { return min(n, max(blockRows, mostValues/max(1, landmarks))) }

// BlockBytes estimates the memory of mapping n points to d features: the values at landmarks of a block of them.
func BlockBytes(d, n int) float64 { return 8 * float64(d) * float64(blockOf(n, d)) }

// whitened sets dst to values times the whitening matrix. Of a triangle it multiplies only the part that is not zero.
func (m *nystrom) whitened(dst, values *mat.Dense) {
	size, d := m.whiten.Dims()
	n, _ := values.Dims()
	step := d
	if m.upper {
		step = panelColumns
	}
	for lo := 0; lo < d; lo += step {
		hi := min(lo+step, d)
		if m.upper {
			size = hi
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, view(values, 0, n, 0, size).RawMatrix(), view(m.whiten, 0, size, lo, hi).RawMatrix(),
			0, view(dst, 0, n, lo, hi).RawMatrix())
	}
}

// landmarkValues sets dst (n × landmarks) to the inner products of the landmarks with representers: those of f ↦
// f(x_i), or of the derivatives of f that x asks for.
func (m *nystrom) landmarkValues(dst *mat.Dense, x kernel.Argument) {
	n, _ := x.Points.Dims()
	first := 0
	for _, marks := range m.marks {
		count, _ := marks.Points.Dims()
		m.kernel.Derived(view(dst, 0, n, first, first+count), x, marks)
		first += count
	}
}

// newNystrom chooses landmarks and whitens them.
func newNystrom(ctx context.Context, k *kernel.Function, s setting.Features, labels Labels, points *Points) (Map, error) {
	if s.Rank < 0 || s.Count < 0 {
		return nil, fmt.Errorf("features nystrom: negative rank %d or count %d", s.Rank, s.Count)
	}
	c, err := chooseLandmarks(ctx, k, s, labels, points)
	if err != nil {
		return nil, err
	}
	m := &nystrom{kernel: k, marks: append([]kernel.Argument{kernel.At(c.landmarks)}, c.derived...), choice: c.choice}
	draw := c.drawn
	c.drawn = nil // as the map keeps candidates
	if draw == nil || !m.takeDraw(draw) {
		if err := m.whitenSpan(ctx, c.whole()); err != nil {
			return nil, err
		}
	}
	// Whitening comes first, since directions are those of an orthonormal basis.
	if s.Rank > 0 && s.Rank < m.Dim() {
		err = m.lead(ctx, s.Rank, c)
		m.drawn = nil
	}
	return m, err
}

// newExact takes the representers of every row, point and derivative as landmarks, so that T loses nothing of them.
func newExact(ctx context.Context, k *kernel.Function, points *Points) (Map, error) {
	values, _, derivatives := points.atoms(points.Canon())
	if len(derivatives) > 0 && !k.Differentiable() {
		return nil, fmt.Errorf("features exact: derivatives of f are not bounded under the %s kernel; take another kernel or nystrom features", k.Setting().Kind)
	}
	if size := len(values) + len(derivatives); size > mostExact {
		return nil, fmt.Errorf("features exact: %d different points and %d derivatives are too many, at most %d fit; take nystrom(landmarks = all)",
			len(values), len(derivatives), mostExact)
	}
	m := &nystrom{kernel: k, marks: append([]kernel.Argument{kernel.At(points.Gather(values))}, points.derivatives(derivatives)...)}
	err := m.whitenSpan(ctx, nil)
	return m, err
}

// gram returns the Gram matrix of the landmarks.
func (m *nystrom) gram(ctx context.Context) (*mat.Dense, error) {
	size := 0
	for _, marks := range m.marks {
		count, _ := marks.Points.Dims()
		size += count
	}
	out := mat.NewDense(size, size, nil)
	first := 0
	for _, marks := range m.marks {
		count, _ := marks.Points.Dims()
		for lo := 0; lo < count; lo += blockRows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			hi := min(lo+blockRows, count)
			// The Gram matrix is the landmarks' values at the landmarks.
			m.landmarkValues(view(out, first+lo, first+hi, 0, size), some(marks, lo, hi))
		}
		first += count
	}
	return out, nil
}

// ErrOverflow reports values of a kernel, or of its derivatives, that overflow.
var ErrOverflow = errors.New("k(x, x) overflows")

// overflows returns the error of a kernel whose values overflow.
func overflows(k *kernel.Function) error {
	return fmt.Errorf("features: %w under the %s kernel; standardize the features or take another kernel", ErrOverflow, k.Setting())
}

// errVanishes reports a kernel under which every function is 0 at all points.
func errVanishes(k *kernel.Function) error {
	return fmt.Errorf("features: k(x, x) = 0 at every landmark under the %s kernel; standardize the features or take another kernel", k.Setting())
}

// whitenSpan keeps the landmarks that pivoted Cholesky finds independent to rounding, and sets W = L⁻ᵀ, PᵀKP = LLᵀ.
// This does not change the kernel: the dropped landmarks lie in the span of the others, up to n·4ε of the largest
// k(z, z). Of candidates that are the landmarks, it keeps the features; nil stands for none.
func (m *nystrom) whitenSpan(ctx context.Context, of *candidates) error {
	gram, err := m.gram(ctx)
	if err != nil {
		return err
	}
	n, _ := gram.Dims()
	largest := 0.0
	for i := range n {
		largest = max(largest, gram.At(i, i))
	}
	if largest == 0 {
		return errVanishes(m.kernel)
	}
	// LAPACK would only report a rank of 0.
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return overflows(m.kernel)
	}
	pivots := make([]int, n)
	raw := gram.RawMatrix()
	var u blas64.Triangular
	var rank int
	inverted := false
	err = parallel.Await(ctx, func() {
		u, rank, _ = lapack64.Pstrf(blas64.Symmetric{N: n, Stride: raw.Stride, Data: raw.Data, Uplo: blas.Upper},
			pivots, 4*machineEps*float64(n)*largest, make([]float64, 2*n))
		u.N, u.Diag = rank, blas.NonUnit
		if of != nil && u.Data[(rank-1)*(u.Stride+1)] > u.Data[0]*math.Sqrt(soundPivots) {
			m.drawn = newDrawn(of, turned(u, pivots))
		}
		// W is the inverse of the upper factor, so that no features need a triangular solve later.
		inverted = lapack64.Trtri(u)
	})
	if err != nil {
		return err
	}
	if !inverted {
		return fmt.Errorf("features: the Gram matrix of %d landmarks cannot be inverted", n)
	}
	m.keep(pivots[:rank], u)
	return nil
}

// keep reduces the landmarks to the pivots, in the order of their kinds. It sets the whitening matrix to the upper
// triangle inv, whose rows belong to the pivots.
func (m *nystrom) keep(pivots []int, inv blas64.Triangular) {
	var kept []kernel.Argument
	var order []int
	first := 0
	for _, marks := range m.marks {
		count, _ := marks.Points.Dims()
		var own []int
		for i, p := range pivots {
			if p >= first && p < first+count {
				// Pivots stay in their order, so that the rows of one kind form a triangle.
				own, order = append(own, p-first), append(order, i)
			}
		}
		first += count
		if len(own) == 0 {
			continue
		}
		marks.Points = pick(marks.Points, own)
		if marks.Order > 0 {
			marks.Along = pick(marks.Along, own)
		}
		kept = append(kept, marks)
	}
	m.marks, m.whiten = kept, mat.NewDense(len(pivots), len(pivots), nil)
	m.upper = len(kept) == 1 && kept[0].Order == 0
	for to, from := range order {
		copy(m.whiten.RawRowView(to)[from:], inv.Data[from*inv.Stride+from:from*inv.Stride+inv.N])
	}
}

// pick returns a matrix of some rows.
func pick(m *mat.Dense, rows []int) *mat.Dense {
	_, c := m.Dims()
	out := mat.NewDense(len(rows), c, nil)
	for i, r := range rows {
		out.SetRow(i, m.RawRowView(r))
	}
	return out
}

// lead turns the map to its leading directions: the eigenvectors of (1/n) Σ_i φ(x_i)φ(x_i)ᵀ over the candidates with
// the largest eigenvalues. Of all maps of that rank, these keep most of the candidates' mean squared length.
func (m *nystrom) lead(ctx context.Context, rank int, c *candidates) error {
	d := m.Dim()
	moment := mat.NewDense(d, d, nil)
	for lo := 0; lo < len(c.ids); lo += blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+blockRows, len(c.ids))
		part := mat.NewDense(hi-lo, d, nil)
		m.Features(part, c.points.Gather(c.ids[lo:hi]))
		// Weighted before they are squared, so that the moment is a sum of products.
		part.Scale(math.Sqrt(1/float64(len(c.ids))), part)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, part.RawMatrix(), part.RawMatrix(), 1, moment.RawMatrix())
	}
	lead, err := leadingVectors(ctx, moment, rank)
	if err != nil {
		return fmt.Errorf("features nystrom: the leading directions of %d: %w", d, err)
	}
	var turned mat.Dense
	turned.Mul(m.whiten, lead)
	m.whiten, m.upper = &turned, false
	return nil
}
