package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
)

// newPlugin groups the commands about families that are programs of their own.
func newPlugin() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Write, verify, add, remove and list families that are programs of their own",
		Long: `A family that is a program of its own is pinned in sipc.lock, beside the specs that use it: its name, its version, where it
came from, and its SHA-256 for each platform. Every launch verifies the digest of a private copy, and runs that copy. It must be one that
you have trusted, too: by plugin add or run --trust. What you trust is kept in sipc/trusted among your settings, or where SIPC_TRUST says.

use NAME from "PATH" takes the program at PATH, relative to the spec. use NAME takes the built-in family of that name, else the
one that sipc.lock knows by it. Nothing else is searched, and nothing is fetched when a spec is run.`,
	}
	cmd.AddCommand(newPluginNew(), newPluginVerify(), newPluginAdd(), newPluginRemove(), newPluginList())
	return cmd
}

func newPluginAdd() *cobra.Command {
	var o sipc.AddOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "add PATH|URL",
		Short: "Trust a family's program and pin it in sipc.lock; from a URL, fetch it first",
		Long: `Start the program, ask for its name and version, pin its SHA-256 in sipc.lock and trust it from now on. A program from a URL is put into
sipc-plugins beside the lock; of the address, the lock keeps neither the query nor the user. What the lock said of the program
before is replaced, and shown: this is how an update is accepted.

A lock may hold a digest for each platform: add the program on each.`,
		Example: "  sipc plugin add ./sipc-family-swaps\n  sipc plugin add https://example.org/sipc-family-swaps --sha256 9f2c…",
		Args:    cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := sipc.AddPlugin(cmd.Context(), args[0], o)
			if err != nil {
				return cli.WrongInput(err)
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), p)
			}
			if len(p.Others) > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "note: sipc.lock pins %s also by the name %s: use %s needs a path then, or one of them goes: sipc plugin remove --dir %s %s\n",
					strings.Join(p.Others, ", "), p.Name, p.Name, o.Dir, p.Others[0])
			}
			return writeAdded(cmd.OutOrStdout(), p)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "dir", ".", "the `folder` of sipc.lock, which is that of the spec")
	f.StringVar(&o.SHA256, "sha256", "", "refuse a program of another `digest`")
	f.BoolVar(&asJSON, "json", false, "print one JSON object instead of text")
	return cmd
}

func newPluginRemove() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "remove NAME|PATH",
		Short: "Take a family out of sipc.lock; its program stays",
		Long: `Take the pin of a family out of sipc.lock, on all platforms: by its name, or by the path of its program. The program stays where
it is, and no spec starts it any more until it is added again.`,
		Example: "  sipc plugin remove swaps\n  sipc plugin remove ./sipc-family-swaps",
		Args:    cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := sipc.RemovePlugin(cmd.Context(), dir, args[0])
			if err != nil {
				return cli.WrongInput(err)
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), p)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s (%s) is no longer pinned\n", p.Name, p.Version, p.Path)
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "the `folder` of sipc.lock")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead of text")
	return cmd
}

func newPluginList() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the families that sipc.lock pins, and whether their programs are those",
		Long: `Show name, version, state, trust, digest, path and source of each family that sipc.lock pins. A program starts only if it is pinned
and you have trusted its digest yourself, by plugin add or run --trust. No program is started. The exit status is 1 if a program is changed
or missing.`,
		Args: cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := sipc.ListPlugins(dir)
			if err != nil {
				return cli.WrongInput(err)
			}
			write := writePlugins
			if asJSON {
				write = func(w io.Writer, list []sipc.Plugin) error { return cli.WriteJSON(w, list) }
			}
			if at := slices.IndexFunc(list, func(p sipc.Plugin) bool { return p.TrustUnknown != "" }); at >= 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "warning: which programs you trust is unknown: %s\n", list[at].TrustUnknown)
			}
			return errors.Join(write(cmd.OutOrStdout(), list), sipc.CheckPlugins(dir, list))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "the `folder` of sipc.lock")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list instead of a table")
	return cmd
}

// writeAdded says what is pinned now, and what was before.
func writeAdded(out io.Writer, p *sipc.Plugin) error {
	fmt.Fprintf(out, "%s %s is pinned in %s; say in specs of that folder: use %s from %q\n", p.Name, p.Version, p.Lock, p.Name, p.Path)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for platform, digest := range p.SHA256 { // which is one
		before := p.Before
		switch {
		case before == nil || before.SHA256 == "":
			fmt.Fprintf(w, "  sha256 %s on %s\n", digest, platform)
		case strings.EqualFold(before.SHA256, digest) && before.Name == p.Name && before.Version == p.Version:
			fmt.Fprintf(w, "  sha256 %s on %s, as before\n", digest, platform)
		default:
			fmt.Fprintf(w, "  before\t%s %s\tsha256 %s on %s\n", before.Name, before.Version, before.SHA256, platform)
			fmt.Fprintf(w, "  now\t%s %s\tsha256 %s on %s\n", p.Name, p.Version, digest, platform)
		}
	}
	if p.Before != nil && len(p.Before.Dropped) > 0 {
		fmt.Fprintf(w, "  no longer pinned on %s, where it was version %s: add it there too\n", strings.Join(p.Before.Dropped, ", "), p.Before.Version)
	}
	return w.Flush()
}

// digestShown is how many digits of a digest the table shows.
const digestShown = 12

func writePlugins(out io.Writer, list []sipc.Plugin) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(list) == 0 {
		fmt.Fprintln(w, "sipc.lock pins no family")
	}
	for i := range list {
		p := &list[i]
		digest := p.Digest()
		if len(digest) > digestShown {
			digest = digest[:digestShown] + "…"
		}
		if digest == "" {
			digest = "-"
		}
		trust := "not trusted"
		switch {
		case p.Trusted:
			trust = "trusted"
		case p.TrustUnknown != "":
			trust = "trust unknown"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", p.Name, p.Version, p.State, trust, digest, p.Path, p.Source)
	}
	return w.Flush()
}
