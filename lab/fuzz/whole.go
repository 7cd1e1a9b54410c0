package fuzz

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// largestCertificate bounds the products that a certificate takes in exact arithmetic.
const largestCertificate = 300_000

// leastNorm bounds right-hand sides from below. Embeddings of smaller ones leave the range of floating point.
const leastNorm = 1e-140

// whole runs a random spec on a random table, from the text to the report, and applies the model.
func (c *Case) whole(ctx context.Context) error {
	s := newScene(newDraw(c.Seed))
	c.Text = s.spec()
	path := filepath.Join(c.dir, "spec.inv")
	data, files := s.tables()
	files["spec.inv"] = []byte(c.Text)
	if err := write(c.dir, files); err != nil {
		return err
	}
	c.Rows = s.rows
	spec, err := sipc.LoadSpec(ctx, path, sipc.SpecOptions{})
	if err != nil {
		return err
	}
	defer spec.Close() //nolint:errcheck // it started no program
	if err := spec.Err(); err != nil {
		return err
	}
	o := s.options(spec, filepath.Join(c.dir, data), filepath.Join(c.dir, "out"))
	out, err := sipc.Perform(ctx, spec, o)
	if err != nil {
		return err
	}
	c.judge(out, o)
	if err := c.certify(ctx, out); err != nil {
		return err
	}
	if o.Out == "" {
		return nil
	}
	return c.apply(ctx, filepath.Join(o.Out, "model.sipc"), o.Data)
}

// write writes files into a folder.
func write(dir string, files map[string][]byte) error {
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// options draws how a spec is run.
func (s *scene) options(spec *sipc.Spec, data, out string) sipc.RunOptions {
	o := sipc.RunOptions{Data: data}
	if s.chance(40) {
		o.Method = setting.Method(s.one("embed", "embed", "embed", "risk", "risk", "risk", "dual", "dual", "warp", "plain"))
	}
	if s.chance(20) {
		o.Gap = []float64{1e-2, 1e-4, 1e-6, 1e-9}[s.IntN(4)]
	}
	if s.chance(20) {
		seed := s.Uint64()
		o.Seed = &seed
	}
	o.Baseline, o.Unmeasured, o.Strict = s.chance(15), s.chance(15), s.chance(5)
	if s.chance(4) {
		names := rival.For(spec.Plan.Data.Target.Task)
		o.Rivals = []sipc.RivalOptions{{Name: names[s.IntN(len(names))], MaxIterations: 20}}
	}
	if s.chance(25) {
		o.Out = out
	}
	return o
}

// refused reports whether an error says what is wrong with a spec, a table or their combination.
func refused(err error) bool {
	var (
		spec   *sipc.SpecError
		data   *sipc.DataError
		table  *dataset.Error
		other  *sipc.RivalError
		embeds *sipc.EmbeddingsError
	)
	return errors.As(err, &spec) || errors.As(err, &data) || errors.As(err, &table) || errors.As(err, &other) || errors.As(err, &embeds) ||
		errors.Is(err, represent.ErrNotQuadratic) || errors.Is(err, model.ErrDualSets) || errors.Is(err, model.ErrWorst)
}

// judge looks for figures that are not numbers, and for a gap that was missed without a word.
func (c *Case) judge(out *sipc.Outcome, o sipc.RunOptions) {
	c.finite("score", out.Scores)
	if _, err := json.Marshal(out.Report); err != nil {
		c.faultf("the report cannot be written: %v", err)
	}
	if err := out.Report.WriteTable(io.Discard); err != nil {
		c.faultf("the table cannot be written: %v", err)
	}
	method, fit, asked := out.Model.Represent.Method, out.Model.Fit, out.Model.Represent.Gap
	if o.Gap != 0 && asked != o.Gap {
		c.faultf("the gap %v was asked for, and the model has %v", o.Gap, asked)
	}
	if method.Direct() && method != setting.Plain && !(fit.Gap <= asked) && out.Report.Missed == "" {
		c.Silent = fmt.Sprintf("%s: the gap is %v, asked for %v", method, fit.Gap, asked)
	}
	if k := out.Report.Certificate; k != nil && k.Contradictions > 0 {
		c.faultf("%s: %d bounds contradict each other", method, k.Contradictions)
	}
	c.Method = string(method)
}

// finite finds faults with numbers that are none.
func (c *Case) finite(what string, m *mat.Dense) {
	if m == nil {
		return
	}
	for i, v := range m.RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			c.faultf("%s %d is %v", what, i, v)
			return
		}
	}
}

// certify embeds the training rows again. Most gaps above the one asked for must have been told of, and some certificates are
// computed anew.
func (c *Case) certify(ctx context.Context, out *sipc.Outcome) error {
	rep := out.Model.Represent
	if !rep.Regularized() {
		return nil
	}
	defer c.watch.pause()()
	next := rep.RightHandSides(out.Train.X)
	reached, count := 0, 0
	err := rep.Each(ctx, out.Train.X, nil, func(b represent.Batch) error {
		a, err := next(b.First, b.First+len(b.Gap))
		if err != nil {
			return err
		}
		for i, gap := range b.Gap {
			if count++; gap <= rep.Gap {
				reached++
			}
			if count == 1 || count == 5 {
				if err := c.certificate(ctx, rep, a.RawRowView(i), b.Iota.RawRowView(i), gap); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil && 2*reached < count && out.Report.Missed == "" {
		c.Silent = fmt.Sprintf("%s: %d of %d gaps are reached", rep.Method, reached, count)
	}
	return err
}

// certificate checks the gap of one embedding against the bound that multipliers of a closer solution prove.
func (c *Case) certificate(ctx context.Context, rep *represent.Representer, a, v []float64, gap float64) error {
	problem := rep.Problem()
	between := problem.Curves != nil
	problem.Curves = nil
	n, ok := normOf(problem)
	if !ok || n.size() > largestCertificate || floats.Norm(a, 2) < leastNorm {
		c.Left++
		return nil
	}
	closer, err := rep.AtNodes(ctx, mat.NewDense(1, len(a), a), min(gap, 1e-8))
	if err != nil {
		return err
	}
	c.Certificates++
	best, bound := n.lower(a, closer.Iota.RawRowView(0)), n.upper(a, closer.Multipliers.RawRowView(0))
	c.wrong(exceeds("at the nodes", best, bound, closer.Gap[0]))
	if !between || !rep.Curves.Integrals() {
		// Better embeddings show how far this one is from the optimum at least.
		c.wrong(exceeds("embedding", n.lower(a, v), best, gap))
	}
	return nil
}

// apply reads a model back and predicts.
func (c *Case) apply(ctx context.Context, path, data string) error {
	m, err := sipc.LoadModel(ctx, path)
	if err != nil {
		return err
	}
	out, err := sipc.Predict(ctx, m, data, sipc.ApplyOptions{})
	if err != nil {
		return err
	}
	c.finite("prediction", out.Predictions.Scores)
	return nil
}
