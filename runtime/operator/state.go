package operator

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/sipc-ml/sipc/internal/hashes"
	"github.com/sipc-ml/sipc/plugins"
)

// A State is an operator as plain data, for model files.
type State struct {
	Functionals, Labels, Dim int
	// Psi has the stored rows, Dim numbers each.
	Psi plugins.Matrix
	// ColumnLabel and ColumnRow describe every column of S, labels ascending.
	ColumnLabel, ColumnRow []int32
	// Start, At and Value are S by rows: row i has the places Start[i] … Start[i+1]−1 of At and Value.
	Start, At []int32
	Value     []float64
	// Errors are those of the functionals; nil means that they are exact.
	Errors []float64
	// Off bounds, for each form, what functionals leave out that stand for the squares of others; nil where none do.
	Off []float64
}

// State returns the operator as plain data. It shares Ψ with the operator.
func (a *Operator) State() *State {
	s := &State{
		Functionals: a.functionals, Labels: a.labels, Dim: a.dim, Start: a.start, Errors: a.errors, Off: a.off,
		Psi: plugins.Matrix{Rows: a.psi.Rows, Cols: a.dim, Data: a.psi.Data},
	}
	for _, c := range a.columns {
		s.ColumnLabel, s.ColumnRow = append(s.ColumnLabel, c.label), append(s.ColumnRow, c.row)
	}
	for _, e := range a.entries {
		s.At, s.Value = append(s.At, e.at), append(s.Value, e.value)
	}
	return s
}

// Digest writes all that results of an operator depend on to a hash. Its bytes are no format to read, so they are neither versioned
// nor short. Operators with the same bytes have the same products, bit by bit.
func Digest(w io.Writer, a *Operator) {
	s := a.State()
	hashes.Write(w, []int64{int64(s.Functionals), int64(s.Labels), int64(s.Dim), int64(s.Psi.Rows)})
	for _, part := range [][]int32{s.ColumnLabel, s.ColumnRow, s.Start, s.At} {
		hashes.Write(w, part)
	}
	for _, part := range [][]float64{s.Value, s.Errors, s.Off, s.Psi.Data[:s.Psi.Rows*s.Dim]} {
		hashes.Write(w, part)
	}
}

// FromState returns the operator that the state was taken from. It fails if the state is damaged.
func FromState(s *State) (*Operator, error) {
	if err := s.validate(); err != nil {
		return nil, fmt.Errorf("operator: state: %w", err)
	}
	a := &Operator{
		layout: layout{functionals: s.Functionals, labels: s.Labels, dim: s.Dim, start: s.Start},
		errors: s.Errors, off: s.Off,
		psi: blas64.General{Rows: s.Psi.Rows, Cols: s.Dim, Stride: max(1, s.Dim), Data: s.Psi.Data},
	}
	pairs := make([]column, len(s.ColumnLabel))
	for j := range pairs {
		pairs[j] = column{s.ColumnLabel[j], s.ColumnRow[j]}
	}
	a.layColumns(append([]column(nil), pairs...))
	for j, c := range a.columns {
		if c != pairs[j] {
			return nil, fmt.Errorf("operator: state: column %d is out of order", j)
		}
	}
	for k, at := range s.At {
		a.entries = append(a.entries, entry{at, s.Value[k]})
	}
	a.finish()
	return a, nil
}

// validate checks the sizes and the columns.
func (s *State) validate() error {
	if s.Functionals < 0 || s.Labels < 1 || s.Dim < 1 {
		return fmt.Errorf("%d functionals of %d labels in %d dimensions", s.Functionals, s.Labels, s.Dim)
	}
	if s.Psi.Rows < 0 || s.Psi.Cols != s.Dim || len(s.Psi.Data) != s.Psi.Rows*s.Dim {
		return fmt.Errorf("%d×%d rows with %d numbers", s.Psi.Rows, s.Psi.Cols, len(s.Psi.Data))
	}
	if len(s.ColumnLabel) != len(s.ColumnRow) {
		return fmt.Errorf("labels of %d columns, rows of %d", len(s.ColumnLabel), len(s.ColumnRow))
	}
	for j := range s.ColumnLabel {
		if c, q := s.ColumnLabel[j], s.ColumnRow[j]; c < 0 || int(c) >= s.Labels || q < 0 || int(q) >= s.Psi.Rows {
			return fmt.Errorf("column %d is of label %d and row %d", j, c, q)
		}
	}
	return s.validateEntries()
}

// validateEntries checks S and the errors.
func (s *State) validateEntries() error {
	if len(s.At) != len(s.Value) || len(s.Start) != s.Functionals+1 {
		return fmt.Errorf("%d entries with %d values, %d starts", len(s.At), len(s.Value), len(s.Start))
	}
	if s.Start[0] != 0 || int(s.Start[s.Functionals]) != len(s.At) {
		return fmt.Errorf("starts run from %d to %d, want 0 to %d", s.Start[0], s.Start[s.Functionals], len(s.At))
	}
	for i := range s.Functionals {
		if s.Start[i] > s.Start[i+1] {
			return fmt.Errorf("functional %d starts after its end", i)
		}
	}
	for k, at := range s.At {
		if at < 0 || int(at) >= len(s.ColumnLabel) {
			return fmt.Errorf("entry %d is in column %d of %d", k, at, len(s.ColumnLabel))
		}
	}
	if s.Errors != nil && len(s.Errors) != s.Functionals {
		return fmt.Errorf("%d errors of %d functionals", len(s.Errors), s.Functionals)
	}
	for i, e := range slices.Concat(s.Errors, s.Off) {
		// Certificates would be wrong with a negative error, and useless with an infinite one.
		if !(e >= 0) || math.IsInf(e, 0) {
			return fmt.Errorf("functional or form %d is off by %g", i, e)
		}
	}
	if err := s.validateSquares(); err != nil {
		return err
	}
	return s.validateOrder()
}

// validateSquares checks that each label has all functionals that stand for squares there, which [Operator.Restrict] requires.
func (s *State) validateSquares() error {
	squares := len(s.Off) * s.Labels * s.Dim
	if squares > s.Functionals {
		return fmt.Errorf("%d functionals stand for the squares of %d forms", s.Functionals, len(s.Off))
	}
	for i := range squares {
		if k := s.Start[i]; s.Start[i+1] != k+1 || int(s.ColumnLabel[s.At[k]]) != i/s.Dim%s.Labels {
			return fmt.Errorf("functional %d stands for no square at label %d", i, i/s.Dim%s.Labels)
		}
	}
	return nil
}

// validateOrder checks that the columns of every functional ascend, which the assembly of AᵀWA requires.
func (s *State) validateOrder() error {
	for i := range s.Functionals {
		for k := s.Start[i] + 1; k < s.Start[i+1]; k++ {
			if s.At[k-1] >= s.At[k] {
				return fmt.Errorf("the columns of functional %d do not ascend", i)
			}
		}
	}
	return nil
}
