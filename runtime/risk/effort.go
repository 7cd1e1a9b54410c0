package risk

import (
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// An effort counts the multiplications of a request.
type effort struct {
	most              float64
	iteration, factor float64       // what one of them counts as
	made              float64       // by iterations and factors
	prox              *gauge.Prox   // nil if there is no gauge
	before            float64       // what prox had made
	newton            *polar.Newton // nil until the finish is tried
}

// factorSpeed is how many times faster a factor is made than as many multiplications of a gauge.
const factorSpeed = 32

// newEffort returns the effort of a request that may make so many.
func newEffort(s *Solver, most float64) *effort {
	count, d := float64(len(s.metric)), float64(s.dim)
	e := &effort{
		most: most, iteration: polar.WorkOf(len(s.metric), s.dim, 0).Iteration, factor: d * d * (count + d) / factorSpeed, prox: s.prox,
	}
	if a, ok := s.base.(polar.Structured); ok {
		if share := a.FactorShare(); share > 0 {
			e.factor = share * e.iteration / factorSpeed
		}
	}
	if s.prox != nil {
		e.before = s.prox.Work()
	}
	return e
}

// over reports whether they were made.
func (e *effort) over() bool {
	made := e.made
	if e.prox != nil {
		made += e.prox.Work() - e.before
	}
	if e.newton != nil {
		made += e.newton.Work()
	}
	return made > e.most
}
