package reproduce

import (
	"context"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

// A shelf keeps the tables of one data set, so that its units do not read the same files again and again.
type shelf struct {
	set    string
	tables map[string]*dataset.Table
}

// turn clears the shelf where it holds those of another data set.
func (s *shelf) turn(set string) {
	if s.set != set {
		s.set, s.tables = set, map[string]*dataset.Table{}
	}
}

// open reads a file, unless it was read before.
func (s *shelf) open(ctx context.Context, path string) (*dataset.Table, error) {
	if t := s.tables[path]; t != nil {
		return t, nil
	}
	t, err := dataset.Open(ctx, path)
	if err == nil {
		s.tables[path] = t
	}
	return t, err
}
