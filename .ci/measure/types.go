package main

import (
	"fmt"
	"go/types"
	"regexp"
	"strings"
)

const targetMethods = 25

// typedMeasures returns what needs the meaning of names.
func typedMeasures(packages []*typedPackage) []measure {
	out := fileMeasures(packages)
	out = append(out, methodMeasure(packages))
	return append(out, conceptMeasure(packages))
}

// namedTypes calls visit with each type that hand-written code of p declares at its scope, aliases left out.
func (p *typedPackage) namedTypes(visit func(*types.TypeName, *types.Named)) {
	generated := p.generated()
	for _, name := range p.types.Scope().Names() {
		obj, ok := p.types.Scope().Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() || generated[p.file(obj)] {
			continue
		}
		if named, ok := obj.Type().(*types.Named); ok {
			visit(obj, named)
		}
	}
}

// methodMeasure returns the largest number of methods of a type.
func methodMeasure(packages []*typedPackage) measure {
	m := measure{name: "methods", title: "methods of a type, promoted ones too", target: targetMethods}
	for _, p := range packages {
		p.namedTypes(func(obj *types.TypeName, named *types.Named) {
			own, promoted := p.countMethods(named)
			what := fmt.Sprintf("%s.%s", p.path, obj.Name())
			if promoted > 0 {
				what += fmt.Sprintf(", %d of them promoted", promoted)
			}
			m.hold(float64(own+promoted), what)
		})
	}
	return m
}

// countMethods returns how many methods a pointer to a type has of its own, and how many by embedding types of the module.
func (p *typedPackage) countMethods(named *types.Named) (own, promoted int) {
	var set *types.MethodSet
	if types.IsInterface(named) {
		set = types.NewMethodSet(named)
	} else {
		set = types.NewMethodSet(types.NewPointer(named))
	}
	for sel := range set.Methods() {
		switch {
		case len(sel.Index()) == 1:
			own++
		case p.inModule(sel.Obj().Pkg()):
			promoted++
		}
	}
	return own, promoted
}

// inModule reports whether a package is one of the module of p; nil stands for the language itself.
func (p *typedPackage) inModule(other *types.Package) bool {
	return other != nil && (other.Path() == p.module || strings.HasPrefix(other.Path(), p.module+"/"))
}

// concepts are the things that one type each should describe. A type describes one by its own name, or by that of its
// package before Spec, Settings or Options.
var concepts = []struct {
	name  string
	types *regexp.Regexp
}{
	{"task", describes("Task")},
	{"method", describes("Method")},
	{"kernel", describes("Kernel")},
	{"features", describes("Features|FeatureMap|FeatureSpec|FeatureSettings", "embed")},
	{"learner", describes("Learner|Learn")},
	{"witness", describes("Witness")},
	{"lint", describes("Lint|Judgement")},
}

// describes returns what matches package.Type for types with one of the names, as Kernel and KernelSpec. Types that
// are called Spec alone match in packages of these names.
func describes(names string, packages ...string) *regexp.Regexp {
	const words = `Spec|Settings|Setting|Options|Config|JSON`
	in := strings.Join(append(packages, strings.ToLower(names)), "|")
	return regexp.MustCompile(`^(?:[a-z]+\.(?:` + names + `)(?:` + words + `)?|(?:` + in + `)\.(?:` + words + `))$`)
}

// conceptMeasure returns the largest number of types that describe one concept.
func conceptMeasure(packages []*typedPackage) measure {
	m := measure{name: "concepts", title: "types of one concept", target: 1}
	for _, c := range concepts {
		var found []string
		for _, p := range packages {
			p.namedTypes(func(obj *types.TypeName, named *types.Named) {
				name := p.types.Name() + "." + obj.Name()
				if obj.Exported() && !types.IsInterface(named) && c.types.MatchString(name) {
					found = append(found, name)
				}
			})
		}
		m.hold(float64(len(found)), c.name+": "+strings.Join(found, ", "))
	}
	return m
}
