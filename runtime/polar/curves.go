package polar

// rho is what primal bounds take for ρ(AV), t being AV.
func (s *Solver) rho(t []float64) float64 { return s.problem.rho(t) }

// rho is what primal bounds take for ρ(AV), t being AV.
func (p Problem) rho(t []float64) float64 { return p.Gauge.Value(t) }
