package proof_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// Values of random models lie where 200 bits say, and are enclosed about as closely as a statement's value is. Points come twice, as factors
// are kept.
func TestValuesEnclose(t *testing.T) {
	for seed := range 400 {
		src := rand.New(rand.NewPCG(uint64(seed), 19))
		p := draw(src)
		f, err := proof.New(&p.model)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		labels := len(p.model.Bias)
		low, high := make([]float64, labels), make([]float64, labels)
		points := [][]float64{p.point(src), p.point(src)}
		points = append(points, points[0])
		e := proof.NewEvaluator(f)
		for _, x := range points {
			if err := e.Values(low, high, x); err != nil {
				t.Fatal(err)
			}
			for y := range labels {
				s := statement.Statement{Name: "value", Terms: []statement.Term{{Coef: 1, Label: y}}, Region: p.statement.Region}
				v := evaluate(long, &p.model, &s, x)
				if v.Cmp(wide().SetFloat64(low[y])) < 0 || v.Cmp(wide().SetFloat64(high[y])) > 0 {
					t.Fatalf("seed %d: label %d at %v is %v, enclosed by %v and %v", seed, y, x, v, low[y], high[y])
				}
				lo, hi, err := f.Enclose(&s, x)
				if err != nil {
					t.Fatal(err)
				}
				if high[y]-low[y] > 8*(hi-lo)+1e-300 {
					t.Errorf("seed %d: label %d is enclosed within %v, and as a statement within %v", seed, y, high[y]-low[y], hi-lo)
				}
			}
		}
	}
}
