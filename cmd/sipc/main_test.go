package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// programs is the folder of the programs that the tests run: sipc itself and every family as a process.
var programs string

// root is the repository's root.
var root string

func TestMain(m *testing.M) { os.Exit(withPrograms(m)) }

func withPrograms(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sipc-programs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programs = dir
	if err := os.Setenv("SIPC_TRUST", filepath.Join(dir, "trusted")); err != nil { // a store of the tests' own
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if root, err = filepath.Abs("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := build(
		"./cmd/sipc", "./plugins/mixup/sipc-family-mixup", "./plugins/hierarchy/sipc-family-hierarchy",
		"./plugins/transform/sipc-family-transform", "./plugins/host/internal/sipc-family-faulty",
	); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := build("-o", filepath.Join(dir, "sipc-family-swaps"), "./examples/houses/swaps"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// build builds programs into the folder of programs.
func build(args ...string) error {
	if args[0] != "-o" {
		args = append([]string{"-o", programs + string(filepath.Separator)}, args...)
	}
	cmd := exec.CommandContext(context.Background(), "go", append([]string{"build"}, args...)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
