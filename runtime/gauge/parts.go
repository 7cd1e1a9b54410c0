package gauge

// Parts returns the weighted values of a node's children, copies each by itself, and where their leaves begin and end.
func Parts(n *Node, t []float64) (values []float64, at []int) {
	values, at = make([]float64, n.count()), make([]int, n.count()+1)
	size := 0
	for i := range values {
		if child := n.child(i); i == 0 || n.Repeat == 0 {
			size = child.Size()
		}
		at[i+1] = at[i] + size
		values[i] = n.weight(i) * n.child(i).Value(t[at[i]:at[i+1]])
	}
	return values, at
}

// Child returns the i-th child of a node. One stands for all where they are copies.
func Child(n *Node, i int) *Node { return n.child(i) }
