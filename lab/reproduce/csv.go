package reproduce

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/google/renameio/v2"

	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/rival"
)

// number writes a number with all its digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// writeCSV writes a table, whole or not at all.
func writeCSV(path string, rows [][]string) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.WriteAll(rows); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return renameio.WriteFile(path, b.Bytes(), readable)
}

// writeRuns writes every figure of every run, and every score of every choice, to files that bear the name of the part.
func (t *Tables) writeRuns(dir, name string) error {
	runs := [][]string{{"table", "cell", "n", "p", "contender", "run", "figure", "value"}}
	choices := [][]string{{"table", "cell", "contender", "setting", "measure", "folds", "score", "chosen"}}
	for _, c := range t.Cells {
		for _, e := range c.Entries {
			for k, r := range e.Choices {
				choices = append(choices, []string{
					string(c.Cell.Table), c.Cell.Name(), e.Contender.Name, e.Contender.Text(r.Setting), chosenBy(c.Cell.Table),
					strconv.Itoa(rival.ScoreFolds), number(*r.Score), strconv.FormatBool(k == e.Chosen),
				})
			}
			for k, r := range e.Runs {
				for _, f := range slices.Concat(r.Figures, r.Violations, r.particulars()) {
					runs = append(runs, []string{
						string(c.Cell.Table), c.Cell.Name(), strconv.Itoa(c.Cell.N), strconv.Itoa(c.Cell.Pairs), e.Contender.Name,
						strconv.Itoa(k), f.Name, number(f.Value),
					})
				}
			}
		}
	}
	if err := writeCSV(filepath.Join(dir, name+"-runs.csv"), runs); err != nil {
		return err
	}
	return writeCSV(filepath.Join(dir, name+"-choices.csv"), choices)
}

// particulars returns the rows and certificates of a run, not its seconds, which are never the same.
func (r *Result) particulars() metric.Figures {
	out := metric.Figures{{Name: "n_train", Value: float64(r.NTrain)}, {Name: "n_test", Value: float64(r.NTest)}}
	if c := r.Certificate; c != nil {
		out = append(out, metric.Figure{Name: "certificates", Value: float64(c.Count)}, metric.Figure{Name: "certificates_reached", Value: float64(c.Reached)},
			metric.Figure{Name: "largest_gap", Value: float64(c.MaxGap)})
	}
	if s := r.Solution; s != nil {
		out = append(out, metric.Figure{Name: "learner_gap", Value: float64(s.Gap)})
	}
	return out
}

// writeCSV writes what was measured under a lossless embedding.
func (t *Theory) writeCSV(dir string) error {
	rows := [][]string{{"name", "statement", "of_differentiable_norms", "deviation_smooth", "deviation_kinked", "trials"}}
	for _, p := range t.Exact.Properties {
		rows = append(rows, []string{
			p.Name, p.Statement, strconv.FormatBool(p.Smooth), number(p.Deviation[smooth]), number(p.Deviation[kinked]), strconv.Itoa(p.Trials),
		})
	}
	return writeCSV(filepath.Join(dir, "lossless.csv"), rows)
}
