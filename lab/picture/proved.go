package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/google/renameio/v2"

	sipc "github.com/sipc-ml/sipc"
)

// specOfPage finds the first spec of a page.
var specOfPage = regexp.MustCompile("(?s)```inv [^\n]*\n(.*?)```\n")

// writeProved draws the curve of the area in the example houses, free and proved, to a file. The spec is that of a page.
func writeProved(ctx context.Context, page, data, file string) (err error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	spec := specOfPage.FindSubmatch(text)
	if spec == nil {
		return fmt.Errorf("%s: there is no spec", page)
	}
	dir, err := os.MkdirTemp("", "sipc-picture-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "homes.inv")
	if err := os.WriteFile(path, spec[1], 0o600); err != nil {
		return err
	}
	loaded, err := sipc.LoadSpec(ctx, path, sipc.SpecOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, loaded.Close()) }()
	seed := uint64(1) // as the page has it
	if _, err := sipc.Run(ctx, loaded, sipc.RunOptions{Data: data, Seed: &seed, Draw: dir}); err != nil {
		return err
	}
	curve, err := os.ReadFile(filepath.Join(dir, "curve-area.svg"))
	if err != nil {
		return err
	}
	return renameio.WriteFile(file, curve, 0o644)
}
