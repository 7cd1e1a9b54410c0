package sipc

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/verify"
	"github.com/sipc-ml/sipc/sdk/starter"
)

// VerifyOptions say how a plugin is verified. The zero value is the default.
type VerifyOptions struct {
	Files    map[string]string // paths of files to give for arguments that are files, by the argument's name
	Quick    bool              // ask about large data of 4 MiB, and not of 64
	Checks   []string          // those to run, by name, beside the handshake; nil runs all
	Progress func(check string)
}

// VerifyPlugin runs the conformance suite on a program that is a family: see package verify. What the program does wrong is in the
// report; the error is that of a program or file that is none.
func VerifyPlugin(ctx context.Context, path string, o VerifyOptions) (*verify.Report, error) {
	v := verify.Options{Accept: languageFaults, Quick: o.Quick, Checks: o.Checks, Progress: o.Progress, Files: map[string][]byte{}}
	var err error
	if v.Host.Log, err = pluginLog(); err != nil {
		return nil, err
	}
	for name, path := range o.Files {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		v.Files[name] = content
	}
	return verify.Run(ctx, path, v)
}

// languageFaults returns what the language finds wrong with a family, in a spec that uses all its words without
// required arguments. It may find names that are taken, definitions that do not parse, or defaults of the wrong type.
func languageFaults(ctx context.Context, family plugins.Family) []string {
	schema, err := family.Describe(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	families := maps.Clone(Families())
	families[schema.Name] = family
	file, faults := dsl.Parse(schema.Name+".inv", []byte(usingSpec(schema)))
	plan, list := compiler.Check(ctx, file, compiler.Options{Families: families})
	_ = plan.Close() // it started nothing
	var out []string
	for _, d := range append(faults, list...) {
		if d.Severity == diag.Error {
			out = append(out, strings.TrimSpace(fmt.Sprintf("the language refuses it: %s %s", d.Summary, d.Detail)))
		}
	}
	return out
}

// usingSpec returns a spec that uses everything a family adds that can be called without arguments.
func usingSpec(schema *plugins.Schema) string {
	var s strings.Builder
	s.WriteString("use " + schema.Name + "\ndata { target y : class }\nkernel gaussian(width = 1)\nfeatures exact\n")
	count := 0
	invariance := func(body string) {
		count++
		fmt.Fprintf(&s, "invariance use_%d = rms over x of %s\n", count, body)
	}
	for i := range schema.Maps {
		if m := &schema.Maps[i]; complete(m.Args) && !m.NeedsImage {
			invariance(fmt.Sprintf("max over moved in {%s()} of |f(moved(x)) - f(x)|", m.Name))
		}
	}
	for i := range schema.Domains {
		if d := &schema.Domains[i]; complete(d.Args) {
			invariance(overDomain(d))
		}
	}
	return s.String()
}

// complete tells whether a call needs no arguments.
func complete(args []plugins.Arg) bool {
	return !slices.ContainsFunc(args, func(a plugins.Arg) bool { return a.Default == "" && !a.Optional })
}

// overDomain returns an expression over all elements of a domain, at the first point or label that each binds.
func overDomain(d *plugins.DomainSchema) string {
	names := make([]string, len(d.Binds))
	at := ""
	for k, b := range d.Binds {
		names[k] = fmt.Sprintf("bound_%d", k)
		if at == "" && b.Kind != plugins.BindParameter {
			at = names[k]
		}
	}
	binder := names[0]
	if len(names) > 1 {
		binder = "(" + strings.Join(names, ", ") + ")"
	}
	return fmt.Sprintf("max over %s in %s() of |f(%s)|", binder, d.Name, at)
}

// NewPlugin writes a family to start from: see package starter. Its name must be a word that the language has to give away.
func NewPlugin(ctx context.Context, o starter.Options) ([]string, error) {
	if o.Version == "" {
		o.Version = "v" + Version
	}
	if faults := languageFaults(ctx, bareName(o.Name)); len(faults) > 0 {
		return nil, fmt.Errorf("%q cannot be the name of a family: %s", o.Name, faults[0])
	}
	if other := builtinWith(ctx, o.Name); other != "" {
		return nil, fmt.Errorf("%q cannot be the name of a family: the families %[2]s and %[1]s both add %[1]s to the language; choose another name", o.Name, other)
	}
	return starter.Write(o)
}

// builtinWith returns the built-in family that adds a word to the language. It is empty if none does. A spec may use
// a family that hides such a word, but nobody should begin with one.
func builtinWith(ctx context.Context, word string) string {
	for name, family := range Families() {
		s, err := family.Describe(ctx)
		if err == nil && (s.Domain(word) != nil || s.Map(word) != nil ||
			slices.ContainsFunc(s.Definitions, func(d plugins.Definition) bool { return d.Name == word })) {
			return name
		}
	}
	return ""
}

// bareName is a family that adds its own name to the language as that of a domain.
type bareName string

// Describe describes the domain.
func (n bareName) Describe(context.Context) (*plugins.Schema, error) {
	return &plugins.Schema{Name: string(n), Domains: []plugins.DomainSchema{{
		Name: string(n), Binds: []plugins.Bind{{Name: "a", Kind: plugins.BindPoint}},
	}}}, nil
}

// Open returns an error: there is no family behind the name.
func (n bareName) Open(context.Context, *plugins.Data) (plugins.Session, error) {
	return nil, fmt.Errorf("%s is a name alone", string(n))
}
