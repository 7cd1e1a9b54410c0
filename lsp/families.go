package lsp

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/sipc-ml/sipc/plugins"
)

var errFamilyOnly = errors.New("the editor asks a family for its description alone")

// A describedFamily is a program's description, kept so that no program runs while one types.
type describedFamily struct{ schema *plugins.Schema }

func (f describedFamily) Describe(context.Context) (*plugins.Schema, error) { return f.schema, nil }

func (f describedFamily) Open(context.Context, *plugins.Data) (plugins.Session, error) {
	return nil, errFamilyOnly
}

// A familyEntry is what is known of a program, for as long as its file and the lock stay the same.
type familyEntry struct {
	stamp  string
	done   bool
	schema *plugins.Schema
	err    error
}

// lockName is the file beside a spec that pins programs.
const lockName = "sipc.lock"

// pinned returns the paths of the families that the lock beside the document knows, by name.
func (s *session) pinned(d *document) (map[string][]string, error) {
	if s.options.Pinned == nil || d.dir() == "" {
		return nil, nil
	}
	return s.options.Pinned(d.dir())
}

// An offer is a family that `use NAME` finds without a path.
type offer struct{ name, detail string }

// offers returns the families that need no path: those that are built in, and those that the lock knows.
func (s *session) offers(d *document) []offer {
	var out []offer
	for _, name := range sortedKeys(s.options.Families) {
		out = append(out, offer{name, "a family"})
	}
	pinned, _ := s.pinned(d) // what is wrong with the lock is said where it matters
	for _, name := range sortedKeys(pinned) {
		out = append(out, offer{name, "a family that " + lockName + " pins, " + strings.Join(pinned[name], ", ")})
	}
	return out
}

// family returns the family of `use … from "path"`, or of `use …` which the lock gives a path. A program that is not known yet is started in the background, and the
// document is looked at again when it has described itself.
func (s *session) family(d *document, path string) (plugins.Family, error) {
	if s.options.Open == nil || !s.settings.Load().Plugins {
		return nil, errFamilyOff
	}
	full := d.resolve(path)
	if full == "" {
		return nil, errors.New("the spec is in no folder yet; save it first")
	}
	stamp := stampOf(full) + stampOf(d.resolve(lockName))
	s.families.Lock()
	defer s.families.Unlock()
	e := s.families.known[full]
	if e == nil || e.stamp != stamp {
		e = &familyEntry{stamp: stamp}
		s.families.known[full] = e
		dir := d.dir()
		s.work.Go(func() { s.describe(e, dir, path) })
	}
	switch {
	case !e.done:
		return nil, errFamilyStarting
	case e.err != nil:
		return nil, e.err
	}
	return describedFamily{e.schema}, nil
}

// describe asks a program what it adds, ends it, and looks at all documents again.
func (s *session) describe(e *familyEntry, dir, path string) {
	schema, err := s.describeOnce(dir, path)
	s.families.Lock()
	e.done, e.schema, e.err = true, schema, err
	s.families.Unlock()
	if s.ctx.Err() == nil {
		s.refresh()
	}
}

func (s *session) describeOnce(dir, path string) (*plugins.Schema, error) {
	ctx, cancel := context.WithTimeout(s.ctx, describeLimit)
	defer cancel()
	family, err := s.options.Open(ctx, dir, path)
	if err != nil {
		return nil, err
	}
	if closer, ok := family.(interface{ Close() error }); ok {
		defer closer.Close() //nolint:errcheck // it has said what it adds
	}
	return family.Describe(ctx)
}

// describeLimit is how long a program may take to say what it adds.
const describeLimit = 30 * time.Second
