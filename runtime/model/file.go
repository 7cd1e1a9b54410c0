package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// magic begins a model file. What follows is the SHA-256 of the rest, and the rest is a gob of content. The number rises with every change of
// what is stored, as a gob leaves out silently what it does not know.
const magic = "sipc model 4\n"

// content is a model as plain data.
type content struct {
	About    About
	Method   setting.Method
	Features *embed.State
	Operator *operator.State
	Gauge    *gauge.Node
	Labels   int
	Scale    float64
	Gap      float64
	Fit      *learn.Fit

	Closure []regularizer.Implication

	Nodes      int
	Between    represent.Between
	Curves     []curve.Run
	Slack      float64
	Drift      float64
	Afterwards bool
	Reach      [][]int32

	Witnesses *report.Witnesses
	Nearness  *Nearness
}

// Save writes the model to a file, which appears whole or not at all. An error names the path.
func (m *Model) Save(path string) error {
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer f.Cleanup() //nolint:errcheck // after the replacement there is nothing to clean up
	if err := m.Write(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return f.CloseAtomicallyReplace()
}

// Write writes the model as a model file holds it.
func (m *Model) Write(w io.Writer) error {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(m.content()); err != nil {
		return err
	}
	sum := sha256.Sum256(body.Bytes())
	for _, part := range [][]byte{[]byte(magic), sum[:], body.Bytes()} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// content returns the model as plain data. It leaves out solvers and factors, which are made anew from the
// operator when they are needed.
func (m *Model) content() *content {
	r := m.Represent
	c := &content{
		About: m.About, Method: r.Method, Features: r.Features.State(), Labels: r.Labels, Scale: r.Scale, Gap: r.Gap, Fit: m.Fit, Closure: m.Closure,
		Nodes: r.Nodes, Between: r.Between, Afterwards: r.Afterwards, Reach: r.Support, Witnesses: m.Witnesses, Nearness: m.Nearness,
	}
	if r.Curves != nil {
		c.Curves, c.Slack, c.Drift = r.Curves.Runs(), r.Curves.Slack(), r.Curves.Drift()
	}
	if r.Regularized() {
		c.Operator, c.Gauge = r.Operator.State(), r.Gauge
	}
	return c
}

// otherFile says what a file is that is no model of a version that Load reads.
func otherFile(path string, data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("sipc model ")):
		return "a model file that is cut off, or of another version of sipc"
	case filepath.Ext(path) == ".inv":
		return "a spec, and no model file"
	case json.Valid(data):
		return "JSON, and no model file"
	}
	return "no model file"
}

// Load reads a model file. It returns an error that names the path if the file cannot be read, is no model file,
// is damaged, or contradicts itself.
func Load(path string) (*Model, error) {
	data, err := limits.Read(path, limits.ModelBytes)
	if err != nil {
		return nil, dataset.CannotOpen(path, err)
	}
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(rest) < sha256.Size {
		return nil, fmt.Errorf("%s: this is %s; `sipc run --out DIR` writes a model, DIR/model.sipc", path, otherFile(path, data))
	}
	body := rest[sha256.Size:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil, fmt.Errorf("%s: the file is damaged: its checksum does not fit its content; write it anew with `sipc run --out DIR`", path)
	}
	var c content
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m, err := c.model()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// model makes a model of plain data. It checks whatever is used as an index or a shape.
func (c *content) model() (*Model, error) {
	if c.Features == nil || c.Fit == nil || c.Fit.Weights == nil || c.About.Preparation == nil || c.Labels < 1 {
		return nil, errors.New("the model is incomplete")
	}
	features, err := embed.FromState(c.Features)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(checkImplications(c.Closure, c.Labels), c.checkReach(), c.Fit.Sets.Check(c.Labels),
		c.Fit.CheckSigmoids(c.Labels), c.Nearness.check(c.Labels, features.Dim())); err != nil {
		return nil, err
	}
	r := &represent.Representer{
		Method: c.Method, Features: features, Gauge: c.Gauge, Labels: c.Labels, Scale: c.Scale, Gap: c.Gap,
		Nodes: c.Nodes, Between: c.Between, Afterwards: c.Afterwards, Support: c.Reach,
	}
	if err := c.norm(r); err != nil {
		return nil, err
	}
	if c.Witnesses != nil {
		for i := range c.Witnesses.Invariances {
			if !finite(&c.Witnesses.Invariances[i]) {
				return nil, errors.New("the model's witnesses are not finite")
			}
		}
	}
	return &Model{Represent: r, Fit: c.Fit, About: c.About, Witnesses: c.Witnesses, Nearness: c.Nearness, Closure: c.Closure}, nil
}

// norm gives a representer its operator and its curves.
func (c *content) norm(r *represent.Representer) (err error) {
	if c.Operator != nil {
		if r.Operator, err = operator.FromState(c.Operator); err != nil {
			return err
		}
	}
	if c.Gauge != nil {
		if err := c.Gauge.Validate(); err != nil {
			return fmt.Errorf("the model's norm is unknown to this version: %w; train it again with `sipc run --out DIR`", err)
		}
	}
	if len(c.Curves) > 0 {
		if c.Gauge == nil {
			return errors.New("the model has curves and no gauge")
		}
		if r.Curves, err = polar.NewCurves(c.Gauge.Size(), c.Curves, c.Slack, c.Drift); err != nil {
			return err
		}
	}
	if r.Supports() && !r.Reducible() {
		return errors.New("the model has embeddings at some labels alone, and a norm that does not allow them")
	}
	return nil
}

// checkReach refuses supports with labels that the model lacks.
func (c *content) checkReach() error {
	if c.Reach == nil {
		return nil
	}
	bad := errors.New("the model has embeddings at labels that it does not have")
	if len(c.Reach) != c.Labels || c.Operator == nil || c.Gauge == nil {
		return bad
	}
	for y, reach := range c.Reach {
		own := false
		for k, label := range reach {
			if label < 0 || int(label) >= c.Labels || (k > 0 && reach[k-1] >= label) {
				return bad
			}
			own = own || int(label) == y
		}
		if !own {
			return bad
		}
	}
	return nil
}
