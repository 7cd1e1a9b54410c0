package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/runtime/blas"
)

// farewell is how long a child that was interrupted may take to end.
const farewell = 5 * time.Second

// child measures the job in a process of its own, so that its memory is its own, and files the measurement.
func (j *job) child(cmd *cobra.Command, square int, out *polarFigures) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	var stdout bytes.Buffer
	child := exec.CommandContext(cmd.Context(), program, j.arguments(square)...)
	child.Stdout, child.Stderr = &stdout, cmd.ErrOrStderr()
	child.Env = append(os.Environ(), blas.Variable+"="+blas.Name())
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	child.WaitDelay = farewell
	err = child.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		return cli.ExitError(exit.ExitCode()) // it has said why
	}
	if err != nil {
		if cmd.Context().Err() != nil {
			return cmd.Context().Err()
		}
		return fmt.Errorf("the process that measured %s ended early: %w; is memory short?", j.kind, err)
	}
	m := &bench.Measurement{}
	if err := json.Unmarshal(stdout.Bytes(), m); err != nil {
		return fmt.Errorf("the process that measured %s printed no figures: %w", j.kind, err)
	}
	out.Measurements = append(out.Measurements, m)
	return nil
}

// arguments returns the command line of a process that measures the job alone.
func (j *job) arguments(square int) []string {
	o := &j.options
	list := []string{"bench", "polar", "--alone", "--square", strconv.Itoa(square), "--gap", strconv.FormatFloat(o.Gap, 'g', -1, 64)}
	if o.RHS > 0 {
		list = append(list, "--rhs", strconv.Itoa(o.RHS))
	}
	if j.kind == bench.FromFile {
		return append(list, "--problem", j.file)
	}
	return append(list,
		"--kinds", string(j.kind), "--n", strconv.Itoa(o.N), "--pairs", strconv.Itoa(o.Pairs), "--rank", strconv.Itoa(o.Rank),
		"--labels", strconv.Itoa(o.Labels), "--alpha", strconv.FormatFloat(o.Alpha, 'g', -1, 64),
		"--seed", strconv.FormatUint(o.Seed, 10), "--whole-paths="+strconv.FormatBool(o.WholePaths), "--", o.Folder)
}
