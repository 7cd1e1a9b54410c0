package mixup

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/sipc-ml/sipc/plugins"
)

// blockNumbers bounds the numbers in a block of distances: 32 MiB.
const blockNumbers = 1 << 22

// neighbours returns the pairs of a row and one of its k nearest rows, each once. Of equally distant rows, one with a
// smaller index counts as nearer.
//
// Squared distances ‖x‖² + ‖z‖² − 2⟨x, z⟩ come from matrix products, a block of rows at a time. Those within rounding
// error of the k-th smallest are computed again, term by term. So the choice is the same however products are
// computed.
func neighbours(ctx context.Context, rows *plugins.Matrix, k int) (listed, error) {
	n := rows.Rows
	// A row is not a neighbour of itself.
	k = min(k, n-1)
	norms := make([]float64, n)
	for i := range norms {
		for _, v := range rows.Row(i) {
			norms[i] += v * v
		}
	}
	largest := slices.Max(norms)
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return nil, errors.New("the distances between rows exceed the range of numbers, or rows hold NaN")
	}
	size := max(1, min(256, blockNumbers/n))
	products := make([]float64, size*n)
	var out listed
	search := &search{rows: rows, k: k, slack: 16 * float64(rows.Cols+2) * epsilon * largest}
	for first := 0; first < n; first += size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		count := min(size, n-first)
		// Zero, if there are no columns: all rows are then equally near.
		g := blas64.General{Rows: count, Cols: n, Stride: n, Data: products[:count*n]}
		if rows.Cols > 0 {
			x := blas64.General{Rows: n, Cols: rows.Cols, Stride: rows.Cols, Data: rows.Data}
			block := blas64.General{Rows: count, Cols: rows.Cols, Stride: rows.Cols, Data: rows.Data[first*rows.Cols:]}
			blas64.Gemm(blas.NoTrans, blas.Trans, -2, block, x, 0, g)
		}
		for i := first; i < first+count; i++ {
			d := g.Data[(i-first)*n : (i-first+1)*n]
			for j := range d {
				d[j] += norms[j] // ‖x_i‖² is the same for all j
			}
			for _, j := range search.nearest(i, d) {
				out = append(out, pair{min(i, j), max(i, j)})
			}
		}
	}
	// A pair of mutual neighbours comes twice, side by side after sorting.
	sort.Slice(out, func(s, t int) bool {
		a, b := out[s], out[t]
		return a.i < b.i || a.i == b.i && a.j < b.j
	})
	return slices.Compact(out), nil
}

// neighboursInClass returns the pairs of a row and one of the k nearest rows of its class, each once, class by class.
func (s *session) neighboursInClass(ctx context.Context, k int) (pool, error) {
	if err := s.labelled(nearestInClass); err != nil {
		return nil, err
	}
	var out listed
	for _, class := range classes(s.data.Labels) {
		if len(class) < 2 {
			continue
		}
		own := plugins.Matrix{Rows: len(class), Cols: s.data.Rows.Cols}
		for _, i := range class {
			own.Data = append(own.Data, s.data.Rows.Row(i)...)
		}
		pairs, err := neighbours(ctx, &own, k)
		if err != nil {
			return nil, err
		}
		for _, p := range pairs {
			out = append(out, pair{class[p.i], class[p.j]})
		}
	}
	if len(out) == 0 {
		return nil, s.errNoPair()
	}
	return out, nil
}

// epsilon is the distance of 1 to the next number.
const epsilon = 0x1p-52

// A search finds the nearest rows, with buffers that it uses again.
type search struct {
	rows *plugins.Matrix
	k    int
	// slack generously bounds the rounding errors of two squared distances.
	slack float64
	heap  []float64
	near  []neighbour
	out   []int
}

// A neighbour is a row at a distance.
type neighbour struct {
	// distance is squared.
	distance float64
	row      int
}

// nearest returns the k rows nearest to row i, nearest first. d holds the squared distances up to rounding and a
// constant.
func (s *search) nearest(i int, d []float64) []int {
	// No row beyond this can be among the k nearest, whatever the rounding.
	bound := s.kthSmallest(i, d) + s.slack
	s.near = s.near[:0]
	for j, v := range d {
		if v <= bound && j != i {
			s.near = append(s.near, neighbour{s.distance(i, j), j})
		}
	}
	// By the exact distances, equal ones by index.
	sort.Slice(s.near, func(i, j int) bool {
		a, b := s.near[i], s.near[j]
		return a.distance < b.distance || a.distance == b.distance && a.row < b.row
	})
	s.out = s.out[:0]
	for _, v := range s.near[:s.k] {
		s.out = append(s.out, v.row)
	}
	return s.out
}

// kthSmallest returns the k-th smallest number of d without d[i]. It keeps the k smallest in a heap with the largest
// of them first.
func (s *search) kthSmallest(i int, d []float64) float64 {
	h := s.heap[:0]
	for j, v := range d {
		switch {
		case j == i:
		case len(h) < s.k:
			h = append(h, v)
			for c := len(h) - 1; c > 0 && h[(c-1)/2] < h[c]; c = (c - 1) / 2 {
				h[c], h[(c-1)/2] = h[(c-1)/2], h[c]
			}
		case v < h[0]:
			h[0] = v
			sink(h)
		}
	}
	s.heap = h
	return h[0]
}

// sink restores the order of a heap whose first number may be too small.
func sink(h []float64) {
	for c := 0; ; {
		child := 2*c + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1] > h[child] {
			child++
		}
		if h[c] >= h[child] {
			return
		}
		h[c], h[child] = h[child], h[c]
		c = child
	}
}

// distance returns the squared distance of two rows, summed in order.
func (s *search) distance(i, j int) float64 {
	x, z := s.rows.Row(i), s.rows.Row(j)
	sum := 0.0
	for k, v := range x {
		d := v - z[k]
		sum += float64(d * d) // rounded here: no fused multiply-add, the same number on every machine
	}
	return sum
}
