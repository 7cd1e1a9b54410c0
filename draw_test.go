package sipc

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/anova"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/picture"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// fitted fits a spec to rows of a number, a number with gaps, whole numbers and a town, and returns the model as its file has it.
func fitted(t *testing.T, spec string, shift float64) *model.Model {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("area,age,rooms,town,price,times\n")
	for i := range 40 {
		age := fmt.Sprint(math.Sin(float64(i)) * 3)
		if i%7 == 0 {
			age = "-8"
		}
		fmt.Fprintf(&b, "%g,%s,%d,%c,%g,%d\n", shift+float64(i*i%17), age, 1+i%4, 'a'+rune(i%3), math.Cos(float64(i))+float64(i%3)+0.1*float64(i*i%17), 1+i%2)
	}
	path, file := filepath.Join(dir, "spec.inv"), filepath.Join(dir, "data.csv")
	for name, content := range map[string]string{path: spec, file: b.String()} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := LoadSpec(t.Context(), path, SpecOptions{})
	if err != nil || s.Err() != nil {
		t.Fatal(err, s.Err())
	}
	if _, err := Run(t.Context(), s, RunOptions{Data: file, Out: dir}); err != nil {
		t.Fatal(err)
	}
	m, err := LoadModel(t.Context(), filepath.Join(dir, modelFile))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const drawnSpec = `data {
    target price : real
    gaps -8
    missing mask
    weight times
    standardize
    split test = 0.25
}
kernel   pairwise(gaussian(width = 1.5))
features nystrom(landmarks = rows)
require  rising = d/d(area) f >= 0 over x in box
learn    ridge(lambda = 0.1)
`

// What is drawn at the columns of a row sums up to its score. So it does of another model, whose rows are prepared otherwise.
func TestDrawnSumsAreScores(t *testing.T) {
	m, other := fitted(t, drawnSpec, 0), fitted(t, strings.Replace(drawnSpec, "lambda = 0.1", "lambda = 1", 1), 3)
	s, err := takeApart(t.Context(), m, m.Rows, "", other)
	if err != nil {
		t.Fatal(err)
	}
	sums := [2][]float64{slicesOf(s.own.Constant[0], m.Rows.X), slicesOf(s.free.parts.Constant[0], m.Rows.X)}
	components := m.Represent.Features.Kernel().Parts().Components
	for j := range components {
		c := columnOf(t, m, components[j].Name)
		for i := range sums[0] {
			// The row by what the file holds in the column, and nothing in the others.
			row := m.Rows.X.RawRowView(i)
			v, _ := c.number(row)
			x := mat.NewDense(1, c.all, nil)
			c.set(x.RawRowView(0), v, c.level(row))
			values, err := s.curve(j)(x)
			if err != nil {
				t.Fatal(err)
			}
			sums[0][i] += values.At(0, 0)
			sums[1][i] += values.At(0, 1)
		}
	}
	for k, p := range s.own.Pairs {
		d := &surfaceDrawer{sum: s, pair: p, x: columnOf(t, m, components[p[0]].Name), y: columnOf(t, m, components[p[1]].Name)}
		for i := range sums[0] {
			x := mat.DenseCopyOf(m.Rows.X.Slice(i, i+1, 0, d.x.all))
			for f, of := range []*twin{{parts: s.own}, s.free} {
				at := of.at(x)
				sums[f][i] += of.parts.Surface(of.parts.Table(p[0], at), of.parts.Table(p[1], at), 0).At(0, 0)
			}
		}
		if k == 0 && len(d.rows()) == 0 {
			t.Error("no row is drawn on a surface")
		}
	}
	for f, of := range []*model.Model{m, other} {
		x := m.Rows.X
		if f == 1 {
			x = s.free.at(x)
		}
		scores, _, err := of.Scores(t.Context(), x, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, sum := range sums[f] {
			if want := scores.At(i, 0); math.Abs(sum-want) > 1e-6 {
				t.Errorf("function %d, row %d: what is drawn sums up to %v, and the score is %v", f, i, sum, want)
			}
		}
	}
}

func slicesOf(v float64, x *mat.Dense) []float64 {
	out := make([]float64, rowsIn(x))
	for i := range out {
		out[i] = v
	}
	return out
}

// columnOf returns the column of a name as pictures have it.
func columnOf(t *testing.T, m *model.Model, name string) *drawnColumn {
	t.Helper()
	for g, f := range m.About.Preparation.Features {
		if f.Name == name {
			return newDrawnColumn(m.About.Preparation, g, m.Rows)
		}
	}
	t.Fatalf("there is no column %s", name)
	return nil
}

// Densities count rows by their weights, at gaps and categories too.
func TestDensity(t *testing.T) {
	m := fitted(t, drawnSpec, 0)
	total := 0.0
	for _, w := range m.Rows.Weight {
		total += w
	}
	for name, want := range map[string]struct {
		levels []string
		whole  bool
	}{"area": {nil, true}, "age": {[]string{"gap −8"}, false}, "rooms": {nil, true}, "town": {[]string{"a", "b", "c", unseen}, false}} {
		c := columnOf(t, m, name)
		sum := 0.0
		for _, n := range append(c.counts, c.rows...) {
			sum += n
		}
		if fmt.Sprint(c.levels) != fmt.Sprint(want.levels) || c.whole != want.whole || math.Abs(sum-total) > 1e-9 {
			t.Errorf("%s: levels %q, whole: %v, %v of %v rows", name, c.levels, c.whole, sum, total)
		}
		if c.whole && len(c.wholes(c.grid(50))) != int(c.high-c.low)+1 {
			t.Errorf("%s: points at %v of %v", name, c.wholes(c.grid(50)), c.grid(50))
		}
	}
}

// Files have different names, whatever the columns are called.
func TestFileNames(t *testing.T) {
	a := &album{names: map[string]bool{}}
	var got []string
	for _, title := range []string{"car name", "Car-Name", "../../etc", "größe (m²)", ""} {
		got = append(got, a.add("curve", title, nil).File)
	}
	if want := "[curve-car-name.svg curve-car-name-2.svg curve-etc.svg curve-größe-m.svg curve-.svg]"; fmt.Sprint(got) != want {
		t.Errorf("files are %v, want %v", got, want)
	}
}

// A column with one number alone, and one of many categories, are drawn.
func TestOddColumns(t *testing.T) {
	m := fitted(t, drawnSpec, 0)
	c := columnOf(t, m, "area")
	c.low, c.high, c.counts = 2, 2, []float64{1}
	shown := func(x *mat.Dense) (*mat.Dense, error) { return mat.NewDense(rowsIn(x), 1, nil), nil }
	functions := []picture.Function{{Name: "f"}}
	if image, err := c.draw(picture.Heading{}, functions, shown); err != nil || !strings.Contains(string(image), "<circle") {
		t.Errorf("a single number is not drawn, %v", err)
	}
	c = columnOf(t, m, "town")
	for len(c.levels) < mostLevels+5 {
		c.levels, c.rows = append(c.levels, "more"), append(c.rows, 0)
	}
	c.columns = c.columns[:0:0]
	if image, err := c.draw(picture.Heading{}, functions, shown); err != nil || !strings.Contains(string(image), "and 5 more") {
		t.Errorf("many categories are not counted, %v", err)
	}
}

// Curves of levels have their constants added, as each is centred by itself and would seem to cross others. Those of a number are centred.
func TestCurvesOfLevelsHaveTheirConstants(t *testing.T) {
	of := &anova.Decomposition{Constant: []float64{1, 3}}
	for task, want := range map[setting.Task][]float64{setting.Quantiles: {1, 3, 1.5, 2.5}, setting.Real: {0, 0, 0.5, -0.5}} {
		m := &model.Model{About: model.About{Preparation: &dataset.Preparation{Target: dataset.TargetPlan{Task: task}}}}
		got := (&sum{model: m}).placed(of, mat.NewDense(2, 2, []float64{0, 0, 0.5, -0.5}))
		if !mat.Equal(got, mat.NewDense(2, 2, want)) {
			t.Errorf("%s: %v", task, got)
		}
	}
}
