package compiler

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
)

// A shape is what f of a drawn spec is a function of.
type shape struct {
	item   string // of the data block
	labels bool   // f is a function of a point and a label
	image  bool   // the features are the pixels of an image
	text   string // in which figures count it
}

var shapes = []shape{
	{item: "target price : real", text: "real target"},
	{item: "target price : binary(no, yes)", text: "binary target"},
	{item: "target animal, cat, dog : multilabel", labels: true, text: "multilabel target"},
	{item: "target animal, cat, dog : multilabel", labels: true, text: "multilabel target"},
	{item: "target kind : class", labels: true, text: "class target"},
	{item: "target price : real; columns image(2, 3)", image: true, text: "image"},
	{item: "target animal, cat, dog : multilabel; columns image(2, 3)", labels: true, image: true, text: "image"},
}

// drawnFiles are those that drawn specs name.
var drawnFiles = map[string]string{
	"edges.csv":   "from,to\nr1,r2\nr3,r1\nr2,r4\n",
	"weighed.csv": "strength,from,to\n0.5,r1,r2\n0,r3,r1\n3,r2,r4\n",
	"topics.csv":  "child,parent\ncat,animal\ndog,animal\n",
	"team.inv":    "let strong = 0.2\ndef steep(c) = rms over x of pos(d/d(c) f)\n",
}

// drawnNumbers are the columns of numbers of drawn specs, in the order of the features.
var drawnNumbers = []string{"area", "age", "rooms", "living area"}

// drawnTexts are columns of texts, with those of the rows.
var drawnTexts = map[string][]string{
	"region": {"north", "south", "north", "south"},
	"zone":   {"east", "north", "north", "east"},
	"floor":  {"1", "2", "", "4"},
}

// data draws n rows.
func (sh shape) data(n int, next func() float64) (*plugins.Data, map[string]*column) {
	d := &plugins.Data{}
	if sh.labels {
		d.LabelNames = []string{"animal", "cat", "dog"}
	}
	if sh.image {
		d.Height, d.Width = 2, 3
	}
	columns := map[string]*column{"decade": {numbers: []float64{70, math.NaN(), 71, 70}[:n]}, "member": {numbers: []float64{1, 0, 0, 1}[:n]}}
	for name, texts := range drawnTexts {
		columns[name] = &column{texts: texts[:n]}
	}
	for j, name := range drawnNumbers {
		c := &column{}
		for range n {
			c.numbers = append(c.numbers, []float64{1, 2, 3, -1}[j]+[]float64{2, 0.5, 4, 1}[j]*next())
		}
		columns[name] = c
		if !sh.image {
			d.Columns, d.Offset, d.Scale = append(d.Columns, name), append(d.Offset, []float64{1, 2, 3, -1}[j]), append(d.Scale, []float64{2, 0.5, 4, 1}[j])
		}
	}
	for _, name := range []string{"region=north", "region=south", "zone=east", "zone=north"} {
		if !sh.image {
			d.Columns, d.Offset, d.Scale = append(d.Columns, name), append(d.Offset, 0), append(d.Scale, 1)
		}
	}
	for k := range d.Height * d.Width {
		d.Columns, d.Offset, d.Scale = append(d.Columns, "pixel"+strconv.Itoa(k+1)), append(d.Offset, 0.5), append(d.Scale, []float64{1, 2}[k%2])
	}
	for i := range n {
		d.Rows.Append(featuresOf(d, columns, i, next))
		if sh.labels {
			d.Labels = append(d.Labels, sh.label(i))
		}
	}
	return d, columns
}

// featuresOf are those of a row.
func featuresOf(d *plugins.Data, columns map[string]*column, row int, next func() float64) []float64 {
	x := make([]float64, len(d.Columns))
	for j, name := range d.Columns {
		base, text, isText := strings.Cut(name, "=")
		switch {
		case d.Height > 0:
			x[j] = next()
		case isText:
			x[j] = map[bool]float64{true: 1}[columns[base].texts[row] == text]
		default:
			x[j] = (columns[name].numbers[row] - d.Offset[j]) / d.Scale[j]
		}
	}
	return x
}

// label is that of a row: a class, or a set of labels.
func (sh shape) label(row int) plugins.Label {
	if strings.Contains(sh.item, "class") {
		return plugins.Label{Index: []int32{int32(row % 2)}, Value: []float64{1}}
	}
	y := plugins.Label{}
	for c := range 3 {
		if (row+c)%2 == 0 {
			y.Index, y.Value = append(y.Index, int32(c)), append(y.Value, 1)
		}
	}
	return y
}

// drawnGround are rows as a plan takes them.
func drawnGround(data *plugins.Data, columns map[string]*column) *ground.Data {
	g := &ground.Data{Data: data, Seed: 3, RowID: func(i int) string { return []string{"r1", "r2", "r3", "r4"}[i] }}
	for range data.Columns {
		g.Unit = append(g.Unit, 1)
	}
	if data.Height == 0 {
		copy(g.Unit, []float64{1.5, 0.25, 3, 2})
	}
	g.Column = func(name string) ([]float64, []string, bool) {
		c := columns[name]
		if c == nil {
			return nil, nil, false
		}
		return c.numbers, c.texts, true
	}
	return g
}

// newInterpreter knows a spec and its rows.
func newInterpreter(file *dsl.File, sh shape, data *plugins.Data, columns map[string]*column) *interpreter {
	in := &interpreter{
		gap: math.NaN(), data: data, unit: drawnGround(data, columns).Unit, tree: [][2]string{{"cat", "animal"}, {"dog", "animal"}}, column: map[string]*column{},
		defs: map[string]*dsl.Def{}, lets: map[string]dsl.Expr{}, others: map[string]dsl.Expr{}, grids: map[diag.Span]float64{},
	}
	for i, e := range [][2]int{{0, 1}, {2, 0}, {1, 3}} {
		if max(e[0], e[1]) < data.N() {
			in.edges, in.width = append(in.edges, e), append(in.width, []float64{0.5, 0, 3}[i])
		}
	}
	for name, c := range columns {
		in.column[name] = c.asNumbers()
	}
	for i := range data.N() {
		y := make([]float64, len(data.LabelNames))
		for c := range y {
			if k := slices.Index(data.Labels[i].Index, int32(c)); k >= 0 {
				y[c] = data.Labels[i].Value[k]
			}
		}
		in.rows = append(in.rows, &spotted{data.Rows.Row(i), y})
	}
	pairs := map[string][][2]int{}
	in.pairs = func(call string) [][2]int {
		if _, known := pairs[call]; !known {
			pairs[call] = sh.pairs(call, data, columns)
		}
		return pairs[call]
	}
	for _, d := range append(slices.Clone(knownDefs), file.Decls...) {
		switch d := d.(type) {
		case *dsl.Def:
			in.defs[d.Name.Name] = d
		case *dsl.Let:
			in.lets[d.Name.Name] = d.Value
		case *dsl.Invariance:
			in.others[d.Name.Name] = d.Body
		}
	}
	return in
}

// knownDefs are the definitions of the reference, and those of the file that drawn specs include.
var knownDefs = func() []dsl.Decl {
	known, _ := dsl.Parse("known", []byte(`def implies(a, b) = pos(f(a) - f(b))
def excludes(a, b) = pos(f(a) + f(b))
def increasing(c) = rms over x of pos(-d/d(c) f)
def decreasing(c) = rms over x of pos(d/d(c) f)
def convex(c) = rms over x of pos(-d/d(c) d/d(c) f)
def concave(c) = rms over x of pos(d/d(c) d/d(c) f)
def smooth(c) = rms over x of |d/d(c) f|
def parity(g) = |mean over x where g == 1 of f - mean over x where g == 0 of f|
def parity_between(g, a, b) = |mean over x where g == a of f - mean over x where g == b of f|
`+drawnFiles["team.inv"]))
	return known.Decls
}()

// asNumbers is a column whose texts are all numbers, or gaps, as numbers.
func (c *column) asNumbers() *column {
	out := &column{}
	for _, text := range c.texts {
		v, err := strconv.ParseFloat(text, 64)
		switch {
		case err == nil:
		case text == "":
			v = math.NaN()
		default:
			return c
		}
		out.numbers = append(out.numbers, v)
	}
	if c.texts == nil || !slices.ContainsFunc(out.numbers, func(v float64) bool { return !math.IsNaN(v) }) {
		return c
	}
	return out
}

// lightly is a context that does not ask the machine for its memory.
func lightly(ctx context.Context) context.Context { return limits.WithMemory(ctx, 1<<30) }

// knownPairs are the pairs that were read off before.
var knownPairs = map[string][][2]int{}

// pairs are those that a call draws, as the family draws them. That they are pairs of the kind that is asked for, is checked.
func (sh shape) pairs(call string, data *plugins.Data, columns map[string]*column) [][2]int {
	key := fmt.Sprint(sh.item, call, data.N())
	if known, ok := knownPairs[key]; ok {
		return known
	}
	label := ""
	if sh.labels {
		label = "(cat)"
	}
	source := "data { " + sh.item + " }\nkernel linear\nfeatures exact\ninvariance i = sum over " + call + " of max over λ in [0, 1] of |f" + label + "|\n"
	plan, list := checkNoTest(source)
	if list != nil {
		panic(list)
	}
	defer plan.Close()
	r, err := plan.At(nil).Ground(lightly(context.Background()), drawnGround(data, columns))
	var out [][2]int
	if err == nil {
		b := r.Functionals
		for k := 0; k < b.Len(); k += ground.NodeCount {
			out = append(out, [2]int{int(b.Point[k+ground.NodeCount-1]), int(b.Point[k])})
		}
		sh.check(call, data, out)
	}
	if !strings.Contains(call, "nearest") {
		knownPairs[key] = out
	}
	return out
}

// check panics if pairs are not of different rows, and of the kind that a call asks for.
func (sh shape) check(call string, data *plugins.Data, pairs [][2]int) {
	distance := func(i, j int) (s float64) {
		for k, v := range data.Rows.Row(i) {
			s += math.Pow(v-data.Rows.Row(j)[k], 2)
		}
		return s
	}
	for _, p := range pairs {
		same := sh.labels && fmt.Sprint(data.Labels[p[0]]) == fmt.Sprint(data.Labels[p[1]])
		nearer := [2]int{}
		for side := range 2 {
			for k := range data.N() {
				if k != p[side] && distance(k, p[side]) < distance(p[0], p[1])-1e-9 {
					nearer[side]++
				}
			}
		}
		switch {
		case p[0] == p[1], strings.Contains(call, "same_class") && !same, strings.Contains(call, "different_class") && same,
			strings.Contains(call, "choose = nearest, neighbours = 1") && min(nearer[0], nearer[1]) > 0:
			panic(fmt.Sprint(call, " draws ", p))
		}
	}
}
