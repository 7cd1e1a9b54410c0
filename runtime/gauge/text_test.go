package gauge

import (
	"strconv"
	"strings"
)

// String returns the gauge as text, such as "hypot(0.5·max(|·| ×4) ×100)". Weights stand before children, ×n means n
// copies, and "w·" means that the copies have weights of their own. A nil gauge is 0.
func (n *Node) String() string {
	var b strings.Builder
	writeNode(n, &b)
	return b.String()
}

// writeNode appends the text of a subtree.
func writeNode(n *Node, b *strings.Builder) {
	if n == nil {
		b.WriteString("0")
		return
	}
	b.WriteString(headOf(n))
	if n.leaf() {
		return
	}
	b.WriteByte('(')
	if n.Repeat > 0 {
		b.WriteString(n.commonWeight())
		writeNode(n.Children[0], b)
		b.WriteString(" ×" + strconv.Itoa(n.Repeat))
	} else {
		for i, c := range n.Children {
			if i > 0 {
				b.WriteString(", ")
			}
			if w := n.weight(i); w != 1 {
				b.WriteString(number(w) + "·")
			}
			writeNode(c, b)
		}
	}
	b.WriteByte(')')
}

// headOf returns the name of a node's operation.
func headOf(n *Node) string {
	switch n.Op {
	case Abs:
		return "|·|"
	case Pos:
		return "[·]₊"
	case Max:
		return "max"
	case Sum:
		return "sum"
	case Norm:
		if n.P == 2 {
			return "hypot"
		}
		return "norm[" + number(n.P) + "]"
	case Top:
		return "top[" + strconv.Itoa(n.K) + "]"
	}
	return "?"
}

// commonWeight returns the weight of all copies, "w·" if they differ.
func (n *Node) commonWeight() string {
	for i := range n.Weights {
		if n.Weights[i] != n.Weights[0] {
			return "w·"
		}
	}
	if n.weight(0) == 1 {
		return ""
	}
	return number(n.weight(0)) + "·"
}

// number returns x to six digits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
