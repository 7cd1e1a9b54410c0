// Package clitest holds commands of test scripts that the tests of the project's programs share.
package clitest

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
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/sbinet/npyio"
)

// Want ends a script that calls a command wrongly.
func Want(ts *testscript.TestScript, neg bool, args []string, least int, usage string) {
	if neg || len(args) < least {
		ts.Fatalf("usage: %s", usage)
	}
}

// Exits runs a program and wants an exit status, without a stack trace.
func Exits(ts *testscript.TestScript, neg bool, args []string) {
	Want(ts, neg, args, 2, "exits STATUS PROGRAM ARG...")
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

// Fails runs a program that prints exactly one error, on standard error, and wants an exit status and an empty standard output.
func Fails(ts *testscript.TestScript, neg bool, args []string) {
	Want(ts, neg, args, 2, "fails STATUS PROGRAM ARG...")
	Exits(ts, neg, args)
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

// Object reads a file that is exactly one JSON object.
func Object(ts *testscript.TestScript, name string) map[string]any {
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(name)))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		ts.Fatalf("%s is not a JSON object: %v", name, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		ts.Fatalf("%s holds more than one JSON object", name)
	}
	return out
}

// Field returns what stands at a path such as regularizer.0.name. Names may hold dots that stand for themselves only where they
// are the last part.
func Field(object any, path string) (any, bool) {
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

// JSON wants a file to be exactly one JSON object with these fields, or without them.
func JSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || neg && len(args) < 2 {
		ts.Fatalf("usage: [!] json FILE [PATH...]")
	}
	o := Object(ts, args[0])
	for _, path := range args[1:] {
		if v, ok := Field(o, path); ok == neg {
			ts.Fatalf("%s: field %s: there is %t (%v), want %t", args[0], path, ok, v, !neg)
		}
	}
}

// Figure compares a number in a JSON object.
func Figure(ts *testscript.TestScript, neg bool, args []string) {
	Want(ts, neg, args, 4, "figure FILE PATH OP NUMBER")
	v, ok := Field(Object(ts, args[0]), args[1])
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

// ReadNPY reads a file of NumPy's format.
func ReadNPY(path string) (shape []int, data []float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
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

// NPY wants a file in NumPy's format, of a shape, all of it finite.
func NPY(ts *testscript.TestScript, neg bool, args []string) {
	Want(ts, neg, args, 2, "npy FILE SHAPE")
	shape, data, err := ReadNPY(ts.MkAbs(args[0]))
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

// Numbers wants a file in NumPy's format and a table to hold the very same numbers, the latter behind a header and captions.
func Numbers(ts *testscript.TestScript, neg bool, args []string) {
	Want(ts, neg, args, 2, "numbers FILE.npy FILE.csv")
	_, data, err := ReadNPY(ts.MkAbs(args[0]))
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

// Tree wants a folder to hold these files and no others.
func Tree(ts *testscript.TestScript, neg bool, args []string) {
	Want(ts, neg, args, 1, "tree DIR NAME...")
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

// Cut keeps the first bytes of a file.
func Cut(ts *testscript.TestScript, neg bool, args []string) {
	Want(ts, neg, args, 2, "cut FILE BYTES")
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	data := []byte(ts.ReadFile(args[0]))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Clone(data[:n]), 0o644)) //nolint:gosec // a file of the test
}
