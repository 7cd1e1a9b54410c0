package operator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A golden instance holds raw data and the rows Z that another program made of them.
type golden struct {
	Terms []struct{ Z [][]float64 }
	Mixup struct {
		X       [][]float64
		Point   []float64 `json:"x"` // or it would be taken for X
		Labels  []int32
		Classes int
		Sigma   float64
		Pairs   [][2]int32
		Lambdas []float64
	}
	Multilabel struct {
		M            int
		Kx           [][]float64
		Implications [][2]int32 `json:"implications_child_parent"`
	}
}

func readGolden(tb testing.TB, name string) *golden {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("..", "polar", "testdata", "golden", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	g := &golden{}
	if err := json.Unmarshal(text, g); err != nil {
		tb.Fatal(err)
	}
	return g
}

func rowsOf(list [][]float64) *mat.Dense {
	out := mat.NewDense(len(list), len(list[0]), nil)
	for i, row := range list {
		out.SetRow(i, row)
	}
	return out
}

// checkRows compares A with the golden rows up to a rotation of feature space, which leaves inner products alone.
func checkRows(t *testing.T, a *operator.Operator, z [][]float64) {
	t.Helper()
	r, dim := a.Dims()
	if r != len(z) {
		t.Fatalf("%d functionals, want %d", r, len(z))
	}
	unit, rows := mat.NewDense(r, r, nil), mat.NewDense(r, dim, nil)
	for i := range r {
		unit.Set(i, i, 1)
	}
	a.ApplyT(rows, unit)
	want := rowsOf(z)
	var got, gram mat.Dense
	got.Mul(rows, rows.T())
	gram.Mul(want, want.T())
	closeTo(t, "inner products of the rows", &got, &gram, 1e-10)
}

func newMap(tb testing.TB, ks setting.Kernel, s setting.Features, rows *mat.Dense) embed.Map {
	tb.Helper()
	k, err := kernel.New(ks)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := embed.New(context.Background(), k, s, rows, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// The derivative of f(x_λ, y_λ) along λ is Df(x_λ, y_λ)[x_i − x_j] + f(x_λ, y_i − y_j).
func TestMixupRowsAreTheGoldenOnes(t *testing.T) {
	for k := range 3 {
		g := readGolden(t, fmt.Sprintf("mixup_%d", k))
		rows := rowsOf(g.Mixup.X)
		b := &plugins.Block{}
		for _, pair := range g.Mixup.Pairs {
			i, j := pair[0], pair[1]
			xi, xj := g.Mixup.X[i], g.Mixup.X[j]
			for _, lambda := range g.Mixup.Lambdas {
				x, v := make([]float64, len(xi)), make([]float64, len(xi))
				for c := range x {
					x[c], v[c] = lambda*xi[c]+(1-lambda)*xj[c], xi[c]-xj[c]
				}
				point, tangent := ^int32(b.Points.Append(x)), int32(b.Tangents.Append(v))
				for _, end := range []struct {
					class        int32
					weight, sign float64
				}{{g.Mixup.Labels[i], lambda, 1}, {g.Mixup.Labels[j], 1 - lambda, -1}} {
					label := int32(len(b.Labels))
					b.Labels = append(b.Labels, plugins.Label{Index: []int32{end.class}, Value: []float64{1}})
					b.Term(end.weight, point, tangent, label)
					b.Term(end.sign, point, plugins.Evaluation, label)
				}
				b.End()
			}
		}
		f := newMap(t, setting.Kernel{Kind: setting.Gaussian, Width: g.Mixup.Sigma}, setting.Features{Landmarks: setting.RowLandmarks}, rows)
		checkRows(t, build(t, b, rows, f, g.Mixup.Classes), g.Terms[0].Z)
	}
}

func TestLogicRowsAreTheGoldenOnes(t *testing.T) {
	for k := range 4 {
		g := readGolden(t, fmt.Sprintf("implication_%d", k))
		rows := rowsOf(g.Multilabel.Kx)
		b := &plugins.Block{}
		for c := range g.Multilabel.M {
			b.Labels = append(b.Labels, plugins.Label{Index: []int32{int32(c)}, Value: []float64{1}})
		}
		for i := range g.Multilabel.Kx {
			for _, rule := range g.Multilabel.Implications {
				b.Term(1, int32(i), plugins.Evaluation, rule[0])
				b.Term(-1, int32(i), plugins.Evaluation, rule[1])
				b.End()
			}
		}
		f := newMap(t, setting.Kernel{Kind: setting.Linear}, setting.Features{Landmarks: setting.RowLandmarks}, rows)
		checkRows(t, build(t, b, rows, f, g.Multilabel.M), g.Terms[0].Z)
	}
}
