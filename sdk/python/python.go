// Package python holds the Python package sipc_family, by which a family is written in Python. Like package
// plugins/sdk in Go it asks for a type with a few methods, and serves it. It needs grpcio, and no other package.
package python

import (
	"context"
	"embed"
	"errors"
	"os/exec"
)

// Package is the Python package, as the folder sipc_family.
//
//go:embed sipc_family/*.py sipc_family/family.binpb
var Package embed.FS

// ErrNoPython says that no interpreter here can run a family.
var ErrNoPython = errors.New("there is no Python 3.8 or later with grpcio here; on Debian, apt-get install python3-grpcio")

// Find returns the path of a Python interpreter that can run a family: the first of python3 on the path and
// /usr/bin/python3 that has grpcio. It fails with ErrNoPython.
func Find(ctx context.Context) (string, error) {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if exec.CommandContext(ctx, path, "-c", "import sys, grpc, google.protobuf; sys.exit(sys.version_info < (3, 8))").Run() == nil {
			return path, nil
		}
	}
	return "", errors.Join(ErrNoPython, ctx.Err())
}
