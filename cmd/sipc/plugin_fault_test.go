package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sipc-ml/sipc/internal/clitest"
)

// faultDeadline is how soon after a plugin's fault sipc must have ended.
const faultDeadline = 5 * time.Second

// faultSpec is a spec that asks the faulty family for its domain and its map.
const faultSpec = `use faulty from "./faulty=%s"
data { target price : real }
kernel     gaussian(width = 1)
features   nystrom(landmarks = all)
invariance steady = rms over all of |f|
invariance still = rms over x of max over t in {same()} of |f(t(x)) - f(x)|
regularize steady, still
learn      ridge
`

// pluginFault runs spec.inv with a family that fails as NAME says. sipc must end with one error that matches PATTERN, in time after the
// fault, and leave neither a process nor a file. The status is 1 where the family fails at its work (E603), and 2 where it cannot be used.
func pluginFault(ts *testscript.TestScript, neg bool, args []string) {
	clitest.Want(ts, neg, args, 2, "fault NAME PATTERN")
	program := ts.MkAbs("faulty=" + args[0])
	ts.Check(os.Link(filepath.Join(programs, "sipc-family-faulty"), program))
	ts.Check(os.WriteFile(ts.MkAbs("spec.inv"), []byte(fmt.Sprintf(faultSpec, args[0])), 0o600))
	tmp, err := os.MkdirTemp("/tmp", "f") // short, as paths of sockets must be
	ts.Check(err)
	defer os.RemoveAll(tmp)
	log := ts.MkAbs(args[0] + ".log")
	before := ts.Getenv("TMPDIR")
	ts.Setenv("TMPDIR", tmp)
	ts.Setenv("SIPC_PLUGIN_LOG", log)
	status := "2"
	if strings.Contains(args[1], "E603") {
		status = "1"
	}
	clitest.Fails(ts, false, []string{status, "sipc", "run", "--trust", "spec.inv", "data.csv"})
	ended := time.Now()
	ts.Setenv("TMPDIR", before)
	ts.Setenv("SIPC_PLUGIN_LOG", "")
	if took := ended.Sub(faultTime(ts, log)); took > faultDeadline {
		ts.Fatalf("%s: sipc ends %v after the fault", args[0], took)
	}
	if entries, err := os.ReadDir(tmp); err != nil || len(entries) > 0 {
		ts.Fatalf("%s: files are left: %v, %v", args[0], entries, err)
	}
	if left := processesUnder(tmp); len(left) > 0 {
		ts.Fatalf("%s: processes %v are left", args[0], left)
	}
	if text := ts.ReadFile("stderr"); !regexp.MustCompile("(?m)"+args[1]).MatchString(text) || !strings.Contains(text, "spec.inv:") {
		ts.Fatalf("%s: the error does not match %s, or names no place in the spec:\n%s", args[0], args[1], text)
	}
}

// faultTime is when the family says that its last fault happened.
func faultTime(ts *testscript.TestScript, log string) time.Time {
	raw, err := os.ReadFile(log)
	ts.Check(err)
	found := regexp.MustCompile(`fault at (\d+)`).FindAllSubmatch(raw, -1)
	if len(found) == 0 {
		ts.Fatalf("the log does not say when the fault happened: %s", raw)
	}
	at, err := strconv.ParseInt(string(found[len(found)-1][1]), 10, 64)
	ts.Check(err)
	return time.Unix(0, at)
}

// processesUnder are those whose environment names the folder of temporary files, as that of every family and its children does.
func processesUnder(tmp string) []string {
	var out []string
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		env, err := os.ReadFile(path)
		if err == nil && bytes.Contains(env, []byte("="+tmp)) {
			out = append(out, filepath.Base(filepath.Dir(path)))
		}
	}
	return out
}
