package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/portable"
)

func newExport() *cobra.Command {
	var out, inputs string
	cmd := &cobra.Command{
		Use:   "export MODEL --onnx FILE",
		Short: "Write a model as an ONNX file, which other programs run",
		Long: `Write a model as an ONNX file, which other programs run without sipc. The graph takes the columns of rows as the data file has them, prepares
them, and gives what sipc predict gives: decisions, scores and probabilities, in float64.

Where all columns are numbers the graph takes one matrix x, columns in the order of the training file. Else it takes a tensor for each column, called
as the column is. Gaps are NaN in numbers, and empty texts. A model whose scores a graph cannot compute is refused with the reason.`,
		Example: "  sipc export out/model.sipc --onnx model.onnx",
		Args:    cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case out == "":
				return cli.WrongCall(cmd, errors.New("nothing says what to write; name a file with --onnx"))
			case inputs != "" && inputs != string(portable.Columns) && inputs != string(portable.Matrix):
				return cli.WrongCall(cmd, fmt.Errorf("--inputs is %q; it is columns or matrix", inputs))
			}
			m, err := loadModel(cmd, args, out)
			if err != nil {
				return err
			}
			file, err := sipc.ExportONNX(cmd.Context(), m, portable.Options{Inputs: portable.Inputs(inputs)})
			if refused := (*portable.RefusedError)(nil); errors.As(err, &refused) {
				return cli.WrongInput(fmt.Errorf("%s: %w", args[0], err))
			}
			if err == nil {
				err = replaceFile(out, file.Write)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\n", out)
			return err
		},
	}
	cmd.Flags().StringVar(&out, "onnx", "", "the `file` to write")
	cmd.Flags().StringVar(&inputs, "inputs", "", "take a tensor for each column, `columns`, or one for all, matrix (default matrix where all are numbers)")
	return cmd
}
