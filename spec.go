// Package sipc teaches classifiers what must not matter: it fits models that respect the invariances which a spec in
// the .inv language declares.
//
// LoadSpec parses and checks a spec, and proves each invariance convex. Run fits a model to data under it and
// evaluates the model. Every embedding that it computes carries a certificate of how near its optimum it is.
// LoadModel reads a model back, and Predict and EmbedRows apply it to further rows. The commands of cmd/sipc only
// parse flags and print around this package.
package sipc

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/hierarchy"
	"github.com/sipc-ml/sipc/plugins/mixup"
	"github.com/sipc-ml/sipc/plugins/transform"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/truth"
)

// Version is the version of the program and its library.
const Version = "0.1.0"

// A Spec is a spec that was read and, where it has no error, checked.
type Spec struct {
	Path        string
	Source      []byte
	File        *dsl.File
	Plan        *compiler.Plan // nil where there are errors
	Diagnostics diag.List      // errors and warnings, in order
	SHA256      string         // of Source, and of what it includes, in hexadecimal
	Included    []Included     // in the order in which they are first met

	set      map[string]string // overrides of lets
	launcher *launcher         // of plugins; nil where nothing was checked
}

// An Included is a file that a spec includes, or that such a file includes in turn.
type Included struct {
	Path   string // relative to the spec, or absolute
	Name   string // as in diagnostics
	Source []byte
}

// SpecOptions say what surrounds a spec.
type SpecOptions struct {
	Set map[string]string // overrides of lets, in the language's syntax
	// Notice is told of what the user should know but need not act on, such as a plugin that was pinned; it may be nil.
	Notice func(string)
	// Trust lets programs start that the user has not trusted, and trusts those whose schemas are sound from then on.
	Trust bool
}

// A SpecError is a spec with errors.
type SpecError struct {
	Diagnostics diag.List
	Sources     diag.Sources // of the spec and of what it includes
	Path        string
}

// Error returns the diagnostics, one a line.
func (e *SpecError) Error() string { return e.Diagnostics.Error() }

// LoadSpec reads and checks a spec. The error is that of reading the file; errors of the spec are among its diagnostics,
// and Err gives them. The caller closes the spec.
func LoadSpec(ctx context.Context, path string, o SpecOptions) (*Spec, error) {
	source, err := ReadSpec(path)
	if err != nil {
		return nil, err
	}
	return NewSpec(ctx, path, source, o), nil
}

// ReadSpec reads the text of a spec.
func ReadSpec(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > limits.SpecBytes {
		return nil, fmt.Errorf("%s: this is not a spec: it is larger than %d MiB; the spec comes first, the data second", path, limits.SpecBytes>>20)
	}
	source, err := limits.Read(path, limits.SpecBytes)
	if err != nil {
		return nil, dataset.CannotOpen(path, err)
	}
	return source, nil
}

// NewSpec parses and checks the text of a spec. Files that it names are relative to path, which need not exist itself.
func NewSpec(ctx context.Context, path string, source []byte, o SpecOptions) *Spec {
	s := ParseSpec(path, source)
	s.check(ctx, o)
	return s
}

// ParseSpec parses a spec without checking it.
func ParseSpec(path string, source []byte) *Spec {
	sum := sha256.Sum256(source)
	if path == ExpressionName {
		path = "./" + path
	}
	s := &Spec{Path: path, Source: source, SHA256: hex.EncodeToString(sum[:])}
	s.File, s.Diagnostics = dsl.Parse(path, source)
	if s.isNone() {
		begins := "holds"
		if s.isForeign() {
			begins = "begins with"
		}
		s.Diagnostics = diag.List{{
			Code: dsl.UnknownStatement, Severity: diag.Error, Subject: diag.Span{File: path},
			Summary: "this is not a spec: it " + begins + " no statement of the language",
			Mend:    s.otherCall(),
		}}
	}
	return s
}

// otherCall says how a file is used that is not a spec.
func (s *Spec) otherCall() string {
	switch {
	case bytes.HasPrefix(s.Source, []byte("sipc model ")):
		return fmt.Sprintf("it is a model, which knows its spec: sipc explain --model %[1]s, sipc predict %[1]s DATA", s.Path)
	case bytes.HasPrefix(s.Source, []byte{0x1f, 0x8b}) && strings.HasSuffix(s.Path, ".inv.gz"):
		return "it is gzipped, and a spec is read as plain text: gunzip it first"
	}
	mend := "a spec is text in the .inv language; the spec comes first, the data second, which check takes as --data FILE"
	if s.isForeign() {
		mend += "; let its name end in .inv to see what is wrong with it"
	}
	return mend
}

// isNone reports whether the text seems to be something else, such as data or a picture. It then holds no statement,
// and more than one fault or a zero byte. A file by another name than that of a spec is none if it does not begin with a statement. It may
// be any file, and errors must not show what it holds.
func (s *Spec) isNone() bool {
	if s.isForeign() {
		return true
	}
	begun := slices.ContainsFunc(s.File.Broken, func(b dsl.Broken) bool { return b.Exact })
	return len(s.File.Decls) == 0 && !begun && (len(s.Diagnostics) > 1 || bytes.IndexByte(s.Source, 0) >= 0)
}

// isForeign reports whether the text is of a file whose name does not end in .inv, and begins with a fault that is no statement.
func (s *Spec) isForeign() bool {
	info, err := os.Stat(s.Path)
	if err != nil || !info.Mode().IsRegular() || filepath.Ext(s.Path) == ".inv" || len(s.Diagnostics) == 0 || len(s.File.Broken) == 0 {
		return false
	}
	first := slices.MinFunc(s.File.Broken, func(a, b dsl.Broken) int { return cmp.Compare(a.Span().Start.Offset, b.Span().Start.Offset) })
	begun := func(d dsl.Decl) bool { return d.Span().Start.Offset < first.Span().Start.Offset }
	return !first.Exact && !slices.ContainsFunc(s.File.Decls, begun)
}

// check compiles what parsed.
func (s *Spec) check(ctx context.Context, o SpecOptions) {
	s.set, s.launcher = o.Set, newLauncher(filepath.Dir(s.Path), o)
	plan, diagnostics := compiler.Check(ctx, s.File, compiler.Options{
		Families: Families(),
		Open:     s.launcher.open,
		Pinned:   s.launcher.pinned,
		ReadFile: s.readFile,
		Identity: s.identity,
		Included: s.include,
		Set:      o.Set,
	})
	if s.Diagnostics.HasErrors() {
		_ = plan.Close() // the plan of half a spec is of no use
	} else {
		s.Plan = plan
	}
	s.Diagnostics = append(s.Diagnostics, diagnostics...)
	s.Diagnostics.Sort()
}

// include notes a file that the spec includes.
func (s *Spec) include(in *compiler.Included) {
	if slices.ContainsFunc(s.Included, func(other Included) bool { return other.Name == in.Name }) {
		return
	}
	s.Included = append(s.Included, Included{Path: in.Path, Name: in.Name, Source: in.Source})
	text := slices.Clone(s.Source)
	for _, in := range s.Included {
		text = fmt.Appendf(text, "\x00%s\x00%s", filepath.ToSlash(in.Path), in.Source)
	}
	s.SHA256 = fmt.Sprintf("%x", sha256.Sum256(text))
}

// Sources returns the texts of the spec and of what it includes, as diagnostics name them.
func (s *Spec) Sources() diag.Sources {
	all := diag.Sources{s.Path: s.Source}
	for _, in := range s.Included {
		all[in.Name] = in.Source
	}
	return all
}

// readFile reads a file that the spec names, relative to the spec.
func (s *Spec) readFile(name string) ([]byte, error) {
	return limits.Read(s.resolve(name), limits.NamedBytes)
}

// identity returns the path of a file without links, which all of its names have.
func (s *Spec) identity(name string) string { return limits.Identity(s.resolve(name)) }

// data returns the settings of the data, the path of the labels' file resolved.
func (s *Spec) data() *setting.Data {
	d := s.Plan.Data
	if d.Target.LabelsFile != "" {
		d.Target.LabelsFile = s.resolve(d.Target.LabelsFile)
	}
	if d.Unlabelled.File != "" {
		d.Unlabelled.File = s.resolve(d.Unlabelled.File)
	}
	return &d
}

// resolve returns the path of a file that the spec names.
func (s *Spec) resolve(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(s.Path), name)
}

// Err returns a *SpecError if the spec has errors, else nil.
func (s *Spec) Err() error {
	if !s.Diagnostics.HasErrors() {
		return nil
	}
	return s.specError(s.Diagnostics)
}

// Close ends the plugins that the spec uses.
func (s *Spec) Close() error { return s.Plan.Close() }

// An Explanation is what was proved of a spec, and, with data, whether its invariances are true of them.
type Explanation struct {
	*compiler.Explanation
	Rows     int           // of the training data; 0 without data
	Lint     []report.Lint // nil without data
	Warnings diag.List     // of grounding, and of what is not true
}

// ExplainOptions say on what a spec is explained. The zero value has no data.
type ExplainOptions struct {
	Data string  // the data file; empty: the spec alone is explained
	Test string  // a file of test rows, as in RunOptions
	Seed *uint64 // overrides the spec's
}

// Explain says what was proved of R, every grid at its first value. With a data file it counts functionals, too, on the
// training rows of a run, and asks whether the invariances are true of their labels.
func (s *Spec) Explain(ctx context.Context, o ExplainOptions) (*Explanation, error) {
	if o.Data == "" {
		if err := s.Err(); err != nil {
			return nil, err
		}
		return &Explanation{Explanation: s.Plan.Explain()}, nil
	}
	p, err := Prepare(ctx, s, RunOptions{Data: o.Data, Test: o.Test, Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	out := &Explanation{Rows: p.Train.Len(), Warnings: s.Plan.OutOfSight(p.Train.Height, p.Train.Width)}
	instance := s.Plan.Shown()
	reg, err := p.ground(ctx, instance, out.Warnings.Add)
	if err != nil {
		return nil, s.explain(err)
	}
	for _, name := range instance.Measures() {
		if _, err := p.ground(ctx, instance.Only(name), out.Warnings.Add); err != nil {
			return nil, s.explain(err)
		}
	}
	statements, err := required(ctx, p, instance)
	if err != nil {
		return nil, s.explain(err)
	}
	out.Explanation = instance.Explain(reg)
	out.Count(statements)
	if out.Lint, err = truth.Judge(ctx, reg, labelsOf(p.Train), p.Seed); err != nil {
		return nil, err
	}
	out.Warnings = append(out.Warnings, doubts(out.Lint, instance, reg)...)
	return out, nil
}

// Families returns the families that are built in.
func Families() map[string]plugins.Family {
	return map[string]plugins.Family{
		"mixup":     mixup.New(),
		"hierarchy": hierarchy.New(),
		"transform": transform.New(),
	}
}
