package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
)

// newPlugin groups the commands about families that are programs of their own.
func newPlugin() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Write, verify, add and list families that are programs of their own",
		Long: `A family that is a program of its own is pinned in sipc.lock, beside the specs that use it: its name, its version, where it
came from, and its SHA-256 for each platform. Every launch verifies the digest of a private copy, and runs that copy.

use NAME from "PATH" takes the program at PATH, relative to the spec. use NAME takes the built-in family of that name, else the
one that sipc.lock knows by it. Nothing else is searched, and nothing is fetched when a spec is run.`,
		Args: arguments(knownCommand),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPluginNew(), newPluginVerify(), newPluginAdd(), newPluginList())
	return cmd
}

func newPluginAdd() *cobra.Command {
	var o sipc.AddOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "add PATH|URL",
		Short: "Pin a family's program in sipc.lock; from a URL, fetch it first",
		Long: `Start the program once, ask for its name and version, and pin its SHA-256 in sipc.lock. A program from a URL is put into
sipc-plugins beside the lock. What the lock said of the program before is replaced: this is how an update is accepted.

A lock may hold a digest for each platform. Add the program on each, or say with --platform and --sha256 what it is on
another: then nothing is fetched or started.`,
		Example: "  sipc plugin add ./sipc-family-swaps\n  sipc plugin add https://example.org/sipc-family-swaps --sha256 9f2c…\n" +
			"  sipc plugin add ./sipc-family-swaps --platform linux/arm64 --sha256 51ab…",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := sipc.AddPlugin(cmd.Context(), args[0], o)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), p)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s is pinned; say: use %s from %q\n", p.Name, p.Version, p.Name, "./"+p.Path)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "dir", ".", "the `folder` of sipc.lock, which is that of the spec")
	f.StringVar(&o.SHA256, "sha256", "", "refuse a program of another `digest`")
	f.StringVar(&o.Platform, "platform", "", "pin the --sha256 that the program has on another `platform`, such as linux/arm64")
	f.BoolVar(&asJSON, "json", false, "print one JSON object instead of text")
	return cmd
}

func newPluginList() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the families that sipc.lock pins, and whether their programs are those",
		Args:  arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := sipc.ListPlugins(dir)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), list)
			}
			return writePlugins(cmd, list)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "the `folder` of sipc.lock")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list instead of a table")
	return cmd
}

func writePlugins(cmd *cobra.Command, list []sipc.Plugin) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	if len(list) == 0 {
		fmt.Fprintln(w, "sipc.lock pins no family")
	}
	for _, p := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.Name, p.Version, p.State, p.Path, p.Source)
	}
	return w.Flush()
}
