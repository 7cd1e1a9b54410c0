package polar

import "math"

// softEnd is the length of the gradient at which a softened embedding is thought to be reached, as a share of ‖a‖.
const softEnd = 1e-11

// embedSoft minimizes α/2‖V‖² − ⟨a, V⟩ + env(AV) from the last V on, by Newton's method: ψ of the method of multipliers with c = 0.
func (f *Follower) embedSoft() (*Point, error) {
	n, s := f.newton, f.solver
	n.beta = f.soft
	clear(n.c.RawRowView(0))
	n.prox = s.lendProx()
	defer s.putProx(n.prox)
	if !f.warm {
		factor, err := s.factor(n.ctx, 0)
		if err != nil {
			return nil, err
		}
		copy(n.v.RawRowView(0), n.a)
		if err := factor.Solve(n.ctx, n.v, n.v); err != nil {
			return nil, err
		}
	}
	s.problem.A.Apply(n.av, n.v)
	env, err := f.descend()
	if err != nil {
		return nil, err
	}
	f.Steps += n.task.newton
	f.warm = true
	v := n.v.RawRowView(0)
	out := &Point{Iota: append([]float64(nil), v...), Multipliers: append([]float64(nil), n.y.RawRowView(0)...)}
	s.problem.Gauge.Repair(out.Multipliers)
	// ½‖a‖² lies between ⟨a, V⟩ − ½J(V) and that and ‖gradient‖²/2α, J being α-strongly convex.
	g := n.grad.RawRowView(0)
	out.Lower = max(0, 2*dot(n.a, v)-s.problem.Alpha*dot(v, v)-2*env)
	out.Upper = out.Lower + dot(g, g)/s.problem.Alpha
	return out, nil
}

// descend is Newton's method; it returns the envelope at the end, and leaves the multipliers in y and the gradient in grad.
func (f *Follower) descend() (env float64, err error) {
	n := f.newton
	norm, last := math.Sqrt(dot(n.a, n.a)), math.Inf(1)
	env = n.value(n.av.RawRowView(0))
	for range f.solver.settings.MaxIterations {
		if err := n.ctx.Err(); err != nil {
			return 0, err
		}
		n.gradient()
		g := n.grad.RawRowView(0)
		size := math.Sqrt(dot(g, g))
		if size <= softEnd*norm || (size <= 1e-8*norm && size > 0.5*last) { // the latter is rounding error
			return env, nil
		}
		last = size
		if err := n.steer(); err != nil {
			return 0, err
		}
		n.task.newton++
		next, moved := n.search(env)
		if env = next; !moved {
			break
		}
	}
	env = n.value(n.av.RawRowView(0))
	n.gradient()
	return env, nil
}

// steer sets dv to the Newton direction, by conjugate gradients where the linear system is too large for anything else.
func (n *newton) steer() error {
	if n.direction() {
		return nil
	}
	factor, err := n.factor(n.ctx, 0)
	if err != nil {
		return err
	}
	n.dv.Scale(-1, n.grad)
	return (&tangent{newton: n, before: factor}).conjugate(n.dv.RawRowView(0))
}
