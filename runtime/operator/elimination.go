package operator

import (
	"container/heap"
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

const (
	// leastEliminated is how many labels are worth an elimination.
	leastEliminated = 128
	// fewTouched is the share of all pairs of labels that may be touched.
	fewTouched = 1.0 / 16
)

// An elimination is Cholesky's factorization M = LDLᵀ for all matrices αI + θC. Labels that touch few others go first (Tinney and Walker 1967),
// so that little fills in. On a tree nothing does.
type elimination struct {
	// order is that of labels.
	order []int32
	// later lists for each step the steps after it that it touches, and start says where its numbers begin: its diagonal, then those of later.
	later [][]int32
	start []int32
	// from says for each number which number of C it begins with; −1 stands for 0.
	from []int32
}

// eliminationOf finds which numbers L has. It returns nil if labels are few, or if many touch each other.
func eliminationOf(c *labelCoupling) *elimination {
	m := c.labels
	if m < leastEliminated {
		return nil
	}
	// The graph of what touches what, which changes as labels go.
	touches := make([]map[int32]bool, m)
	for k := range touches {
		touches[k] = map[int32]bool{}
	}
	for _, p := range c.pairs {
		if p[0] != p[1] {
			touches[p[0]][p[1]], touches[p[1]][p[0]] = true, true
		}
	}
	e := &elimination{start: []int32{0}}
	step := make([]int32, m)
	// Beyond so many numbers, an eigendecomposition costs about as much.
	most := int32(fewTouched * float64(m) * float64(m))
	for wait := newWaiting(touches); len(wait) > 0; {
		at, _ := heap.Pop(&wait).(waiting)
		if touches[at.label] == nil || at.touched != len(touches[at.label]) {
			continue // it waits elsewhere, or no longer
		}
		// All that this label touches is coupled once it is gone.
		step[at.label] = int32(len(e.order))
		e.order = append(e.order, at.label)
		list := wait.couple(touches, at.label)
		if e.start = append(e.start, e.start[len(e.start)-1]+1+int32(len(list))); e.start[len(e.start)-1] > most {
			return nil
		}
		e.later = append(e.later, list)
	}
	// Labels become steps only now, when the step of each is known.
	for _, later := range e.later {
		for k, y := range later {
			later[k] = step[y]
		}
		slices.Sort(later)
	}
	e.begin(c)
	return e
}

// begin finds where numbers begin.
func (e *elimination) begin(c *labelCoupling) {
	look := func(i, j int32) int32 {
		if k, ok := c.place[[2]int32{max(i, j), min(i, j)}]; ok {
			return k
		}
		return -1
	}
	for k, y := range e.order {
		e.from = append(e.from, look(y, y))
		for _, j := range e.later[k] {
			e.from = append(e.from, look(y, e.order[j]))
		}
	}
}

// A waiting label touches so many that are left.
type waiting struct {
	label   int32
	touched int
}

// A queue has waiting labels, those first that touch the fewest.
type queue []waiting

// newWaiting lets all labels wait.
func newWaiting(touches []map[int32]bool) queue {
	var q queue
	for k, t := range touches {
		q = append(q, waiting{int32(k), len(t)})
	}
	heap.Init(&q)
	return q
}

// Len implements heap.Interface.
func (q *queue) Len() int { return len(*q) }

// Less implements heap.Interface. Equal labels go by their numbers, so that the order is always the same.
func (q *queue) Less(i, j int) bool {
	s, t := (*q)[i], (*q)[j]
	return s.touched < t.touched || s.touched == t.touched && s.label < t.label
}

// Swap implements heap.Interface.
func (q *queue) Swap(i, j int) { (*q)[i], (*q)[j] = (*q)[j], (*q)[i] }

// Push implements heap.Interface.
func (q *queue) Push(x any) {
	w, _ := x.(waiting)
	*q = append(*q, w)
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// couple takes a label out, and lets all that it touches touch each other. It returns these.
func (q *queue) couple(touches []map[int32]bool, label int32) []int32 {
	var list []int32
	for y := range touches[label] {
		list = append(list, y)
	}
	// A map has no order of its own, and the same spec must give the same bits.
	slices.Sort(list)
	touches[label] = nil
	for _, y := range list {
		delete(touches[y], label)
		for _, z := range list {
			if z != y {
				touches[y][z] = true
			}
		}
		heap.Push(q, waiting{y, len(touches[y])})
	}
	return list
}

// work returns about how many multiplications a factor takes, for one θ.
func (e *elimination) work() (sum float64) {
	for _, later := range e.later {
		sum += float64(len(later)*(len(later)+3)) / 2
	}
	return sum
}

// factor sets numbers to those of D and L for αI + θC, for some θ side by side. Row k has number k of all of them.
func (e *elimination) factor(numbers matrix[float64], c *labelCoupling, alpha float64, theta []float64) {
	for k, from := range e.from {
		v := 0.0
		if from >= 0 {
			v = c.value[from]
		}
		for j, t := range theta {
			numbers.row(k)[j] = t * v
		}
	}
	// The diagonal of αI + θC begins each column.
	for step := range e.order {
		for j, d := range numbers.row(int(e.start[step])) {
			numbers.row(int(e.start[step]))[j] = d + alpha
		}
	}
	// The numbers of a column of L, before they replace those of M.
	share := make([]float64, len(theta))
	// Steps go through columns of L. What a step leaves of the later ones is M less an outer product:
	//
	//	M_ik ← M_ik − M_is M_ks/M_ss,
	//
	// and L_is = M_is/M_ss stays. All θ have the same places, so that each operation is one of vectors.
	for step, later := range e.later {
		first := int(e.start[step])
		for a, i := range later {
			pivot, own := numbers.row(first), numbers.row(first+1+a)
			for j, v := range own {
				share[j] = v / pivot[j]
			}
			at := int(e.start[i])
			for b, k := range later[a:] {
				// Entry (i, k) of what is left.
				if b > 0 {
					offset, _ := slices.BinarySearch(e.later[i], k)
					at = int(e.start[i]) + 1 + offset
				}
				to, other := numbers.row(at), numbers.row(first+1+a+b)
				for j, s := range share {
					to[j] -= s * other[j]
				}
			}
			// Later columns have taken what they need of it.
			copy(own, share)
		}
	}
}

// thetaStep is how many θ a goroutine takes at a time.
const thetaStep = 64

// eliminated solves in the eigenbasis of G, for each eigenvector by elimination.
type eliminated[T number] struct {
	*elimination

	q       matrix[T]
	labels  int
	numbers []matrix[T] // of D and L, thetaStep eigenvalues each
}

// newEliminated factors αI + θC for the eigenvalues θ of G, of which q has the eigenvectors.
func newEliminated[T number](e *elimination, c *labelCoupling, alpha float64, thetas []float64, q matrix[T]) *eliminated[T] {
	d := len(thetas)
	f := &eliminated[T]{elimination: e, q: q, labels: c.labels, numbers: make([]matrix[T], (d+thetaStep-1)/thetaStep)}
	parallel.For(len(f.numbers), 1, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			theta := thetas[k*thetaStep : min((k+1)*thetaStep, d)]
			numbers := newMatrix[float64](len(e.from), len(theta))
			e.factor(numbers, c, alpha, theta)
			f.numbers[k] = as[T](numbers)
		}
	})
	return f
}

// solve turns the features of every right-hand side into the eigenbasis of G, eliminates labels, and turns features back.
func (f *eliminated[T]) solve(ctx context.Context, dst, b matrix[T]) error {
	d := f.q.Rows
	x := newMatrix[T](f.labels, d)
	for i := range b.Rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		gemm(blas.NoTrans, blas.NoTrans, 1, b.span(i, i+1).stacked(d), f.q, 0, x)
		// A column of x is the system of one θ.
		parallel.For(len(f.numbers), 1, func(lo, hi int) {
			for k := lo; k < hi; k++ {
				f.substitute(x.cut(k*thetaStep, f.numbers[k].Cols), f.numbers[k])
			}
		})
		// Back from the eigenvectors of G to features.
		gemm(blas.NoTrans, blas.Trans, 1, x, f.q, 0, dst.span(i, i+1).stacked(d))
	}
	return ctx.Err()
}

// substitute replaces x, a row for each label and a column for each θ, by the solutions.
func (f *eliminated[T]) substitute(x, numbers matrix[T]) {
	// L y = x comes first, from the first step to the last.
	for k, later := range f.later {
		own, first := x.row(int(f.order[k])), int(f.start[k])
		for a, i := range later {
			to, l := x.row(int(f.order[i])), numbers.row(first+1+a)
			for j, v := range own {
				to[j] -= l[j] * v
			}
		}
	}
	// Then D Lᵀ x = y goes back, when all later labels are known.
	for k := len(f.later) - 1; k >= 0; k-- {
		own, first := x.row(int(f.order[k])), int(f.start[k])
		for j, v := range numbers.row(first) {
			own[j] /= v
		}
		for a, i := range f.later[k] {
			from, l := x.row(int(f.order[i])), numbers.row(first+1+a)
			for j, v := range from {
				own[j] -= l[j] * v
			}
		}
	}
}
