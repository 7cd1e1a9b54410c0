package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

func newPredict() *cobra.Command {
	var (
		out    string
		asJSON bool
		o      sipc.ApplyOptions
		accept bool
	)
	cmd := &cobra.Command{
		Use:   "predict MODEL DATA",
		Short: "Apply a model to rows: predictions and scores as CSV",
		Long: `Apply a model to rows: predictions and scores as CSV. Where more than half of the rows' embeddings miss the gap of the model, the exit
status is 1, and the predictions are written all the same; --accept-gap makes it 0. Models of methods risk and dual embed no rows: that the function
of such a model missed its gap when it was learnt is a warning.`,
		Args: cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(otherFormats, strings.ToLower(filepath.Ext(out))) {
				return cli.WrongCall(cmd, fmt.Errorf("%s: predictions are written as CSV; let the name end in .csv", out))
			}
			m, err := sipc.LoadModel(args[0])
			if err != nil {
				return swapped(err, args)
			}
			progress, err := cli.NewProgress(cmd)
			if err != nil {
				return err
			}
			defer progress.Close()
			progress.Stage(scoring(m))
			o.Progress = progress.Step
			a, err := sipc.Predict(cmd.Context(), m, args[1], o)
			progress.Clear()
			if err != nil {
				return err
			}
			tellWarnings(cmd, a)
			if err := showPredictions(cmd, a, out, asJSON); err != nil {
				return err
			}
			if !m.Represent.Method.Embeds() {
				tellFunctionGap(cmd, a.Certificate)
				return nil
			}
			return missedRows(a.Certificate, accept)
		},
	}
	acceptFlag(cmd, &accept)
	cmd.Flags().StringVar(&out, "out", "", "write the predictions to a `file` instead of standard output")
	strictFlag(cmd, &o)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print metrics and certificate as one JSON object; predictions only go to --out then")
	return cmd
}

// otherFormats are endings that promise something else than the CSV that predict writes. Any other name is the user's own affair.
var otherFormats = []string{
	".arff", ".arrow", ".bz2", ".feather", ".gz", ".h5", ".hdf5", ".html", ".json", ".jsonl", ".libsvm", ".mat", ".md", ".ndjson", ".npy", ".npz",
	".ods", ".orc", ".parquet", ".pickle", ".pkl", ".pq", ".sipc", ".sqlite", ".svm", ".svmlight", ".tsv", ".xls", ".xlsx", ".xml", ".yaml", ".zip", ".zst",
}

// scoring returns what a model does with rows, as progress says it.
func scoring(m *model.Model) string {
	if m.Represent.Method.Embeds() {
		return "embed rows"
	}
	return "score rows"
}

// swapped returns an error of loading a model. Where the data stand in its place, it says so.
func swapped(err error, args []string) error {
	if filepath.Ext(args[1]) != modelEnding || filepath.Ext(args[0]) == modelEnding {
		return err
	}
	return fmt.Errorf("%s: this is no model file, but %s ends like one: the model stands first, `sipc predict %[2]s %[1]s`", args[0], args[1])
}

const modelEnding = ".sipc"

// tellFunctionGap warns of a stored function that missed its gap. Nothing is solved anew, and whoever ran it was told, so that it is no failure.
func tellFunctionGap(cmd *cobra.Command, c *report.Certificate) {
	if c.Missed() {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", c.Shortfall("the model's function")+", as the run that learnt it said; the scores may be off")
	}
}

func strictFlag(cmd *cobra.Command, o *sipc.ApplyOptions) {
	cmd.Flags().BoolVar(&o.Strict, "strict", false, "fail, and write nothing, where rows hold texts or numbers that no training row has")
}

func tellWarnings(cmd *cobra.Command, a *sipc.Application) {
	for _, w := range a.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
	}
}

func showPredictions(cmd *cobra.Command, a *sipc.Application, out string, asJSON bool) error {
	switch {
	case out != "":
		if err := replaceFile(out, a.Predictions.WriteCSV); err != nil {
			return err
		}
	case !asJSON:
		return a.Predictions.WriteCSV(cmd.OutOrStdout())
	}
	if !asJSON {
		return nil
	}
	return writeApplication(cmd, a)
}

// writeApplication prints all but the predictions as one JSON object.
func writeApplication(cmd *cobra.Command, a *sipc.Application) error {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Metrics     metric.Figures      `json:"metrics,omitempty"`
		Roots       []string            `json:"auprc_without,omitempty"`
		Certificate *report.Certificate `json:"certificate"`
		Unseen      []report.Unseen     `json:"unseen,omitempty"`
	}{a.Metrics, a.Roots, a.Certificate, a.Unseen})
}

// replaceFile makes a file appear whole.
func replaceFile(path string, write func(io.Writer) error) error {
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return dataset.CannotWrite(path, err)
	}
	defer file.Cleanup() //nolint:errcheck // after the replacement there is nothing to clean up
	if err := write(file); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}
