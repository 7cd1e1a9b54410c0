package portable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/onnx"
)

// A RefusedError says why a model has no graph.
type RefusedError struct{ Why, Mend string }

// Error says why, and what to do about it.
func (e *RefusedError) Error() string { return e.Why + "; " + e.Mend }

// An Inputs says how a graph takes the columns of a row.
type Inputs string

// The ways to take columns.
const (
	// Columns are a tensor rows×1 for each column, called as the column is.
	Columns Inputs = "columns"
	// Matrix is one tensor x, rows×columns, in the order of the training file.
	Matrix Inputs = "matrix"
)

// Options say how a model is written. The zero value takes a matrix where all columns are numbers, and else a tensor for each column.
type Options struct{ Inputs Inputs }

// A builder holds a graph while it is built.
type builder struct {
	g       *onnx.Graph
	m       *model.Model
	p       *dataset.Preparation
	inputs  Inputs
	refused []onnx.Value // booleans rows×any: what stands in a row that is refused
	columns map[int]onnx.Value
}

// rows is the axis that all inputs and outputs have first.
var rows = onnx.Any("rows")

// Export returns the graph of a model, with what is known of it. It returns a *RefusedError if there is none.
func Export(ctx context.Context, m *model.Model, o Options) (*onnx.Model, error) {
	weights, err := model.Linear(ctx, m)
	if err != nil {
		if why := (*model.NotLinearError)(nil); errors.As(err, &why) {
			return nil, &RefusedError{why.Error(), "take method warp, risk, dual or plain"}
		}
		return nil, err
	}
	b := &builder{g: onnx.NewGraph("sipc"), m: m, p: m.About.Preparation, inputs: o.Inputs, columns: map[int]onnx.Value{}}
	x, err := b.prepare()
	if err == nil {
		err = b.predict(x, weights)
	}
	if why := (*onnx.NameError)(nil); errors.As(err, &why) {
		return nil, &RefusedError{why.Error() + ", as a column and an output share the name", "rename the column"}
	}
	if err != nil {
		return nil, err
	}
	metadata, err := entries(m)
	if err != nil {
		return nil, err
	}
	return &onnx.Model{
		Graph: b.g, Producer: "sipc", ProducerVersion: m.About.Program, Domain: "com.github.sipc-ml.sipc", Doc: about(b.p), Metadata: metadata,
	}, nil
}

// predict adds the scores of prepared rows and what they decide.
func (b *builder) predict(x onnx.Value, weights *mat.Dense) error {
	scores, err := b.scores(x, weights)
	if err != nil {
		return err
	}
	return b.decide(b.closed(b.logOdds(scores)))
}

// entries returns what is known of a model, by name.
func entries(m *model.Model) ([]onnx.Entry, error) {
	target := &m.About.Preparation.Target
	proved, err := json.Marshal(promises(m))
	if err != nil {
		return nil, err
	}
	labels, err := json.Marshal(target.LabelNames)
	if err != nil {
		return nil, err
	}
	return []onnx.Entry{
		{Key: "sipc.task", Value: string(m.Fit.Task)},
		{Key: "sipc.method", Value: string(m.Represent.Method)},
		{Key: "sipc.labels", Value: string(labels)},
		{Key: "sipc.program", Value: m.About.Program},
		{Key: "sipc.seed", Value: strconv.FormatUint(m.About.Seed, 10)},
		{Key: "sipc.model_sha256", Value: m.SHA256},
		{Key: "sipc.spec_sha256", Value: m.About.SpecSHA256},
		{Key: "sipc.data_sha256", Value: m.About.DataSHA256},
		{Key: "sipc.spec", Value: string(m.About.Spec)},
		{Key: "sipc.statements", Value: string(proved)},
	}, nil
}

// A promise is a statement that the model was fitted to keep, with what was found of it.
type promise struct {
	Name   string `json:"name"`
	Answer string `json:"answer"`
	// Margin is the least that is proved of the statement's left side, less its bound.
	Margin float64 `json:"margin"`
}

// promises returns the statements of a model.
func promises(m *model.Model) []promise {
	out := []promise{}
	for i := range m.Requirements {
		r := &m.Requirements[i]
		out = append(out, promise{r.Statement.Name, r.Verdict.Answer.String(), r.Verdict.Margin})
	}
	return out
}

// about says what the graph makes of rows.
func about(p *dataset.Preparation) string {
	return fmt.Sprintf("A model of %d columns. Gaps are NaN in numbers and empty texts. A row that sipc predict refuses has scores NaN, "+
		"an empty label, or -1 for labels of which several may hold.", len(p.Features))
}
