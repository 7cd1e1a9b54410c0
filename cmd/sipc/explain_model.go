package main

import (
	"io"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
)

// explainModel shows what each invariance comes to on a fit, and its active members.
func explainModel(cmd *cobra.Command, o *explainFlags) error {
	w, err := sipc.Witnesses(o.model)
	if err != nil {
		return err
	}
	w = w.Top(o.top)
	if o.asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), w)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), w.Text())
	return err
}
