package sipc_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
)

// numpy returns a Python that has NumPy. It skips the test where there is none.
func numpy(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), python, "-c", "import numpy").Run() == nil {
			return python
		}
	}
	t.Skip("no Python here has NumPy")
	return ""
}

// Sixty lines of Python read a model file by its page, and score rows as Predict does.
func TestModelsAreReadByOthers(t *testing.T) {
	const reader = "python/read_model.py"
	text, err := os.ReadFile(reader)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > 60 {
		t.Errorf("%s has %d lines", reader, n)
	}
	python := numpy(t)
	for _, spec := range []string{
		"data { target grade : class; ALL; missing mask; gaps -9; standardize }\nkernel gaussian(width = 1.5)\nfeatures nystrom(landmarks = 70)\nmethod risk\nlearn softmax\n",
		"data { target yield : real; NUMBERS; missing mean; outside clip; normalize; types area : real [-40, 40] }\nkernel gaussian(width = median)\nfeatures nystrom(landmarks = rows)\nmethod plain\nlearn ridge\n",
		"data { target yield : real; NUMBERS; missing mean; standardize }\nkernel gaussian(width = 2)\nfeatures nystrom(landmarks = rows)\nmethod risk\nlearn ridge\nrequire rising = d/d(area) f >= 0 over x in box\n",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "train.csv"), csvOf(farms(1, 120, true, false)))
		m := fitted(t, dir, strings.NewReplacer("NUMBERS", onnxNumbers, "ALL", onnxAll).Replace(spec), filepath.Join(dir, "train.csv"))
		rows := filepath.Join(dir, "rows.csv")
		write(t, rows, csvOf(farms(2, 500, true, true)))
		want, err := sipc.Predict(t.Context(), m, rows, sipc.ApplyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), python, reader, filepath.Join(dir, "model.sipc"), rows).Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		n, labels := want.Predictions.Scores.Dims()
		got := tensor{Type: "float64", Dims: []int{n, labels}}
		for cell := range strings.FieldsFuncSeq(string(out), func(r rune) bool { return r == ',' || r == '\n' }) {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			got.Data = append(got.Data, v)
		}
		if off := apartBy(t, want.Predictions.ID, got, want.Predictions.Scores); !(off <= 1e-9) {
			t.Errorf("%s: scores differ by %.2g of their largest", spec, off)
		}
	}
}
