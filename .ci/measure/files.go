package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// fileGraph says which files of a package each of them needs.
type fileGraph struct {
	names []string
	needs map[string]map[string]bool
}

// dependencies returns the graph of a package's hand-written files.
func dependencies(p *typedPackage) *fileGraph {
	g := &fileGraph{needs: map[string]map[string]bool{}}
	generated := p.generated()
	for _, f := range p.files {
		name := filepath.Base(p.fset.Position(f.Pos()).Filename)
		if generated[name] {
			continue
		}
		g.names = append(g.names, name)
		g.needs[name] = map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			obj := origin(p.info.Uses[id])
			if from := p.file(obj); from != "" && from != name && !generated[from] && shared(obj) {
				g.needs[name][from] = true
			}
			return true
		})
	}
	return g
}

// origin returns the declaration of an object, which for one of an instantiated type is that of the generic type.
func origin(obj types.Object) types.Object {
	switch o := obj.(type) {
	case *types.Var:
		return o.Origin()
	case *types.Func:
		return o.Origin()
	default:
		return obj
	}
}

// shared reports whether obj is visible in a whole package: at its scope, or a method or field.
func shared(obj types.Object) bool {
	switch o := obj.(type) {
	case *types.PkgName:
		return false
	case *types.Var:
		return o.IsField() || o.Parent() == o.Pkg().Scope()
	case *types.Func:
		return true
	default:
		return obj.Parent() == obj.Pkg().Scope()
	}
}

// cycle returns the largest set of files each of which needs, through others, every other; none if no two do.
func (g *fileGraph) cycle() []string {
	directed := simple.NewDirectedGraph()
	for i := range g.names {
		directed.AddNode(simple.Node(i))
	}
	for i, from := range g.names {
		for to := range g.needs[from] {
			directed.SetEdge(simple.Edge{F: simple.Node(i), T: simple.Node(slices.Index(g.names, to))})
		}
	}
	var largest []string
	for _, component := range topo.TarjanSCC(directed) {
		if len(component) > max(1, len(largest)) {
			largest = nil
			for _, node := range component {
				largest = append(largest, g.names[node.ID()])
			}
		}
	}
	slices.Sort(largest)
	return largest
}

// arrows counts the dependencies between files, and those of them whose reverse is one too.
func (g *fileGraph) arrows() (all, both int) {
	for from, needs := range g.needs {
		all += len(needs)
		for to := range needs {
			if g.needs[to][from] {
				both++
			}
		}
	}
	return all, both
}

// Targets of the measures of tangle.
const (
	targetCycle    = 12
	targetBothWays = 25.0
	bothWaysFrom   = 10 // files, from which on the share of arrows both ways is bounded
)

// fileMeasures returns the largest cycle and the largest share of arrows that run both ways.
func fileMeasures(packages []*typedPackage) []measure {
	cycles := measure{name: "cycle", title: "files of one package in one cycle", target: targetCycle}
	ways := measure{name: "bothways", title: fmt.Sprintf("arrows between files both ways, > %d files", bothWaysFrom), unit: "%", target: targetBothWays}
	for _, p := range packages {
		g := dependencies(p)
		if c := g.cycle(); len(c) > 0 {
			cycles.hold(float64(len(c)), fmt.Sprintf("%s, of %d files: %s", p.path, len(g.names), g.busiest(c)))
		}
		if len(g.names) > bothWaysFrom {
			all, both := g.arrows()
			ways.hold(percent(both, all), fmt.Sprintf("%s, %d of %d: %s", p.path, both, all, g.busiest(g.names)))
		}
	}
	return []measure{cycles, ways}
}

// busiest names the files among some with the most arrows both ways, and how many each has.
func (g *fileGraph) busiest(among []string) string {
	counts := map[string]int{}
	for _, from := range among {
		for to := range g.needs[from] {
			if g.needs[to][from] {
				counts[from]++
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	var out []string
	for _, name := range names[:min(6, len(names))] {
		out = append(out, fmt.Sprintf("%s %d", strings.TrimSuffix(name, ".go"), counts[name]))
	}
	return strings.Join(out, ", ")
}
