package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// mixedColumns is how many columns rows have under the kernels of mixed.
const mixedColumns = 9

// mixed is a kernel with a component of each kind: two numbers, one with a mask, a category of three texts, one on a circle, one linear.
func mixed(kind setting.KernelKind, pairs [][2]int) setting.Kernel {
	return setting.Kernel{Kind: kind, Pairs: pairs, Components: []setting.Component{
		{Name: "age", Columns: []int{0}, Base: setting.Base{Kind: setting.Gaussian, Width: 1.3}},
		{Name: "area", Columns: []int{1, 8}, Base: setting.Base{Kind: setting.Matern52, Width: 1.7, Linear: 0.3}},
		{Name: "town", Columns: []int{2, 3, 4}, Base: setting.Base{Kind: setting.Category}},
		{Name: "hour", Columns: []int{5}, Base: setting.Base{Kind: setting.Periodic, Period: 2.5, Width: 0.6}},
		{Name: "floor", Columns: []int{6}, Base: setting.Base{Kind: setting.Linear}},
		{Name: "rooms", Columns: []int{7}, Base: setting.Base{Kind: setting.Gaussian, Width: 0.9, Linear: 2}},
	}}
}

// sums are kernels of columns with all that a sum may be.
func sums() []setting.Kernel {
	rough := mixed(setting.Pairwise, nil)
	rough.Components[0].Kind = setting.Matern32
	one := setting.Kernel{Kind: setting.Pairwise, Components: []setting.Component{
		{Name: "all", Columns: []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, Base: setting.Base{Kind: setting.Gaussian, Width: 1}},
	}}
	return []setting.Kernel{
		mixed(setting.Additive, nil), mixed(setting.Pairwise, nil), mixed(setting.Pairwise, [][2]int{{0, 1}, {1, 2}, {2, 5}, {3, 4}}),
		rough, one,
	}
}

// scalar is k_j of one component, straight from its definition.
func scalar(c *setting.Component, x, z []float64) float64 {
	var marks, open, others float64 = 0, 1, 1
	for i, j := range c.Columns {
		if i > 0 || c.Kind == setting.Category {
			marks, open, others = marks+x[j]*z[j], open-x[j], others-z[j]
		}
	}
	if c.Kind == setting.Category {
		return marks + open*others
	}
	v, w := x[c.Columns[0]], z[c.Columns[0]]
	r := math.Abs(v - w)
	base := c.Linear * v * w
	switch c.Kind {
	case setting.Gaussian:
		base += math.Exp(-r * r / (2 * c.Width * c.Width))
	case setting.Matern32:
		r *= math.Sqrt(3) / c.Width
		base += (1 + r) * math.Exp(-r)
	case setting.Matern52:
		r *= math.Sqrt(5) / c.Width
		base += (1 + r + r*r/3) * math.Exp(-r)
	case setting.Periodic:
		chord := c.Period / math.Pi * math.Sin(math.Pi*r/c.Period)
		base += math.Exp(-chord * chord / (2 * c.Width * c.Width))
	case setting.Linear:
		base += v * w
	}
	return open*others*base + marks
}

// double is k as the sum over components and pairs that it is.
func double(s setting.Kernel, x, z []float64) float64 {
	d := len(s.Components)
	var single, pair, count float64
	for j := range s.Components {
		single += scalar(&s.Components[j], x, z)
		for l := j + 1; l < d; l++ {
			if s.Kind == setting.Pairwise && (s.Pairs == nil || slices.Contains(s.Pairs, [2]int{j, l})) {
				pair += scalar(&s.Components[j], x, z) * scalar(&s.Components[l], x, z)
				count++
			}
		}
	}
	return single/float64(d) + pair/max(count, 1)
}

func TestSumsAreTheirDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	x, z := random(rng, 70, mixedColumns), random(rng, 530, mixedColumns)
	z.SetRow(3, x.RawRowView(60))
	for i := range 70 { // the columns that are 0 or 1 in data
		for _, j := range []int{2, 3, 4, 8} {
			x.Set(i, j, 0)
		}
		x.Set(i, []int{2, 3, 4, 8}[i%4], 1)
	}
	for _, s := range sums() {
		k := must(t, s)
		got := mat.NewDense(70, 530, nil)
		k.Matrix(got, x, z)
		diag := make([]float64, 70)
		k.Diag(diag, x)
		for i := range 70 {
			near(t, s.String(), diag[i], double(s, x.RawRowView(i), x.RawRowView(i)), 1e-13)
			for j := range 530 {
				near(t, s.String(), got.At(i, j), double(s, x.RawRowView(i), z.RawRowView(j)), 1e-13)
			}
		}
	}
}

// Every derivative is the limit of differences of one that is lower by an order, along tangents that move all columns, and that move some.
func TestDerivativesOfSumsAreLimitsOfDifferences(t *testing.T) {
	const h = 1e-5
	rng := rand.New(rand.NewPCG(2, 2))
	n, m, p := 9, 301, mixedColumns
	x, xdot, z, zdot := random(rng, n, p), random(rng, n, p), random(rng, m, p), random(rng, m, p)
	for i := range n {
		for j := range p {
			if i%3 > 0 && j != i%p {
				xdot.Set(i, j, 0)
			}
		}
	}
	for i := range m {
		zdot.Set(i, 5, 0) // a component that no tangent moves
	}
	for _, s := range sums() {
		k := must(t, s)
		derived := func(hx, hz float64, order [2]int) *mat.Dense {
			out := mat.NewDense(n, m, nil)
			k.Derived(out, by(along(x, xdot, hx), xdot, order[0]), by(along(z, zdot, hz), zdot, order[1]))
			return out
		}
		for _, order := range orders() {
			for side, step := range [][2]float64{{h, 0}, {0, h}} {
				lower := order
				if lower[side]--; lower[side] < 0 {
					continue
				}
				got, up, down := derived(0, 0, order), derived(step[0], step[1], lower), derived(-step[0], -step[1], lower)
				for i := range n {
					for j := range m {
						near(t, fmt.Sprintf("%s %v", s, order), got.At(i, j), (up.At(i, j)-down.At(i, j))/(2*h), 2e-4)
					}
				}
			}
		}
	}
}

// The Gram matrix of values and derivatives is positive semidefinite, at points of data and between them.
func TestGramMatricesOfSumsArePositiveSemidefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	n := 14
	x, v := random(rng, n, mixedColumns), random(rng, n, mixedColumns)
	for i := range n / 2 {
		for _, j := range []int{2, 3, 4, 8} {
			x.Set(i, j, 0)
		}
		x.Set(i, []int{2, 3, 4, 8}[i%4], 1)
	}
	for _, s := range sums() {
		k := must(t, s)
		kinds := 1 + k.Derivatives()
		gram, block := mat.NewSymDense(kinds*n, nil), mat.NewDense(n, n, nil)
		for _, order := range orders() {
			if max(order[0], order[1]) >= kinds {
				continue
			}
			k.Derived(block, by(x, v, order[0]), by(x, v, order[1]))
			for i := range n {
				for j := range n {
					gram.SetSym(order[0]*n+i, order[1]*n+j, block.At(i, j))
				}
			}
		}
		var eig mat.EigenSym
		if !eig.Factorize(gram, false) {
			t.Fatalf("%s: no eigendecomposition", s)
		}
		if low, high := slices.Min(eig.Values(nil)), slices.Max(eig.Values(nil)); low < -1e-12*high {
			t.Errorf("%s: eigenvalues from %g to %g", s, low, high)
		}
	}
}

// The parts of a kernel add up to it, derivatives too.
func TestPartsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	x, v, z := random(rng, 6, mixedColumns), random(rng, 6, mixedColumns), random(rng, 40, mixedColumns)
	for _, s := range sums() {
		k := must(t, s)
		parts := k.Parts()
		for order := range kernel.MostOrder + 1 {
			whole, sum, part := mat.NewDense(6, 40, nil), mat.NewDense(6, 40, nil), mat.NewDense(6, 40, nil)
			k.Derived(whole, by(x, v, order), kernel.At(z))
			for j := range parts.Components {
				k.Part(j).Derived(part, by(x, v, order), kernel.At(z))
				sum.Add(sum, part)
			}
			for _, p := range parts.Pairs {
				k.Part(p[0], p[1]).Derived(part, by(x, v, order), kernel.At(z))
				sum.Add(sum, part)
			}
			for i := range 6 {
				for j := range 40 {
					near(t, fmt.Sprintf("%s of order %d", s, order), sum.At(i, j), whole.At(i, j), 1e-12)
				}
			}
		}
	}
	if must(t, setting.Kernel{Kind: setting.Linear}).Parts() != nil {
		t.Error("the linear kernel has parts")
	}
}

// Texts are alike where they are equal and where both are unseen; a gap is like a gap and like no number; a circle closes.
func TestCategoriesGapsAndPeriods(t *testing.T) {
	s := mixed(setting.Additive, nil)
	rows := mat.NewDense(8, mixedColumns, nil)
	set := func(row int, at ...int) {
		for _, j := range at {
			rows.Set(row, j, 1)
		}
	}
	set(0, 2)
	set(1, 3)              // another town; row 2 is of a town that no row has
	set(3, 8)              // a gap
	rows.Set(4, 1, 0.7)    // a number
	rows.Set(5, 5, 2.5*3)  // three periods on
	rows.Set(6, 5, 2.5/2)  // opposite
	rows.Set(7, 5, -2.5/2) // the same
	part := func(component, i, j int) float64 {
		out := mat.NewDense(8, 8, nil)
		must(t, s).Part(component).Matrix(out, rows, rows)
		return out.At(i, j) * float64(len(s.Components))
	}
	for _, c := range []struct {
		component, i, j int
		want            float64
	}{
		{2, 0, 0, 1},
		{2, 0, 1, 0},
		{2, 0, 2, 0},
		{2, 2, 2, 1},
		{2, 2, 3, 1},
		{1, 3, 3, 1},
		{1, 3, 4, 0},
		{1, 3, 0, 0},
		{1, 0, 0, 1},
		{1, 4, 4, 1 + 0.3*0.7*0.7},
		{3, 0, 5, 1},
		{3, 6, 7, 1},
		{3, 0, 6, math.Exp(-(2.5 / math.Pi) * (2.5 / math.Pi) / (2 * 0.6 * 0.6))},
	} {
		near(t, fmt.Sprint(c), part(c.component, c.i, c.j), c.want, 1e-12)
	}
}

func TestSumsHaveTheSameBitsForAnyNumberOfProcessors(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	x, v, z, w := random(rng, 90, mixedColumns), random(rng, 90, mixedColumns), random(rng, 300, mixedColumns), random(rng, 300, mixedColumns)
	for _, s := range sums() {
		k := must(t, s)
		compute := func(procs int) []float64 {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			var out []float64
			for _, order := range orders() {
				m := mat.NewDense(90, 300, nil)
				k.Derived(m, by(x, v, order[0]), by(z, w, order[1]))
				out = append(out, m.RawMatrix().Data...)
			}
			return out
		}
		if !slices.Equal(compute(1), compute(3)) {
			t.Errorf("%s: one and three processors differ", s)
		}
	}
}

func TestNewRefusesComponentsThatMakeNoKernel(t *testing.T) {
	for name, damage := range map[string]func(k *setting.Kernel){
		"none":              func(k *setting.Kernel) { k.Components = nil },
		"no columns":        func(k *setting.Kernel) { k.Components[0].Columns = nil },
		"negative column":   func(k *setting.Kernel) { k.Components[0].Columns = []int{-1} },
		"shared column":     func(k *setting.Kernel) { k.Components[0].Columns = []int{1} },
		"lacking column":    func(k *setting.Kernel) { k.Components[0].Columns = []int{1 << 60} },
		"no width":          func(k *setting.Kernel) { k.Components[0].Width = 0 },
		"width NaN":         func(k *setting.Kernel) { k.Components[0].Width = math.NaN() },
		"width of median":   func(k *setting.Kernel) { k.Components[0].OfMedian = true },
		"infinite period":   func(k *setting.Kernel) { k.Components[3].Period = math.Inf(1) },
		"no period":         func(k *setting.Kernel) { k.Components[3].Period = 0 },
		"negative linear":   func(k *setting.Kernel) { k.Components[0].Linear = -1 },
		"category linear":   func(k *setting.Kernel) { k.Components[2].Linear = 1 },
		"laplacian":         func(k *setting.Kernel) { k.Components[0].Kind = setting.Laplacian },
		"unknown":           func(k *setting.Kernel) { k.Components[0].Kind = "cauchy" },
		"pairs of additive": func(k *setting.Kernel) { k.Kind, k.Pairs = setting.Additive, [][2]int{{0, 1}} },
		"no pair":           func(k *setting.Kernel) { k.Pairs = [][2]int{} },
		"pair of itself":    func(k *setting.Kernel) { k.Pairs = [][2]int{{1, 1}} },
		"pair out of range": func(k *setting.Kernel) { k.Pairs = [][2]int{{1, 6}} },
		"pair twice":        func(k *setting.Kernel) { k.Pairs = [][2]int{{0, 1}, {0, 1}} },
		"pair below 0":      func(k *setting.Kernel) { k.Pairs = [][2]int{{-1, 1}} },
	} {
		s := mixed(setting.Pairwise, nil)
		damage(&s)
		if k, err := kernel.New(s); err == nil {
			t.Errorf("%s: %+v became %v", name, s, k)
		}
	}
}

// A kernel that names columns gets its components of the rows: widths by the median distances, periods in prepared units.
func TestFixedMakesComponents(t *testing.T) {
	rows := mat.NewDense(5, 5, []float64{
		0, 0, 1, 0, 0,
		0, 1, 0, 1, 0,
		1, 2, 0, 0, 0,
		3, 9, 0, 0, 1,
		7, 3, 1, 0, 0,
	})
	groups := []setting.Group{
		{Name: "age", Columns: []int{0}, Scale: 1},
		{Name: "hour", Columns: []int{1, 4}, Scale: 2},
		{Name: "town", Columns: []int{2, 3}, Text: true, Scale: 1},
	}
	base := setting.Base{Kind: setting.Gaussian, Width: 0.5, OfMedian: true}
	spec := setting.Kernel{Kind: setting.Pairwise, Parts: &setting.Parts{
		Base: base, Own: []setting.Own{{Column: "hour", Base: setting.Base{Kind: setting.Periodic, Period: 8, Width: 1, OfMedian: true}}},
		Only: [][2]string{{"town", "age"}, {"age", "town"}},
	}}
	k, err := kernel.Fixed(spec, groups, rows, 1)
	if err != nil {
		t.Fatal(err)
	}
	// Distances 1 1 2 3 3 4 6 7 7 of ages. Hours 0 1 2 3 on a circle of 4 prepared units: 1 1 1 1 2 2.
	age, hour := k.Components[0], k.Components[1]
	if age.Width != 0.5*3 || hour.Period != 4 || math.Abs(hour.Width-4/math.Pi*math.Sin(math.Pi/4)) > 1e-12 || k.Components[2].Kind != setting.Category {
		t.Errorf("components are %+v", k.Components)
	}
	if !slices.Equal(k.Pairs, [][2]int{{0, 2}}) {
		t.Errorf("pairs are %v", k.Pairs)
	}
	must(t, k)
	for _, bad := range []*setting.Parts{
		{Base: base, Own: []setting.Own{{Column: "income", Base: base}}},
		{Base: base, Own: []setting.Own{{Column: "town", Base: base}}},
		{Base: base, Only: [][2]string{{"age", "income"}}},
		nil,
	} {
		if k, err := kernel.Fixed(setting.Kernel{Kind: setting.Pairwise, Parts: bad}, groups, rows, 1); err == nil {
			t.Errorf("%v became %v", bad, k)
		}
	}
	groups[2].Words = true
	if k, err := kernel.Fixed(spec, groups, rows, 1); err == nil {
		t.Errorf("words became %v", k)
	}
}

// The median of numbers is that of all their distances, sorted.
func TestMedianOfAColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 8))
	for _, period := range []float64{0, 3} {
		for n := range 12 {
			rows := mat.NewDense(n+1, 1, nil)
			var distances []float64
			for i := range n + 1 {
				rows.Set(i, 0, math.Round(rng.NormFloat64()*8)/4)
				for k := range i {
					r := math.Abs(rows.At(i, 0) - rows.At(k, 0))
					if period > 0 {
						r = period / math.Pi * math.Abs(math.Sin(math.Pi*r/period))
					}
					if r > 1e-12 {
						distances = append(distances, r)
					}
				}
			}
			slices.Sort(distances)
			want := 1.0
			if len(distances) > 0 {
				want = distances[(len(distances)-1)/2]
			}
			base := setting.Base{Kind: setting.Gaussian, Width: 1, OfMedian: true}
			if period > 0 {
				base.Kind, base.Period = setting.Periodic, period
			}
			k, err := kernel.Fixed(setting.Kernel{Kind: setting.Additive, Parts: &setting.Parts{Base: base}},
				[]setting.Group{{Name: "a", Columns: []int{0}, Scale: 1}}, rows, 1)
			if err != nil || math.Abs(k.Components[0].Width-want) > 1e-12 {
				t.Errorf("%d numbers with period %g: width %v, %v; want %v", n+1, period, k.Components[0].Width, err, want)
			}
		}
	}
}
