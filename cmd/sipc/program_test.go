package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An outcome is what the program said and how it ended.
type outcome struct {
	stdout, stderr []byte
	status         int
}

// program runs sipc in a folder, with further variables in its environment.
func program(t *testing.T, dir string, env []string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs, "sipc"), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, &stdout, &stderr, append(os.Environ(), env...)
	out := outcome{}
	if err := cmd.Run(); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatal(err)
		}
		out.status = exit.ExitCode()
	}
	out.stdout, out.stderr = stdout.Bytes(), stderr.Bytes()
	return out
}

// succeed runs the program, which must end with status 0.
func succeed(t *testing.T, dir string, env []string, args ...string) outcome {
	t.Helper()
	out := program(t, dir, env, args...)
	if out.status != 0 {
		t.Fatalf("sipc %s: exit status %d\n%s", strings.Join(args, " "), out.status, out.stderr)
	}
	return out
}

// fields are those of a JSON object, but for some.
func fields(t *testing.T, data []byte, without ...string) map[string]json.RawMessage {
	t.Helper()
	var out map[string]json.RawMessage
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	for _, name := range without {
		if _, ok := out[name]; !ok {
			t.Errorf("there is no field %s", name)
		}
		delete(out, name)
	}
	return out
}

// sameFields compares the bytes of fields.
func sameFields(t *testing.T, a, b map[string]json.RawMessage) {
	t.Helper()
	if !slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))) {
		t.Fatalf("fields %v and %v", slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	}
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			t.Errorf("field %s: %s and %s", name, a[name], b[name])
		}
	}
}

// contents are the files of a folder.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, e := range entries {
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// results are the files of a run with embeddings, and withoutEmbeddings those of one whose method makes none.
var (
	results           = []string{"embeddings.npy", "metrics.json", "model.sipc", "predictions.csv", "test-embeddings.npy"}
	withoutEmbeddings = []string{"metrics.json", "model.sipc", "predictions.csv"}
)

// resultsOf returns the files that a run of a method is to have made.
func resultsOf(t *testing.T, files map[string][]byte) []string {
	t.Helper()
	var run struct{ Method string }
	if err := json.Unmarshal(files["metrics.json"], &run); err != nil {
		t.Fatal(err)
	}
	if run.Method == "risk" {
		return withoutEmbeddings
	}
	return results
}

// sameFiles compares the results of two runs byte by byte, but for some files.
func sameFiles(t *testing.T, a, b map[string][]byte, without ...string) {
	t.Helper()
	want := resultsOf(t, a)
	for _, files := range []map[string][]byte{a, b} {
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
			t.Fatalf("files %v, want %v", got, want)
		}
	}
	for _, name := range want {
		if !slices.Contains(without, name) && !bytes.Equal(a[name], b[name]) {
			t.Errorf("%s differs", name)
		}
	}
}
