package gauge

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
	once   float64 // and those that one of each inner node of the subtree takes
	leafAt []int   // offsets of the children, where they do not repeat
	slotAt []int
}

// Norms of m numbers with exponents beyond these differ from a sum and a maximum only by shares of ln(m)·10⁻¹³.
const (
	leastExponent = 1 + 1e-13
	mostExponent  = 1e13
)

// compile returns the plan of a subtree. It replaces norms by simpler ones that have the same values: those of one child, Top
// of all children, and p-norms near 1 or ∞.
func compile(n *Node) *plan {
	if n.leaf() {
		return &plan{op: n.Op, leaves: 1}
	}
	if n.count() == 1 && !n.Children[0].leaf() {
		return compile(n.Children[0]).times(n.Weights)
	}
	pl := &plan{op: n.Op, p: n.P, k: n.K, n: n.count(), w: n.Weights, repeat: n.Repeat > 0, flat: true, slots: 1}
	switch {
	case pl.op == Top && pl.k >= pl.n, pl.op == Norm && pl.p < leastExponent:
		pl.op = Sum
	case pl.op == Top && pl.k == 1, pl.op == Norm && pl.p > mostExponent:
		pl.op = Max
	}
	for _, c := range n.Children {
		kid := compile(c)
		pl.kids = append(pl.kids, kid)
		pl.leafAt, pl.slotAt = append(pl.leafAt, pl.leaves), append(pl.slotAt, pl.slots)
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
	pl.cost = evaluation(pl)
	if pl.repeat {
		// Copies follow one another. The node's own slot comes first and exists once.
		pl.leaves *= pl.n
		pl.slots = 1 + (pl.slots-1)*pl.n
		pl.once *= float64(pl.n)
	}
	pl.once += pl.cost
	return pl
}

// An evaluation of a node takes about so many multiplications for each child: of powers more, which logarithms find.
const (
	childWork = 20
	powerWork = 400
)

// evaluation returns about how many multiplications the evaluation of a node takes.
func evaluation(pl *plan) float64 {
	if pl.op == Norm && pl.p != 2 {
		return powerWork * float64(pl.n)
	}
	return childWork * float64(pl.n)
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
