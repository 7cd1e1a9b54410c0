package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench"
)

// A memoryBench is a call of `sipc-lab bench memory`.
type memoryBench struct {
	only  string
	limit time.Duration
	alone string // the work to do in this very process
	lines bool   // of JSON
}

func newBenchMemory() *cobra.Command {
	var b memoryBench
	cmd := &cobra.Command{
		Use:   "memory [SPEC DATA]...",
		Short: "Forecasts of memory beside the peaks of processes",
		Long: `Run specs on data, each in a process of its own, and print the memory that was foreseen beside the peak of the process. Without
arguments the specs and data are made here, and each takes much memory for another reason.`,
		Example: "  sipc-lab bench memory examples/logic/logic.inv examples/logic/animals.csv",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args)%2 > 0 && b.alone == "" {
				return cli.WrongCall(cmd, fmt.Errorf("%s is a spec without data", args[len(args)-1]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if b.alone != "" {
				ctx, end := context.WithTimeout(cmd.Context(), b.limit)
				defer end()
				return json.NewEncoder(cli.Raw(cmd.OutOrStdout())).Encode(bench.Foresee(ctx, b.alone, args[0], args[1], args[2]))
			}
			return b.run(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&b.only, "only", "", "of the specs that are made here, those whose names match this `pattern`")
	f.DurationVar(&b.limit, "limit", time.Minute, "how long each may take; the peak of one that takes longer is that until then")
	f.BoolVar(&b.lines, "json", false, "print a JSON object for each, on a line")
	f.StringVar(&b.alone, "alone", "", "do this work in this process")
	_ = f.MarkHidden("alone") // there is such a flag
	return cli.BoundMemory(cmd)
}

// run measures the given specs, or those that are made here.
func (b *memoryBench) run(cmd *cobra.Command, args []string) error {
	only, err := regexp.Compile(b.only)
	if err != nil {
		return cli.WrongCall(cmd, fmt.Errorf("--only: %w", err))
	}
	dir, err := os.MkdirTemp("", "sipc-lab-memory-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	if !b.lines {
		fmt.Fprintf(cmd.OutOrStdout(), "%-36s%-8s%12s%9s%7s%9s  most of it for\n", "problem", "work", "forecast MB", "peak MB", "ratio", "seconds")
	}
	for pair := range slices.Chunk(args, 2) {
		if err := b.measure(cmd, filepath.Base(pair[0]), bench.WorkRun, pair[0], pair[1], filepath.Join(dir, "out")); err != nil {
			return err
		}
	}
	for _, h := range bench.HostileShapes() {
		if len(args) > 0 || !only.MatchString(h.Name) {
			continue
		}
		if err := b.hostile(cmd, &h, dir); err != nil {
			return err
		}
	}
	return nil
}

// hostile measures one that is made here, and its model where that is applied to rows.
func (b *memoryBench) hostile(cmd *cobra.Command, h *bench.Hostile, dir string) error {
	spec, data, out := filepath.Join(dir, "spec.inv"), filepath.Join(dir, "data."+h.Ending), filepath.Join(dir, "out")
	if err := os.WriteFile(spec, []byte(h.Spec), 0o600); err != nil {
		return err
	}
	if err := writeTo(data, h.Data); err != nil {
		return err
	}
	if h.Edges != nil {
		if err := writeTo(filepath.Join(dir, "edges.csv"), h.Edges); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if h.Polar {
		return b.measure(cmd, h.Name, bench.WorkPolar, spec, data, out)
	}
	if err := b.measure(cmd, h.Name, bench.WorkRun, spec, data, out); err != nil || h.Applied == nil {
		return err
	}
	if _, err := os.Stat(bench.ModelOf(out)); err != nil {
		return nil //nolint:nilerr // the run ended early, and the line says so
	}
	if err := writeTo(data, h.Applied); err != nil {
		return err
	}
	for _, work := range []string{bench.WorkPredict, bench.WorkEmbed} {
		if err := b.measure(cmd, h.Name, work, bench.ModelOf(out), data, dir); err != nil {
			return err
		}
	}
	return nil
}

// writeTo writes a file by a function.
func writeTo(path string, write func(w *bufio.Writer)) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // Flush tells of faults
	w := bufio.NewWriter(file)
	write(w)
	return w.Flush()
}

// measure does some work in a process of its own and prints a line of it.
func (b *memoryBench) measure(cmd *cobra.Command, name, work string, files ...string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.CommandContext(cmd.Context(), program, append([]string{"bench", "memory", "--alone", work, "--limit", b.limit.String()}, files...)...)
	var stdout bytes.Buffer
	child.Stdout, child.Stderr = &stdout, io.Discard
	if err := child.Run(); err != nil {
		return fmt.Errorf("the process that measured %s ended early: %w; is memory short?", name, err)
	}
	var f bench.Foreseen
	if err := json.Unmarshal(stdout.Bytes(), &f); err != nil {
		return fmt.Errorf("the process that measured %s printed no figures: %w", name, err)
	}
	f.Name, f.Work = name, work
	why, _, _ := strings.Cut(f.Error, "\n")
	if b.lines {
		f.Error = why
		return json.NewEncoder(cli.Raw(cmd.OutOrStdout())).Encode(&f)
	}
	if why != "" {
		why = "; ended: " + why
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%-36s%-8s%12.0f%9d%7.2f%9.1f  %s%s\n", name, work, f.Bytes/1e6, f.Peak/1e6, f.Ratio(), f.Seconds, f.Largest, why)
	return nil
}
