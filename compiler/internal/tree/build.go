package tree

// Joined returns an operation on two parts; a number where both are.
func Joined(o Op, x, y *Node, from Origin) *Node {
	return &Node{Op: o, Data: x.Number() && y.Number(), Kids: []*Node{x, y}, From: from}
}

// Product returns the product of two parts: a multiple if one of them is a number.
func Product(x, y *Node, from Origin) *Node {
	switch {
	case x.Number() == y.Number():
		return Joined(OpMul, x, y, from)
	case y.Number():
		x, y = y, x
	}
	if x.Data {
		return &Node{Op: OpScale, By: x, Kids: []*Node{y}, From: from}
	}
	return &Node{Op: OpScale, Num: x.Num, Kids: []*Node{y}, From: from}
}
