package compiler

import (
	"github.com/sipc-ml/sipc/compiler/internal/explain"
)

// sights are what the families from elsewhere see, in the order of their use.
func (in *Instance) sights() []explain.Sight {
	var out []explain.Sight
	for _, fam := range in.checker.families {
		if fam.Place.IsZero() {
			continue
		}
		calls, needs := in.problem().Asked(fam)
		out = append(out, explain.Sight{Family: fam.Name, Version: fam.Schema.Version, Place: fam.Place, For: calls, Needs: needs})
	}
	return out
}
