package gauge

import "slices"

// A plan is a node with the offsets of its children's leaves and slots. Copies share one plan.
type plan struct {
	op     Op
	p      float64
	k      int
	n      int
	w      []float64
	kids   []*plan
	repeat bool
	flat   bool // all children are leaves
	leaves int
	slots  int
	depth  int     // levels of inner nodes that have no closed form
	cost   float64 // multiplications that an evaluation of this node takes, about, without its children's
	once   float64 // and those that one of each inner node of the subtree takes, powers counted as roots
	leafAt []int   // offsets of the children, where they do not repeat
	slotAt []int
}

// Norms of m numbers with exponents beyond these differ from a sum and a maximum only by shares of ln(m)·10⁻¹³.
const (
	leastExponent = 1 + 1e-13
	mostExponent  = 1e13
)

// compile returns the plan of a subtree. It replaces norms by simpler ones that have the same values. These
// are norms of one norm, norms of the same norms, Top of one or of all children, and p-norms near 1 or ∞.
func compile(n *Node) *plan {
	if n.leaf() {
		return &plan{op: n.Op, leaves: 1}
	}
	if n.count() == 1 && !n.Children[0].leaf() {
		return compile(n.Children[0]).times(n.Weights)
	}
	pl := &plan{op: n.Op, p: n.P, k: n.K, n: n.count(), w: n.Weights, repeat: n.Repeat > 0}
	switch {
	case pl.op == Top && pl.k >= pl.n, pl.op == Norm && pl.p < leastExponent:
		pl.op = Sum
	case pl.op == Top && pl.k == 1, pl.op == Norm && pl.p > mostExponent:
		pl.op = Max
	}
	for _, c := range n.Children {
		pl.kids = append(pl.kids, compile(c))
	}
	pl.merge()
	pl.lay()
	return pl
}

// merge gives a node the children of those of its children that are the same norm, as a maximum of maxima is one. Each level
// less is a search within a search less, and a maximum of leaves has a closed form. Copies of copies stay copies; of others
// each copy is listed.
func (pl *plan) merge() {
	if !slices.ContainsFunc(pl.kids, pl.like) {
		return
	}
	own := *pl
	pl.kids, pl.w, pl.n = nil, make([]float64, 0, own.n), 0
	if pl.repeat = own.repeat && own.kids[0].repeat; pl.repeat {
		pl.kids = own.kids[0].kids
	}
	for i := range own.n {
		kid := own.kids[0]
		if !own.repeat {
			kid = own.kids[i]
		}
		if !own.like(kid) {
			pl.kids, pl.w = append(pl.kids, kid), append(pl.w, own.weight(i))
			continue
		}
		for j := range kid.n {
			pl.w = append(pl.w, own.weight(i)*kid.weight(j))
			if !pl.repeat {
				grandchild, _, _ := kid.kid(j, 0, 0)
				pl.kids = append(pl.kids, grandchild)
			}
		}
	}
	pl.n = len(pl.w)
}

// like reports whether a child is the same norm as its parent.
func (pl *plan) like(kid *plan) bool {
	switch pl.op {
	case Sum, Max:
		return kid.op == pl.op
	case Norm:
		return kid.op == Norm && kid.p == pl.p
	}
	return false
}

// lay lays out leaves and slots of a node's children, and adds up what these take.
func (pl *plan) lay() {
	pl.flat, pl.slots = true, 1
	for _, kid := range pl.kids {
		if !pl.repeat {
			pl.leafAt, pl.slotAt = append(pl.leafAt, pl.leaves), append(pl.slotAt, pl.slots)
		}
		pl.leaves += kid.leaves
		pl.slots += kid.slots
		pl.flat = pl.flat && kid.n == 0
		pl.once += kid.once
		pl.depth = max(pl.depth, kid.depth)
	}
	switch {
	case pl.op == Top && pl.k > 1: // two numbers are searched for, one within the other
		pl.depth += 2
	case !pl.flat || pl.op != Max:
		pl.depth++
	}
	if pl.repeat {
		// Copies follow one another. The node's own slot comes first and exists once.
		pl.leaves *= pl.n
		pl.slots = 1 + (pl.slots-1)*pl.n
		pl.once *= float64(pl.n)
	}
	// What a node takes beside its children serves to bound the work of solvers. Powers get no more of it than roots.
	pl.cost = evaluation(pl)
	pl.once += min(pl.cost, rootWork*float64(pl.n))
}

// An evaluation of a node takes about so many multiplications for each child. Square and square root have closed forms,
// other powers do not.
const (
	childWork = 40
	rootWork  = 160
	powerWork = 800
)

// evaluation returns about how many multiplications the evaluation of a node takes.
func evaluation(pl *plan) float64 {
	each := float64(childWork)
	switch {
	case pl.op != Norm || pl.p == 2:
	case pl.p == 1.5 || pl.p == 3:
		each = rootWork
	default:
		each = powerWork
	}
	return each * float64(pl.n)
}

// times multiplies the plan of an only child by its weight, for its parent; nil stands for 1.
func (pl *plan) times(weight []float64) *plan {
	if weight == nil {
		return pl
	}
	w := make([]float64, pl.n)
	for i := range w {
		w[i] = weight[0] * pl.weight(i)
	}
	pl.w = w
	return pl
}

// kid returns child i and the offsets of its leaves and slots, given the node's own.
func (pl *plan) kid(i, leaf, slot int) (kid *plan, kidLeaf, kidSlot int) {
	if pl.repeat {
		k := pl.kids[0]
		return k, leaf + i*k.leaves, slot + 1 + i*k.slots
	}
	return pl.kids[i], leaf + pl.leafAt[i], slot + pl.slotAt[i]
}

// weight returns the weight of child i.
func (pl *plan) weight(i int) float64 {
	if pl.w == nil {
		return 1
	}
	return pl.w[i]
}

// isLeaf reports whether the plan is of a leaf.
func (pl *plan) isLeaf() bool { return pl.n == 0 }

// pos reports whether child i of a flat plan is one-sided.
func (pl *plan) pos(i int) bool {
	if pl.repeat {
		return pl.kids[0].op == Pos
	}
	return pl.kids[i].op == Pos
}
