package portable

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/onnx"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// matrixName is the name of the one tensor of numbers.
const matrixName = "x"

// prepare adds the inputs, and returns the prepared rows that the preparation makes of them.
func (b *builder) prepare() (onnx.Value, error) {
	if err := b.takes(); err != nil {
		return "", err
	}
	numbers, texts, err := b.read()
	if err != nil {
		return "", err
	}
	var parts []onnx.Value // of prepared columns, numbers first, then texts, then masks
	var at []int           // of each, the prepared column
	position := 0
	var ofTexts []int
	for i := range b.p.Features {
		f := &b.p.Features[i]
		if !f.Text {
			at = append(at, position)
			position++
			continue
		}
		for range f.Categories {
			ofTexts = append(ofTexts, position)
			position++
		}
	}
	at = append(at, ofTexts...)
	if numbers != "" {
		parts = append(parts, b.scaled(numbers))
	}
	for i := range b.p.Features {
		if f := &b.p.Features[i]; f.Text {
			parts = append(parts, b.categories(f, texts[f.Name]))
		}
	}
	if masks := b.masks(numbers); masks != "" {
		parts = append(parts, masks)
	}
	x := joined(b.g, parts)
	if !slices.IsSorted(at) {
		x = b.g.OpWith("Gather", []onnx.Attribute{onnx.Number("axis", 1)}, x, b.g.Ints(b.order(at)...))
	}
	if b.p.Normalize {
		x = normalized(b.g, x)
	}
	return x, nil
}

// order returns where each prepared column stands, masks behind all others, given the columns of the parts before them.
func (b *builder) order(at []int) []int {
	out := make([]int, len(b.p.Columns()))
	for i := range out {
		out[i] = i
	}
	for from, to := range at {
		out[to] = from
	}
	return out
}

// takes refuses what a graph of these operators cannot do, and settles how columns are taken.
func (b *builder) takes() error {
	texts := ""
	for i := range b.p.Features {
		f := &b.p.Features[i]
		switch {
		case f.Weights != nil:
			return &RefusedError{
				fmt.Sprintf("column %q is read as words of texts, and no operator of ONNX takes texts apart at all but letters and digits", f.Name),
				"leave the column out, or let a program before the model make numbers of its words",
			}
		case f.Text:
			texts = f.Name
		}
	}
	switch b.p.Missing {
	case setting.MissingError, setting.MissingMean, setting.MissingMask, setting.MissingDrop, setting.MissingMedian, setting.MissingMaskMedian, setting.MissingMaskFrequent:
	default:
		return &RefusedError{fmt.Sprintf("gaps get %q, for which there is no graph", b.p.Missing), "take `missing mean` or `missing mask`"}
	}
	switch {
	case b.inputs == Matrix && texts != "":
		return &RefusedError{fmt.Sprintf("column %q holds texts, and a matrix of numbers has none", texts), "take a tensor for each column: --inputs columns"}
	case b.inputs == "" && texts == "":
		b.inputs = Matrix
	case b.inputs == "":
		b.inputs = Columns
	}
	return nil
}

// read adds the inputs. It returns the numbers of a row side by side, empty if there are none, and the texts by the names of their columns.
func (b *builder) read() (numbers onnx.Value, texts map[string]onnx.Value, err error) {
	texts = map[string]onnx.Value{}
	if b.inputs == Matrix {
		numbers, err = b.g.Input(matrixName, onnx.Double, rows, onnx.Of(len(b.p.Features)))
		return numbers, texts, err
	}
	var each []onnx.Value
	for i := range b.p.Features {
		f := &b.p.Features[i]
		kind := onnx.Double
		if f.Text {
			kind = onnx.String
		}
		v, err := b.g.Input(f.Name, kind, rows, onnx.Of(1))
		if err != nil {
			return "", nil, err
		}
		if f.Text {
			texts[f.Name] = v
		} else {
			each = append(each, v)
		}
	}
	return joined(b.g, each), texts, nil
}

// joined returns matrices side by side, empty if there are none.
func joined(g *onnx.Graph, parts []onnx.Value) onnx.Value {
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	return g.OpWith("Concat", []onnx.Attribute{onnx.Number("axis", 1)}, parts...)
}

// numeric returns the features that are numbers.
func (b *builder) numeric() (out []*dataset.Feature) {
	for i := range b.p.Features {
		if f := &b.p.Features[i]; !f.Text {
			out = append(out, f)
		}
	}
	return out
}

// perNumber returns a constant row with a number for each feature that is a number.
func (b *builder) perNumber(of func(f *dataset.Feature) float64) onnx.Value {
	var v []float64
	for _, f := range b.numeric() {
		v = append(v, of(f))
	}
	return b.g.Doubles(v, 1, len(v))
}

// scaled returns the prepared numbers of raw ones: gaps filled, numbers outside clipped where the spec asks for it.
func (b *builder) scaled(raw onnx.Value) onnx.Value {
	g := b.g
	b.refused = append(b.refused, g.Op("Greater", g.Op("Abs", raw), g.Double(limits.LargestNumber)))
	v := raw
	if codes := b.coded(raw); codes != "" {
		v = g.Op("Where", codes, g.Double(math.NaN()), raw)
	}
	gap := g.Op("IsNaN", v)
	if b.p.Missing == setting.MissingError || b.p.Missing == setting.MissingDrop {
		b.refused = append(b.refused, gap)
	}
	b.refuseTypes(v)
	low := b.perNumber(func(f *dataset.Feature) float64 { l, _ := dataset.Box(b.p, f); return l })
	high := b.perNumber(func(f *dataset.Feature) float64 { _, h := dataset.Box(b.p, f); return h })
	switch b.p.Outside {
	case setting.OutsideRefuse:
		b.refused = append(b.refused, g.Op("Less", v, low), g.Op("Greater", v, high))
	case setting.OutsideClip: // written so that NaN stays
		v = g.Op("Where", g.Op("Less", v, low), low, g.Op("Where", g.Op("Greater", v, high), high, v))
	case setting.OutsideWarn:
	}
	v = g.Op("Where", gap, b.perNumber(func(f *dataset.Feature) float64 { return f.Fill }), v)
	v = g.Op("Sub", v, b.perNumber(func(f *dataset.Feature) float64 { return f.Offset }))
	return g.Op("Div", v, b.perNumber(func(f *dataset.Feature) float64 { return f.Scale }))
}

// coded returns which numbers are codes of gaps, empty if there are no codes.
func (b *builder) coded(raw onnx.Value) (found onnx.Value) {
	for _, code := range b.p.Gaps {
		is := b.g.Op("Equal", raw, b.g.Double(code))
		if found == "" {
			found = is
		} else {
			found = b.g.Op("Or", found, is)
		}
	}
	return found
}

// masks returns the columns that are 1 at gaps, empty if there are none.
func (b *builder) masks(raw onnx.Value) onnx.Value {
	var of []int
	var plain []bool
	var codes []float64
	for i, f := range b.numeric() {
		if f.Mask {
			of, plain, codes = append(of, i), append(plain, true), append(codes, math.NaN())
		}
		for _, code := range f.Codes {
			of, plain, codes = append(of, i), append(plain, false), append(codes, code)
		}
	}
	if len(of) == 0 {
		return ""
	}
	g := b.g
	v := g.OpWith("Gather", []onnx.Attribute{onnx.Number("axis", 1)}, raw, g.Ints(of...))
	// No number equals NaN, which stands where a gap without a code is looked for.
	gap := g.Op("Or", g.Op("And", g.Op("IsNaN", v), g.Bools(plain, 1, len(plain))), g.Op("Equal", v, g.Doubles(codes, 1, len(codes))))
	return double(b.g, gap)
}

// double returns booleans as 0 and 1.
func double(g *onnx.Graph, v onnx.Value) onnx.Value {
	return g.OpWith("Cast", []onnx.Attribute{onnx.TypeOf("to", onnx.Double)}, v)
}

// refuseTypes refuses numbers that are not what `types` declares of their columns.
func (b *builder) refuseTypes(v onnx.Value) {
	for i, f := range b.numeric() {
		at := slices.IndexFunc(b.p.Types, func(c setting.ColumnType) bool { return c.Column == f.Name })
		if at < 0 {
			continue
		}
		c, g := &b.p.Types[at], b.g
		own := column(b.g, v, i)
		gap := g.Op("IsNaN", own)
		switch {
		case len(c.Values.List) > 0:
			ok := gap
			for _, value := range c.Values.List {
				if number, isNumber := setting.Numeral(value); isNumber {
					ok = g.Op("Or", ok, g.Op("Equal", own, g.Double(number)))
				}
			}
			b.refused = append(b.refused, g.Op("Not", ok))
			continue
		case c.Whole:
			b.refused = append(b.refused, g.Op("Not", g.Op("Or", gap, g.Op("Equal", own, g.Op("Floor", own)))))
		}
		if !math.IsInf(c.Low, 0) && b.p.Outside != setting.OutsideClip {
			b.refused = append(b.refused, g.Op("Less", own, g.Double(c.Low)), g.Op("Greater", own, g.Double(c.High)))
		}
	}
}

// column returns one column of a matrix, rows×1.
func column(g *onnx.Graph, v onnx.Value, at int) onnx.Value {
	return g.OpWith("Gather", []onnx.Attribute{onnx.Number("axis", 1)}, v, g.Ints(at))
}

// categories returns a column for each text of the training rows, 1 where a row has it.
func (b *builder) categories(f *dataset.Feature, text onnx.Value) onnx.Value {
	g := b.g
	among := func(texts []string) onnx.Value { return g.Op("Equal", text, g.Strings(texts, 1, len(texts))) }
	if b.p.Missing == setting.MissingDrop {
		b.refused = append(b.refused, among(gapWords()))
	}
	at := slices.IndexFunc(b.p.Types, func(c setting.ColumnType) bool { return c.Column == f.Name })
	if at >= 0 && len(b.p.Types[at].Values.List) > 0 {
		known := double(b.g, among(append(gapWords(), b.p.Types[at].Values.List...)))
		b.refused = append(b.refused, g.Op("Equal", g.Op("ReduceSum", known, g.Ints(1)), g.Double(0)))
	}
	return double(b.g, among(f.Categories))
}

// gapWords returns the texts that are read as gaps, in capitals and small letters.
func gapWords() []string {
	out := []string{""}
	for _, word := range dataset.GapWords {
		forms := []string{""}
		for _, r := range word {
			var longer []string
			for _, form := range forms {
				longer = append(longer, form+string(r))
				if upper := strings.ToUpper(string(r)); upper != string(r) {
					longer = append(longer, form+upper)
				}
			}
			forms = longer
		}
		out = append(out, forms...)
	}
	return out
}

// normalized returns rows of unit length; rows of zeros stay.
func normalized(g *onnx.Graph, x onnx.Value) onnx.Value {
	most := g.Op("ReduceMax", g.Op("Abs", x), g.Ints(1))
	none := g.Op("Equal", most, g.Double(0))
	scale := g.Op("Where", none, g.Double(1), most)
	part := g.Op("Div", x, scale)
	length := g.Op("Mul", scale, g.Op("Sqrt", g.Op("ReduceSum", g.Op("Mul", part, part), g.Ints(1))))
	return g.Op("Div", x, g.Op("Where", none, g.Double(1), length))
}
