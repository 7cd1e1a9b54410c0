package operator

import (
	"context"
	"errors"
	"math"
	"sort"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/parallel"
)

// AtOnce is how many rows are computed at a time.
const AtOnce = evaluateRows

const (
	evaluateRows  = 1024 // rows of Ψ computed at a time
	evaluateAtoms = 1024 // features computed at a time
)

// A source computes rows of Ψ from the features of atoms.
type source struct {
	*builder
	points   *embed.Points
	features embed.Map
	// local is 1 + the place of an atom among those of the rows at hand, 0 for the others.
	local []int32
	// kept holds rows that are known already, nil for the others.
	kept [][]float64
	// times is what they are to be multiplied by; nil stands for ones.
	times []float64
}

// matrix sets psi to Ψ, the rows in the given order. It moves rows that are known already and computes the others.
func (s *source) matrix(ctx context.Context, psi blas64.General, order []int32) error {
	var rows []int32
	var dst [][]float64
	for i, q := range order {
		if len(s.kept) > 0 && s.kept[q] != nil {
			copy(rowOf(psi, i), s.kept[q])
			if s.kept[q] = nil; s.times != nil {
				floats.Scale(s.times[q], rowOf(psi, i))
			}
			continue
		}
		rows, dst = append(rows, q), append(dst, rowOf(psi, i))
	}
	if err := s.evaluate(ctx, dst, rows); err != nil {
		return err
	}
	return finiteRows(psi)
}

// know takes rows of another operator, given which of its functionals those of the block are. Equal functionals have equal multiples of a row at each label.
func (s *source) know(a *Operator, of []int) {
	if a == nil {
		return
	}
	s.kept, s.times = make([][]float64, len(s.start)-1), make([]float64, len(s.start)-1)
	for _, u := range s.uses {
		if of[u.functional] < 0 {
			continue
		}
		for _, e := range a.of(of[u.functional]) {
			if c := a.columns[e.at]; c.label == u.label {
				s.kept[u.row], s.times[u.row] = rowOf(a.psi, int(c.row)), e.value/u.value
			}
		}
	}
}

// evaluate adds the rows listed to those of dst, in blocks that bound the memory for features.
func (s *source) evaluate(ctx context.Context, dst [][]float64, rows []int32) error {
	for lo := 0; lo < len(rows); lo += evaluateRows {
		hi := min(lo+evaluateRows, len(rows))
		if err := s.evaluatePart(ctx, dst[lo:hi], rows[lo:hi]); err != nil {
			return err
		}
	}
	return nil
}

// evaluatePart computes the features of the rows' atoms in blocks and adds them up.
func (s *source) evaluatePart(ctx context.Context, dst [][]float64, rows []int32) error {
	var ids []int32
	for _, q := range rows {
		for _, p := range s.parts[s.start[q]:s.start[q+1]] {
			if s.local[p.atom] == 0 {
				ids = append(ids, p.atom)
				s.local[p.atom] = 1
			}
		}
	}
	// Evaluations first, so that most blocks hold atoms of one kind.
	sort.Slice(ids, func(i, j int) bool {
		a, b := s.atoms[ids[i]].Order(), s.atoms[ids[j]].Order()
		return a < b || a == b && ids[i] < ids[j]
	})
	for k, id := range ids {
		s.local[id] = int32(k + 1)
	}
	for from := 0; from < len(ids); from += evaluateAtoms {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+evaluateAtoms, len(ids))
		atoms := make([]embed.Atom, to-from)
		for k, id := range ids[from:to] {
			atoms[k] = s.atoms[id]
		}
		s.gather(dst, rows, from, to, s.points.Features(s.features, atoms))
	}
	// Only the entries in use are reset, as blocks use few of all atoms.
	for _, id := range ids {
		s.local[id] = 0
	}
	return nil
}

// gather adds to the rows of dst what the atoms from … to−1 contribute.
func (s *source) gather(dst [][]float64, rows []int32, from, to int, phi *mat.Dense) {
	parallel.For(len(rows), 8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for _, p := range s.parts[s.start[rows[i]]:s.start[rows[i]+1]] {
				if k := int(s.local[p.atom]) - 1; k >= from && k < to {
					floats.AddScaled(dst[i], p.weight, phi.RawRowView(k-from))
				}
			}
		}
	})
}

// finiteRows returns an error if a row is not finite. The sum of a row is finite only if its elements are, and it
// costs one pass.
func finiteRows(psi blas64.General) error {
	for i := range psi.Rows {
		if s := floats.Sum(rowOf(psi, i)); math.IsNaN(s) || math.IsInf(s, 0) {
			return errors.New("operator: a functional is not finite in feature space; standardize the features or take another kernel")
		}
	}
	return nil
}
