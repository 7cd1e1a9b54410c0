package levels

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/lab/bench"
)

// lambdas is how many the rival chooses from. Sets of few rows have as many settings.
const lambdas = 12

// Rival runs a command that fits quantiles, as quantreg.R does, and measures them. With the shape, it keeps what is known of the set.
func (j *Job) Rival(ctx context.Context, command []string, shape bool) (*Line, error) {
	name, knots := Rival, "N"
	if shape {
		name, knots = RivalShape, j.set.Knots
	}
	out := filepath.Join(j.dir, name+".csv")
	args := slices.Concat(command[1:], []string{j.train, j.hold, j.grid, out, strings.ReplaceAll(bench.Listed(Levels), " ", ""), strconv.Itoa(folds), strconv.Itoa(lambdas), knots})
	told, err := exec.CommandContext(ctx, command[0], args...).Output() //nolint:gosec // the caller's command
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	test, places, err := j.quantiles(out)
	if err != nil {
		return nil, err
	}
	line := j.line(name, test, places)
	fields := strings.Fields(string(told))
	if len(fields) != 2+len(Levels) {
		return nil, fmt.Errorf("%s: told %q, and seconds of the choice and of the fit, and a lambda of each level, were expected", strings.Join(command, " "), told)
	}
	line.Choose, _ = strconv.ParseFloat(fields[0], 64)
	line.Seconds, _ = strconv.ParseFloat(fields[1], 64)
	line.Setting = "lambda = " + strings.Join(fields[2:], ", ")
	return line, nil
}

// quantiles returns those of the test rows and of the places, which stand below one another in a file without a header.
func (j *Job) quantiles(path string) (test, places *mat.Dense, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close() //nolint:errcheck // was read only
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	n, many := len(j.test), len(j.test)+len(j.places)
	if len(lines) != many || len(lines[0]) != len(Levels) {
		return nil, nil, fmt.Errorf("%s: %d rows of quantiles, and %d rows of %d levels were expected", path, len(lines), many, len(Levels))
	}
	all := mat.NewDense(many, len(Levels), nil)
	for i, line := range lines {
		for k, cell := range line {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return nil, nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
			}
			all.Set(i, k, v)
		}
	}
	return mat.DenseCopyOf(all.Slice(0, n, 0, len(Levels))), mat.DenseCopyOf(all.Slice(n, many, 0, len(Levels))), nil
}
