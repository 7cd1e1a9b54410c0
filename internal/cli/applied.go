package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// An Applied is how a command tells what came of applying a model to rows.
type Applied struct{ AsJSON, Accept bool }

// Write prints all but the predictions as one JSON object, where that is asked for. Else the certificate goes to standard error.
func (a *Applied) Write(cmd *cobra.Command, out *sipc.Application) error {
	if !a.AsJSON {
		_, err := io.WriteString(cmd.ErrOrStderr(), out.Certificate.Text())
		return err
	}
	return WriteJSON(cmd.OutOrStdout(), struct {
		Metrics     metric.Figures      `json:"metrics,omitempty"`
		Compared    int                 `json:"compared,omitempty"`
		Roots       []string            `json:"auprc_without,omitempty"`
		Certificate *report.Certificate `json:"certificate"`
		Unseen      []dataset.Unseen    `json:"unseen,omitempty"`
	}{out.Metrics, out.Compared, out.Roots, out.Certificate, out.Unseen})
}

// Judge returns the error of rows most of whose embeddings miss the model's gap, unless that is accepted. Of a stored function that missed its
// gap it warns: nothing is solved anew, and whoever ran it was told.
func (a *Applied) Judge(cmd *cobra.Command, m *model.Model, c *report.Certificate) error {
	ended := limits.Ended(cmd.Context())
	switch {
	case ended != "" && !a.Accept:
		return Missed(cmd.Context(), ended)
	case !c.Missed():
		return nil
	case !m.Represent.Method.Embeds():
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", c.Shortfall("the model's function")+", as the run that learnt it said; the scores may be off")
		return nil
	case a.Accept:
		return nil
	}
	return Missed(cmd.Context(), c.Shortfall("embeddings of these rows"))
}

// AcceptFlag adds --accept-gap.
func AcceptFlag(cmd *cobra.Command, accept *bool) {
	cmd.Flags().BoolVar(accept, "accept-gap", false, "exit with status 0 also where most gaps are missed, or --time-limit ended the work")
}

// Missed makes an error of a report's sentence about a gap that was missed, or about time that was over; nil where there is none.
func Missed(ctx context.Context, text string) error {
	switch {
	case text == "":
		return nil
	case limits.Ended(ctx) != "":
		return fmt.Errorf("%s; the results are as far as they came, and their certificate says how far that is: allow more by --time-limit, "+
			"or take them by --accept-gap", text)
	}
	return fmt.Errorf("%s; the results are complete but far less certain than was asked for: ask for a larger --gap or change the weight, "+
		"or take them by --accept-gap", text)
}
