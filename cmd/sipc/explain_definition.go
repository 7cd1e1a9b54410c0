package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/plugins"
)

// definitionOf returns the statement of the standard library that the arguments name, where no file has that name.
func definitionOf(args []string) (plugins.Definition, bool) {
	if len(args) != 1 {
		return plugins.Definition{}, false
	}
	all := compiler.Standard()
	at := slices.IndexFunc(all, func(d plugins.Definition) bool { return d.Name == args[0] })
	if _, err := os.Stat(args[0]); err == nil || at < 0 {
		return plugins.Definition{}, false
	}
	return all[at], true
}

// definitionJSON holds what explain --json prints of a statement of the standard library.
type definitionJSON struct {
	Name       string `json:"name"`
	Doc        string `json:"doc"`
	Definition string `json:"definition"`
}

// explainDefinition prints a statement of the standard library.
func explainDefinition(cmd *cobra.Command, d plugins.Definition, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), definitionJSON{d.Name, d.Doc, d.Source})
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "# %s\n%s\n", d.Doc, d.Source)
	return err
}
