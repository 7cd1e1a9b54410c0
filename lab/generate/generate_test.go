package main

import (
	"compress/gzip"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommittedDataAreWhatTheGeneratorMakes(t *testing.T) {
	for _, table := range tables() {
		if diff := cmp.Diff(table.rows, read(t, filepath.Join("..", "..", "examples", table.path))); diff != "" {
			t.Errorf("%s differs from what the generator makes (run go run ./lab/generate):\n%.2000s", table.path, diff)
		}
	}
}

// read compares contents, not compressed bytes, which may differ between versions of Go.
func read(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if filepath.Ext(path) == ".gz" {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
