package rest

import (
	"slices"
	"strconv"

	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Names of outputs, which are those of ONNX files.
const (
	labelOutput         = "label"
	scoresOutput        = "scores"
	probabilitiesOutput = "probabilities"
	predictionOutput    = "prediction"
	quantilesOutput     = "quantiles"
	provedOutput        = "proved"
)

// Types of tensors that are written.
const (
	fp64Type  = "FP64"
	textType  = "BYTES"
	int64Type = "INT64"
	boolType  = "BOOL"
)

// metadata describe a model as the protocol has it.
type metadata struct {
	Name     string       `json:"name"`
	Versions []string     `json:"versions"`
	Platform string       `json:"platform"`
	Inputs   []tensorType `json:"inputs"`
	Outputs  []tensorType `json:"outputs"`
	// Parameters have the names of classes or labels, in the order of scores, and the task.
	Parameters parameters `json:"parameters"`
}

// parameters say what the protocol has no fields for.
type parameters struct {
	Task   setting.Task `json:"task"`
	Labels []string     `json:"labels,omitempty"`
	Method string       `json:"method"`
}

// A tensorType says what a tensor holds. −1 in its shape stands for any number of rows.
type tensorType struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"`
}

// describe returns the metadata of a model.
func describe(m *model.Model, name, version string) *metadata {
	p := m.About.Preparation
	out := &metadata{
		Name: name, Versions: []string{version}, Platform: "sipc",
		Parameters: parameters{Task: m.Fit.Task, Labels: p.Target.LabelNames, Method: string(m.Represent.Method)},
	}
	for i := range p.Features {
		own := tensorType{Name: p.Features[i].Name, Datatype: fp64Type, Shape: []int{-1}}
		isDate := slices.ContainsFunc(p.Types, func(t setting.ColumnType) bool { return t.Date && t.Column == own.Name })
		if p.Features[i].Text || isDate {
			own.Datatype = textType
		}
		out.Inputs = append(out.Inputs, own)
	}
	n := m.Represent.Labels
	add := func(name, datatype string, width int) {
		out.Outputs = append(out.Outputs, tensorType{name, datatype, []int{-1, width}})
	}
	switch m.Fit.Task {
	case setting.Real:
		add(predictionOutput, fp64Type, 1)
	case setting.Counts:
		add(predictionOutput, fp64Type, 1)
		add(scoresOutput, fp64Type, 1)
	case setting.Quantiles:
		add(quantilesOutput, fp64Type, n)
	case setting.Multilabel:
		add(labelOutput, int64Type, n)
		add(scoresOutput, fp64Type, n)
	case setting.Binary, setting.Class:
		add(labelOutput, textType, 1)
		add(scoresOutput, fp64Type, n)
	}
	if m.Fit.Probabilistic() {
		add(probabilitiesOutput, fp64Type, len(p.Target.LabelNames))
	}
	if len(m.Requirements) > 0 {
		add(provedOutput, boolType, 1)
	}
	return out
}

// wordsOf returns the first texts of the columns of texts that are not false and true.
func wordsOf(m *model.Model) map[string][]string {
	const shown = 2
	out := map[string][]string{}
	for i := range m.About.Preparation.Features {
		f := &m.About.Preparation.Features[i]
		if !f.Text || f.Boolean() {
			continue
		}
		for _, text := range f.Categories[:min(shown, len(f.Categories))] {
			out[f.Name] = append(out[f.Name], strconv.Quote(text))
		}
	}
	return out
}
