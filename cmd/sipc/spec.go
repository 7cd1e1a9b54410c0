package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
)

// What standard input is called as an argument, and in messages.
const (
	stdinArgument = "-"
	stdinName     = "stdin"
)

// readSpec returns the text of a spec with the path by which messages call it. The path - is standard input; files that such a spec names
// are relative to the working directory.
func readSpec(cmd *cobra.Command, path string) (name string, source []byte, err error) {
	if path == stdinArgument {
		source, err = io.ReadAll(cmd.InOrStdin())
		return stdinName, source, cli.WrongInput(err)
	}
	if source, err = sipc.ReadSpec(path); err != nil {
		return "", nil, cli.WrongCall(nil, err)
	}
	return path, source, nil
}

// specOptions returns those of a call: the NAME=VALUE of --set, and notices on standard error.
func specOptions(cmd *cobra.Command, sets []string) (sipc.SpecOptions, error) {
	o := sipc.SpecOptions{Set: map[string]string{}, Notice: func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "note:", text) }}
	for _, s := range sets {
		name, value, ok := strings.Cut(s, "=")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.TrimSpace(value) == "" {
			return o, cli.WrongCall(cmd, fmt.Errorf("--set is %q; write NAME=VALUE", s))
		}
		o.Set[name] = strings.TrimSpace(value)
	}
	return o, nil
}

// openSpec reads and checks a spec, which may have faults.
func openSpec(cmd *cobra.Command, path string, o sipc.SpecOptions) (*sipc.Spec, error) {
	name, source, err := readSpec(cmd, path)
	if err != nil {
		return nil, err
	}
	return sipc.NewSpec(cmd.Context(), name, source, o), nil
}

// soundSpec reads and checks a spec, and makes its errors an error. It may trust the programs that the spec names.
func soundSpec(cmd *cobra.Command, path string, sets []string, trust bool) (*sipc.Spec, error) {
	o, err := specOptions(cmd, sets)
	if err != nil {
		return nil, err
	}
	o.Trust = trust
	spec, err := openSpec(cmd, path, o)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(cmd.Context().Err(), spec.Err()); err != nil {
		return nil, errors.Join(err, spec.Close())
	}
	return spec, nil
}
