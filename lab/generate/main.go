// Command generate makes the data of the examples. The data are drawn so that the knowledge which each spec declares is
// true of them. So few rows are used for training that the rows alone hardly show it.
//
//	go run ./lab/generate [DIR]
//
// The same program writes the same bytes.
package main

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// A table is a CSV file with its header.
type table struct {
	path string // relative to the examples folder; gzipped where it ends in .gz
	rows [][]string
}

func main() {
	dir := "examples"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := generate(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(dir string) error {
	for _, t := range tables() {
		if err := t.write(dir); err != nil {
			return err
		}
	}
	return nil
}

func tables() []table {
	houses, edges := houseTables()
	documents, taxonomy := topicTables()
	return []table{turnedDigits(), tenDigits(), animals(), documents, taxonomy, houses, edges, shifts()}
}

func (t *table) write(dir string) error {
	path := filepath.Join(dir, t.path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer f.Cleanup() //nolint:errcheck // after a successful replace there is nothing to clean up
	if err := t.encode(f); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

func (t *table) encode(w io.Writer) error {
	if !strings.HasSuffix(t.path, ".gz") {
		return csv.NewWriter(w).WriteAll(t.rows)
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := csv.NewWriter(z).WriteAll(t.rows); err != nil {
		return err
	}
	return z.Close()
}
