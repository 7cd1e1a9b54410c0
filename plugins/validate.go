package plugins

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/internal/limits"
)

// Validate checks a chunk that answers call, for the domain that schema describes, against data of n rows, p features
// and m labels. There must be as many labels, functionals and derivatives as the call asked for, and every block must
// be sound.
func (c *Chunk) Validate(schema *DomainSchema, call *DomainCall, n, p, m int) error {
	labels, points, path := schema.binds()
	if c.Count < 0 || c.Count > math.MaxInt32 {
		return fmt.Errorf("chunk of %d elements", c.Count)
	}
	if len(c.Labels) != labels {
		return fmt.Errorf("chunk binds %d labels, want %d", len(c.Labels), labels)
	}
	for k, ls := range c.Labels {
		if len(ls) != c.Count {
			return fmt.Errorf("chunk of %d elements has %d labels in place %d", c.Count, len(ls), k)
		}
		if i := slices.IndexFunc(ls, func(l int32) bool { return l < 0 || int(l) >= m }); i >= 0 {
			return fmt.Errorf("element %d of a chunk binds label %d of %d", i, ls[i], m)
		}
	}
	per := 1
	if path {
		per = len(call.Nodes)
	}
	if err := validateBlocks("points", c.Points, points, c.Count*per, n, p, m); err != nil {
		return err
	}
	if !call.Derivative {
		points = 0
	}
	return validateBlocks("derivatives", c.Derivatives, points, c.Count*per, n, p, m)
}

func validateBlocks(what string, blocks []*Block, want, functionals, n, p, m int) error {
	if len(blocks) != want {
		return fmt.Errorf("chunk has %d blocks of %s, want %d", len(blocks), what, want)
	}
	for _, b := range blocks {
		if b == nil {
			return fmt.Errorf("chunk lacks a block of %s", what)
		}
		if b.Len() != functionals {
			return fmt.Errorf("chunk has %d functionals among its %s, want %d", b.Len(), what, functionals)
		}
		if err := b.Validate(n, p, m); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

// binds counts the labels and points that an element binds, and tells whether it binds a parameter.
func (s *DomainSchema) binds() (labels, points int, path bool) {
	for _, b := range s.Binds {
		switch b.Kind {
		case BindLabel:
			labels++
		case BindPoint:
			points++
		case BindParameter:
			path = true
		}
	}
	return labels, points, path
}

// Domain returns the domain of that name, nil if there is no such domain.
func (s *Schema) Domain(name string) *DomainSchema {
	for i := range s.Domains {
		if s.Domains[i].Name == name {
			return &s.Domains[i]
		}
	}
	return nil
}

// Map returns the map of that name, nil if there is no such map.
func (s *Schema) Map(name string) *MapSchema {
	for i := range s.Maps {
		if s.Maps[i].Name == name {
			return &s.Maps[i]
		}
	}
	return nil
}

// Validate checks that a schema can be added to the language. Names must be words and used once, and kinds known. A
// parameter must come with a point to move, and a choice with its options.
func (s *Schema) Validate() error {
	if !isName(s.Name) {
		return fmt.Errorf("schema: %q is not a name for a family", s.Name)
	}
	seen := map[string]bool{}
	once := func(what, name string) error {
		if !isName(name) {
			return fmt.Errorf("schema: %q is not a name for a %s", name, what)
		}
		if seen[name] {
			return fmt.Errorf("schema: %s %s: the name is taken", what, name)
		}
		seen[name] = true
		return nil
	}
	for i := range s.Domains {
		d := &s.Domains[i]
		if err := errors.Join(once("domain", d.Name), d.validate()); err != nil {
			return err
		}
	}
	for i := range s.Maps {
		m := &s.Maps[i]
		if m.NeedsImage && m.Needs.Columns != AllColumns {
			return fmt.Errorf("schema: map %s acts on images, and so needs all columns", m.Name)
		}
		if err := errors.Join(once("map", m.Name), validateArgs(m.Name, m.Args), m.Needs.validate(m.Name, m.Args)); err != nil {
			return err
		}
		if m.Needs.Columns == NoColumns && len(m.Needs.Names) == 0 {
			return fmt.Errorf("schema: map %s sees no column that it could move: let it need some, or all (AllColumns, in Python \"all\")", m.Name)
		}
	}
	for i := range s.Definitions {
		d := &s.Definitions[i]
		if err := once("definition", d.Name); err != nil {
			return err
		}
		switch {
		case d.Source == "":
			return fmt.Errorf("schema: definition %s has no source", d.Name)
		case len(d.Source) > limits.DefinitionBytes:
			return fmt.Errorf("schema: definition %s has %d bytes, and at most %d are read", d.Name, len(d.Source), limits.DefinitionBytes)
		}
	}
	return nil
}

func (s *DomainSchema) validate() error {
	if len(s.Binds) == 0 {
		return fmt.Errorf("schema: domain %s binds nothing", s.Name)
	}
	parameters := 0
	for _, b := range s.Binds {
		if !isName(b.Name) {
			return fmt.Errorf("schema: domain %s binds %q, which is not a name", s.Name, b.Name)
		}
		switch b.Kind {
		case BindLabel, BindPoint:
		case BindParameter:
			parameters++
		default:
			return fmt.Errorf("schema: domain %s binds %s of unknown kind %d", s.Name, b.Name, b.Kind)
		}
	}
	if _, points, _ := s.binds(); parameters > 1 || (parameters == 1 && points == 0) {
		return fmt.Errorf("schema: domain %s binds %d parameters and %d points; a parameter moves a point", s.Name, parameters, points)
	}
	return errors.Join(validateArgs(s.Name, s.Args), s.Needs.validate(s.Name, s.Args))
}

func validateArgs(of string, args []Arg) error {
	seen := map[string]bool{}
	for _, a := range args {
		switch {
		case !isName(a.Name) || seen[a.Name]:
			return fmt.Errorf("schema: %s: %q is not a name for an argument, or taken", of, a.Name)
		case a.Kind < KindNumber || a.Kind > KindFile:
			return fmt.Errorf("schema: argument %s of %s has unknown kind %d", a.Name, of, a.Kind)
		case a.Kind == KindChoice && len(a.Choices) == 0:
			return fmt.Errorf("schema: argument %s of %s has nothing to choose from", a.Name, of)
		case math.IsNaN(a.Min) || math.IsNaN(a.Max):
			return fmt.Errorf("schema: argument %s of %s has a bound that is not a number", a.Name, of)
		}
		seen[a.Name] = true
	}
	return nil
}

// isName tells whether s is a word of the language: a letter, then letters, digits and underscores, all ASCII.
func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z')
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}
