package lsp

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/sipc-ml/sipc/plugins"
)

var (
	errFamilyOff  = errors.New("the editor does not start programs of families, and knows nothing of what this one adds; the setting sipc.plugins lets it")
	errFamilyOnly = errors.New("the editor asks a family for its description alone")
	errNoFolder   = errors.New("the spec is in no folder yet; save it first")
)

// A describedFamily is a program's description, kept so that no program runs while one types.
type describedFamily struct{ schema *plugins.Schema }

func (f describedFamily) Describe(context.Context) (*plugins.Schema, error) { return f.schema, nil }

func (f describedFamily) Open(context.Context, *plugins.Data) (plugins.Session, error) {
	return nil, errFamilyOnly
}

// familyPrograms remember what programs say of themselves, by their paths, for as long as their file and the lock stay the same.
type familyPrograms struct {
	sync.Mutex
	known map[string]familyEntry
}

type familyEntry struct {
	stamp    string
	describe func() (*plugins.Schema, error)
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

// family returns the family of `use … from "path"`, or of `use …` which the lock gives a path. It starts a program that is not known
// yet, and waits until it has described itself.
func (s *session) family(d *document, path string) (plugins.Family, error) {
	if s.options.Open == nil || !s.settings.Load().Plugins {
		return nil, errFamilyOff
	}
	full := d.resolve(path)
	if full == "" {
		return nil, errNoFolder
	}
	schema, err := s.programs.of(full, stampOf(full)+stampOf(d.resolve(lockName)), func() (*plugins.Schema, error) { return s.describe(d.dir(), path) })
	if err != nil {
		return nil, err
	}
	return describedFamily{schema}, nil
}

// of returns what the program at a path says of itself; it is asked once for each stamp.
func (p *familyPrograms) of(path, stamp string, describe func() (*plugins.Schema, error)) (*plugins.Schema, error) {
	p.Lock()
	e, known := p.known[path]
	if !known || e.stamp != stamp {
		e = familyEntry{stamp, sync.OnceValues(describe)}
		p.known[path] = e
	}
	p.Unlock()
	return e.describe()
}

// describe starts a program, asks it what it adds, and ends it.
func (s *session) describe(dir, path string) (*plugins.Schema, error) {
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
