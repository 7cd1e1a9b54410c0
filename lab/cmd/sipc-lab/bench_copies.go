package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/lab/bench/copies"
)

// A copiesCall is a call of `sipc-lab bench copies`.
type copiesCall struct {
	cells, fits, rivals  []string
	draws, first         uint64
	test                 int
	set                  string
	program, rival, from string
}

func newBenchCopies() *cobra.Command {
	var m copiesCall
	cmd := &cobra.Command{
		Use:   "copies MNIST-FOLDER",
		Short: "R over an orbit of moves beside machines on moved copies, all with chosen settings",
		Long: `Draw training rows of MNIST and fit them by sipc, under an R over all small turns, scales and shifts. Fit support vector machines to copies of
the same rows under such moves. Each chooses its settings by folds of the training rows. Measure both on test rows, as they are and at a corner of the
orbit. A line of JSON tells of each fit, with seconds of processor time. --table FILE prints the lines of a file as a table.

` + wanted(&bench.Digits),
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if m.from != "" {
				return m.table(cmd)
			}
			return m.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&m.cells, "cells", []string{"4-9:60", "2-3:60", "4-9:100", "2-3:100"}, "`cells`: two digits or all, and the number of training rows")
	f.StringSliceVar(&m.fits, "fits", []string{"plain", "orbit"}, "the specs to fit")
	f.StringSliceVar(&m.rivals, "machines", copies.Rivals[:2], "the machines on copies, as copies.py names them")
	f.Uint64Var(&m.draws, "draws", 10, "how many draws")
	f.Uint64Var(&m.first, "first", 0, "the `number` of the first draw; others follow it")
	f.IntVar(&m.test, "test", 1900, "test rows")
	f.StringVar(&m.set, "set", "", "the `name` of the images in the table, where they are not MNIST's")
	f.StringVar(&m.program, "sipc", "sipc", "the `command` of sipc")
	f.StringVar(&m.rival, "rival", "", "a `command` that fits machines to copies, 'python3 lab/bench/copies/copies.py'; without it there are none")
	f.StringVar(&m.from, "table", "", "a `file` of lines to print as a table; nothing is fitted")
	return cmd
}

// run writes a line for each fit.
func (m *copiesCall) run(cmd *cobra.Command, data string) error {
	var cells []copies.Cell
	for _, text := range m.cells {
		c, err := copies.ParseCell(text)
		if err != nil {
			return cli.WrongInput(err)
		}
		cells = append(cells, c)
	}
	for _, fit := range m.fits {
		if _, ok := copies.Fits[fit]; !ok {
			return cli.WrongInput(fmt.Errorf("--fits: %s is none of %s", fit, strings.Join(slices.Sorted(maps.Keys(copies.Fits)), ", ")))
		}
	}
	folder, err := bench.Digits.Find(data)
	if err != nil {
		return err
	}
	for _, c := range cells {
		for draw := m.first; draw < m.first+m.draws; draw++ {
			if err := m.draw(cmd, folder, c, draw); err != nil {
				return err
			}
		}
	}
	return nil
}

// draw writes the lines of one draw.
func (m *copiesCall) draw(cmd *cobra.Command, folder string, c copies.Cell, draw uint64) error {
	dir, err := os.MkdirTemp("", "sipc-lab-copies-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	job, err := copies.NewJob(folder, m.set, dir, c, draw, m.test)
	if err != nil {
		return cli.WrongInput(err)
	}
	write := json.NewEncoder(cli.Raw(cmd.OutOrStdout()))
	for _, fit := range m.fits {
		line, err := job.Fit(cmd.Context(), strings.Fields(m.program), fit)
		if err != nil {
			return err
		}
		if err := write.Encode(line); err != nil {
			return err
		}
	}
	if m.rival == "" {
		return nil
	}
	lines, err := job.Rivals(cmd.Context(), strings.Fields(m.rival), m.rivals)
	for _, line := range lines {
		err = errors.Join(err, write.Encode(line))
	}
	return err
}

// table prints the lines of a file.
func (m *copiesCall) table(cmd *cobra.Command) error {
	lines, err := linesOf[copies.Line](m.from)
	if err != nil {
		return err
	}
	return copies.Write(cmd.OutOrStdout(), lines, "orbit", copies.Rivals[1])
}

// linesOf reads a JSON object from each line of a file.
func linesOf[T any](path string) (lines []T, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	defer file.Close() //nolint:errcheck // was read only
	for from := json.NewDecoder(file); ; {
		var line T
		if err := from.Decode(&line); errors.Is(err, io.EOF) {
			return lines, nil
		} else if err != nil {
			return nil, cli.WrongInput(fmt.Errorf("%s: %w", path, err))
		}
		lines = append(lines, line)
	}
}
