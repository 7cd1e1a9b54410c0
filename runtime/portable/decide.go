package portable

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
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

// closed returns scores that keep the implications of the model as [model.ClosingOf] says.
func (b *builder) closed(scores onnx.Value) onnx.Value {
	switch model.ClosingOf(b.m) {
	case model.Lent:
		most, _ := both(b, scores)
		return most
	case model.Met:
		most, least := both(b, scores)
		return between(b.g, most, least)
	case model.Alone, model.Agreed:
	}
	return scores
}

// agreed returns log odds that keep the implications of the model without a change of signs. Those whose signs contradict an implication are 0.
func agreed(b *builder, odds onnx.Value) onnx.Value {
	if model.ClosingOf(b.m) != model.Agreed {
		return odds
	}
	g := b.g
	most, least := both(b, odds)
	torn := g.Op("And", g.Op("Greater", most, g.Double(0)), g.Op("Not", g.Op("Greater", least, g.Double(0))))
	return g.Op("Where", torn, g.Double(0), between(g, most, least))
}

// between returns the mean of two values.
func between(g *onnx.Graph, u, v onnx.Value) onnx.Value {
	return g.Op("Mul", g.Op("Add", u, v), g.Double(0.5))
}

// both returns for each label the largest score of its own and of those that imply it, directly or through others. It also returns the least
// of its own and of those that it implies.
func both(b *builder, scores onnx.Value) (most, least onnx.Value) {
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
	most = extremes(b.g, "ReduceMax", scores, m, func(y, z int) bool { return below[y][z] })
	least = extremes(b.g, "ReduceMin", scores, m, func(y, z int) bool { return below[z][y] })
	return most, least
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
		scores = agreed(b, b.calibrated(scores))
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
