package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/model"
)

// An applying is how a command applies a model to rows.
type applying struct {
	cli.Applied
	options sipc.ApplyOptions
}

// flags adds those that all such commands have.
func (a *applying) flags(cmd *cobra.Command, json string) {
	cli.AcceptFlag(cmd, &a.Accept)
	cmd.Flags().BoolVar(&a.options.Strict, "strict", false, "fail, and write nothing, where rows hold texts or numbers that no training row has")
	cmd.Flags().BoolVar(&a.AsJSON, "json", false, json)
}

// loadModel returns the model that the first argument names. It fails where nothing takes the results of a command, or where these would take the
// place of what it reads.
func loadModel(cmd *cobra.Command, args []string, out string) (*model.Model, error) {
	if err := cli.NeedsResults(cmd, out); err != nil {
		return nil, err
	}
	if err := sipc.KeepsInputs([]string{out}, args...); err != nil {
		return nil, cli.WrongCall(cmd, err)
	}
	m, err := sipc.LoadModel(cmd.Context(), args[0])
	if err != nil {
		return nil, cli.WrongInput(swapped(cmd, err, args))
	}
	return m, nil
}

// swapped returns an error of loading a model. Where the data stand in its place, it says so.
func swapped(cmd *cobra.Command, err error, args []string) error {
	const ending = ".sipc"
	if len(args) < 2 || filepath.Ext(args[1]) != ending || filepath.Ext(args[0]) == ending {
		return err
	}
	return fmt.Errorf("%s: this is not a model file, but %s ends like one: the model stands first, `%s %[2]s %[1]s`", args[0], args[1], cmd.CommandPath())
}

// apply does the work of a stage with a model, and tells of its progress and its warnings.
func (a *applying) apply(cmd *cobra.Command, stage string, do func(context.Context, sipc.ApplyOptions) (*sipc.Application, error)) (*sipc.Application, error) {
	progress, err := cli.NewProgress(cmd)
	if err != nil {
		return nil, err
	}
	defer progress.Close()
	progress.Stage(stage)
	a.options.Progress = progress.Step
	out, err := do(cmd.Context(), a.options)
	progress.Clear()
	if err != nil {
		return nil, err
	}
	for _, w := range out.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
	}
	return out, nil
}
