package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// preparationOf returns a preparation that leaves the columns of some rows as they are.
func preparationOf(s *dataset.Set) *dataset.Preparation {
	return preparationFor(&dataset.Preparation{Target: dataset.TargetPlan{Task: s.Task, LabelNames: s.LabelNames}}, s.X)
}

// preparationFor adds the columns of x and what else a target needs.
func preparationFor(p *dataset.Preparation, x *mat.Dense) *dataset.Preparation {
	p.Missing = setting.MissingError
	if p.Target.Task == setting.Binary {
		p.Target.LabelNames = []string{"no", "yes"}
	}
	p.Target.LabelIDs = p.Target.LabelNames
	_, columns := x.Dims()
	for j := range columns {
		p.Features = append(p.Features, dataset.Feature{Name: fmt.Sprintf("c%d", j), Scale: 1})
	}
	return p
}

// written returns a model after it was written and read. Writing what was read gives the same bytes.
func written(t *testing.T, m *Model) *Model {
	t.Helper()
	file := fileOf(t, m)
	loaded, err := readFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if again := fileOf(t, loaded); !bytes.Equal(again, file) {
		t.Error("a model that was read is written otherwise")
	}
	return loaded
}

// fileOf returns what a model's file holds.
func fileOf(tb testing.TB, m *Model) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// readFile reads a model file whose first line is sound.
func readFile(file []byte) (*Model, error) {
	first, rest, _ := bytes.Cut(file, []byte("\n"))
	return read(version, string(first[len(first)-2*sha256.Size:]), rest)
}

var (
	sumOfArrays   = regexp.MustCompile(`"sha256":"[0-9a-f]*"`)
	bytesOfArrays = regexp.MustCompile(`"bytes":[0-9]+`)
)

// readRefitted reads a header and arrays, after their digests were made to fit.
func readRefitted(header, blob []byte) (*Model, error) {
	once := func(re *regexp.Regexp, to string) {
		if at := re.FindIndex(header); at != nil {
			header = slices.Concat(header[:at[0]], []byte(to), header[at[1]:])
		}
	}
	once(bytesOfArrays, fmt.Sprintf(`"bytes":%d`, len(blob)))
	once(sumOfArrays, fmt.Sprintf(`"sha256":"%x"`, sha256.Sum256(blob)))
	header = append(bytes.ReplaceAll(header, []byte("\n"), []byte(" ")), '\n')
	return read(version, fmt.Sprintf("%x", sha256.Sum256(header)), slices.Concat(header, blob))
}

// samples are a few small models of different kinds, as headers and arrays.
var samples = sync.OnceValue(func() (all [][2][]byte) {
	add := func(train *dataset.Set, reg *regularizer.Regularizer, change func(*Options)) {
		o := wholeOptions(setting.Embed, 1e-3)
		o.Witnesses = true
		change(&o)
		out, err := Fit(context.Background(), train, reg, o)
		if err != nil {
			panic(err)
		}
		out.Model.About = About{Preparation: preparationOf(train), Spec: []byte("spec"), Program: "sipc"}
		var file bytes.Buffer
		if err := out.Model.Write(&file); err != nil {
			panic(err)
		}
		parts := bytes.SplitN(file.Bytes(), []byte("\n"), 3)
		all = append(all, [2][]byte{parts[1], parts[2]})
	}
	const rows = 8
	add(labelled(rows, taxonomyLabels), implying(rows), func(*Options) {})
	add(labelled(rows, 3), rules(rows), func(o *Options) { o.Closure = []regularizer.Implication{{If: 1, Then: 0}} })
	add(labelled(rows, 3), rules(rows), func(o *Options) { o.Method, o.Learner.Kind = setting.Risk, setting.Softmax })
	add(labelled(rows, 3), rules(rows), func(o *Options) { o.Method, o.Learner.Kind = setting.Dual, setting.SVM })
	fourier := setting.Features{Kind: setting.Fourier, Count: 5}
	add(labelled(rows, 2), &regularizer.Regularizer{}, func(o *Options) { o.Method, o.Features = setting.Plain, fourier })
	add(labelled(rows, 2), &regularizer.Regularizer{}, func(o *Options) { o.Method, o.Kernel = setting.Plain, columnKernel() })
	m := newMixing(rows, 4)
	add(m.train, m.at([]float64{0, 0.5, 1}), func(o *Options) { o.Ground, o.Learner.Kind = m.ground, setting.Ridge })
	for i, k := range []setting.Kernel{pairwiseOf(2, 0.7), {Kind: setting.Gaussian, Width: 1}, pairwiseOf(2, 1)} {
		add(steps(rows, 2), &regularizer.Regularizer{}, func(o *Options) {
			o.Method, o.Kernel, o.Learner, o.Witnesses = setting.Risk, k, setting.Learner{Kind: setting.Ridge, Strength: 1}, i == 2
			o.Require = func(context.Context) ([]statement.Statement, error) { return risingAndBounded(2), nil }
		})
	}
	return all
})

// risingAndBounded are statements about f(x) on [−1, 1]ᵖ: it rises in the first column, and is at most 2.
func risingAndBounded(p int) []statement.Statement {
	return []statement.Statement{
		{Name: "rising", Terms: []statement.Term{{Coef: 1, Derive: []int{0}}}, Region: boxOf(p)},
		{Name: "bounded", Terms: []statement.Term{{Coef: -1}}, Constant: 2, Region: boxOf(p)},
	}
}

// columnKernel is a pairwise kernel of the three columns of labelled rows, with all that a file says of one.
func columnKernel() setting.Kernel {
	return setting.Kernel{Kind: setting.Pairwise, Pairs: [][2]int{{0, 1}}, Components: []setting.Component{
		{Name: "age", Columns: []int{0, 2}, Base: setting.Base{Kind: setting.Periodic, Width: 1, Period: 4, Linear: 0.5}},
		{Name: "town", Columns: []int{1}, Base: setting.Base{Kind: setting.Category}},
	}}
}

// Components that make no kernel of the model's columns are refused.
func TestCraftedComponentsAreRefused(t *testing.T) {
	sample := samples()[5]
	for name, tt := range map[string]struct {
		change func(k *setting.Kernel)
		want   string
	}{
		"column beyond":    {func(k *setting.Kernel) { k.Components[1].Columns = []int{3} }, "no component has column 1 of 3"},
		"column huge":      {func(k *setting.Kernel) { k.Components[1].Columns = []int{1 << 60} }, "no component has column 1 of 3"},
		"column negative":  {func(k *setting.Kernel) { k.Components[1].Columns = []int{-1} }, "column -1 is negative"},
		"column twice":     {func(k *setting.Kernel) { k.Components[1].Columns = []int{0} }, "or another component's"},
		"columns too many": {func(k *setting.Kernel) { k.Components[1].Columns = []int{1, 3} }, "a kernel of 4 columns, want 3"},
		"columns too few":  {func(k *setting.Kernel) { k.Components[0].Columns = []int{0} }, "a kernel of 2 columns, want 3"},
		"no columns":       {func(k *setting.Kernel) { k.Components[0].Columns = nil }, "it has no columns"},
		"no components":    {func(k *setting.Kernel) { k.Components = nil }, "its columns are not known"},
		"width 0":          {func(k *setting.Kernel) { k.Components[0].Width = 0 }, "width is 0"},
		"period negative":  {func(k *setting.Kernel) { k.Components[0].Period = -1 }, "period is -1"},
		"linear negative":  {func(k *setting.Kernel) { k.Components[0].Linear = -1 }, "the weight -1"},
		"kind weird":       {func(k *setting.Kernel) { k.Components[0].Kind = "weird" }, `kernel "weird" is unknown`},
		"kind of rows":     {func(k *setting.Kernel) { k.Components[0].Kind = setting.Pairwise }, "is no kernel of a single column"},
		"pair beyond":      {func(k *setting.Kernel) { k.Pairs = [][2]int{{0, 2}} }, "is out of range"},
		"pair twice":       {func(k *setting.Kernel) { k.Pairs = [][2]int{{0, 1}, {0, 1}} }, "out of order"},
		"additive":         {func(k *setting.Kernel) { k.Kind = setting.Additive }, "it has pairs"},
	} {
		c, err := readHeader(version, append(sample[0], '\n'))
		if err != nil {
			t.Fatal(err)
		}
		if err := readArrays(c.slots(), sample[1]); err != nil {
			t.Fatal(err)
		}
		tt.change(&c.Features.Kernel)
		header, blob := craft(t, c)
		if _, err := readRefitted(header, blob); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, err, tt.want)
		}
	}
}

// apply applies a model to rows as a file would have them. It only must not panic.
func apply(t *testing.T, m *Model) {
	t.Helper()
	m.Represent.MaxIterations = 5
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(2, len(m.About.Preparation.Columns()), nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	scores, _, err := m.Scores(t.Context(), x, nil, nil)
	if err == nil {
		Probabilities(m, scores)
	}
	if m.Witnesses != nil {
		_ = m.Witnesses.Text()
	}
	if found, err := Prove(t.Context(), m, m.Requirements, 50, nil); err == nil {
		for i := range found {
			checkProved(t, m, &found[i])
		}
	}
}

// checkProved looks at random points of the region of a statement that is said to be proved. Predictions keep it there, but for rounding.
func checkProved(t *testing.T, m *Model, r *Requirement) {
	t.Helper()
	s := &r.Statement
	if r.Verdict.Answer != proof.Proved {
		return
	}
	f := embed.Sums(m.Represent.Features, m.Coefficients)
	exact, err := functionOf(m.Represent, m.Coefficients, m.Fit.Bias)
	if err != nil {
		t.Fatal(err)
	}
	// Slopes of what predicts lose digits where widths are tiny. Enclosures of the exact function know what they lose.
	coefficients := mat.Norm(m.Coefficients, 1)
	rng := rand.New(rand.NewPCG(3, 4))
	x, moved := mat.NewDense(1, len(m.About.Preparation.Columns()), nil), mat.NewDense(1, len(m.About.Preparation.Columns()), nil)
	for range 50 {
		for i := range s.Region {
			drawSide(rng, &s.Region[i], x.RawRowView(0))
		}
		if _, high, err := exact.Enclose(s, x.RawRowView(0)); err != nil || high < r.Verdict.Margin {
			t.Fatalf("%s is proved by %v, and the exact function is below %v at %v: %v", s.Name, r.Verdict.Margin, high, x.RawRowView(0), err)
		}
		g, size := s.Constant, math.Abs(s.Constant)
		for k := range s.Terms {
			term := &s.Terms[k]
			term.At(moved.RawRowView(0), x.RawRowView(0))
			out := mat.NewDense(1, m.Represent.Labels, nil)
			partials(out, f, moved, term.Derive)
			v := out.At(0, term.Label)
			if len(term.Derive) == 0 {
				v += m.Fit.Bias[term.Label]
			}
			g, size = g+term.Coef*v, size+math.Abs(term.Coef)*(math.Abs(v)+1)
		}
		if g < -1e-6*size-1e-5*coefficients {
			t.Fatalf("%s is proved by %v, and is %v at %v", s.Name, r.Verdict.Margin, g, x.RawRowView(0))
		}
	}
}

// drawSide sets the columns of a side to a point of it.
func drawSide(rng *rand.Rand, s *statement.Side, x []float64) {
	n := len(s.Points)
	if s.Moves() && (n == 0 || rng.IntN(2) == 0) {
		for _, c := range s.Columns[1:] {
			x[c] = 0
		}
		x[s.Columns[0]] = s.Low + rng.Float64()*(s.High-s.Low)
		return
	}
	for k, v := range s.Points[rng.IntN(n)] {
		x[s.Columns[k]] = v
	}
}

// A model file with requirements reads back as it was, and its statements are proved again from the coefficients. What a file says of
// verdicts has no part in that: coefficients that break a statement refute it.
func TestVerdictsFollowFromCoefficients(t *testing.T) {
	for _, sample := range samples()[7:] {
		m, err := readRefitted(sample[0], sample[1])
		if err != nil {
			t.Fatal(err)
		}
		found, err := Prove(t.Context(), m, m.Requirements, 0, nil)
		if err != nil || len(found) != 2 {
			t.Fatalf("%v: %d statements", err, len(found))
		}
		for i := range found {
			if found[i].Verdict.Answer != proof.Proved || m.Requirements[i].Verdict.Answer != proof.Proved {
				t.Errorf("%s is %v, and the file says %v", found[i].Statement.Name, found[i].Verdict.Answer, m.Requirements[i].Verdict.Answer)
			}
			checkProved(t, m, &found[i])
		}
		m.Coefficients.Scale(-1, m.Coefficients)
		if found, err = Prove(t.Context(), m, m.Requirements, 0, nil); err != nil || found[0].Verdict.Answer != proof.Refuted {
			t.Errorf("%v: the falling function is %v", err, found[0].Verdict.Answer)
		}
		m.Coefficients = nil // those of the weights count then
		if found, err = Prove(t.Context(), m, m.Requirements, 0, nil); err != nil || found[0].Verdict.Answer != proof.Proved {
			t.Errorf("%v: the function of the weights is %v", err, found[0].Verdict.Answer)
		}
	}
}

// Faults of a hostile author, whose checksums fit, are refused with the place.
func TestCraftedModelsAreRefused(t *testing.T) {
	floats := func(a *array, v float64) { a.floats = slices.Clone(a.floats); a.floats[len(a.floats)/2] = v }
	for name, tt := range map[string]struct {
		change func(*content)
		want   string
	}{
		"bias missing":            {func(c *content) { c.Fit.Bias = nil }, "0 biases, want 10"},
		"labels too many":         {func(c *content) { c.Labels = 1 << 40 }, "labels is 1099511627776, and the target has 10"},
		"method weird":            {func(c *content) { c.Method = "weird" }, `method "weird" is none of`},
		"kernel weird":            {func(c *content) { c.Features.Kernel.Kind = "weird" }, `kernel "weird" is unknown`},
		"kernel NaN":              {func(c *content) { c.Features.Kernel.Width = -1 }, "width is -1"},
		"features weird":          {func(c *content) { c.Features.Kind = "weird" }, `kind "weird" is none of`},
		"features huge":           {func(c *content) { c.Features.Kind, c.Features.Columns, c.Features.Bits = setting.Hashing, 3, 62 }, "62 bits"},
		"task weird":              {func(c *content) { c.Preparation.Target.Task = "weird" }, `the task "weird" is none of`},
		"task other":              {func(c *content) { c.Fit.Task = setting.Class }, "the task is"},
		"learner weird":           {func(c *content) { c.Fit.Learner.Kind = "weird" }, `no learner "weird"`},
		"operator label":          {func(c *content) { c.Norm.ColumnLabel = intsOf([]int32{99}) }, "labels of 1 columns"},
		"operator labels":         {func(c *content) { last(c.Norm.ColumnLabel, 10) }, "is of label 10"},
		"operator column":         {func(c *content) { last(c.Norm.At, 1<<20) }, "is in column 1048576"},
		"operator start":          {func(c *content) { last(c.Norm.Start, 1<<20) }, "starts run from 0 to 1048576"},
		"operator nil":            {func(c *content) { *c.Norm = norm{Gauge: c.Norm.Gauge} }, "0 functionals with 0 starts"},
		"norm nil":                {func(c *content) { c.Norm = nil }, "weights are 1×"},
		"gauge nil":               {func(c *content) { c.Norm.Gauge = nil }, "a node is missing"},
		"gauge weird":             {func(c *content) { c.Norm.Gauge.Op = "weird" }, `"weird" is none of`},
		"gauge huge":              {func(c *content) { c.Norm.Gauge.Children[0].Children[0].Repeat = 1 << 50 }, "more than 2147483647 leaves"},
		"gauge larger":            {func(c *content) { c.Norm.Gauge.Children[0].Children[0].Repeat++ }, "a gauge of 64 functionals, and there are 56"},
		"preparation missing":     {func(c *content) { c.Preparation = nil }, "preparation is missing"},
		"no features":             {func(c *content) { c.Preparation.Features = nil }, "there are no features"},
		"one feature":             {func(c *content) { c.Preparation.Features = c.Preparation.Features[:1] }, "landmarks of 3 columns, want 1"},
		"no labels":               {func(c *content) { c.Preparation.Target.LabelNames = nil }, "0 names of 10 labels"},
		"image of another size":   {func(c *content) { c.Preparation.Height, c.Preparation.Width = 1<<32, 1<<32 }, "images of"},
		"scale 0":                 {func(c *content) { c.Preparation.Features[0].Scale = 0 }, "the scale 0"},
		"missing weird":           {func(c *content) { c.Preparation.Missing = "weird" }, `missing "weird" is none of`},
		"weights 1×1":             {func(c *content) { c.Fit.Weights = oneByOne() }, "weights are 1×1"},
		"weights NaN":             {func(c *content) { floats(c.Fit.Weights, math.NaN()) }, "fit.weights: number 41 of 80 is NaN"},
		"bias infinite":           {func(c *content) { floats(c.Fit.Bias, math.Inf(1)) }, "fit.bias: number 6 of 10 is +Inf"},
		"landmarks infinite":      {func(c *content) { floats(c.Features.Landmarks, math.Inf(-1)) }, "features.landmarks: number"},
		"rule of other labels":    {func(c *content) { c.Closure = []regularizer.Implication{{If: 0, Then: 10}} }, "an implication between labels"},
		"interval of many nodes":  {func(c *content) { c.Interval.Nodes = 1 << 30 }, "1073741824 nodes"},
		"between weird":           {func(c *content) { c.Interval.Between = "weird" }, `"weird"`},
		"nearness of nothing":     {func(c *content) { c.Nearness.Center = oneByOne() }, "a center of 1×1"},
		"schema weird":            {func(c *content) { c.Schema = "weird" }, `schema "weird"`},
		"version":                 {func(c *content) { c.Version++ }, fmt.Sprint("version ", version+1)},
		"everywhere too short":    {func(c *content) { c.Everywhere = nil }, "everywhere speaks of 0"},
		"reach of too few labels": {func(c *content) { c.Norm.Reach = listsOf([][]int32{{0}}) }, "at labels that it does not have"},
		"reach nowhere":           {func(c *content) { c.Norm.Reach = &lists{} }, "at labels that it does not have"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := readHeader(version, append(samples()[0][0], '\n'))
			if err != nil {
				t.Fatal(err)
			}
			if err := readArrays(c.slots(), samples()[0][1]); err != nil {
				t.Fatal(err)
			}
			tt.change(c)
			header, blob := craft(t, c)
			if _, err := readRefitted(header, blob); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// oneByOne returns a matrix of one number.
func oneByOne() *array { return denseOf(mat.NewDense(1, 1, []float64{1})) }

// last sets the last index of an array.
func last(a *array, to int32) { a.ints[len(a.ints)-1] = to }

// craft returns the header and the arrays of a model that nobody checked.
func craft(t *testing.T, c *content) (header, blob []byte) {
	t.Helper()
	slots := c.slots()
	lay(slots)
	for _, s := range slots {
		if s.array != nil {
			for _, v := range s.floats {
				blob = binary.LittleEndian.AppendUint64(blob, math.Float64bits(v))
			}
			for _, v := range s.ints {
				blob = binary.LittleEndian.AppendUint32(blob, uint32(v))
			}
		}
	}
	header, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return header, blob
}

// Headers that no writer makes are refused, without memory for what they claim.
func TestCraftedHeadersAreRefused(t *testing.T) {
	for name, tt := range map[string]struct{ old, new, want string }{
		"array of terabytes":    {`"shape":[10]`, `"shape":[4000000000000]`, "numbers are left in the file"},
		"lengths that overflow": {`"shape":[1,80]`, `"shape":[4294967296,4294967297]`, "numbers are left in the file"},
		"length 0":              {`"shape":[10]`, `"shape":[0]`, "its shape is [0]"},
		"negative length":       {`"shape":[10]`, `"shape":[-10]`, "its shape is [-10]"},
		"three lengths":         {`"shape":[10]`, `"shape":[10,1,1]`, "with 3 lengths, want"},
		"type":                  {`"<i4"`, `"<f8"`, `it is of type "<f8"`},
		"no lengths":            {`"shape":[8,3]`, `"shape":[]`, "with 0 lengths, want"},
		"overlap":               {`"<f8","offset":0`, `"<f8","offset":8`, "it begins at byte 8, want 0"},
		"negative offset":       {`"<f8","offset":0`, `"<f8","offset":-8`, "it begins at byte -8, want 0"},
		"unknown field":         {`{"schema"`, `{"hook":1,"schema"`, `unknown field "hook"`},
		"no number":             {`"scale":`, `"scale":1e999,"scale":`, "cannot unmarshal"},
		"more":                  {`{"schema"`, `{} {"schema"`, "something follows"},
		"nothing":               {`{"schema"`, `null {"schema"`, "something follows"},
	} {
		t.Run(name, func(t *testing.T) {
			header := string(samples()[0][0])
			if !strings.Contains(header, tt.old) {
				t.Fatalf("no %s in %.2000s", tt.old, header)
			}
			_, err := readRefitted([]byte(strings.Replace(header, tt.old, tt.new, 1)), samples()[0][1])
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// Every model that is written can be read, and is written the same.
func TestModelsAreReadAsTheyAreWritten(t *testing.T) {
	for i, s := range samples() {
		m, err := readRefitted(s[0], s[1])
		if err != nil {
			t.Fatal(i, err)
		}
		written(t, m)
		apply(t, m)
	}
}

// Finite weights may still make scores that are not.
func TestScoresThatOverflowAreRefused(t *testing.T) {
	c, err := readHeader(version, append(samples()[4][0], '\n'))
	if err != nil {
		t.Fatal(err)
	}
	if err := readArrays(c.slots(), samples()[4][1]); err != nil {
		t.Fatal(err)
	}
	for i := range c.Fit.Weights.floats {
		c.Fit.Weights.floats[i] = math.MaxFloat64
	}
	m, err := readRefitted(craft(t, c))
	if err != nil {
		t.Fatal(err)
	}
	scores, _, err := m.Scores(t.Context(), mat.NewDense(1, 3, nil), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckScores(scores); err == nil || !strings.Contains(err.Error(), "row 1: score 1 of 2 is") {
		t.Errorf("error %v of %v", err, scores)
	}
}

// A mutator changes a model as the bytes of an input say.
type mutator struct{ input []byte }

// next returns the next byte modulo n, 0 at the end of the input.
func (m *mutator) next(n int) int {
	if len(m.input) == 0 {
		return 0
	}
	b := int(m.input[0])
	if m.input = m.input[1:]; n > 256 && len(m.input) > 0 {
		b = b<<8 | int(m.input[0])
		m.input = m.input[1:]
	}
	return b % n
}

// numbers that may be too large, too small, or of another sign.
var numbers = []float64{0, -1, 1, 2, 3, 7, 0.5, -0.5, 10, 1e300, -1e300, 5e-324, 1 << 31, 1 << 40, 1e18, 255}

// value returns a JSON value with one change in it, somewhere.
func (m *mutator) value(v any) any {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if len(keys) == 0 {
			return nil
		}
		key := keys[m.next(len(keys))]
		if m.next(16) == 15 {
			delete(v, key)
		} else {
			v[key] = m.value(v[key])
		}
		return v
	case []any:
		if len(v) == 0 {
			return []any{nil}
		}
		i := m.next(len(v))
		switch m.next(16) {
		case 14:
			return append(v, v[i])
		case 15:
			return slices.Delete(v, i, i+1)
		}
		v[i] = m.value(v[i])
		return v
	case float64:
		return numbers[m.next(len(numbers))]
	case bool:
		return !v
	}
	words := []any{"", "weird", "\x1b[2J", "plain", "embed", "risk", "warp", "fourier", "hashing", "linear", "laplacian", "softmax", "class", "real", "max", "pos", nil}
	return words[m.next(len(words))]
}

// arrays changes some numbers behind the header.
func (m *mutator) arrays(blob []byte) []byte {
	blob = slices.Clone(blob)
	for range m.next(4) {
		at := m.next(1<<16) % max(1, len(blob)/4) * 4
		if m.next(2) == 0 && at+8 <= len(blob) {
			binary.LittleEndian.PutUint64(blob[at:], math.Float64bits(numbers[m.next(len(numbers))]))
		} else if at+4 <= len(blob) {
			binary.LittleEndian.PutUint32(blob[at:], uint32(int32(m.next(300)-20)))
		}
	}
	return blob
}

// FuzzModel changes sound models and makes their digests fit. What is still read can be applied without a panic.
func FuzzModel(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		input := make([]byte, 24)
		for i := range input {
			input[i] = byte(rng.Uint32())
		}
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		m := &mutator{input}
		sample := samples()[m.next(len(samples()))]
		var header any
		if err := json.Unmarshal(sample[0], &header); err != nil {
			t.Fatal(err)
		}
		blob := sample[1]
		if m.next(2) == 0 {
			blob = m.arrays(blob)
		}
		for range m.next(4) {
			header = m.value(header)
		}
		text, err := json.Marshal(header)
		if err != nil {
			t.Fatal(err)
		}
		if model, err := readRefitted(text, blob); err == nil {
			apply(t, model)
		}
	})
}
