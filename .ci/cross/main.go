// Command cross checks that the program builds for the platforms of its releases. It type-checks ./cmd/sipc and all of ours below it as the compiler
// does for a platform, without generating code: that takes seconds, and a build minutes. Releases compile the program.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/tools/go/packages"
)

// platforms are one for each system and machine of .goreleaser.yaml, but for that of the tests.
var platforms = [][2]string{{"linux", "arm64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

func main() {
	var errs []error
	for _, p := range platforms {
		errs = append(errs, check(p[0], p[1]))
	}
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check type-checks the program for a platform.
func check(system, machine string) error {
	env := append(os.Environ(), "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=0")
	list := exec.CommandContext(context.Background(), "go", "list", "-deps", "-f", "{{if and .Module .Module.Main}}{{.ImportPath}}{{end}}", "./cmd/sipc")
	list.Env, list.Stderr = env, os.Stderr
	ours, err := list.Output()
	if err != nil {
		return fmt.Errorf("%s/%s: go list: %w", system, machine, err)
	}
	// Bodies of functions are checked in the packages that are asked for alone: those of other modules are others' affair.
	roots, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Env: env}, strings.Fields(string(ours))...)
	if err != nil {
		return err
	}
	var errs []error
	packages.Visit(roots, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			errs = append(errs, fmt.Errorf("%s/%s: %w", system, machine, e))
		}
	})
	if len(errs) == 0 {
		fmt.Printf("%s/%s: %d packages\n", system, machine, len(roots))
	}
	return errors.Join(errs...)
}
