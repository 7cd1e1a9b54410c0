package fuzz

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	sipc "github.com/sipc-ml/sipc"
)

// crafted fits a small model, changes its file under digests that fit, and predicts by what is still read.
func (c *Case) crafted(ctx context.Context) error {
	d := newDraw(c.Seed)
	s := newScene(d)
	s.rows = d.between(5, 12)
	data, files := s.tables()
	c.Text = s.spec()
	files["spec.inv"] = []byte(c.Text)
	if err := write(c.dir, files); err != nil {
		return err
	}
	spec, err := sipc.LoadSpec(ctx, filepath.Join(c.dir, "spec.inv"), sipc.SpecOptions{})
	if err != nil {
		return err
	}
	defer spec.Close() //nolint:errcheck // it started no program
	out := filepath.Join(c.dir, "out")
	data = filepath.Join(c.dir, data)
	if _, err := sipc.Run(ctx, spec, sipc.RunOptions{Data: data, Out: out, MaxIterations: 50, Gap: 1e-2}); err != nil {
		return err
	}
	path := filepath.Join(out, "model.sipc")
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for range 10 {
		made, err := craft(d, file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, made, 0o600); err != nil {
			return err
		}
		// Either is refused, or what is predicted are numbers.
		if err := c.apply(ctx, path, data); err != nil && ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// craft changes values of a model's header and numbers of its arrays, and makes the digests fit.
func craft(d draw, file []byte) ([]byte, error) {
	parts := bytes.SplitN(file, []byte("\n"), 3)
	if len(parts) < 3 {
		return nil, errors.New("a model of fewer than three parts")
	}
	var header map[string]any
	if err := json.Unmarshal(parts[1], &header); err != nil {
		return nil, err
	}
	for range d.between(1, 3) {
		if changed, ok := crook(d, header).(map[string]any); ok {
			header = changed
		}
	}
	blob := slices.Clone(parts[2])
	for range d.IntN(3) {
		if len(blob) >= 8 {
			at := d.IntN(len(blob)/4-1) * 4
			binary.LittleEndian.PutUint64(blob[at:], math.Float64bits(odd(d)))
		}
	}
	if d.chance(10) {
		blob = blob[:d.IntN(len(blob)+1)]
	}
	if arrays, ok := header["arrays"].(map[string]any); ok && d.chance(90) {
		arrays["bytes"], arrays["sha256"] = len(blob), fmt.Sprintf("%x", sha256.Sum256(blob))
	}
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	first := bytes.Fields(parts[0])
	first[len(first)-1] = fmt.Appendf(nil, "%x", sha256.Sum256(text))
	return slices.Concat(bytes.Join(first, []byte(" ")), []byte("\n"), text, blob), nil
}

// odd returns a number that a model should not have everywhere.
func odd(d draw) float64 {
	return []float64{0, 1, -1, 2, 3, 1e300, -1e300, 1e-300, math.NaN(), math.Inf(1), 1 << 31, 1 << 40, 0.5, math.MaxFloat64}[d.IntN(14)]
}

// crook returns a value with one place of it changed.
func crook(d draw, v any) any {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		if len(names) == 0 {
			return v
		}
		name := names[d.IntN(len(names))]
		if d.chance(6) {
			delete(v, name)
		} else {
			v[name] = crook(d, v[name])
		}
		return v
	case []any:
		if len(v) == 0 {
			return append(v, 1.0)
		}
		at := d.IntN(len(v))
		switch d.IntN(12) {
		case 0:
			return append(v, v[at])
		case 1:
			return slices.Delete(v, at, at+1)
		}
		v[at] = crook(d, v[at])
		return v
	case bool:
		return !v
	case float64:
		for {
			if x := odd(d); !math.IsNaN(x) && !math.IsInf(x, 0) { // JSON has no others
				return x
			}
		}
	}
	return d.one("", "plain", "embed", "risk", "warp", "dual", "fourier", "hashing", "linear", "laplacian", "softmax", "class", "real", "max", "pos", "\x1b[2J", "missing")
}
