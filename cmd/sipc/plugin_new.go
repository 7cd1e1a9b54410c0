package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/sdk/python"
	"github.com/sipc-ml/sipc/sdk/starter"
)

func newPluginNew() *cobra.Command {
	var o starter.Options
	cmd := &cobra.Command{
		Use:   "new --lang go|python NAME",
		Short: "Write a family to start from, in Go or Python",
		Long: `Write a family to start from into the new folder NAME: its source, with a domain and a map, their tests, a README, and a spec with
data that uses it. It builds, passes its tests, and passes sipc plugin verify as it stands. A folder that is there already is left alone.`,
		Example: "  sipc plugin new --lang python seasons\n  sipc plugin new --lang go swaps --dir families/swaps",
		Args:    cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Name = args[0]; o.Dir == "" {
				o.Dir = o.Name
			}
			if o.Language == "" {
				return cli.WrongCall(cmd, errors.New("in which language? add --lang go or --lang python"))
			}
			if o.Replace != "" {
				var err error
				if o.Replace, err = filepath.Abs(o.Replace); err != nil {
					return err
				}
			}
			return writeNew(cmd, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Language, "lang", "", "the `language`: go or python")
	f.StringVar(&o.Dir, "dir", "", "the new `folder`; that of the family's name where it is not given")
	f.StringVar(&o.Replace, "replace", "", "for Go: build with the source of sipc in this `folder`")
	return cmd
}

// writeNew writes a family, and says which files it has and how to go on.
func writeNew(cmd *cobra.Command, o starter.Options) error {
	paths, err := sipc.NewPlugin(cmd.Context(), o)
	if err != nil {
		return cli.WrongCall(nil, err)
	}
	for _, p := range paths {
		fmt.Fprintln(cmd.OutOrStdout(), filepath.Join(o.Dir, p))
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\n%s says how to go on\n", filepath.Join(o.Dir, "README.md"))
	if o.Language != "python" {
		return nil
	}
	if _, err := python.Find(cmd.Context()); errors.Is(err, python.ErrNoPython) {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %v\n", err)
	}
	return nil
}
