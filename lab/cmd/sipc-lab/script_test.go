package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sipc-ml/sipc/internal/clitest"
)

// programs is the folder of the programs that the tests run.
var programs string

func TestMain(m *testing.M) { os.Exit(withPrograms(m)) }

func withPrograms(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sipc-lab-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programs = dir
	build := exec.CommandContext(context.Background(), "go", "build", "-o", dir+string(filepath.Separator),
		".", "github.com/sipc-ml/sipc/cmd/sipc", "github.com/sipc-ml/sipc/plugins/mixup/sipc-family-mixup",
		"github.com/sipc-ml/sipc/plugins/hierarchy/sipc-family-hierarchy")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %s\n", err, out)
		return 1
	}
	return m.Run()
}

// TestScripts runs testdata/script: one behaviour of the command line a file. Beside testscript's own commands there are those of clitest, and
//
//	digits DIR COUNT   writes images of ten classes, as MNIST has them
//	topics FILE COUNT  writes rows of a taxonomy of six labels
//	genes FILE COUNT   writes rows of a hierarchy of five classes
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", programs+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("PROGRAMS", programs)
			env.Setenv("ROOT", root)
			env.Setenv("SIPC_TRUST", filepath.Join(env.WorkDir, ".tmp", "trusted"))
			env.Setenv("SIPC_PROGRESS", "off") // a slow machine may take long enough for a line
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": clitest.Exits, "fails": clitest.Fails, "json": clitest.JSON, "figure": clitest.Figure, "tree": clitest.Tree, "cut": clitest.Cut,
			"digits": digits, "topics": topics, "genes": genes,
		},
	})
}
