package mixup

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/sipc-ml/sipc/plugins"
)

// A pair is two rows.
type pair struct{ i, j int }

// A pool is the distinct unordered pairs that may be drawn, numbered from 0. Most pools compute a pair from its
// number, so that millions of pairs need no memory.
type pool interface {
	// size returns the number of pairs.
	size() int
	// at returns the pair of a number below size.
	at(rank int) pair
}

// pool returns the pairs that the argument choose allows.
func (s *session) pool(ctx context.Context, call *plugins.DomainCall) (pool, error) {
	choose := anyPair
	if v, ok := plugins.Lookup(call.Args, "choose"); ok {
		choose = v.Text
	}
	switch choose {
	case anyPair:
		return within{[][]int{indices(s.data.N())}, []int{0, triangle(s.data.N())}}, nil
	case sameClass, differentClass:
		return s.byClass(choose)
	case nearest, nearestInClass:
		k, err := plugins.CountOr(call.Args, "neighbours", defaultNeighbours)
		if err != nil {
			return nil, err
		}
		if choose == nearestInClass {
			return s.neighboursInClass(ctx, k)
		}
		return neighbours(ctx, &s.data.Rows, k)
	}
	return nil, fmt.Errorf("choose is %q: give any, same_class, different_class, nearest or nearest_same_class", choose)
}

// byClass returns the pairs within a class, or between classes. Rows belong to one class if their labels are equal.
func (s *session) byClass(choose string) (pool, error) {
	if err := s.labelled(choose); err != nil {
		return nil, err
	}
	classes := classes(s.data.Labels)
	if choose == differentClass {
		if len(classes) < 2 {
			return nil, fmt.Errorf("all %d rows have the same label, so no pair has different ones", s.data.N())
		}
		return newBetween(classes), nil
	}
	p := within{classes: classes, ends: []int{0}}
	for _, c := range classes {
		// A class of one row adds no pair.
		p.ends = append(p.ends, p.size()+triangle(len(c)))
	}
	if p.size() == 0 {
		return nil, s.errNoPair()
	}
	return p, nil
}

// labelled returns an error if there are no labels to choose pairs by.
func (s *session) labelled(choose string) error {
	if len(s.data.Labels) == 0 {
		return fmt.Errorf("choose = %s needs labels, but f is a function of x alone; choose any or nearest", choose)
	}
	return nil
}

// errNoPair returns the error for classes of one row each.
func (s *session) errNoPair() error {
	return fmt.Errorf("no two of the %d rows have the same label", s.data.N())
}

// classes groups rows by label, in the order of each label's first row. Equal labels have equal bits.
func classes(labels []plugins.Label) [][]int {
	var out [][]int
	number := map[string]int{}
	var key []byte
	for i, y := range labels {
		key = key[:0]
		for k, c := range y.Index {
			key = binary.LittleEndian.AppendUint32(key, uint32(c))
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(y.Value[k]))
		}
		c, ok := number[string(key)]
		if !ok {
			c = len(out)
			number[string(key)] = c
			out = append(out, nil)
		}
		out[c] = append(out[c], i)
	}
	return out
}

// within is the pairs inside each of several classes.
type within struct {
	classes [][]int
	// ends[c] pairs lie in the classes before c.
	ends []int
}

// size returns the number of pairs.
func (w within) size() int { return w.ends[len(w.ends)-1] }

// at finds the class of a number by its end, and the pair within the class.
func (w within) at(rank int) pair {
	c := sort.SearchInts(w.ends, rank+1) - 1
	a, b := untriangle(rank - w.ends[c])
	return pair{w.classes[c][a], w.classes[c][b]}
}

// triangle returns the number of unordered pairs of n things.
func triangle(n int) int { return n * (n - 1) / 2 }

// untriangle returns the pair a > b ≥ 0 with number a(a−1)/2 + b.
func untriangle(rank int) (a, b int) {
	a = int((1 + math.Sqrt(1+8*float64(rank))) / 2)
	// The root is rounded; integers settle its last unit.
	for triangle(a) > rank {
		a--
	}
	for triangle(a+1) <= rank {
		a++
	}
	return a, rank - triangle(a)
}

// between is the pairs of rows of two different classes.
type between struct {
	// rows are sorted by class. next[r] is where in rows the class after that of rows[r] begins.
	rows []int
	next []int
	// ends[r] pairs have an earlier first row than rows[r].
	ends []int
}

// newBetween numbers the pairs of different classes: each row with every row of a later class.
func newBetween(classes [][]int) between {
	b := between{ends: []int{0}}
	n := 0
	for _, c := range classes {
		n += len(c)
	}
	for _, c := range classes {
		b.rows = append(b.rows, c...)
		end := len(b.rows)
		for range c {
			b.next = append(b.next, end)
			b.ends = append(b.ends, b.size()+n-end)
		}
	}
	return b
}

// size returns the number of pairs.
func (b between) size() int { return b.ends[len(b.ends)-1] }

// at finds the first row of a number by its end, and the second among the rows of later classes.
func (b between) at(rank int) pair {
	r := sort.SearchInts(b.ends, rank+1) - 1
	return pair{b.rows[r], b.rows[b.next[r]+rank-b.ends[r]]}
}

// listed is pairs that are held in a list.
type listed []pair

// size returns the number of pairs.
func (l listed) size() int { return len(l) }

// at returns a pair of the list.
func (l listed) at(rank int) pair { return l[rank] }

// draw takes count pairs without replacement until the pool is empty, then again from the whole pool. The order and
// the direction of each pair are random. The seed alone decides them.
func draw(p pool, count int, seed uint64) []pair {
	rng := rand.New(rand.NewPCG(seed, 0x6d69787570)) // "mixup"
	out := make([]pair, 0, count)
	for len(out) < count {
		ranks := sample(rng, p.size(), min(p.size(), count-len(out)))
		for _, r := range ranks {
			q := p.at(r)
			// Which of the two rows is at λ = 0 is drawn, too.
			if rng.Uint64()&1 == 1 {
				q.i, q.j = q.j, q.i
			}
			out = append(out, q)
		}
	}
	return out
}

// sample draws k of the numbers below n without replacement, in random order.
func sample(rng *rand.Rand, n, k int) []int {
	// The beginning of a shuffle (Fisher and Yates); below, few draws would repeat.
	if k > n/4 {
		out := indices(n)
		for i := range k {
			j := i + rng.IntN(n-i)
			out[i], out[j] = out[j], out[i]
		}
		return slices.Clip(out[:k])
	}
	seen := make(map[int]struct{}, k)
	out := make([]int, 0, k)
	for len(out) < k {
		r := rng.IntN(n)
		if _, ok := seen[r]; !ok {
			seen[r] = struct{}{}
			out = append(out, r)
		}
	}
	return out
}

// indices returns 0 … n−1.
func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
