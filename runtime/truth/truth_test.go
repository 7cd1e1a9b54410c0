package truth

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

// oneHots are the label vectors of single labels.
func oneHots(m int32) []plugins.Label {
	var out []plugins.Label
	for l := range m {
		out = append(out, plugins.Label{Index: []int32{l}, Value: []float64{1}})
	}
	return out
}

func only(b *plugins.Block, op gauge.Op) *regularizer.Regularizer {
	return &regularizer.Regularizer{Functionals: b, Invariances: []regularizer.Invariance{{
		Name: "i", Weight: 1, Count: b.Len(), Gauge: gauge.Repeat(b.Len(), gauge.MaxOf(gauge.Leaf(op))), Members: byParity{},
	}}}
}

// byParity knows two statements, the even functionals and the odd.
type byParity struct{}

func (byParity) At(i int) regularizer.Member {
	return regularizer.Member{Part: []string{"even", "odd"}[i%2]}
}
func (byParity) Group(i int) int { return i % 2 }
func (byParity) Rows() func(i int) [][]int32 {
	return func(int) [][]int32 { return nil }
}

func judged(t *testing.T, reg *regularizer.Regularizer, y Labels) report.Lint {
	t.Helper()
	y.ID = strconv.Itoa
	out, err := Judge(t.Context(), reg, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// each takes every functional for a statement of its own.
type each struct{}

func (each) At(i int) regularizer.Member { return regularizer.Member{Part: strconv.Itoa(i)} }
func (each) Group(i int) int             { return i }
func (each) Rows() func(i int) [][]int32 { return byParity{}.Rows() }

// However many statements are broken, all are named.
func TestAllBrokenStatementsAreNamed(t *testing.T) {
	b := &plugins.Block{Labels: oneHots(1)}
	for i := range int32(50) {
		b.Term(1, i, plugins.Evaluation, 0)
		b.Term(-1, i+50, plugins.Evaluation, 0)
		b.End()
	}
	scores := mat.NewDense(100, 1, nil)
	for i := range 100 {
		scores.Set(i, 0, float64(1-2*(i/50)))
	}
	reg := only(b, gauge.Pos)
	reg.Invariances[0].Members = each{}
	if j := judged(t, reg, Labels{Scores: scores}); j.Broken != 50 || len(j.Offenders) != 50 {
		t.Errorf("%d broken, %d named", j.Broken, len(j.Offenders))
	}
}

// Label 0 implies label 1, and 0 and 2 exclude each other, on every row.
func TestRowsThatBreakALogic(t *testing.T) {
	b := &plugins.Block{Labels: oneHots(3)}
	for i := range int32(4) {
		b.Term(1, i, plugins.Evaluation, 0)
		b.Term(-1, i, plugins.Evaluation, 1)
		b.End()
		b.Term(1, i, plugins.Evaluation, 0)
		b.Term(1, i, plugins.Evaluation, 2)
		b.End()
	}
	j := judged(t, only(b, gauge.Pos), Labels{Scores: mat.NewDense(4, 3, []float64{
		1, 1, -1, // obeys both
		1, -1, 1, // breaks both
		1, 1, 1, // breaks the exclusion
		-1, -1, -1,
	})})
	if j.Members != 8 || j.Broken != 3 || j.Rows != 4 || j.RowsBroken != 2 || j.Share != 0.5 || !j.Doubtful || j.Chance != nil {
		t.Errorf("%+v", j)
	}
	if len(j.Offenders) != 2 || j.Offenders[0].Part != "odd" || j.Offenders[0].Broken != 2 || j.Offenders[0].Members != 4 || j.Offenders[1].Broken != 1 {
		t.Fatalf("%+v", j.Offenders)
	}
	rows := []string{j.Offenders[0].Worst[0].Rows[0], j.Offenders[0].Worst[1].Rows[0]}
	if !slices.Equal(rows, []string{"1", "2"}) || j.Offenders[0].Worst[0].Value != 2 {
		t.Errorf("%+v", j.Offenders[0].Worst)
	}
}

// edges are |f(a) − f(b)| of a function of x alone.
func edges(pairs [][2]int32) *plugins.Block {
	b := &plugins.Block{}
	for _, p := range pairs {
		b.Term(1, p[0], plugins.Evaluation, plugins.NoLabel)
		b.Term(-1, p[1], plugins.Evaluation, plugins.NoLabel)
		b.End()
	}
	return b
}

func TestNeighboursThatDiffer(t *testing.T) {
	const n = 200
	y := mat.NewDense(n, 1, nil)
	var near, far [][2]int32
	for i := range n {
		y.Set(i, 0, float64(i))
		if i > 0 {
			near = append(near, [2]int32{int32(i - 1), int32(i)})
			far = append(far, [2]int32{int32(i), int32(i * 77 % n)})
		}
	}
	j := judged(t, only(edges(near), gauge.Abs), Labels{Scores: y, Numbers: true})
	if j.Broken != 0 || j.Chance == nil || math.Abs(float64(*j.Chance)-0.34) > 0.1 || j.Doubtful {
		t.Errorf("rows in order: %+v", j)
	}
	j = judged(t, only(edges(far), gauge.Abs), Labels{Scores: y, Numbers: true})
	if !j.Doubtful || math.Abs(float64(j.Share-*j.Chance)) > 0.15 {
		t.Errorf("rows at random: %v broken, %v by chance", j.Share, *j.Chance)
	}
	// One-sided: later rows have larger numbers, without an exception one way and with nothing else the other way.
	if j = judged(t, only(edges(near), gauge.Pos), Labels{Scores: y, Numbers: true}); j.Broken != 0 {
		t.Errorf("%d pairs in order are out of order", j.Broken)
	}
	for i := range near {
		near[i][0], near[i][1] = near[i][1], near[i][0]
	}
	if j = judged(t, only(edges(near), gauge.Pos), Labels{Scores: y, Numbers: true}); j.Broken != len(near) || math.Abs(float64(*j.Chance)-0.5) > 0.1 {
		t.Errorf("of %d pairs out of order %d are, %v by chance", len(near), j.Broken, *j.Chance)
	}
	binary := mat.NewDense(4, 1, []float64{1, 1, -1, -1})
	j = judged(t, only(edges([][2]int32{{0, 1}, {1, 2}, {2, 3}}), gauge.Abs), Labels{Scores: binary})
	if j.Broken != 1 || j.RowsBroken != 2 || j.Rows != 4 {
		t.Errorf("two classes: %+v", j)
	}
}

// means is |mean of the first rows − mean of the others|.
func means(n, first int32) *plugins.Block {
	b := &plugins.Block{}
	for i := range n {
		if i < first {
			b.Term(1/float64(first), i, plugins.Evaluation, plugins.NoLabel)
		} else {
			b.Term(-1/float64(n-first), i, plugins.Evaluation, plugins.NoLabel)
		}
	}
	b.End()
	return b
}

func TestMeansThatDiffer(t *testing.T) {
	y := mat.NewDense(100, 1, nil)
	for i := range 100 {
		y.Set(i, 0, float64(i%7))
	}
	if j := judged(t, only(means(100, 40), gauge.Abs), Labels{Scores: y, Numbers: true}); j.Broken != 0 || j.Doubtful || *j.Chance > 0.5 {
		t.Errorf("equal groups: %+v", j)
	}
	for i := range 40 {
		y.Set(i, 0, y.At(i, 0)+3)
	}
	if j := judged(t, only(means(100, 40), gauge.Abs), Labels{Scores: y, Numbers: true}); j.Broken != 1 || !j.Doubtful || len(j.Offenders[0].Worst[0].Rows) != 0 {
		t.Errorf("unequal groups: %+v", j)
	}
}

// beside is |f(x) − the mean of f at the next rows| for each row, all around a circle of n rows.
func beside(n, near int32) *plugins.Block {
	b := &plugins.Block{}
	for i := range n {
		b.Term(1, i, plugins.Evaluation, plugins.NoLabel)
		for k := range near {
			b.Term(-1/float64(near), (i+2*k+1)%n, plugins.Evaluation, plugins.NoLabel)
		}
		b.End()
	}
	return b
}

// Of rows that all differ from each of their neighbours, all break that they are like the mean of them. Of rows that are like their
// neighbours few do, and of labels at random about as many as of shuffled ones.
func TestRowsBesideMeansOfOthers(t *testing.T) {
	const n = 120
	rng := rand.New(rand.NewPCG(3, 4))
	turns, alike, random := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		turns.Set(i, 0, float64(1-2*(i%2)))
		alike.Set(i, 0, float64(1-2*(i/(n/2))))
		random.Set(i, 0, float64(1-2*rng.IntN(2)))
	}
	for _, numbers := range []bool{false, true} {
		for _, near := range []int32{2, 3, 8, 20} {
			b := only(beside(n, near), gauge.Abs)
			if j := judged(t, b, Labels{Scores: turns, Numbers: numbers}); j.Broken != n || !j.Doubtful || *j.Chance > 0.8 || len(j.Offenders[0].Worst[0].Rows) != 1 {
				t.Errorf("%d neighbours that differ: %d broken, %v by chance", near, j.Broken, *j.Chance)
			}
			if j := judged(t, b, Labels{Scores: alike, Numbers: numbers}); j.Broken > 2*int(near) || near < 8 && j.Doubtful {
				t.Errorf("%d neighbours alike: %d broken, %v by chance", near, j.Broken, *j.Chance)
			}
			if j := judged(t, b, Labels{Scores: random, Numbers: numbers}); math.Abs(float64(j.Share-*j.Chance)) > 0.15 || *j.Chance < 0.1 {
				t.Errorf("%d neighbours at random: %v broken, %v by chance", near, j.Share, *j.Chance)
			}
		}
	}
	// Two and two rows are broken where they differ as they do at random. Many and many rows are where that is twice as much.
	for _, c := range []struct {
		first, rows int32
		want        float64
	}{{1, 2, 1}, {1, 100, 1}, {2, 4, 1}, {5, 10, math.Sqrt(10) / 2}, {40, 100, 2}} {
		b := means(c.rows, c.first)
		b.Term(1, 0, plugins.Evaluation, plugins.NoLabel)
		b.Term(-1, 1, plugins.Evaluation, plugins.NoLabel)
		b.End()
		scores := mat.NewDense(int(c.rows), 1, nil)
		for i := range int(c.rows) {
			scores.Set(i, 0, rng.NormFloat64())
		}
		j := newJudge(only(b, gauge.Abs), 0, Labels{Scores: scores, Numbers: true})
		if got := j.limit(0, int(min(3, c.rows))) / j.chance(0); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d beside %d: %v times chance, want %v", c.first, c.rows-c.first, got, c.want)
		}
	}
}

func TestLabelsCannotTell(t *testing.T) {
	b := &plugins.Block{Points: plugins.Matrix{Rows: 1, Cols: 1, Data: []float64{0}}, Tangents: plugins.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}}
	b.Term(1, ^0, plugins.Evaluation, plugins.NoLabel)
	b.Term(-1, 0, plugins.Evaluation, plugins.NoLabel)
	b.End()
	b.Term(1, 0, 0, plugins.NoLabel)
	b.End()
	b.Term(1, 0, plugins.Evaluation, plugins.NoLabel)
	b.End()
	b.End()
	j := judged(t, only(b, gauge.Abs), Labels{Scores: mat.NewDense(1, 1, []float64{1})})
	if j.Members != 0 || j.Untold != 3 || j.Why != "it looks at f at points that are not rows" || j.Doubtful || !math.IsNaN(float64(j.Share)) {
		t.Errorf("%+v", j)
	}
}

// chance is the root mean square over all shuffles, which are few enough here to be tried.
func TestChanceIsThatOfShuffles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, numbers := range []bool{false, true} {
		scores := mat.NewDense(5, 2, nil)
		b := &plugins.Block{Labels: oneHots(2)}
		for i := range int32(5) {
			scores.Set(int(i), 0, rng.NormFloat64())
			scores.Set(int(i), 1, rng.NormFloat64())
			for l := range int32(2) {
				b.Term(rng.NormFloat64(), i, plugins.Evaluation, l)
			}
		}
		b.End()
		j := newJudge(only(b, gauge.Abs), 0, Labels{Scores: scores, Numbers: numbers})
		want := j.chance(0)
		sum, count := 0.0, 0
		permutations([]int32{0, 1, 2, 3, 4}, 0, func(p []int32) {
			copy(j.order, p)
			sum += math.Pow(j.value(0), 2)
			count++
		})
		if got := math.Sqrt(sum / float64(count)); count != 120 || math.Abs(got-want) > 1e-12 {
			t.Errorf("%v over %d shuffles, want %v", got, count, want)
		}
	}
}

func permutations(p []int32, k int, visit func([]int32)) {
	if k == len(p) {
		visit(p)
		return
	}
	for i := k; i < len(p); i++ {
		p[k], p[i] = p[i], p[k]
		permutations(p, k+1, visit)
		p[k], p[i] = p[i], p[k]
	}
}

func TestJudgingIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Judge(ctx, only(means(4, 2), gauge.Abs), Labels{Scores: mat.NewDense(4, 1, nil)}, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func BenchmarkJudge(b *testing.B) {
	const rows, labels = 100_000, 10
	block := &plugins.Block{Labels: oneHots(labels)}
	for i := range int32(rows) {
		for l := range int32(labels) {
			block.Term(1, i, plugins.Evaluation, l)
			block.Term(-1, i, plugins.Evaluation, (l+1)%labels)
			block.End()
		}
	}
	scores := mat.NewDense(rows, labels, nil)
	for b.Loop() {
		if _, err := Judge(b.Context(), only(block, gauge.Pos), Labels{Scores: scores}, 1); err != nil {
			b.Fatal(err)
		}
	}
}

// Where every target is positive, f ≥ 0 is true and f ≤ 0 is false: numbers are judged by their values.
func TestSignsOfNumbers(t *testing.T) {
	y := Labels{Scores: mat.NewDense(4, 1, []float64{10, 20, 30, 40}), Numbers: true}
	for sign, want := range map[float64]int{-1: 0, 1: 4} {
		b := &plugins.Block{Labels: oneHots(1)}
		for i := range int32(4) {
			b.Term(sign, i, plugins.Evaluation, 0)
			b.End()
		}
		if j := judged(t, only(b, gauge.Pos), y); j.Broken != want {
			t.Errorf("pos(%g f): %d of 4 broken, want %d", sign, j.Broken, want)
		}
	}
}
