package reproduce

import (
	"slices"
	"strings"
)

// revisionText names the revisions that made some units, each once in the order in which they come; unknown among them.
func revisionText(all []string) string {
	const digits = 12
	var names []string
	unknown := false
	for _, r := range all {
		if r == "" {
			unknown = true
			continue
		}
		hash, changed, _ := strings.Cut(r, "+")
		name := hash[:min(digits, len(hash))]
		if changed != "" {
			name += "+" + changed
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if unknown || len(names) == 0 {
		names = append(names, "unknown")
	}
	if len(names) == 1 {
		return "revision " + names[0]
	}
	return "revisions " + strings.Join(names, ", ")
}

// revisions returns the revisions that made the units.
func (t *Tables) revisions() []string {
	var out []string
	for _, c := range t.Cells {
		for _, e := range c.Entries {
			for _, r := range e.results() {
				out = append(out, r.Revision)
			}
		}
	}
	return out
}
