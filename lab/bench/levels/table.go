package levels

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/lab/bench/boxes"
)

// read returns the inputs of a set's file, and the target last.
func (s *Set) read(path string) (boxes.Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // was read only
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(lines) < 11 {
		return nil, fmt.Errorf("%s: %w", path, errors.New("at least ten rows are needed"))
	}
	var at []int
	for _, name := range s.names() {
		c := slices.Index(lines[0], name)
		if c < 0 {
			return nil, fmt.Errorf("%s: %s has a column %q, and this file has %s", path, s.Name, name, strings.Join(lines[0], ", "))
		}
		at = append(at, c)
	}
	out := make(boxes.Table, len(lines)-1)
	for i, line := range lines[1:] {
		for _, c := range at {
			v, err := strconv.ParseFloat(line[c], 64)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, i+2, err)
			}
			out[i] = append(out[i], v)
		}
	}
	return out, nil
}

// names returns the columns of a table.
func (s *Set) names() []string { return slices.Concat(s.Inputs, []string{s.Target}) }
