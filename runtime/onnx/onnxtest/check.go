package onnxtest

import "fmt"

// Check returns an error where a graph is not well formed. Each tensor has one name, which nodes use behind where it is made. Each constant and each
// node serves an output, each output is made, and each operator is known.
func (g *Graph) Check() error {
	made, used := map[string]bool{}, map[string]bool{}
	for _, i := range g.Inputs {
		used[i.Name] = true // whether a node takes it or not
		if err := named(made, i.Name); err != nil {
			return err
		}
	}
	for c := range g.Constants {
		if err := named(made, c); err != nil {
			return err
		}
	}
	for k := range g.Nodes {
		if err := g.Nodes[k].check(made, used); err != nil {
			return err
		}
	}
	for _, o := range g.Outputs {
		if !made[o.Name] {
			return fmt.Errorf("nothing makes the output %q", o.Name)
		}
		used[o.Name] = true
	}
	for v := range made {
		if !used[v] {
			return fmt.Errorf("nothing uses %q", v)
		}
	}
	return nil
}

// named files the name of a tensor. It returns an error if there is one of that name.
func named(made map[string]bool, name string) error {
	if name == "" || made[name] {
		return fmt.Errorf("two tensors are called %q", name)
	}
	made[name] = true
	return nil
}

// check files what a node takes and makes. It returns an error if what it takes is not made yet.
func (n *Node) check(made, used map[string]bool) error {
	if operators[n.Operator] == nil {
		return fmt.Errorf("operator %s is unknown", n.Operator)
	}
	for _, v := range n.In {
		if !made[v] {
			return fmt.Errorf("%s takes %q, which nothing before it makes", n.Operator, v)
		}
		used[v] = true
	}
	if len(n.Out) != 1 {
		return fmt.Errorf("%s makes %d tensors", n.Operator, len(n.Out))
	}
	return named(made, n.Out[0])
}
