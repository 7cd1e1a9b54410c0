package frame

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// models keeps models by the digests of their files, the last used ones.
type models struct {
	most  int
	known map[string]*model.Model
	used  []string // the one that was used last comes last
}

func newModels(most int) *models { return &models{most: most, known: map[string]*model.Model{}} }

// keep keeps a model. The one that was not used for the longest time may go.
func (k *models) keep(name string, m *model.Model) {
	k.forget(name)
	k.known[name], k.used = m, append(k.used, name)
	if len(k.used) > k.most {
		k.forget(k.used[0])
	}
}

// forget forgets a model, if it is there.
func (k *models) forget(name string) {
	delete(k.known, name)
	k.used = slices.DeleteFunc(k.used, func(other string) bool { return other == name })
}

// find returns a model by name.
func (k *models) find(name string) (*model.Model, error) {
	m := k.known[name]
	if m == nil {
		return nil, &Fault{Kind: KindModel, Message: "no model " + cut([]byte(name)) + " is kept; load it first"}
	}
	k.used = append(slices.DeleteFunc(k.used, func(other string) bool { return other == name }), name)
	return m, nil
}

// An about is what a client needs to know of a model.
type about struct {
	Model         string       `json:"model"` // its name: the digest of its file
	Task          setting.Task `json:"task"`
	Labels        []string     `json:"labels"` // classes, labels or levels; none of a number
	Target        []string     `json:"target"`
	Features      []string     `json:"features"` // columns that it needs
	Method        string       `json:"method"`
	Embeds        bool         `json:"embeds"`
	Dim           int          `json:"dim"`
	PerRow        int          `json:"per_row"` // embeddings of a row
	Probabilities bool         `json:"probabilities"`
	Seed          uint64       `json:"seed"`
	Spec          string       `json:"spec"`
	Required      int          `json:"required"` // statements that it was fitted to keep
}

// aboutModel describes a model.
func aboutModel(m *model.Model, name string) *about {
	p, r := m.About.Preparation, m.Represent
	return &about{
		Model: name, Task: p.Target.Task, Labels: orNone(p.Target.LabelNames), Target: orNone(p.Target.Columns), Features: featuresOf(p), Method: string(r.Method),
		Embeds: r.Method.Embeds(), Dim: r.Dim(), PerRow: r.PerRow(), Probabilities: m.Fit.Probabilistic(), Seed: m.About.Seed, Spec: string(m.About.Spec), Required: len(m.Requirements),
	}
}

// featuresOf returns the columns that a preparation needs.
func featuresOf(p *dataset.Preparation) []string {
	out := []string{}
	for i := range p.Features {
		out = append(out, p.Features[i].Name)
	}
	return out
}

// orNone returns names, an empty list in place of nil.
func orNone(names []string) []string { return append([]string{}, names...) }

// load keeps the model whose file is the first buffer.
func load(_ context.Context, c *call) (any, error) {
	if err := decode(c.Args, &struct{}{}); err != nil {
		return nil, err
	}
	if len(c.buffers) != 1 {
		return nil, callFault("load takes one buffer, the model file, and not %d", len(c.buffers))
	}
	m, err := model.Read("the model", c.buffers[0])
	if err != nil {
		return nil, &Fault{Kind: KindModel, Message: err.Error()}
	}
	c.server.models.keep(m.SHA256, m)
	return aboutModel(m, m.SHA256), nil
}

// modelArgs names a model.
type modelArgs struct {
	Model string `json:"model"`
}

// release forgets a model.
func release(_ context.Context, c *call) (any, error) {
	var args modelArgs
	if err := decode(c.Args, &args); err != nil {
		return nil, err
	}
	c.server.models.forget(args.Model)
	return struct{}{}, nil
}

// fileOf returns a model as its file holds it, and the digest of that.
func fileOf(m *model.Model) (data []byte, name string, err error) {
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(b.Bytes())
	return b.Bytes(), hex.EncodeToString(sum[:]), nil
}
