package operator_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// The solver gives the golden values whether it sees the structure of a problem or not.
func TestGoldenValuesThroughStructure(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "polar", "testdata", "golden", "*_*.json"))
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d golden files, %v", len(paths), err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var want struct{ Value float64 }
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		file, err := polar.OpenProblem(path)
		if err != nil {
			t.Fatal(err)
		}
		plain, ok := file.Problem.A.(*polar.Dense)
		if !ok {
			continue // no functionals
		}
		r, dim := plain.Dims()
		rows, all := mat.NewDense(r, dim, nil), make([]int, r)
		for i := range all {
			all[i] = i
		}
		plain.Rows(rows, all)
		if file.Problem.A, err = operator.FromDense(rows); err != nil {
			t.Fatal(err)
		}
		s, err := polar.New(t.Context(), file.Problem, polar.Settings{Gap: 1e-8})
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Solve(t.Context(), file.RHS)
		if err != nil {
			t.Fatal(err)
		}
		if e := math.Abs(res.Value[0]/want.Value - 1); !(e <= 1e-6) {
			t.Errorf("%s: value %v, want %v: off by %.1e", filepath.Base(path), res.Value[0], want.Value, e)
		}
	}
}
