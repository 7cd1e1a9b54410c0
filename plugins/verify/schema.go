package verify

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/plugins"
)

var semantic = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// schema looks at what the family says of itself: complete, sound, the same from another process, and sense to the language.
func schema(ctx context.Context, s *suite) {
	if s.undescribed != nil {
		s.findf("%v", s.undescribed)
		return
	}
	s.check.Tried++
	described(s)
	if s.second != nil && !reflect.DeepEqual(s.schema, s.second) {
		s.findf("it describes itself otherwise each time it is started")
	}
	if s.options.Accept == nil {
		return
	}
	p := s.sound(ctx)
	if p == nil {
		return
	}
	for _, fault := range s.options.Accept(ctx, p) {
		s.findf("%s", fault)
	}
}

// described looks for what is missing or contradicts itself.
func described(s *suite) {
	c := s.schema
	if !semantic.MatchString(c.Version) {
		s.findf("the version %q is not semantic, such as 1.0.0", c.Version)
	}
	if len(c.Domains)+len(c.Maps)+len(c.Definitions) == 0 {
		s.findf("it adds nothing to the language: no domain, no map, no definition")
	}
	documented(s, "the family "+c.Name, c.Doc)
	for i := range c.Domains {
		d := &c.Domains[i]
		documented(s, "the domain "+d.Name, d.Doc)
		argsDescribed(s, d.Name, d.Args)
		for _, b := range d.Binds {
			documented(s, fmt.Sprintf("what %s binds, %s,", d.Name, b.Name), b.Doc)
		}
	}
	for i := range c.Maps {
		documented(s, "the map "+c.Maps[i].Name, c.Maps[i].Doc)
		argsDescribed(s, c.Maps[i].Name, c.Maps[i].Args)
	}
	for _, d := range c.Definitions {
		documented(s, "the definition "+d.Name, d.Doc)
	}
}

func documented(s *suite, what, doc string) {
	if strings.TrimSpace(doc) == "" {
		s.findf("%s has no documentation, which explain and editors show", what)
	}
}

// argsDescribed looks at arguments: documentation, and defaults that their own bounds and choices allow.
func argsDescribed(s *suite, of string, args []plugins.Arg) {
	optional := ""
	for i := range args {
		a := &args[i]
		documented(s, fmt.Sprintf("%s's argument %s", of, a.Name), a.Doc)
		if a.Default == "" && !a.Optional && optional != "" {
			s.findf("%s's argument %s must be given, but stands behind %s, which need not", of, a.Name, optional)
		}
		if a.Default != "" || a.Optional {
			optional = a.Name
		}
		allowed(s, of, a)
	}
}

// allowed looks whether an argument's default is one that can be tried, and that its own unit, bounds and choices allow.
func allowed(s *suite, of string, a *plugins.Arg) {
	if a.Default == "" || a.Kind > plugins.KindChoice {
		return
	}
	v := plugins.Value{Name: a.Name, Kind: a.Kind}
	if err := parseDefault(&v, a.Default); err != nil {
		s.findf("%s: %v", of, err)
		return
	}
	switch a.Kind {
	case plugins.KindChoice:
		if !slices.Contains(a.Choices, v.Text) {
			s.findf("%s's argument %s has the default %s, which is not among its choices", of, a.Name, a.Default)
		}
	case plugins.KindNumber, plugins.KindAngle, plugins.KindCount:
		ofRows := a.Kind == plugins.KindCount && strings.HasSuffix(a.Default, "n")
		if !ofRows && a.Min < a.Max && (v.Number < a.Min || v.Number > a.Max) {
			s.findf("%s's argument %s has the default %s, which its bounds do not allow", of, a.Name, a.Default)
		}
	}
}
