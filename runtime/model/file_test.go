package model

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// taxonomy is labels below labels: 0 above 1 and 2, 1 above 3 … 5, 6 above 7 and 8, and 9 by itself.
var taxonomy = [][2]int32{{1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 1}, {7, 6}, {8, 6}}

const taxonomyLabels = 10

// implying returns 3 · rms over rows of the largest implication violated.
func implying(rows int) *regularizer.Regularizer {
	block := &plugins.Block{}
	for y := range int32(taxonomyLabels) {
		block.Labels = append(block.Labels, plugins.Label{Index: []int32{y}, Value: []float64{1}})
	}
	for i := range rows {
		for _, e := range taxonomy {
			block.Term(1, int32(i), plugins.Evaluation, e[0])
			block.Term(-1, int32(i), plugins.Evaluation, e[1])
			block.End()
		}
	}
	each := gauge.Repeat(len(taxonomy), gauge.MaxOf(gauge.Leaf(gauge.Pos)))
	root := gauge.Scaled(gauge.Repeat(rows, gauge.Hypot(each)), 3/math.Sqrt(float64(rows)))
	return &regularizer.Regularizer{Functionals: block, Invariances: []regularizer.Invariance{{
		Name: "logic", Weight: 1, Kind: regularizer.Sublinear, Gauge: root, Count: block.Len(),
	}}}
}

func TestSupportsOfAFile(t *testing.T) {
	const rows = 20
	train := labelled(rows, taxonomyLabels)
	out, err := Fit(t.Context(), train, implying(rows), wholeOptions(setting.Embed, 1e-3))
	if err != nil {
		t.Fatal(err)
	}
	m := out.Model
	m.About = About{Preparation: preparationOf(train)}
	support := m.Represent.Support
	if support == nil {
		t.Fatal("the taxonomy is not embedded by supports")
	}
	read, err := m.content().model()
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := m.Scores(t.Context(), train.X, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := read.Scores(t.Context(), train.X, nil, nil); err != nil || !mat.Equal(got, want) {
		t.Errorf("a model that was read scores otherwise, %v", err)
	}
	for name, reach := range map[string][][]int32{
		"too few": {{0}}, "not its own": append([][]int32{{1}}, support[1:]...),
		"no such label": append([][]int32{{0, taxonomyLabels}}, support[1:]...), "descending": append([][]int32{{1, 0}}, support[1:]...),
	} {
		c := m.content()
		c.Norm.Reach = listsOf(reach)
		if _, err := c.model(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, change := range map[string]func(*content){
		"curves": func(c *content) { c.Interval.Curves = []curve.Run{{Stride: 1, Nodes: 3, Count: 1}} },
	} {
		c := m.content()
		change(c)
		if _, err := c.model(); err == nil || !strings.Contains(err.Error(), "at some labels alone") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for method, want := range map[setting.Method]string{setting.Warp: "quadratic", setting.Plain: "has none"} {
		c := m.content()
		c.Method = method
		if _, err := c.model(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// Files of versions before are read, score alike, and are written anew in this version. Versions before the oldest are refused.
func TestReadsVersionsBefore(t *testing.T) {
	file := func(of int, header, blob []byte) []byte {
		header = append(bytes.Replace(header, fmt.Appendf(nil, `"version":%d`, version), fmt.Appendf(nil, `"version":%d`, of), 1), '\n')
		return slices.Concat(fmt.Appendf(nil, "%s %d %x\n", schema, of, sha256.Sum256(header)), header, blob)
	}
	for _, sample := range samples() {
		now, err := Read("now", file(version, sample[0], sample[1]))
		if err != nil {
			t.Fatal(err)
		}
		for of := oldest; of < version; of++ {
			before, err := Read("before", file(of, sample[0], sample[1]))
			if err != nil {
				t.Fatal(err)
			}
			if before.About.Preparation.Writing != (dataset.Writing{}) || !bytes.Equal(fileOf(t, now), fileOf(t, before)) {
				t.Errorf("a file of version %d is read otherwise", of)
			}
		}
		if _, err := Read("long.sipc", file(oldest-1, sample[0], sample[1])); err == nil || !strings.Contains(err.Error(), "long.sipc: this is a model file of another version of sipc, and this one reads versions 11 to 13; run") {
			t.Errorf("a file of version %d: %v", oldest-1, err)
		}
	}
}
