package anova_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/anova"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// drawn is a function of random parts, and rows to take it apart with: a number, a number with a gap, a category and a wave.
type drawn struct {
	f      *anova.Function
	rows   *mat.Dense
	weight []float64
}

func draw(t *rapid.T) *drawn {
	t.Helper()
	spec := setting.Kernel{Kind: rapid.SampledFrom([]setting.KernelKind{setting.Additive, setting.Pairwise}).Draw(t, "kind"), Components: []setting.Component{
		{Name: "a", Columns: []int{0}, Base: setting.Base{Kind: setting.Gaussian, Width: 1.3, Linear: 0.2}},
		{Name: "b", Columns: []int{1, 5}, Base: setting.Base{Kind: setting.Matern52, Width: 2}},
		{Name: "c", Columns: []int{2, 3}, Base: setting.Base{Kind: setting.Category}},
		{Name: "d", Columns: []int{4}, Base: setting.Base{Kind: setting.Periodic, Width: 0.8, Period: 2}},
	}}
	if spec.Kind == setting.Pairwise && rapid.Bool().Draw(t, "only") {
		spec.Pairs = [][2]int{{0, 1}, {1, 3}}
	}
	k, err := kernel.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	d := &drawn{rows: points(t, rapid.IntRange(1, 80).Draw(t, "rows"))}
	labels := rapid.IntRange(1, 3).Draw(t, "labels")
	d.f = &anova.Function{Kernel: k, Bias: numbers(t, labels)}
	marks := 0
	for order := range rapid.IntRange(1, 3).Draw(t, "orders") {
		size := rapid.IntRange(1, 4).Draw(t, "landmarks")
		m := kernel.Argument{Points: points(t, size), Order: order}
		if order > 0 {
			m.Along = mat.NewDense(size, 6, numbers(t, 6*size))
		}
		d.f.Marks, marks = append(d.f.Marks, m), marks+size
	}
	d.f.Coef = mat.NewDense(marks, labels, numbers(t, marks*labels))
	if n, _ := d.rows.Dims(); rapid.Bool().Draw(t, "weighted") {
		for _, w := range numbers(t, n) {
			d.weight = append(d.weight, 0.1+math.Abs(w))
		}
	}
	return d
}

func numbers(t *rapid.T, n int) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-2, 2), n, n).Draw(t, "numbers")
}

// points returns rows of six prepared columns.
func points(t *rapid.T, n int) *mat.Dense {
	x := mat.NewDense(n, 6, numbers(t, 6*n))
	for i := range n {
		text := rapid.IntRange(0, 2).Draw(t, "text")
		gap := rapid.IntRange(0, 1).Draw(t, "gap")
		x.Set(i, 2, map[bool]float64{true: 1}[text == 1])
		x.Set(i, 3, map[bool]float64{true: 1}[text == 2])
		x.Set(i, 5, float64(gap))
	}
	return x
}

// value returns f at a row as the kernel has it.
func (d *drawn) value(x *mat.Dense, y int) float64 {
	sum, first := d.f.Bias[y], 0
	for _, m := range d.f.Marks {
		size, _ := m.Points.Dims()
		k := mat.NewDense(1, size, nil)
		d.f.Kernel.Derived(k, kernel.At(x), m)
		for i := range size {
			sum += k.At(0, i) * d.f.Coef.At(first+i, y)
		}
		first += size
	}
	return sum
}

// The parts sum up to f at any point. Means of curves over the rows are 0, and those of surfaces over either column.
func TestPartsSumUpAndAreCentred(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		a, err := anova.New(t.Context(), d.f, d.rows, d.weight)
		if err != nil {
			t.Fatal(err)
		}
		x := points(t, 3)
		values, err := a.Values(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		m := len(a.Constant)
		_, cols := values.Dims()
		for i := range 3 {
			for y := range m {
				sum := a.Constant[y]
				for k := y; k < cols; k += m {
					sum += values.At(i, k)
				}
				if want := d.value(x.Slice(i, i+1, 0, 6).(*mat.Dense), y); !near(sum, want) {
					t.Fatalf("row %d, label %d: the parts sum up to %v, and f is %v", i, y, sum, want)
				}
			}
		}
		for j := range 4 {
			table := a.Table(j, d.rows)
			for y := range m {
				zero(t, "a curve", column(a.Curve(table), y), d.weight)
			}
		}
		for k, p := range a.Pairs {
			one, other := a.Table(p[0], d.rows), a.Table(p[1], x)
			for y := range m {
				surface := a.Surface(one, other, y)
				for i := range 3 {
					zero(t, "a surface over its first column", column(surface, i), d.weight)
				}
				surface = a.Surface(a.Table(p[0], x), a.Table(p[1], d.rows), y)
				for i := range 3 {
					zero(t, "a surface over its second column", surface.RawRowView(i), d.weight)
				}
				own := a.Surface(a.Table(p[0], x), a.Table(p[1], x), y)
				for i := range 3 {
					if v := values.At(i, (4+k)*m+y); !near(own.At(i, i), v) {
						t.Fatalf("surface %v at row %d is %v in a table and %v in a list", p, i, own.At(i, i), v)
					}
				}
			}
		}
	})
}

func column(m *mat.Dense, j int) []float64 { return mat.Col(nil, j, m) }

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }

// zero fails unless the weighted mean is 0.
func zero(t *rapid.T, what string, v, weight []float64) {
	t.Helper()
	sum, size := 0.0, 0.0
	for i, x := range v {
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		sum, size = sum+w*x, size+w*math.Abs(x)
	}
	if math.Abs(sum) > 1e-9*(1+size) {
		t.Fatalf("the mean of %s is %v", what, sum)
	}
}

// Parts come by their variance. All together explain f, and none more than all.
func TestSharesAddUp(t *testing.T) {
	values := mat.NewDense(4, 4, []float64{ // two parts of two labels
		1, 0, 0.5, 0,
		2, 1, 0.5, 2,
		3, 0, -0.5, 4,
		4, 1, -0.5, 6,
	})
	shares, deviation := anova.Shares(values, 2, []float64{1, 2, 1, 1})
	if len(shares) != 2 || shares[0].Part != 1 || !(shares[0].Together < 1) || !near(shares[1].Together, 1) {
		t.Errorf("shares are %+v", shares)
	}
	if !(shares[0].Deviation > shares[1].Deviation) || !(deviation > 0) {
		t.Errorf("deviations are %+v, and that of f is %v", shares, deviation)
	}
	// Of two values 1 and 3 with the weights 1 and 3 the mean is 2.5, and the variance (1·2.25 + 3·0.25)/4 = 0.75.
	alone, deviation := anova.Shares(mat.NewDense(2, 1, []float64{1, 3}), 1, []float64{1, 3})
	if want := math.Sqrt(0.75); !near(alone[0].Deviation, want) || !near(deviation, want) || !near(alone[0].Together, 1) {
		t.Errorf("a single part has %+v and f the deviation %v, want %v", alone, deviation, want)
	}
}

// What is no such sum is refused, and an ended context ends the work.
func TestOthersAreRefused(t *testing.T) {
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 1})
	if err != nil {
		t.Fatal(err)
	}
	rows := mat.NewDense(1, 1, nil)
	f := &anova.Function{Kernel: k, Marks: []kernel.Argument{kernel.At(rows)}, Coef: mat.NewDense(1, 1, nil), Bias: []float64{0}}
	if _, err := anova.New(t.Context(), f, rows, nil); err == nil {
		t.Error("a gaussian kernel of whole rows is taken apart")
	}
	if f.Kernel, err = kernel.New(setting.Kernel{Kind: setting.Additive, Components: []setting.Component{{Columns: []int{0}, Base: setting.Base{Kind: setting.Linear}}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := anova.New(t.Context(), f, rows, []float64{1, 2}); err == nil {
		t.Error("two weights of one row are accepted")
	}
	f.Bias = []float64{0, 0}
	if _, err := anova.New(t.Context(), f, rows, nil); err == nil {
		t.Error("two biases of one label are accepted")
	}
	f.Bias = []float64{0}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := anova.New(ctx, f, rows, nil); err == nil {
		t.Error("an ended context does not end the work")
	}
}
