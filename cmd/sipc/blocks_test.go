//go:build unix

package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Whenever embedding in blocks is killed, the same command goes on: no block that is done is done again, and the bytes are the same.
func TestBlocksGoOnAfterKills(t *testing.T) {
	dir := committed[2].folder(t)
	succeed(t, dir, nil, "run", committed[2].spec, "animals.csv", "--out", "out", "--gap", "1e-9", "--embeddings", "none")
	embed := func(more ...string) []string {
		return append([]string{"embed", "out/model.sipc", "animals.csv", "--out"}, more...)
	}
	succeed(t, dir, nil, embed("plain.npy")...)
	began := time.Now()
	succeed(t, dir, nil, embed("pool.npy", "--blocks", "pool", "--rows", "20")...)
	whole := time.Since(began)
	call, killed := embed("killed.npy", "--blocks", "killed", "--rows", "20"), 0
	done := map[string]time.Time{}
	draw := rand.New(rand.NewPCG(5, 6))
	for span := whole / 3; killed < 4; {
		p := exec.CommandContext(t.Context(), filepath.Join(programs, "sipc"), call...)
		p.Dir = dir
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(draw.Float64() * float64(span)))
		_ = p.Process.Kill()
		if err := p.Wait(); err == nil { // it was done before: begin again, and kill sooner
			span, killed = span/2, 0
			clear(done)
			if err := os.RemoveAll(filepath.Join(dir, "killed")); err != nil {
				t.Fatal(err)
			}
			continue
		} else if p.ProcessState.Exited() {
			t.Fatal(err)
		}
		killed++
		receipts(t, filepath.Join(dir, "killed", "out"), done)
	}
	succeed(t, dir, nil, call...)
	receipts(t, filepath.Join(dir, "killed", "out"), done)
	want, err := os.ReadFile(filepath.Join(dir, "plain.npy"))
	for _, name := range []string{"pool.npy", "killed.npy"} {
		if got, e := os.ReadFile(filepath.Join(dir, name)); err != nil || e != nil || !bytes.Equal(got, want) {
			t.Errorf("%s has other bytes; %v, %v", name, err, e)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "killed", "*", ".*")); err != nil || len(left) > 0 {
		t.Errorf("%q is left; %v", left, err)
	}
	t.Logf("%d kills in runs of %v, %d blocks", killed, whole, len(done))
}

// Whenever a run is killed, the same command goes on with the embeddings that it kept. No file of them is written again, and the results have the
// same bytes as those of a run that keeps none.
func TestRunsGoOnAfterKills(t *testing.T) {
	dir := committed[0].folder(t)
	run := func(more ...string) []string {
		return append([]string{"run", committed[0].spec, committed[0].data, "--set", "training=200", "--set", "held_out=100", "--out"}, more...)
	}
	succeed(t, dir, nil, run("plain")...)
	call, done := run("out", "--blocks", "work"), map[string]time.Time{}
	kept := filepath.Join(dir, "work", "*", "*.rows")
	for range 2 {
		p := exec.CommandContext(t.Context(), filepath.Join(programs, "sipc"), call...)
		p.Dir = dir
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- p.Wait() }()
		awaitMore(t, kept, len(done), ended)
		_ = p.Process.Kill()
		<-ended
		written(t, kept, done)
	}
	before := len(done)
	succeed(t, dir, nil, call...)
	written(t, kept, done)
	if before < 2 || len(done) <= before {
		t.Errorf("%d files were kept before the last run, and %d after", before, len(done))
	}
	for _, name := range []string{"model.sipc", "embeddings.npy", "test-embeddings.npy", "predictions.csv"} {
		want, err := os.ReadFile(filepath.Join(dir, "plain", name))
		if got, e := os.ReadFile(filepath.Join(dir, "out", name)); err != nil || e != nil || !bytes.Equal(got, want) {
			t.Errorf("%s has other bytes; %v, %v", name, err, e)
		}
	}
}

// awaitMore waits until more than so many files of a pattern are there.
func awaitMore(t *testing.T, pattern string, than int, ended <-chan error) {
	t.Helper()
	for {
		paths, err := filepath.Glob(pattern)
		switch {
		case err != nil:
			t.Fatal(err)
		case len(paths) > than:
			return
		}
		select {
		case err := <-ended:
			t.Fatalf("it ended before it had kept more than %d: %v", than, err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// receipts notes when receipts were written, and fails where one was written again.
func receipts(t *testing.T, dir string, done map[string]time.Time) {
	t.Helper()
	written(t, filepath.Join(dir, "*.json"), done)
}

// written notes when the files of a pattern were written, and fails where one was written again.
func written(t *testing.T, pattern string, done map[string]time.Time) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if before, ok := done[path]; ok && !before.Equal(info.ModTime()) {
			t.Errorf("%s was written again", path)
		}
		done[path] = info.ModTime()
	}
}
