package sipc

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Predictions are what a model says of rows.
type Predictions struct {
	ID     []string // of each row: the value of the column id, else its number in the file, from 1
	Task   setting.Task
	Labels []string   // names of the classes or labels; of a binary target two
	Scores *mat.Dense // n×m, m = 1 for a binary or real target
	// Probabilities are those that the learner gives, nil where it gives none: of classes, or of each label by itself.
	Probabilities *mat.Dense
	Decided       *learn.Prediction
	// Standing says what is known of each row by the verdicts of the model file; nil where the model keeps nothing.
	Standing []Standing
	// Radii are distances in prepared units within which no point is decided otherwise; nil where nobody asked.
	Radii []float64
	// Truth is the target as the file has it, a column for each label of a multilabel one; nil where the file has none.
	Truth [][]string
}

// newPredictions returns what a model says of rows with such scores, without their standing.
func newPredictions(m *model.Model, s *dataset.Set, scores *mat.Dense) *Predictions {
	return &Predictions{
		ID: dataset.AllIDs(s), Task: m.Fit.Task, Labels: m.About.Preparation.Target.LabelNames, Scores: scores,
		Probabilities: model.Probabilities(m, scores), Decided: learn.Decide(m.Fit.Task, scores), Truth: truthOf(s),
	}
}

// truthOf returns the target of each row, in words; empty ones of a row without a target. Of several labels each is empty that the row does not
// tell.
func truthOf(s *dataset.Set) [][]string {
	if !s.HasTarget {
		return nil
	}
	out := make([][]string, s.Len())
	told := toldLabels(s)
	for i := range out {
		switch {
		case s.Lacks(i) && s.Task == setting.Multilabel:
			out[i] = told(i)
		case s.Lacks(i):
			out[i] = []string{""}
		case s.Task.Numbers():
			out[i] = []string{number(s.Real[i])}
		case s.Task == setting.Multilabel:
			out[i] = appendNumbers(nil, s.Multi.RawRowView(i))
		default:
			out[i] = []string{dataset.ClassName(s, i)}
		}
	}
	return out
}

// toldLabels returns the labels of a row of a multilabel target as the file has them, in words. Labels that are no columns are empty.
func toldLabels(s *dataset.Set) func(row int) []string {
	columns := map[int]dataset.Raw{}
	if s.Task == setting.Multilabel && len(s.Lacking) > 0 {
		for k, label := range s.LabelNames {
			if raw, ok := s.Column(label); ok {
				columns[k] = raw
			}
		}
	}
	return func(row int) []string {
		out := make([]string, len(s.LabelNames))
		for k, raw := range columns {
			switch {
			case raw.Texts != nil:
				out[k] = map[string]string{"true": "1", "false": "0"}[strings.ToLower(raw.Texts[row])]
			case !math.IsNaN(raw.Numbers[row]):
				out[k] = number(raw.Numbers[row])
			}
		}
		return out
	}
}

// header names the columns, the radius last.
func (p *Predictions) header() []string {
	h := p.decidedHeader()
	if p.Standing != nil {
		h = append(h, "proved")
	}
	if p.Radii != nil {
		h = append(h, "radius")
	}
	return h
}

// decidedHeader names id, truth where it is known, prediction (of both one column for each label), then the scores.
func (p *Predictions) decidedHeader() []string {
	h := []string{"id"}
	switch {
	case p.Truth != nil && p.Task == setting.Multilabel:
		for _, l := range p.Labels {
			h = append(h, "truth:"+l)
		}
	case p.Truth != nil:
		h = append(h, "truth")
	}
	switch p.Task {
	case setting.Real:
		return append(h, "prediction")
	case setting.Counts:
		return append(h, "prediction", "score")
	case setting.Quantiles:
		for _, l := range p.Labels {
			h = append(h, "quantile:"+l)
		}
		return h
	case setting.Binary:
		h = append(h, "prediction", "score")
		if p.Probabilities != nil {
			h = append(h, "probability:"+p.Labels[1])
		}
		return h
	case setting.Class:
		return p.scoreHeader(append(h, "prediction"))
	case setting.Multilabel:
	}
	return p.scoreHeader(append(h, p.Labels...))
}

func (p *Predictions) scoreHeader(h []string) []string {
	for _, l := range p.Labels {
		h = append(h, "score:"+l)
	}
	if p.Probabilities != nil {
		for _, l := range p.Labels {
			h = append(h, "probability:"+l)
		}
	}
	return h
}

// line returns row i for CSV. Numbers are written so that they read back exactly.
func (p *Predictions) line(i int) []string {
	out := p.decidedLine(i)
	if p.Standing != nil {
		out = append(out, map[bool]string{true: "yes", false: "no"}[p.Standing[i] == Kept])
	}
	if p.Radii != nil {
		out = append(out, number(p.Radii[i]))
	}
	return out
}

// decidedLine returns what decidedHeader names.
func (p *Predictions) decidedLine(i int) []string {
	out := []string{p.ID[i]}
	if p.Truth != nil {
		out = append(out, p.Truth[i]...)
	}
	switch p.Task {
	case setting.Real:
		return append(out, number(p.Decided.Real[i]))
	case setting.Counts:
		return append(out, number(p.Decided.Real[i]), number(p.Scores.At(i, 0)))
	case setting.Quantiles:
		return appendNumbers(out, p.Scores.RawRowView(i))
	case setting.Binary:
		out = append(out, p.Labels[p.Decided.Class[i]], number(p.Scores.At(i, 0)))
		if p.Probabilities != nil {
			out = append(out, number(p.Probabilities.At(i, 1)))
		}
		return out
	case setting.Class:
		out = append(out, p.Labels[p.Decided.Class[i]])
	case setting.Multilabel:
		out = appendNumbers(out, p.Decided.Multi.RawRowView(i))
	}
	out = appendNumbers(out, p.Scores.RawRowView(i))
	if p.Probabilities != nil {
		out = appendNumbers(out, p.Probabilities.RawRowView(i))
	}
	return out
}

func appendNumbers(out []string, row []float64) []string {
	for _, v := range row {
		out = append(out, number(v))
	}
	return out
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
