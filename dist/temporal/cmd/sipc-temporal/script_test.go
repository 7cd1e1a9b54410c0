package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/internal/clitest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sipc-temporal": func() { os.Exit(cli.Main(newRoot())) }})
}

// TestScripts runs testdata/script, by the commands of clitest.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(ts *testscript.TestScript, neg bool, args []string){"fails": clitest.Fails},
	})
}
