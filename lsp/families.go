package lsp

import (
	"errors"
	"strings"
)

var errFamilyOff = errors.New("the editor starts no program of a family, and knows nothing of what this one adds; sipc check starts it")

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
		out = append(out, offer{name, "a family that sipc.lock pins, " + strings.Join(pinned[name], ", ")})
	}
	return out
}
