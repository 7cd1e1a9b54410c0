package polar

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A Problem is the norm J(V) = α‖V‖² + ρ(AV)², α > 0.
type Problem struct {
	Alpha float64
	// A may be nil if Gauge is.
	A Operator
	// Gauge is ρ, with a leaf for each functional of A in order; nil means ρ = 0.
	Gauge *gauge.Node
	// Curves say where ρ means a maximum over a whole interval; nil means nowhere.
	Curves *Curves
}

// Settings say how far to go. The zero value is the default.
type Settings struct {
	// Gap is the relative gap to reach; 0 means 1e-6.
	Gap float64
	// MaxIterations bounds the iterations per right-hand side; 0 means [DefaultIterations].
	MaxIterations int
	// MaxWork bounds the multiplications per right-hand side; 0 means ten times [Problem.Work] of MaxIterations, and no bound is higher.
	MaxWork float64
	// Block is the number of right-hand sides of a batch. 0 means as many as fit into 512 MiB, at least 4 and at most
	// 256.
	Block int
	// Multipliers keeps the multipliers c in the result.
	Multipliers bool
	// NoFinish leaves out the Newton steps.
	NoFinish bool
	// Double iterates in float64 even if the operator works in float32 too.
	Double bool
	// Progress, if not nil, is called with the number of right-hand sides that are done.
	Progress func(done, total int)
}

// DefaultIterations bounds the iterations for a right-hand side where nothing else does.
const DefaultIterations = 2000

// A Status says how a right-hand side ended.
type Status int

// The ways to end.
const (
	Converged      Status = iota // the gap was reached
	IterationLimit               // it was not, and iterations ran out
	Precision                    // it was not, and floating point gives no more
	Contradiction                // the bounds contradict each other, which is a fault of the program: nothing is proved
	Infeasible                   // a = 0, and no V satisfies ⟨V, a⟩ = 1
	OutOfRange                   // value or embedding leave the range of floating point
	TimeLimit                    // it was not, and the time was over
	SearchLimit                  // it was not, and searches within the gauge ran out of work, as it is deep
)

// String returns the status in words.
func (s Status) String() string {
	return [...]string{"converged", "iteration limit", "limit of floating point", "bounds contradict each other", "infeasible, as a is 0", "out of range", "time limit", "limit of searches within the gauge"}[s]
}

// A Result holds the embeddings of B right-hand sides.
type Result struct {
	Iota *mat.Dense // B×D
	// Gap is relative: upper/lower bound of ‖a‖² less 1; see the function Gap.
	Gap []float64
	// Norm2 is ⟨a, ι⟩, the lower bound of ‖a‖² in the dual norm.
	Norm2 []float64
	// Value is P* = 1/⟨a, ι⟩; +Inf if a = 0.
	Value      []float64
	Iterations []int // of descents and of the alternating directions
	Newton     []int // Newton steps
	// Work counts the multiplications of iterations and steps.
	Work   []float64
	Status []Status
	// Multipliers are B×r, c with ι ≈ (a − Aᵀc)/α; nil unless asked for.
	Multipliers *mat.Dense
}

// MaxGap returns the largest gap, 0 if there is none.
func (r *Result) MaxGap() float64 {
	worst := 0.0
	for _, g := range r.Gap {
		worst = math.Max(worst, g)
	}
	return worst
}

// fill replaces zeros by defaults. It fails on settings out of range.
func (s *Settings) fill() error {
	if s.Gap < 0 || math.IsNaN(s.Gap) || s.MaxIterations < 0 || !(s.MaxWork >= 0) || s.Block < 0 {
		return fmt.Errorf("polar: settings must not be negative: gap %v, iterations %d, work %v, block %d", s.Gap, s.MaxIterations, s.MaxWork, s.Block)
	}
	if s.Gap == 0 {
		s.Gap = 1e-6
	}
	if s.MaxIterations == 0 {
		s.MaxIterations = DefaultIterations
	}
	return nil
}

// Paste copies part into rows lo … of r.
func (r *Result) Paste(lo int, part *Result) {
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
