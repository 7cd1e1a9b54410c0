package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/clitest"
	"github.com/sipc-ml/sipc/runtime/report"
)

// kernelOf forms G(x′, x) = ⟨ι(x), φ(x′)⟩ over the scale from files of the same rows: row x is the function G(·, x) at them, in the coordinates
// embedded/scale.
func kernelOf(ts *testscript.TestScript, embeddings, phi, metrics string) (embedded, features, g *mat.Dense, method string) {
	embedded, features, g = matrixOf(ts, embeddings), matrixOf(ts, phi), &mat.Dense{}
	var run report.Report
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(metrics)), &run))
	embedded.Scale(1/run.Scale, embedded)
	g.Mul(embedded, features.T())
	return embedded, features, g, run.Method
}

// reproduces holds G on the training rows to the reproducing identity under R = w · norm(3) over x of |f(x)|: G(x, y) = [G(·, y), G(·, x)] for all rows x and y, with
// [f, g] = ⟨f, g⟩ + n times the derivative of ½R² at g along f. Such a G is not symmetric.
func reproduces(ts *testscript.TestScript, neg bool, args []string) {
	clitest.Want(ts, neg, args, 4, "reproduces IOTA PHI METRICS WEIGHT")
	embedded, _, g, _ := kernelOf(ts, args[0], args[1], args[2])
	weight, err := strconv.ParseFloat(args[3], 64)
	ts.Check(err)
	n, _ := g.Dims()
	apart := 0.0
	for x := range n {
		cubes := 0.0
		for _, v := range g.RawRowView(x) {
			cubes += math.Abs(v * v * v)
		}
		for y := range n {
			bracket := mat.Dot(embedded.RowView(x), embedded.RowView(y))
			for k, v := range g.RawRowView(x) {
				bracket += float64(n) * weight * weight * v * math.Abs(v) / math.Cbrt(cubes) * g.At(y, k)
			}
			if math.Abs(bracket-g.At(y, x)) > 1e-6*math.Sqrt(g.At(x, x)*g.At(y, y)) {
				ts.Fatalf("G(·, %d) is %v at row %d, and [G(·, %d), G(·, %d)] is %v", y, g.At(y, x), x, y, x, bracket)
			}
			apart = max(apart, math.Abs(g.At(x, y)-g.At(y, x)))
		}
	}
	if apart < 1e-4 {
		ts.Fatalf("G is symmetric within %v", apart)
	}
}

// grams holds G(x, x') = ⟨ι(x), φ(x')⟩ over the scale to what it is for a quadratic R: symmetric, and between 0 and the kernel ⟨φ(x), φ(x)⟩ on
// the diagonal, which it is where there is no R.
func grams(ts *testscript.TestScript, neg bool, args []string) {
	clitest.Want(ts, neg, args, 3, "grams IOTA PHI METRICS")
	_, phi, g, method := kernelOf(ts, args[0], args[1], args[2])
	n, _ := g.Dims()
	for i := range n {
		k := mat.Dot(phi.RowView(i), phi.RowView(i))
		if d := g.At(i, i); d <= 0 || d > k*(1+1e-12) || method == "plain" && d < k*(1-1e-12) {
			ts.Fatalf("G is %v at row %d, and the kernel %v", d, i, k)
		}
		for j := range i {
			if math.Abs(g.At(i, j)-g.At(j, i)) > 1e-9 {
				ts.Fatalf("G is %v and %v", g.At(i, j), g.At(j, i))
			}
		}
	}
}

func matrixOf(ts *testscript.TestScript, name string) *mat.Dense {
	var out mat.Dense
	ts.Check(npyio.Read(bytes.NewReader([]byte(ts.ReadFile(name))), &out))
	return &out
}
