package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"
)

// asTheyAre names test rows under no transformation.
const asTheyAre = "as they are"

// values collects the figures of single seeds, from which the means on a page can be computed again.
type values struct {
	path  string // of the CSV file; empty where nobody wants one
	lines [][]string
}

// flag adds the flag that names the file.
func (v *values) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&v.path, "csv", "", "write the figure of every seed to this file")
}

// add keeps the values of a figure, by seed from 0 on.
func (v *values) add(cell, rows, contender, figure string, bySeed []float64) {
	for seed, x := range bySeed {
		v.lines = append(v.lines, []string{cell, rows, contender, figure, strconv.Itoa(seed), strconv.FormatFloat(x, 'g', -1, 64)})
	}
}

// write writes the file, whole or not at all.
func (v *values) write() error {
	if v.path == "" {
		return nil
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	head := strings.Split("cell rows contender figure seed value", " ")
	if err := w.WriteAll(append([][]string{head}, v.lines...)); err != nil {
		return fmt.Errorf("%s: %w", v.path, err)
	}
	return renameio.WriteFile(v.path, b.Bytes(), 0o644)
}
