package main

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/report"
)

// grams holds G(x, x') = ⟨ι(x), φ(x')⟩ over the scale to what it is for a quadratic R: symmetric, and between 0 and the kernel ⟨φ(x), φ(x)⟩ on
// the diagonal, which it is where there is no R.
func grams(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 3, "grams IOTA PHI METRICS")
	embedded, phi := matrixOf(ts, args[0]), matrixOf(ts, args[1])
	var run report.Report
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[2])), &run))
	var g mat.Dense
	g.Mul(embedded, phi.T())
	g.Scale(1/run.Scale, &g)
	n, _ := g.Dims()
	for i := range n {
		k := mat.Dot(phi.RowView(i), phi.RowView(i))
		if d := g.At(i, i); d <= 0 || d > k*(1+1e-12) || run.Method == "plain" && d < k*(1-1e-12) {
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
