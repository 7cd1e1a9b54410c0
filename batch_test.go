package sipc_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/model"
)

// batchCases are those of ONNX files, and models that embed rows by iterations: over maxima, over the supports of labels, over an interval.
var batchCases = append([]onnxCase{
	{"embed of a maximum, class", "target grade : class; NUMBERS; standardize", "kernel gaussian(width = 2)\nfeatures nystrom(landmarks = 60)\n" +
		"invariance even = rms over x of max {|f(move(area, 1), low) - f(low)|, |f(move(area, -1), low) - f(low)|}\nregularize even\nmethod embed\nlearn svm", ""},
	{"embed of a quadratic R over pairs of labels, multilabel", "target wheat, grain : multilabel; ALL; standardize", "kernel gaussian(width = 2)\nfeatures nystrom(landmarks = 60)\n" + onnxNear + "method embed\nlearn svm(probabilities = on)", ""},
	{"embed by supports, multilabel", "target wheat, grain, oats, rye : multilabel; NUMBERS; standardize", "kernel gaussian(width = 2)\nfeatures nystrom(landmarks = 40)\n" +
		"invariance logic = rms over x of hypot(max {implies(wheat, grain), implies(oats, grain)}, excludes(oats, rye))\nregularize 0.1 * logic\nmethod embed\nlearn svm", ""},
}, onnxCases...)

// predictionsOf returns the lines that Predict writes of rows, without their numbers in the file.
func predictionsOf(t *testing.T, m *model.Model, dir string, header []string, cells [][]string) []string {
	t.Helper()
	path := filepath.Join(dir, "rows.csv")
	write(t, path, csvOf(header, cells))
	done, err := sipc.Predict(t.Context(), m, path, sipc.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := done.Predictions.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")[1:]
	for i, line := range lines {
		_, lines[i], _ = strings.Cut(line, ",")
	}
	return lines
}

// What is predicted of a row does not depend on the rows beside it, to the last bit.
func TestRowsArePredictedAlikeInAnyBatch(t *testing.T) {
	for k, c := range batchCases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			header, train := farms(1, 130, false, false)
			write(t, filepath.Join(dir, "train.csv"), csvOf(withOats(header, train)))
			m := fitted(t, dir, "data { "+strings.NewReplacer("NUMBERS", onnxNumbers, "ALL", onnxAll).Replace(c.data)+" }\n"+c.spec+"\n", filepath.Join(dir, "train.csv"))
			header, cells := withOats(farms(2, 560, false, false))
			whole := predictionsOf(t, m, dir, header, cells)
			rng := rand.New(rand.NewPCG(uint64(k), 9))
			for at := 0; at < len(cells); {
				to := min(len(cells), at+[]int{1, 2, 1 + rng.IntN(20), 1 + rng.IntN(300)}[rng.IntN(4)])
				for i, line := range predictionsOf(t, m, dir, header, cells[at:to]) {
					if line != whole[at+i] {
						t.Fatalf("row %d of %d to %d is predicted\n%s\nand among all rows\n%s", at+i+1, at+1, to, line, whole[at+i])
					}
				}
				at = to
			}
		})
	}
}

// withOats returns farms with two more labels.
func withOats(header []string, cells [][]string) (more []string, rows [][]string) {
	for i, row := range cells {
		rows = append(rows, append(row[:len(row):len(row)], bit(row[9] == "1" && i%2 == 0), bit(row[9] == "0" && i%3 == 0)))
	}
	return append(header[:len(header):len(header)], "oats", "rye"), rows
}
