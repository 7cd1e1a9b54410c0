package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/internal/whole"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
)

func newPredict() *cobra.Command {
	var (
		a   applying
		out string
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
			m, err := loadModel(cmd, args, out)
			if err != nil {
				return err
			}
			rows, err := a.apply(cmd, scoring(m), func(ctx context.Context, o sipc.ApplyOptions) (*sipc.Application, error) {
				return sipc.Predict(ctx, m, args[1], o)
			})
			if err != nil {
				return err
			}
			switch {
			case out != "":
				err = replaceFile(out, rows.Predictions.WriteCSV)
			case !a.AsJSON:
				err = rows.Predictions.WriteCSV(cli.Data(cmd.OutOrStdout()))
			}
			if err != nil {
				return err
			}
			if err := a.Write(cmd, rows); err != nil {
				return err
			}
			return a.Judge(cmd, m, rows.Certificate)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write the predictions to a `file` instead of standard output")
	cmd.Flags().BoolVar(&a.options.Radius, "radius", false, "add a column: the distance in prepared units within which no point is decided otherwise, proved")
	a.flags(cmd, "print metrics and certificate as one JSON object; predictions only go to --out then")
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

// replaceFile makes a file appear whole.
func replaceFile(path string, write func(io.Writer) error) error {
	file, err := whole.New(path, 0o644)
	if err == nil {
		defer file.Discard()
		err = write(file)
	}
	if err == nil {
		err = whole.Keep(file)
	}
	if err != nil {
		return dataset.CannotWrite(path, err)
	}
	return nil
}
