package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	gonum "gonum.org/v1/gonum/blas"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/openblas"
	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// algebraSizes say how large the problems of `sipc-lab bench blas` are.
type algebraSizes struct {
	size, eigen, rows, features, repeats int
}

func newBenchBLAS() *cobra.Command {
	var (
		s     algebraSizes
		rival string
	)
	cmd := &cobra.Command{
		Use:   "blas",
		Short: "Rates of the linear algebra: products, factors, eigenvectors, kernel matrices",
		Long: `Measure the linear algebra: matrix products, Cholesky factors, eigendecompositions and Gaussian kernel matrices. Rates
are the best of several repetitions. With --compare each repetition is followed by one on other linear algebra, such as
openblas, which it loads where the machine has it.`,
		Example: "  sipc-lab bench blas --size 1000 --compare generic",
		Args:    cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.check(); err != nil {
				return cli.WrongCall(cmd, err)
			}
			names := []string{blas.Name()}
			if rival != "" {
				if _, err := register(rival); err != nil {
					return cli.WrongCall(nil, fmt.Errorf("--compare %s: %w", rival, err))
				}
				names = append(names, strings.ToLower(rival))
				warnOfVariables(cmd.ErrOrStderr(), names)
			}
			return s.measure(cmd.Context(), cmd.OutOrStdout(), names)
		},
	}
	f := cmd.Flags()
	f.IntVar(&s.size, "size", 2000, "order of the matrices of products and factors")
	f.IntVar(&s.eigen, "eigen", 1000, "order of the matrix of the eigendecomposition")
	f.IntVar(&s.rows, "rows", 10000, "rows of the kernel matrix")
	f.IntVar(&s.features, "features", 784, "features of a row of the kernel matrix")
	f.IntVar(&s.repeats, "repeats", 5, "how often each is measured")
	f.StringVar(&rival, "compare", "", "other linear `algebra` to measure in turn: "+strings.Join(append(blas.Tiers(), openBLAS), ", "))
	return cmd
}

// openBLAS is the name of the linear algebra that [openblas.Load] loads.
const openBLAS = "openblas"

// register registers linear algebra by name, and returns its details.
func register(name string) (detail string, err error) {
	if strings.EqualFold(name, openBLAS) {
		o, err := openblas.Load()
		if err != nil {
			return "", err
		}
		o.Use()
		return o.Detail(), nil
	}
	if err := blas.Select(name); err != nil {
		return "", err
	}
	return blas.Detail(), nil
}

func (s algebraSizes) check() error {
	if min(s.size, s.eigen, s.rows, s.features, s.repeats) < 1 {
		return errors.New("sizes and repetitions must be at least 1")
	}
	return nil
}

// warnOfVariables tells of variables that make OpenBLAS another than it would be.
func warnOfVariables(w io.Writer, names []string) {
	for _, name := range names {
		if name != openBLAS {
			continue
		}
		for _, v := range os.Environ() {
			if strings.HasPrefix(v, "OPENBLAS_") {
				fmt.Fprintf(w, "note: %s is set; OpenBLAS's rates are not those that it has by itself\n", v)
			}
		}
	}
}

// An exercise is one thing to be measured.
type exercise struct {
	name    string
	flops   float64 // of one call
	prepare func()  // before each call, not timed
	call    func()
	share   string // the exercise of whose rate it is to be said which part this one has
}

// measure prints a line for each exercise, with a column for each implementation.
func (s algebraSizes) measure(ctx context.Context, out io.Writer, names []string) error {
	for _, name := range names {
		detail, err := register(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s\n", name, detail)
	}
	fmt.Fprintf(out, "GOMAXPROCS %d, best of %d\n", runtime.GOMAXPROCS(0), s.repeats)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\t%s\tms\t", strings.Join(names, " GFLOP/s\t")+" GFLOP/s")
	if len(names) > 1 {
		fmt.Fprint(w, "ratio\t")
	}
	fmt.Fprintln(w)
	rates := map[string]float64{}
	for _, group := range []func() []exercise{s.products, s.factors, s.kernels} {
		exercises := group()
		seconds := make([][]float64, len(exercises))
		for range s.repeats {
			for k, e := range exercises {
				if err := e.run(ctx, names, &seconds[k]); err != nil {
					return err
				}
			}
		}
		for k, e := range exercises {
			e.print(w, seconds[k], rates)
		}
		runtime.GC() // the next group has large matrices of its own
	}
	return w.Flush()
}

// run times the exercise once on each implementation and keeps the least of each.
func (e *exercise) run(ctx context.Context, names []string, best *[]float64) error {
	for k, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := register(name); err != nil {
			return err
		}
		if e.prepare != nil {
			e.prepare()
		}
		start := time.Now()
		e.call()
		took := time.Since(start).Seconds()
		if k == len(*best) {
			*best = append(*best, math.Inf(1))
		}
		(*best)[k] = min((*best)[k], took)
	}
	return nil
}

func (e *exercise) print(w io.Writer, seconds []float64, rates map[string]float64) {
	fmt.Fprintf(w, "%s\t", e.name)
	for _, t := range seconds {
		fmt.Fprintf(w, "%.1f\t", e.flops/t*1e-9)
	}
	fmt.Fprintf(w, "%.1f\t", 1e3*seconds[0])
	if len(seconds) > 1 {
		fmt.Fprintf(w, "%.2f\t", seconds[1]/seconds[0])
	}
	rates[e.name] = e.flops / seconds[0]
	if e.share != "" {
		fmt.Fprintf(w, "  %.2f of %s", rates[e.name]/rates[e.share], e.share)
	}
	fmt.Fprintln(w)
}

// noise returns n numbers between −½ and ½.
func noise[F float32 | float64](n int) []F {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]F, n)
	for i := range x {
		x[i] = F(rng.Float64() - 0.5)
	}
	return x
}

func (s algebraSizes) products() []exercise {
	n := s.size
	a, b, c := noise[float64](n*n), noise[float64](n*n), make([]float64, n*n)
	x, y, z := noise[float32](n*n), noise[float32](n*n), make([]float32, n*n)
	cube := float64(n) * float64(n) * float64(n)
	double := func(data []float64) blas64.General { return blas64.General{Rows: n, Cols: n, Stride: n, Data: data} }
	single := func(data []float32) blas32.General { return blas32.General{Rows: n, Cols: n, Stride: n, Data: data} }
	dgemm, sgemm := fmt.Sprintf("dgemm %d³", n), fmt.Sprintf("sgemm %d³", n)
	return []exercise{
		{name: dgemm, flops: 2 * cube, call: func() { blas64.Gemm(gonum.NoTrans, gonum.NoTrans, 1, double(a), double(b), 0, double(c)) }},
		{name: sgemm, flops: 2 * cube, call: func() { blas32.Gemm(gonum.NoTrans, gonum.NoTrans, 1, single(x), single(y), 0, single(z)) }},
		{name: fmt.Sprintf("dsyrk %d³", n), flops: cube, share: dgemm, call: func() {
			blas64.Syrk(gonum.NoTrans, 1, double(a), 0, blas64.Symmetric{Uplo: gonum.Lower, N: n, Stride: n, Data: c})
		}},
	}
}

func (s algebraSizes) factors() []exercise {
	n, d := s.size, s.eigen
	l, rhs := make([]float64, n*n), noise[float64](n*256)
	system := blas64.Symmetric{Uplo: gonum.Lower, N: n, Stride: n, Data: l}
	prepare := func() {
		copy(l, noise[float64](n*n))
		for i := range n {
			l[i*n+i] += float64(n)
		}
	}
	a, values := make([]float64, d*d), make([]float64, d)
	need := []float64{0}
	lapack64.Syev(lapack.EVCompute, blas64.Symmetric{Uplo: gonum.Lower, N: d, Stride: d, Data: a}, values, need, -1)
	work := make([]float64, max(int(need[0]), 3*d))
	cube := func(n int) float64 { return float64(n) * float64(n) * float64(n) }
	return []exercise{
		{name: fmt.Sprintf("cholesky %d", n), flops: cube(n) / 3, prepare: prepare, call: func() { lapack64.Potrf(system) }},
		{name: fmt.Sprintf("solve %d for 256", n), flops: 512 * float64(n) * float64(n), prepare: func() { prepare(); lapack64.Potrf(system) }, call: func() {
			t := blas64.Triangular{Uplo: gonum.Lower, Diag: gonum.NonUnit, N: n, Stride: n, Data: l}
			lapack64.Potrs(t, blas64.General{Rows: n, Cols: 256, Stride: 256, Data: rhs})
		}},
		{name: fmt.Sprintf("eigenvectors %d", d), flops: 9 * cube(d), prepare: func() { copy(a, noise[float64](d*d)) }, call: func() {
			lapack64.Syev(lapack.EVCompute, blas64.Symmetric{Uplo: gonum.Lower, N: d, Stride: d, Data: a}, values, work, len(work))
		}},
	}
}

func (s algebraSizes) kernels() []exercise {
	n, p := s.rows, s.features
	x, z := mat.NewDense(n, p, noise[float64](n*p)), mat.NewDense(n, p, noise[float64](n*p))
	out := mat.NewDense(n, n, nil)
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: math.Sqrt(float64(p) / 6)})
	if err != nil {
		return nil // the width is positive
	}
	flops := 2 * float64(n) * float64(n) * float64(p)
	product := fmt.Sprintf("dgemm %d×%d×%d", n, n, p)
	return []exercise{
		{name: product, flops: flops, call: func() {
			blas64.Gemm(gonum.NoTrans, gonum.Trans, 1, x.RawMatrix(), z.RawMatrix(), 0, out.RawMatrix())
		}},
		{name: "gaussian kernel, two sets", flops: flops, share: product, call: func() { k.Matrix(out, x, z) }},
		{name: "gaussian kernel, one set", flops: flops, share: product, call: func() { k.Matrix(out, x, x) }},
	}
}
