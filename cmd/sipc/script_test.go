package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/sbinet/npyio"
)

// TestScripts runs testdata/script: one behaviour of the command line a file. Beside testscript's own commands there are
//
//	exits STATUS PROGRAM ARG…   the program ends with this status
//	fails STATUS PROGRAM ARG…   … and prints exactly one error, on standard error, and nothing on standard output
//	json FILE PATH…             FILE is exactly one JSON object, which has these fields
//	figure FILE PATH OP NUMBER  compares a number in it: =, <=, >=
//	npy FILE SHAPE              FILE is NPY, of this shape (18x53), all of it finite
//	numbers FILE.npy FILE.csv   both hold the very same numbers, the latter behind a header and captions
//	grams IOTA PHI METRICS      embeddings and features make the kernel of the norm of the run, whose R is quadratic or zero
//	tree DIR NAME…              DIR holds these files and no others
//	digits DIR COUNT            writes images of ten classes, as MNIST has them
//	topics FILE COUNT           writes rows of a taxonomy of six labels
//	genes FILE COUNT            writes rows of a hierarchy of five classes
//	cut FILE BYTES              keeps the first bytes of a file
//	sums FILE METRICS           the contributions in FILE, of explain --model --json, sum to the invariances' values in METRICS
//	earlier MODEL               makes a model file one of version 2
//	fault NAME PATTERN          a family that fails as NAME says ends a run in one error that matches, in time, and leaves nothing
func TestScripts(t *testing.T) {
	server, certificate := serve(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", programs+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("PROGRAMS", programs)
			env.Setenv("ROOT", root)
			env.Setenv("SIPC_PROGRESS", "off") // a slow machine may take long enough for a line
			env.Setenv("SERVER", server)
			env.Setenv("SSL_CERT_FILE", certificate)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":      exits,
			"fails":      fails,
			"json":       hasFields,
			"figure":     figure,
			"npy":        isNPY,
			"numbers":    sameNumbers,
			"grams":      grams,
			"tree":       tree,
			"reproduces": reproduces,
			"digits":     digits,
			"topics":     topics,
			"genes":      genes,
			"cut":        cut,
			"sums":       sums,
			"earlier":    earlier,
			"fault":      pluginFault,
		},
	})
}

// want ends a script that calls a command wrongly.
func want(ts *testscript.TestScript, neg bool, args []string, least int, usage string) {
	if neg || len(args) < least {
		ts.Fatalf("usage: %s", usage)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2, "exits STATUS PROGRAM ARG...")
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != status {
		ts.Fatalf("exit status %d, want %d\n%s", got, status, ts.ReadFile("stderr"))
	}
	for _, trace := range []string{"panic:", "goroutine ", "runtime error"} {
		if strings.Contains(ts.ReadFile("stderr"), trace) {
			ts.Fatalf("a stack trace is shown:\n%s", ts.ReadFile("stderr"))
		}
	}
}

func fails(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2, "fails STATUS PROGRAM ARG...")
	exits(ts, neg, args)
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("standard output is not empty:\n%s", out)
	}
	count := 0
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if strings.HasPrefix(line, "error") {
			count++
		}
	}
	if count != 1 {
		ts.Fatalf("%d errors are shown, want one:\n%s", count, ts.ReadFile("stderr"))
	}
}

// object reads a file that is exactly one JSON object.
func object(ts *testscript.TestScript, name string) map[string]any {
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(name)))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		ts.Fatalf("%s is no JSON object: %v", name, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		ts.Fatalf("%s holds more than one JSON object", name)
	}
	return out
}

// field is what stands at a path such as regularizer.0.name. Names may hold dots that stand for themselves only where they
// are the last part.
func field(object any, path string) (any, bool) {
	at := object
	for part := range strings.SplitSeq(path, ".") {
		switch node := at.(type) {
		case map[string]any:
			v, ok := node[part]
			if !ok {
				return nil, false
			}
			at = v
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(node) {
				return nil, false
			}
			at = node[i]
		default:
			return nil, false
		}
	}
	return at, true
}

func hasFields(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || neg && len(args) < 2 {
		ts.Fatalf("usage: [!] json FILE [PATH...]")
	}
	o := object(ts, args[0])
	for _, path := range args[1:] {
		if v, ok := field(o, path); ok == neg {
			ts.Fatalf("%s: field %s: there is %t (%v), want %t", args[0], path, ok, v, !neg)
		}
	}
}

func figure(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 4, "figure FILE PATH OP NUMBER")
	v, ok := field(object(ts, args[0]), args[1])
	n, isNumber := v.(json.Number)
	if !ok || !isNumber {
		ts.Fatalf("%s: %s is %v, no number", args[0], args[1], v)
	}
	got, err := n.Float64()
	ts.Check(err)
	bound, err := strconv.ParseFloat(args[3], 64)
	ts.Check(err)
	holds := map[string]bool{"=": got == bound, "<=": got <= bound, ">=": got >= bound, "<": got < bound, ">": got > bound}
	held, known := holds[args[2]]
	if !known {
		ts.Fatalf("unknown comparison %s", args[2])
	}
	if !held {
		ts.Fatalf("%s: %s is %v, want %s %v", args[0], args[1], got, args[2], bound)
	}
}

// readNPY reads a file of NumPy's format.
func readNPY(path string) (shape []int, data []float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	r, err := npyio.NewReader(f)
	if err != nil {
		return nil, nil, err
	}
	if err := r.Read(&data); err != nil {
		return nil, nil, err
	}
	if rest, err := io.Copy(io.Discard, f); err != nil || rest > 0 {
		return nil, nil, fmt.Errorf("%d bytes after the numbers, %w", rest, err)
	}
	return r.Header.Descr.Shape, data, nil
}

func isNPY(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2, "npy FILE SHAPE")
	shape, data, err := readNPY(ts.MkAbs(args[0]))
	ts.Check(err)
	var text []string
	for _, n := range shape {
		text = append(text, strconv.Itoa(n))
	}
	if got := strings.Join(text, "x"); got != args[1] {
		ts.Fatalf("%s has shape %s, want %s", args[0], got, args[1])
	}
	for i, v := range data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			ts.Fatalf("%s: number %d is %v", args[0], i, v)
		}
	}
}

func sameNumbers(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2, "numbers FILE.npy FILE.csv")
	_, data, err := readNPY(ts.MkAbs(args[0]))
	ts.Check(err)
	lines, err := csv.NewReader(strings.NewReader(ts.ReadFile(args[1]))).ReadAll()
	ts.Check(err)
	var numbers []float64
	first := slices.Index(lines[0], "e1")
	for _, line := range lines[1:] {
		for _, cell := range line[first:] {
			v, err := strconv.ParseFloat(cell, 64)
			ts.Check(err)
			numbers = append(numbers, v)
		}
	}
	if len(data) == 0 || !slices.Equal(data, numbers) {
		ts.Fatalf("%s (%d numbers) and %s (%d numbers) differ", args[0], len(data), args[1], len(numbers))
	}
}

func tree(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 1, "tree DIR NAME...")
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	names := slices.Sorted(slices.Values(args[1:]))
	if !slices.Equal(got, names) {
		ts.Fatalf("%s holds %v, want %v", args[0], got, names)
	}
}

func cut(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2, "cut FILE BYTES")
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	data := []byte(ts.ReadFile(args[0]))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Clone(data[:n]), 0o644)) //nolint:gosec // a file of the test
}
