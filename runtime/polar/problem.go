package polar

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A Problem is the norm J(V) = α‖V‖² + ρ(AV)².
type Problem struct {
	Alpha float64
	A     Operator    // may be nil where Gauge is
	Gauge *gauge.Node // nil stands for ρ = 0
	// Curves say where ρ means a maximum over a whole interval; nil: nowhere.
	Curves *Curves
}

// Settings say how far to go. The zero value is the default.
type Settings struct {
	Gap           float64 // the gap to reach; 0 is 1e-6
	MaxIterations int     // of the alternating directions, per right-hand side; 0 is 2000
	Block         int     // right-hand sides in flight; 0: as many as fit into 512 MiB, at most 256, and 4 at least
	Memory        int     // of Anderson's acceleration, at most 16; 0 is 5, and less than 0 is none
	Multipliers   bool    // keep the multipliers c
	NoFinish      bool    // leave out the Newton steps
	Double        bool    // iterate in float64 even where the operator works in float32 too
	Progress      func(done, total int)
}

// A Status says how a right-hand side ended.
type Status int

// The ways to end.
const (
	Converged      Status = iota // the gap was reached
	IterationLimit               // it was not, and iterations ran out
	Precision                    // it was not, and floating point gives no more
	Contradiction                // the bounds contradict each other, which is a fault of the program: nothing is proved
)

// String is the status in words.
func (s Status) String() string {
	return [...]string{"converged", "iteration limit", "limit of floating point", "bounds contradict each other"}[s]
}

// A Result holds the embeddings of B right-hand sides.
type Result struct {
	Iota        *mat.Dense // B×D
	Gap         []float64  // relative: upper/lower bound of ‖a‖² less 1; see the function Gap
	Norm2       []float64  // ⟨a, ι⟩, the lower bound of ‖a‖² in the dual norm
	Value       []float64  // P* = 1/⟨a, ι⟩; +Inf where a = 0
	Iterations  []int      // of the alternating directions
	Newton      []int      // Newton steps
	Work        []float64  // multiplications that iterations and steps took
	Status      []Status
	Multipliers *mat.Dense // B×r, c with ι ≈ (a − Aᵀc)/α; nil unless asked for
}

// MaxGap is the largest gap, 0 if there is none.
func (r *Result) MaxGap() float64 {
	worst := 0.0
	for _, g := range r.Gap {
		worst = math.Max(worst, g)
	}
	return worst
}

func (s *Settings) fill() error {
	if s.Gap < 0 || math.IsNaN(s.Gap) || s.MaxIterations < 0 || s.Block < 0 || s.Memory > mostMemory {
		return fmt.Errorf("polar: settings must not be negative: gap %v, iterations %d, block %d; memory %d is at most 16",
			s.Gap, s.MaxIterations, s.Block, s.Memory)
	}
	if s.Gap == 0 {
		s.Gap = 1e-6
	}
	if s.MaxIterations == 0 {
		s.MaxIterations = 2000
	}
	if s.Memory == 0 {
		s.Memory = 5
	}
	return nil
}

// paste copies part into rows lo … of r.
func (r *Result) paste(lo int, part *Result) {
	for i := range part.Gap {
		copy(r.Iota.RawRowView(lo+i), part.Iota.RawRowView(i))
		if r.Multipliers != nil {
			copy(r.Multipliers.RawRowView(lo+i), part.Multipliers.RawRowView(i))
		}
	}
	copy(r.Gap[lo:], part.Gap)
	copy(r.Norm2[lo:], part.Norm2)
	copy(r.Value[lo:], part.Value)
	copy(r.Iterations[lo:], part.Iterations)
	copy(r.Newton[lo:], part.Newton)
	copy(r.Work[lo:], part.Work)
	copy(r.Status[lo:], part.Status)
}
