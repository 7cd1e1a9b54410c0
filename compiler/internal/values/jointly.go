package values

import (
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
)

// Jointly compiles a part of the spec whose numbers decide together whether it is in order: a
// setting, an invariance, a weighted one. What one such part says does not depend on the numbers of
// another. So the combinations of each are judged by themselves: Σ of products of grids, not a
// product of all. A part within a part adds its grids to the outer one as well.
func Jointly(p *names.Pass, compile func()) {
	outer := p.Met
	p.Met = tree.GridSet{}
	compile()
	if p.Choice == nil && !p.Trial {
		p.Together = append(p.Together, p.Met)
	}
	outer.Add(p.Met)
	p.Met = outer
}
