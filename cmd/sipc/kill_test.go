//go:build unix

package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// killsVariable says how many times TestKills kills, where that is not a few times.
const killsVariable = "SIPC_TEST_KILLS"

// A run that is killed outright over the results of another one leaves the old results or the new ones, and never some of each. Its
// family and the children of that end with it. The next run removes every file that it left.
func TestKills(t *testing.T) {
	kills := 5
	if text := os.Getenv(killsVariable); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	tmp, err := os.MkdirTemp("/tmp", "k") //nolint:usetesting // short, as paths of sockets must be
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	env := []string{"TMPDIR=" + tmp}
	if err := os.Link(filepath.Join(programs, "sipc-family-faulty"), filepath.Join(dir, "faulty=children")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "data.csv"), numbered(400))
	write(t, filepath.Join(dir, "spec.inv"), fmt.Appendf(nil, faultSpec+"method embed\n", "children"))
	succeed(t, dir, env, "plugin", "add", "faulty=children")
	run := func(seed, out string) []string {
		return []string{"run", "spec.inv", "data.csv", "--embeddings", "csv", "--seed", seed, "--out", out}
	}
	began := time.Now()
	succeed(t, dir, env, run("2", "other")...)
	whole := time.Since(began)
	succeed(t, dir, env, run("1", "out")...)
	earlier, later := contents(t, filepath.Join(dir, "out")), contents(t, filepath.Join(dir, "other"))
	same := func(a, b map[string][]byte) bool { return maps.EqualFunc(a, b, bytes.Equal) }
	if same(earlier, later) || len(earlier) != len(results) {
		t.Fatalf("two seeds give the same %d files", len(earlier))
	}
	draw := rand.New(rand.NewPCG(9, uint64(kills)))
	var old, left int
	for k := range kills {
		killed := exec.CommandContext(t.Context(), filepath.Join(programs, "sipc"), run("2", "out")...)
		killed.Dir, killed.Env = dir, append(os.Environ(), env...)
		if err := killed.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- killed.Wait() }()
		after := time.Duration(draw.Float64() * float64(whole))
		if k%2 == 0 { // while it writes, which is short
			after = time.Duration(draw.Int64N(int64(10 * time.Millisecond)))
			awaitFile(filepath.Join(dir, "out", ".predictions.csv-*"), ended)
		}
		time.Sleep(after)
		_ = killed.Process.Kill() // of one that has ended there is nothing to kill
		awaitNoProcess(t, tmp)
		got := contents(t, filepath.Join(dir, "out"))
		maps.DeleteFunc(got, func(name string, _ []byte) bool {
			aside := strings.HasPrefix(name, ".")
			if aside {
				left++
			}
			return aside
		})
		switch {
		case same(got, earlier):
			old++
		case !same(got, later):
			t.Errorf("kill %d, after %v: it leaves a mixture", k, after)
		}
		succeed(t, dir, env, run("1", "out")...)
		if got := contents(t, filepath.Join(dir, "out")); !same(got, earlier) {
			t.Errorf("kill %d, after %v: it leaves %d files after the next run, or others", k, after, len(got))
		}
		if entries, err := os.ReadDir(tmp); err != nil || len(entries) > 0 {
			t.Errorf("kill %d, after %v: it leaves %v after the next run, %v", k, after, entries, err)
		}
	}
	t.Logf("%d kills in runs of %v: %d times the old results, %d times the new ones; %d unfinished files, all swept", kills, whole, old, kills-old, left)
}

// A program whose reader has gone ends without a word.
func TestReaderHasGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs, "sipc"), "explain", "E404")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 141 || stderr.Len() > 0 {
		t.Errorf("exit status %d, and it says %q", code, &stderr)
	}
}

// awaitFile waits until there is a file, or the process has ended.
func awaitFile(pattern string, ended <-chan error) {
	for found := []string(nil); len(found) == 0; found, _ = filepath.Glob(pattern) {
		select {
		case <-ended:
			return
		case <-time.After(100 * time.Microsecond):
		}
	}
}

// awaitNoProcess waits until no process has its temporary files in a folder.
func awaitNoProcess(t *testing.T, tmp string) {
	t.Helper()
	for range 500 {
		if len(processesUnder(tmp)) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("processes %v are left", processesUnder(tmp))
}

// numbered is a table of prices.
func numbered(rows int) []byte {
	draw := rand.New(rand.NewPCG(3, 4))
	b := bytes.NewBufferString("a,b,price\n")
	for range rows {
		x, y := draw.NormFloat64(), draw.NormFloat64()
		fmt.Fprintf(b, "%.3f,%.3f,%.3f\n", x, y, x*y)
	}
	return b.Bytes()
}
