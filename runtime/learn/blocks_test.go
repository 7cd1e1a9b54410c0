package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// blockDesigns are a design of blocks and the same one written out.
func blockDesigns(t *testing.T, n, d int) (blocks, dense *Design) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	b := &Blocks{Support: [][]int32{{0}, {0, 1}, {0, 2}, {3}}, Shape: []int{0, 1, 1, 0}, Dim: d}
	for _, width := range []int{1, 2} {
		x := mat.NewDense(n, width*d, nil)
		for i := range n {
			for j := range width * d {
				x.Set(i, j, rng.NormFloat64())
			}
		}
		b.Rows = append(b.Rows, x)
	}
	m := len(b.Support)
	full := make([]float64, n*m*m*d)
	for i := range n {
		for y, support := range b.Support {
			for k, c := range support {
				copy(full[((i*m+y)*m+int(c))*d:], b.Rows[b.Shape[y]].RawRowView(i)[k*d:(k+1)*d])
			}
		}
	}
	blocks, err := b.Joint()
	if err != nil {
		t.Fatal(err)
	}
	if dense, err = Joint(full, n, m, m*d); err != nil {
		t.Fatal(err)
	}
	return blocks, dense
}

func TestBlocksAreTheJointDesign(t *testing.T) {
	const n, d = 23, 5
	blocks, dense := blockDesigns(t, n, d)
	multi := mat.NewDense(n, 4, nil)
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range n {
		for y := range 4 {
			multi.Set(i, y, float64(rng.IntN(2)))
		}
	}
	targets := &Targets{Task: setting.Multilabel, Multi: multi}
	some := []int{20, 3, 4, 11, 12, 7, 1, 0, 9}
	for _, l := range []setting.Learner{{Kind: setting.SVM, Gap: 1e-9}, {Kind: setting.Ridge}, {Kind: setting.Logistic, Gap: 1e-9}} {
		for name, pair := range map[string][2]*Design{"all": {blocks, dense}, "subset": {blocks.Subset(some), dense.Subset(some)}} {
			own := targets
			if name == "subset" {
				own = targets.Subset(some)
			}
			var scores [2]*mat.Dense
			for k, design := range pair {
				fit, err := Solve(context.Background(), l, design, own)
				if err != nil {
					t.Fatal(err)
				}
				if scores[k], err = fit.Scores(design); err != nil {
					t.Fatal(err)
				}
			}
			if !mat.EqualApprox(scores[0], scores[1], 1e-4) {
				t.Errorf("%s, %s: other scores", l.Kind, name)
			}
		}
	}
}

func TestBlocksAreSweptAsTheyAreSolvedInPairs(t *testing.T) {
	const n, d = 23, 5
	blocks, dense := blockDesigns(t, n, d)
	sign := make([]float64, blocks.rows.n)
	for i := range sign {
		sign[i] = float64(2*(i*i%3%2) - 1)
	}
	l := setting.Learner{Kind: setting.SVM, Gap: 1e-7}.Filled()
	var values [2]float64
	for k, design := range []*Design{blocks, dense} {
		s, err := (&hinge{rows: &design.rows, sign: sign, target: sign, c: 2}).solveSweeps(context.Background(), &l)
		if err != nil {
			t.Fatal(err)
		}
		values[k] = s.upper
	}
	if math.Abs(values[0]-values[1]) > 1e-6*values[1] {
		t.Errorf("minima %g and %g", values[0], values[1])
	}
}

func TestBlocksThatDoNotFit(t *testing.T) {
	x := mat.NewDense(3, 2, nil)
	for name, b := range map[string]*Blocks{
		"no label":        {Dim: 2, Rows: []*mat.Dense{x}},
		"too few numbers": {Support: [][]int32{{0, 1}, {1}}, Shape: []int{0, 0}, Dim: 2, Rows: []*mat.Dense{x}},
		"no such shape":   {Support: [][]int32{{0}}, Shape: []int{1}, Dim: 2, Rows: []*mat.Dense{x}},
		"uneven rows":     {Support: [][]int32{{0}}, Shape: []int{0}, Dim: 2, Rows: []*mat.Dense{x, mat.NewDense(4, 2, nil)}},
	} {
		if _, err := b.Joint(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestFitsBesideEachOtherAreTheSame(t *testing.T) {
	const n = maxGram/4 + 100 // examples of four labels, which are swept
	blocks, _ := blockDesigns(t, n, 2)
	multi := mat.NewDense(n, 4, nil)
	for i := range n {
		for y := range 4 {
			multi.Set(i, y, float64((i*(y+3)/7)%2))
		}
	}
	var scores [2][]*mat.Dense
	for k, processors := range []int{1, 4} {
		before := runtime.GOMAXPROCS(processors)
		var err error
		scores[k], err = Compare(context.Background(), blocks, &Targets{Task: setting.Multilabel, Multi: multi}, []setting.Learner{{Kind: setting.SVM, Strength: .01}, {Kind: setting.SVM, Strength: .1}}, Complement(blocks.n, []int{1, 5, 7, 100}), []int{1, 5, 7, 100})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
	}
	for k := range scores[0] {
		if !mat.Equal(scores[0][k], scores[1][k]) {
			t.Errorf("scores of learner %d differ", k)
		}
	}
}

// Labels of equal blocks that share no features are learnt as on a shared design.
func TestEqualBlocksAreASharedDesign(t *testing.T) {
	const n, d, m = 23, 5, 3
	rng := rand.New(rand.NewPCG(7, 8))
	x, full := mat.NewDense(n, d, nil), make([]float64, n*m*m*d)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		for y := range m {
			copy(full[((i*m+y)*m+y)*d:], x.RawRowView(i))
		}
	}
	blocks, err := (&Blocks{Support: [][]int32{{0}, {1}, {2}}, Shape: []int{0, 0, 0}, Rows: []*mat.Dense{x}, Dim: d}).Joint()
	if err != nil {
		t.Fatal(err)
	}
	dense, err := Joint(full, n, m, m*d)
	if err != nil {
		t.Fatal(err)
	}
	targets := &Targets{Task: setting.Class}
	for range n {
		targets.Class = append(targets.Class, rng.IntN(m))
	}
	some := []int{20, 3, 4, 11, 12, 7, 1, 0, 9}
	for _, l := range []setting.Learner{{Kind: setting.SVM, Gap: 1e-9}, {Kind: setting.Ridge}, {Kind: setting.Softmax, Gap: 1e-9}} {
		for _, part := range [][]int{nil, some} {
			a, b, own := blocks, dense, targets
			if part != nil {
				a, b, own = blocks.Subset(part), dense.Subset(part), targets.Subset(part)
			}
			if a.alike() == nil {
				t.Fatal("equal blocks are no shared design")
			}
			got, err := Solve(t.Context(), l, a, own)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Solve(t.Context(), l, b, own)
			if err != nil {
				t.Fatal(err)
			}
			scores, err := got.Scores(a)
			if err != nil {
				t.Fatal(err)
			}
			wanted, err := want.Scores(b)
			if err != nil {
				t.Fatal(err)
			}
			for i := range own.Len() {
				for y := range m {
					if math.Abs(scores.At(i, y)-wanted.At(i, y)) > 1e-3 {
						t.Errorf("%s: score %d of row %d is %v, and %v written out", l, y, i, scores.At(i, y), wanted.At(i, y))
					}
				}
			}
		}
	}
}
