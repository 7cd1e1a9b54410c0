//go:build tools

package sipc

import (
	_ "github.com/alecthomas/participle/v2"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/renameio/v2"
	_ "github.com/hashicorp/go-hclog"
	_ "github.com/hashicorp/go-plugin"
	_ "github.com/mattn/go-runewidth"
	_ "github.com/mmcloughlin/avo/build"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/sbinet/npyio"
	_ "github.com/spf13/cobra"
	_ "golang.org/x/sys/cpu"
	_ "golang.org/x/term"
	_ "gonum.org/v1/gonum/mat"
	_ "google.golang.org/grpc"
	_ "google.golang.org/protobuf/proto"
	_ "pgregory.net/rapid"
)
