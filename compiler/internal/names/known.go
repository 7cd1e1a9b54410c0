package names

import (
	"slices"
	"sync"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/spelling"
)

// Known are the lists of names that a name may be a slip of. Of equally near names that of an earlier list is meant.
type Known []*spelling.Index

// Of returns a few names as lists of known ones.
func Of(known ...string) Known { return Known{spelling.NewIndex(known)} }

// declared lists the declared names, each kind sorted. The lists are made when the first name is unknown.
type declared struct {
	Lets, Defs, Invariances func() *spelling.Index
}

// listed returns the lists of a spec's declarations, which are complete by then.
func listed(d *declarations) declared {
	return declared{indexed(d.Lets), indexed(d.Defs), indexed(d.Invariance)}
}

// indexed returns a function that lists the keys of a map when it is first called. Passes may call
// it concurrently.
func indexed[V any](m map[string]V) func() *spelling.Index {
	return sync.OnceValue(func() *spelling.Index { return spelling.NewIndex(tree.SortedKeys(m)) })
}

// Nearest returns the known name that a name is most likely a slip of. It is empty where none is near.
func Nearest(p *Pass, name string, known Known) string {
	slips := tree.Slips(name)
	best, least := "", spelling.MostSlips+1
	for _, list := range known {
		allowed := slips
		if list == p.Declared.Invariances() || list == p.Declared.Lets() {
			allowed = func(k string) int {
				if isOwn(p, k) {
					return -1
				}
				return slips(k)
			}
		}
		if word, d := list.Nearest(name, allowed); word != "" && d < least {
			best, least = word, d
		}
	}
	return best
}

// isOwn reports whether a name is that of the invariance or let that is compiled, which cannot stand in itself.
func isOwn(p *Pass, name string) bool {
	inv := p.Decls.Invariance[name]
	if let := p.Decls.Lets[name]; let != nil {
		return p.Active.Holds(let)
	}
	return inv != nil && inv.Span() == p.Decl && p.Section == inv.Keyword.Name
}

// words returns the known names if they are few enough to be listed in a message.
func words(p *Pass, known Known) []string {
	var all []string
	for _, list := range known {
		if len(all)+len(list.Words()) > 20 {
			return nil
		}
		all = append(all, list.Words()...)
		if list == p.Declared.Invariances() || list == p.Declared.Lets() {
			all = slices.DeleteFunc(all, func(k string) bool { return isOwn(p, k) })
		}
	}
	return all
}

// Active are the lets, definitions and invariances being expanded, the innermost last. They are
// counted too, as a chain of lets may have any length, and each of them asks whether it is a circle.
type Active struct {
	nodes []dsl.Node
	count map[dsl.Node]int
}

// Enter begins the expansion of a node.
func (a *Active) Enter(n dsl.Node) {
	if a.count == nil {
		a.count = map[dsl.Node]int{}
	}
	a.nodes = append(a.nodes, n)
	a.count[n]++
}

// Leave ends the innermost expansion.
func (a *Active) Leave() {
	last := len(a.nodes) - 1
	a.count[a.nodes[last]]--
	a.nodes = a.nodes[:last]
}

// Holds reports whether a node is being expanded.
func (a *Active) Holds(n dsl.Node) bool { return a.count[n] > 0 }

// Innermost returns the node whose expansion began last, nil if there is none.
func (a *Active) Innermost() dsl.Node {
	if len(a.nodes) == 0 {
		return nil
	}
	return a.nodes[len(a.nodes)-1]
}
