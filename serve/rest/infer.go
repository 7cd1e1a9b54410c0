package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A request asks for what the model says of rows.
type request struct {
	ID         string          `json:"id"`
	Parameters json.RawMessage `json:"parameters"`
	Inputs     []input         `json:"inputs"`
	// Outputs are those that are asked for; none stands for all.
	Outputs []struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"outputs"`
}

// A response holds what the model says.
type response struct {
	Model   string `json:"model_name"`
	Version string `json:"model_version"`
	ID      string `json:"id,omitempty"`
	// Parameters have warnings, as of texts that no training row has; absent without any. The protocol has no lists here, so that each is one of
	// its own: warning_1, warning_2 and so on, and warnings is their number.
	Parameters map[string]any `json:"parameters,omitempty"`
	Outputs    []output       `json:"outputs"`

	rows int
}

// An output is a tensor of a response, its data flat, row by row.
type output struct {
	tensorType
	Data any `json:"data"`
}

// rowsName is what messages call the rows of a request.
const rowsName = "the request"

// infer answers a request about rows.
func (s *Server) infer(r *http.Request) (any, error) {
	body, err := read(r)
	if err != nil {
		return nil, err
	}
	// Requests become columns only where a copy is free, so that no more of them take memory at once than there are copies.
	var m *model.Model
	select {
	case m = <-s.copies:
		defer func() { s.copies <- m }()
	case <-r.Context().Done():
		return nil, fmt.Errorf("no copy of the model was free in time: %w", context.Cause(r.Context()))
	}
	q, err := decode(body)
	if err != nil {
		return nil, err
	}
	if err := s.knows(q); err != nil {
		return nil, err
	}
	columns, err := s.columns(r.Context(), q)
	if err != nil {
		return nil, err
	}
	table, err := dataset.FromColumns(rowsName, columns)
	if err != nil {
		return nil, &Fault{http.StatusBadRequest, err.Error()}
	}
	out, err := sipc.PredictTable(r.Context(), m, table, sipc.ApplyOptions{Strict: s.o.Strict})
	if err != nil {
		return nil, faulty(err)
	}
	if n := table.Len() - len(out.Predictions.ID); n > 0 {
		return nil, wrong("%d of %d rows have gaps, and the spec drops such rows by `missing drop`; fill them in, or leave them out", n, table.Len())
	}
	return s.respond(q, m, out), nil
}

// faulty returns an error of the rows as one of the request; others stay what they are.
func faulty(err error) error {
	if e, ok := errors.AsType[*dataset.Error](err); ok {
		return &Fault{http.StatusBadRequest, e.Error()}
	}
	if e, ok := errors.AsType[*limits.MemoryError](err); ok {
		return &Fault{http.StatusRequestEntityTooLarge, e.Error()}
	}
	return err
}

// read returns the body of a request.
func read(r *http.Request) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, &Fault{http.StatusUnsupportedMediaType, fmt.Sprintf("the content is %q; send JSON, and say so: Content-Type: application/json", r.Header.Get("Content-Type"))}
	}
	if r.Header.Get("Inference-Header-Content-Length") != "" {
		return nil, wrong("binary tensors are not served; send the data as JSON")
	}
	body, err := io.ReadAll(r.Body)
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return nil, &Fault{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %s; send fewer rows at once, or start the server with --max-body", limits.Size(large.Limit))}
	}
	if err != nil {
		return nil, wrong("the request was not read to its end: %v", err)
	}
	return body, nil
}

// decode reads a request from its body.
func decode(body []byte) (*request, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	q := new(request)
	if err := d.Decode(q); err != nil {
		return nil, wrong("the request is not one of the protocol: %s; it has the fields inputs, and if need be id, outputs and parameters", plain(err))
	}
	if rest := bytes.TrimSpace(body[d.InputOffset():]); len(rest) > 0 {
		return nil, wrong("the request goes on behind its object")
	}
	if len(q.Inputs) == 0 {
		return nil, wrong("the request has no inputs; send a tensor for each column, or one matrix of all")
	}
	return q, nil
}

// plain returns what is wrong with JSON, without the names of this program.
func plain(err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("%s is of the type %s", cmp.Or(strings.TrimPrefix(e.Field, "request."), "the whole"), e.Value)
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok && strings.Contains(e.Error(), "'N'") {
		return e.Error() + "; write null for a gap, and not NaN"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// knows refuses outputs that the model does not have.
func (s *Server) knows(q *request) error {
	for _, asked := range q.Outputs {
		if !slices.ContainsFunc(s.about.Outputs, func(t tensorType) bool { return t.Name == asked.Name }) {
			var names []string
			for _, t := range s.about.Outputs {
				names = append(names, t.Name)
			}
			return wrong("the model has no output %q; it has %s", asked.Name, strings.Join(names, ", "))
		}
	}
	return nil
}

// columns returns the inputs of a request as columns of a table.
func (s *Server) columns(ctx context.Context, q *request) ([]dataset.Column, error) {
	var out []dataset.Column
	first := 0
	for k := range q.Inputs {
		in := &q.Inputs[k]
		n, width, err := in.rows(s.o.Rows)
		if err != nil {
			return nil, err
		}
		if k == 0 {
			first = n
		}
		if n != first {
			return nil, wrong("input %q has %d rows, and %q has %d", in.Name, n, q.Inputs[0].Name, first)
		}
		known := slices.ContainsFunc(s.about.Inputs, func(t tensorType) bool { return t.Name == in.Name })
		if s.aside[in.Name] && width == 1 { // a column of the training file at which the model does not look
			continue
		}
		matrix := !known && len(q.Inputs) == 1 && len(in.Shape) == 2
		if err := s.takes(in, width, known, matrix); err != nil {
			return nil, err
		}
		c, err := in.read(ctx, n*width)
		switch {
		case err != nil:
			return nil, err
		case matrix:
			return s.apart(c, n), nil
		}
		out = append(out, dataset.Column{Name: in.Name, Numbers: c.numbers, Texts: c.texts})
	}
	return out, nil
}

// takes refuses an input that is neither a column of the model nor a matrix of all of them.
func (s *Server) takes(in *input, width int, known, matrix bool) error {
	switch {
	case known && in.Datatype == boolType && len(s.words[in.Name]) > 0:
		return wrong("input %q is of %s, and the model's column holds texts, as %s; send these as %s", in.Name, boolType, strings.Join(s.words[in.Name], ", "), textType)
	case known && width != 1:
		return wrong("input %q has the shape %v; a column has the shape [rows] or [rows, 1]", in.Name, in.Shape)
	case known:
		return nil
	case !matrix:
		return wrong("the model has no input %q; GET /v2/models/%s lists those that it has", in.Name, s.o.Name)
	case slices.ContainsFunc(s.about.Inputs, func(t tensorType) bool { return t.Datatype == textType }):
		return wrong("input %q is no column of the model, and some of its columns are texts, so that they are no matrix; send a tensor for each column", in.Name)
	case width != len(s.about.Inputs):
		return wrong("the matrix %q has %d columns, and the model %d; GET /v2/models/%s lists them in their order", in.Name, width, len(s.about.Inputs), s.o.Name)
	case in.Datatype == textType:
		return wrong("the matrix %q holds texts; the model's columns are numbers", in.Name)
	}
	return nil
}

// apart returns the columns of a matrix of numbers with n rows.
func (s *Server) apart(c cells, n int) []dataset.Column {
	p := len(s.about.Inputs)
	out := make([]dataset.Column, p)
	for j := range out {
		out[j] = dataset.Column{Name: s.about.Inputs[j].Name, Numbers: make([]float64, n)}
		for i := range n {
			out[j].Numbers[i] = c.numbers[i*p+j]
		}
	}
	return out
}

// respond returns the outputs that are asked for.
func (s *Server) respond(q *request, m *model.Model, a *sipc.Application) *response {
	p := a.Predictions
	out := &response{Model: s.o.Name, Version: s.version, ID: q.ID, rows: len(p.ID)}
	for _, t := range s.about.Outputs {
		asked := len(q.Outputs) == 0
		for _, o := range q.Outputs {
			asked = asked || o.Name == t.Name
		}
		if asked {
			t.Shape = []int{out.rows, t.Shape[1]}
			out.Outputs = append(out.Outputs, output{t, dataOf(t.Name, m, p)})
		}
	}
	if len(a.Warnings) > 0 {
		out.Parameters = map[string]any{"warnings": len(a.Warnings)}
	}
	for k, warning := range a.Warnings {
		out.Parameters[fmt.Sprintf("warning_%d", k+1)] = warning
	}
	return out
}

// dataOf returns the elements of an output.
func dataOf(name string, m *model.Model, p *sipc.Predictions) any {
	switch name {
	case labelOutput:
		if m.Fit.Task == setting.Multilabel {
			return whole(p.Decided.Multi)
		}
		names := make([]string, len(p.Decided.Class))
		for i, k := range p.Decided.Class {
			names[i] = p.Labels[k]
		}
		return names
	case scoresOutput, quantilesOutput:
		return flat(p.Scores)
	case probabilitiesOutput:
		return flat(p.Probabilities)
	case provedOutput:
		kept := make([]bool, len(p.Standing))
		for i, standing := range p.Standing {
			kept[i] = standing == sipc.Kept
		}
		return kept
	}
	return p.Decided.Real
}

// flat returns the elements of a matrix, row by row.
func flat(m *mat.Dense) []float64 {
	n, width := m.Dims()
	out := make([]float64, 0, n*width)
	for i := range n {
		out = append(out, m.RawRowView(i)...)
	}
	return out
}

// whole returns the elements of a matrix of whole numbers, row by row.
func whole(m *mat.Dense) []int {
	out := []int{}
	for _, v := range flat(m) {
		out = append(out, int(v))
	}
	return out
}
