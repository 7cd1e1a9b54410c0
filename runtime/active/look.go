package active

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// nearly is by what share a member may fall short of its maximum to be taken in. It is about to attain it.
const nearly = 0.1

// A Set is an active set of an R in parts.
type Set struct {
	of     *regularizer.Regularizer
	on     embed.Map
	labels int
	most   int       // bytes that functionals may take which are evaluated at once
	pieces [][]piece // by invariance and part
	parts  []part
	looked [][]float64 // the functions that were looked at
}

// New returns an active set without functionals, on features and so many labels. Those that are evaluated at once take at most so many bytes.
func New(of *regularizer.Regularizer, on embed.Map, labels, most int) *Set {
	s := &Set{of: of, on: on, labels: labels, most: most, pieces: make([][]piece, len(of.Invariances)), parts: make([]part, of.Parts.Count)}
	for i := range s.pieces {
		s.pieces[i] = make([]piece, of.Parts.Count)
	}
	return s
}

// At is a function V with the values of the functionals at hand, and bounds of their errors.
type At struct {
	V, Values, Errors []float64
}

// A Look tells of all functionals of R at a function.
type Look struct {
	Rho       float64   // at least ρ
	Sizes     []float64 // R_k of each invariance, nearly
	Of        int       // functionals that R has
	Chosen    int       // of these
	Added     int       // of the chosen ones, which are not at hand
	Evaluated int       // functionals that were not at hand, and that the safe rule left
}

// Look looks at all functionals of R at a function, and takes in those which have multipliers there.
func (s *Set) Look(ctx context.Context, at At, progress func(done, total int)) (*Look, error) {
	if len(s.looked) == math.MaxUint8 {
		s.looked, s.parts = nil, make([]part, len(s.parts)) // numbers of functions begin anew
	}
	s.looked = append(s.looked, slices.Clone(at.V))
	out, square, row := &Look{Sizes: make([]float64, len(s.of.Invariances))}, 0.0, 0
	for k := range s.parts {
		reg, rows, err := s.of.Parts.Make(ctx, k)
		if err != nil {
			return nil, err
		}
		rho, err := s.lookAt(ctx, out, k, reg, rows, row, at)
		if err != nil {
			return nil, err
		}
		n, _ := rows.Dims()
		square, row = square+rho*rho, row+n
		if progress != nil {
			progress(k+1, len(s.parts))
		}
	}
	out.Rho = math.Sqrt(square) * (1 + gauge.Gamma(float64(2*len(s.parts)+2)))
	return out, nil
}

// lookAt looks at a part, whose rows begin with a row of all, and returns at least its ρ.
func (s *Set) lookAt(ctx context.Context, out *Look, k int, reg *regularizer.Regularizer, rows *mat.Dense, row int, at At) (float64, error) {
	b, root := reg.Functionals, reg.Gauge()
	if s.parts[k].group == nil {
		s.parts[k] = part{make([]float32, b.Len()), make([]float32, b.Len()), make([]uint8, b.Len()), groupsOf(b)}
		for j := range s.parts[k].reach {
			s.parts[k].reach[j] = float32(math.Inf(1)) // nothing is known
		}
	}
	v := s.known(k, reg, at)
	asked := s.screened(k, root, v)
	evaluated, err := s.evaluate(ctx, k, b, rows, at.V, asked, v)
	if err != nil {
		return 0, err
	}
	wanted := make([]bool, b.Len())
	for i := range reg.Invariances {
		inv := &reg.Invariances[i]
		from, to := inv.First, inv.First+inv.Count
		p := &s.pieces[i][k]
		p.share = inv.Weight / s.of.Invariances[i].Weight
		out.Sizes[i] = math.Hypot(out.Sizes[i], p.share*inv.Gauge.Value(v.value[from:to]))
		attain(inv.Gauge, wanted[from:to], v.value[from:to], nearly)
	}
	beside(s.parts[k].group, wanted)
	for i := range reg.Invariances {
		now, added := s.pieces[i][k].take(b, &reg.Invariances[i], wanted, row)
		s.pieces[i][k] = now
		out.Added, out.Chosen = out.Added+added, out.Chosen+len(now.kept)
	}
	out.Of, out.Evaluated = out.Of+b.Len(), out.Evaluated+evaluated
	return root.Value(v.spans(root).high) * (1 + gauge.Gamma(root.Rounding().Value)), nil
}

// evaluate sets the values of functionals that are asked for, and the bounds of their errors, and returns how many there are.
func (s *Set) evaluate(ctx context.Context, k int, b *plugins.Block, rows *mat.Dense, f []float64, asked []bool, v *values) (count int, err error) {
	few := &plugins.Block{Start: []int32{0}, Points: b.Points, Tangents: b.Tangents, Labels: b.Labels}
	for j, yes := range asked { // others are empty
		if yes {
			for t := b.Start[j]; t < b.Start[j+1]; t++ {
				few.Term(b.Coef[t], b.Point[t], b.Tangent[t], b.Label[t])
			}
			count++
		}
		few.End()
	}
	if count == 0 {
		return 0, nil
	}
	a, err := operator.BuildWith(ctx, few, rows, s.on, s.labels, operator.Options{MostBytes: s.most})
	if err != nil {
		return 0, err
	}
	own := make([]float64, len(asked))
	a.Apply(mat.NewDense(1, len(own), own), mat.NewDense(1, len(f), f))
	of, p := polar.NewMeasure(polar.Problem{A: a}), &s.parts[k]
	size := of.Size(f)
	for j, yes := range asked {
		if yes {
			v.value[j], v.off[j] = own[j], of.Values()[j]*size
			p.value[j], p.reach[j], p.when[j] = float32(own[j]), float32(of.Sizes()[j]*(1+loose)+least), uint8(len(s.looked)-1)
			if math.Abs(own[j]) > math.MaxFloat32 {
				p.reach[j] = float32(math.Inf(1))
			}
		}
	}
	return count, nil
}

// beside marks the functionals that differ from marked ones in their labels alone, by their groups. They have the same features, and labels that are alike
// stay so.
func beside(groups []uint64, marked []bool) {
	found := map[uint64]bool{}
	for j, yes := range marked {
		if yes {
			found[groups[j]] = true
		}
	}
	for j := range marked {
		marked[j] = marked[j] || found[groups[j]]
	}
}

// Rows returns how many rows of Ψ functionals need: those that differ in their labels alone have the same.
func Rows(b *plugins.Block) int {
	groups := groupsOf(b)
	slices.Sort(groups)
	return len(slices.Compact(groups))
}

// groupsOf returns a number for each functional, which those share that differ in labels alone.
func groupsOf(b *plugins.Block) []uint64 {
	out, sum := make([]uint64, b.Len()), fnv.New64a()
	var bits [16]byte
	for j := range out {
		sum.Reset()
		for t := b.Start[j]; t < b.Start[j+1]; t++ {
			binary.LittleEndian.PutUint64(bits[:], math.Float64bits(b.Coef[t]))
			binary.LittleEndian.PutUint32(bits[8:], uint32(b.Point[t]))
			binary.LittleEndian.PutUint32(bits[12:], uint32(b.Tangent[t]))
			_, _ = sum.Write(bits[:]) // never fails
		}
		out[j] = sum.Sum64()
	}
	return out
}
