package portable

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/onnx"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// What outputs are called.
const (
	labelOutput, scoresOutput, probabilitiesOutput = "label", "scores", "probabilities"
	predictionOutput, quantilesOutput              = "prediction", "quantiles"
)

// axis returns an attribute that names an axis.
func axis(n int) []onnx.Attribute { return []onnx.Attribute{onnx.Number("axis", n)} }

// logOdds turns sums of scores over label sets into log odds of labels, where label sets are learnt. It does so with values of f that are calibrated, too. With the shares P of sets and C their labels,
// they are log PC − log P(1 − C).
func (b *builder) logOdds(scores onnx.Value) onnx.Value {
	if b.m.Fit.Odds {
		return b.calibrated(scores)
	}
	sets := b.m.Fit.Sets
	if sets == nil {
		return scores
	}
	with, without := mat.NewDense(len(sets.Each), sets.Labels, nil), mat.NewDense(len(sets.Each), sets.Labels, nil)
	for k, labels := range sets.Each {
		for y := range sets.Labels {
			without.Set(k, y, 1)
		}
		for _, y := range labels {
			with.Set(k, int(y), 1)
			without.Set(k, int(y), 0)
		}
	}
	g := b.g
	share := g.OpWith("Softmax", axis(1), product(b.g, scores, matrix(b.g, with.T())))
	odds := g.Op("Sub", g.Op("Log", product(b.g, share, matrix(b.g, with))), g.Op("Log", product(b.g, share, matrix(b.g, without))))
	return g.Op("Max", g.Op("Min", odds, g.Double(learn.Surest)), g.Double(-learn.Surest))
}

// closed returns scores closed under the implications of the model. A label gets the largest of its own score and of those that imply it, directly
// or through others. A calibrated one gets the mean of that and of the least of its own and of those that it implies.
func (b *builder) closed(scores onnx.Value) onnx.Value {
	if len(b.m.Closure) == 0 {
		return scores
	}
	m := b.m.Represent.Labels
	below := make([][]bool, m) // below[y][z]: z is y, or implies it
	for y := range below {
		below[y] = make([]bool, m)
		below[y][y] = true
	}
	for changed := true; changed; {
		changed = false
		for _, rule := range b.m.Closure {
			for y, is := range below[rule.If] {
				if is && !below[rule.Then][y] {
					below[rule.Then][y], changed = true, true
				}
			}
		}
	}
	most := extremes(b.g, "ReduceMax", scores, m, func(y, z int) bool { return below[y][z] })
	if !b.m.Fit.Odds {
		return most
	}
	least := extremes(b.g, "ReduceMin", scores, m, func(y, z int) bool { return below[z][y] })
	return b.g.Op("Mul", b.g.Op("Add", most, least), b.g.Double(0.5))
}

// extremes returns for each of m labels the largest or the least of the scores that count for it.
func extremes(g *onnx.Graph, operator string, scores onnx.Value, m int, counts func(label, of int) bool) onnx.Value {
	each := make([]onnx.Value, m)
	for y := range each {
		var from []int
		for z := range m {
			if counts(y, z) {
				from = append(from, z)
			}
		}
		each[y] = g.OpWith("Gather", axis(1), scores, g.Ints(from...))
		if len(from) > 1 {
			each[y] = g.Op(operator, each[y], g.Ints(1))
		}
	}
	return joined(g, each)
}

// decide adds the outputs: what scores decide, the scores, and probabilities where the learner gives them.
func (b *builder) decide(scores onnx.Value) error {
	g, m := b.g, b.m.Represent.Labels
	refused := b.anyRefused()
	seen := unless(b.g, refused, scores)
	switch b.m.Fit.Task { //nolint:exhaustive // the others have labels
	case setting.Real:
		return g.Output(predictionOutput, seen, onnx.Double, rows, onnx.Of(1))
	case setting.Counts:
		if err := g.Output(predictionOutput, g.Op("Exp", seen), onnx.Double, rows, onnx.Of(1)); err != nil {
			return err
		}
		return g.Output(scoresOutput, seen, onnx.Double, rows, onnx.Of(1))
	case setting.Quantiles:
		return g.Output(quantilesOutput, seen, onnx.Double, rows, onnx.Of(m))
	}
	if err := b.labels(scores, refused); err != nil {
		return err
	}
	if err := g.Output(scoresOutput, seen, onnx.Double, rows, onnx.Of(m)); err != nil {
		return err
	}
	p := b.probabilities(seen)
	if p == "" {
		return nil
	}
	return g.Output(probabilitiesOutput, p, onnx.Double, rows, onnx.Of(max(m, len(b.p.Target.LabelNames))))
}

// anyRefused returns which rows are refused (rows×1); empty if none can be.
func (b *builder) anyRefused() onnx.Value {
	if len(b.refused) == 0 {
		return ""
	}
	return b.g.Op("Greater", b.g.Op("ReduceSum", double(b.g, joined(b.g, b.refused)), b.g.Ints(1)), b.g.Double(0))
}

// unless returns values, and NaN at rows that are refused.
func unless(g *onnx.Graph, refused, v onnx.Value) onnx.Value {
	if refused == "" {
		return v
	}
	return g.Op("Where", refused, g.Double(math.NaN()), v)
}

// labels adds the output of what is decided. Of one class it is its name, empty at rows that are refused. Of labels it is a number each, 1 for those
// that are decided for, 0 for others, and −1 at rows that are refused.
func (b *builder) labels(scores, refused onnx.Value) error {
	g := b.g
	if b.m.Fit.Task == setting.Multilabel {
		v := g.OpWith("Cast", []onnx.Attribute{onnx.TypeOf("to", onnx.Int64)}, g.Op("Greater", scores, g.Double(0)))
		if refused != "" {
			v = g.Op("Where", refused, g.Ints(-1), v)
		}
		return g.Output(labelOutput, v, onnx.Int64, rows, onnx.Of(b.m.Represent.Labels))
	}
	var at onnx.Value
	if b.m.Fit.Task == setting.Binary {
		above := g.Op("Squeeze", g.Op("Greater", scores, g.Double(0)), g.Ints(1))
		at = g.OpWith("Cast", []onnx.Attribute{onnx.TypeOf("to", onnx.Int64)}, above)
	} else {
		at = g.OpWith("ArgMax", []onnx.Attribute{onnx.Number("axis", 1), onnx.Number("keepdims", 0)}, scores)
	}
	names := b.p.Target.LabelNames
	v := g.OpWith("Gather", axis(0), g.Strings(names, len(names)), at)
	if refused != "" {
		v = g.Op("Where", g.Op("Squeeze", refused, g.Ints(1)), g.Strings([]string{""}), v)
	}
	return g.Output(labelOutput, v, onnx.String, rows)
}

// probabilities returns those that the learner gives, empty if it gives none.
func (b *builder) probabilities(scores onnx.Value) onnx.Value {
	f, g := b.m.Fit, b.g
	if !f.Probabilistic() {
		return ""
	}
	if !f.Odds {
		scores = b.calibrated(scores)
	}
	switch f.Task { //nolint:exhaustive // the others have none
	case setting.Binary:
		return g.Op("Sigmoid", joined(g, []onnx.Value{g.Op("Neg", scores), scores}))
	case setting.Multilabel:
		return g.Op("Sigmoid", scores)
	}
	return g.OpWith("Softmax", axis(1), scores)
}

// calibrated returns the log odds that sigmoids make of values of f, where there are such.
func (b *builder) calibrated(f onnx.Value) onnx.Value {
	if b.m.Fit.Sigmoids == nil {
		return f
	}
	var slopes, offsets []float64
	for _, s := range b.m.Fit.Sigmoids {
		slopes, offsets = append(slopes, s.Slope), append(offsets, s.Offset)
	}
	return b.g.Op("Add", b.g.Op("Mul", f, row(b.g, slopes)), row(b.g, offsets))
}
