package sipc_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/model"
)

// edits is how many files are made of each model.
const edits = 60

// Whatever somebody writes into a model file, what is proved of it holds for what the file predicts. Digests are made to fit. A statement that a
// row's prediction breaks, and a slope that two rows break, are not proved.
func TestEditedModelsAreNotProvedWrongly(t *testing.T) {
	counts := map[string]int{}
	for k, kernel := range append(kernelsOfHomes, "gaussian(width = 1.5)") {
		dir := t.TempDir()
		data, path, grid := filepath.Join(dir, "data.csv"), filepath.Join(dir, "model.sipc"), filepath.Join(dir, "grid.csv")
		write(t, data, homes(uint64(k), 40))
		write(t, grid, gridOfHomes())
		fitted(t, dir, homesSpec(&ofHomes[0], kernel, "", ""), data)
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(uint64(k), 5))
		for i := range edits {
			if err := os.WriteFile(path, edited(t, rng, file), 0o600); err != nil {
				t.Fatal(err)
			}
			m, err := sipc.LoadModel(t.Context(), path)
			if err != nil {
				counts["refused"]++
				continue
			}
			said, err := sipc.Predict(t.Context(), m, grid, sipc.ApplyOptions{})
			if err != nil {
				counts["no predictions"]++
				continue
			}
			scores := said.Predictions.Scores.RawMatrix().Data
			for text, broken := range claims(m, scores) {
				found, err := sipc.Prove(t.Context(), m, sipc.ProveOptions{Statements: []string{text}, Cells: 500})
				if err != nil {
					counts["not stated"]++
					continue
				}
				answer := found.Requirements[0].Answer
				if counts[answer]++; broken && answer == "proved" {
					t.Errorf("%s, edit %d: %s is proved, and predictions of %v break it", kernel, i, text, scores)
				}
			}
		}
	}
	t.Log(counts)
	for _, k := range []string{"refused", "proved", "refuted", "open"} {
		if counts[k] == 0 {
			t.Errorf("none %s: %v", k, counts)
		}
	}
}

// stepsOfHomes is how many areas a grid has, of each room and town.
const stepsOfHomes = 21

// gridOfHomes returns rows without targets, the area last.
func gridOfHomes() string {
	var b strings.Builder
	b.WriteString("area,rooms,town\n")
	for rooms := range 5 {
		for _, town := range "abc" {
			for i := range stepsOfHomes {
				fmt.Fprintf(&b, "%g,%d,%c\n", 0.25*float64(i), rooms, town)
			}
		}
	}
	return b.String()
}

// claims returns statements about a model, and whether its scores on the grid break them by more than their rounding: they are sums whose terms
// may be much larger.
func claims(m *model.Model, scores []float64) map[string]bool {
	state := m.Represent.Features.State()
	var terms mat.Dense
	terms.Mul(mat.NewDense(state.Whiten.Rows, state.Whiten.Cols, abs(state.Whiten.Data)), mat.NewDense(len(m.Fit.Weights.RawMatrix().Data), 1, abs(m.Fit.Weights.RawMatrix().Data)))
	rounding := 1e-9 * (mat.Sum(&terms) + math.Abs(m.Fit.Bias[0]))
	least, most, falls := scores[0], scores[0], false
	for i, v := range scores {
		least, most = min(least, v), max(most, v)
		falls = falls || i%stepsOfHomes > 0 && v < scores[i-1]-rounding
	}
	const box = " over x in box(area = [0, 5], rooms = {0, 1, 2, 3, 4}, town = {\"a\", \"b\", \"c\"})"
	number := func(v float64) string { return fmt.Sprintf("%.17g", v) }
	return map[string]bool{
		"f(x) >= " + number(least+2*rounding) + box: true,
		"f(x) <= " + number(most-2*rounding) + box:  true,
		"f(x) >= " + number(2*least-most-1) + box:   false,
		"d/d(area) f >= 0" + box:                    falls,
	}
}

func abs(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Abs(v)
	}
	return out
}

// edited returns a model file with changes in the numbers that predictions are made of.
func edited(t *testing.T, rng *rand.Rand, file []byte) []byte {
	t.Helper()
	parts := bytes.SplitN(file, []byte("\n"), 3)
	var header map[string]any
	if err := json.Unmarshal(parts[1], &header); err != nil {
		t.Fatal(err)
	}
	blob := bytes.Clone(parts[2])
	for range 1 + rng.IntN(2) {
		features, fit := header["features"].(map[string]any), header["fit"].(map[string]any)
		switch rng.IntN(6) {
		case 0:
			editArray(rng, fit["weights"], blob)
		case 1:
			editArray(rng, fit["bias"], blob)
		case 2:
			editArray(rng, features["landmarks"], blob)
		case 3:
			editArray(rng, features["whiten"], blob)
		default:
			editKernel(rng, features["kernel"].(map[string]any))
		}
	}
	header["arrays"] = map[string]any{"bytes": len(blob), "sha256": fmt.Sprintf("%x", sha256.Sum256(blob))}
	line, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	line = append(line, '\n')
	first := parts[0][:len(parts[0])-2*sha256.Size]
	return append(fmt.Appendf(nil, "%s%x\n%s", first, sha256.Sum256(line), line), blob...)
}

// editArray changes or exchanges numbers of an array.
func editArray(rng *rand.Rand, of any, blob []byte) {
	a, many := of.(map[string]any), 1
	for _, n := range a["shape"].([]any) {
		many *= int(n.(float64))
	}
	at := func() []byte { return blob[int(a["offset"].(float64))+8*rng.IntN(many):][:8] }
	one, other := at(), at()
	v := math.Float64frombits(binary.LittleEndian.Uint64(one))
	w := []float64{math.NaN(), math.Inf(1), 1e300, 1e40, 1e9, 5e-324, 0, -v, v * (1 + 0x1p-52), 2 * v, v + rng.NormFloat64(), math.Float64frombits(binary.LittleEndian.Uint64(other))}
	binary.LittleEndian.PutUint64(one, math.Float64bits(w[rng.IntN(len(w))]))
	if rng.IntN(3) == 0 {
		binary.LittleEndian.PutUint64(other, math.Float64bits(v))
	}
}

// editKernel changes a width or a kind, or exchanges the columns of two components.
func editKernel(rng *rand.Rand, k map[string]any) {
	components, ok := k["components"].([]any)
	if !ok {
		k["width"] = []float64{-1, 0, 1e-200, 1e-3, 0.1, 0.7, 3, 1e200}[rng.IntN(8)]
		return
	}
	pick := func() map[string]any { return components[rng.IntN(len(components))].(map[string]any) }
	one, other := pick(), pick()
	switch rng.IntN(4) {
	case 0:
		one["width"] = []float64{-1, 0, 1e-200, 1e-3, 0.1, 0.7, 3, 1e200}[rng.IntN(8)]
	case 1:
		one["kind"] = []string{"gaussian", "matern32", "matern52", "linear", "laplacian", "weird"}[rng.IntN(6)]
	case 2:
		one["linear"] = []float64{-1, 0.5, 3, 1e100}[rng.IntN(4)]
	default:
		one["columns"], other["columns"] = other["columns"], one["columns"]
	}
}
