// Command integration tries sipc-temporal with a real server: processes are killed and stopped, and the bytes must be those of sipc embed. It is a
// module of its own, as the server's code is large, and no part of the workspace:
//
//	GOWORK=off go run -C dist/temporal/integration . trials MODEL DATA
package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
)

func main() { os.Exit(cli.Main(newRoot())) } //nolint:forbidigo // only main exits

func newRoot() *cobra.Command {
	return cli.Root(&cobra.Command{
		Use:   "integration",
		Short: "Try sipc-temporal with a real server",
	}, newServer(), newTrials(), newOverhead())
}

// flags adds those of all that works with a site.
func (s *site) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.sipc, "sipc", "sipc", "the `program` sipc")
	f.StringVar(&s.temporal, "sipc-temporal", "sipc-temporal", "the `program` sipc-temporal")
	f.IntVar(&s.rows, "rows", 2048, "how many `rows` a block has")
}

// at makes a site for a model and data, in a folder for all files that is gone afterwards.
func (s *site) at(cmd *cobra.Command, args []string, do func() error) (err error) {
	for _, path := range []*string{&s.sipc, &s.temporal, &args[0], &args[1]} {
		if found, err := exec.LookPath(*path); err == nil {
			*path = found
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	s.model, s.data = args[0], args[1]
	if s.dir, err = os.MkdirTemp("", "sipc-temporal-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	return do()
}
