package gauge

// The proximal map of ½τ[S]₊², S = t₍₁₎ + t₍₂₎, comes of two levels (levels.go). Either no leaf is capped: then all that lie
// above θ come down to it, S = 2θ, and
//
//	Σ_j [u_j − θ]₊ = 4τθ,   with κ = 2τθ, which caps nobody if u₍₁₎ − θ ≤ κ.
//
// Or the first one is: it loses κ, the others that lie above θ come down to it, S = u₍₁₎ − κ + θ, and for φ = u₍₁₎ + θ
//
//	Σ_{j≠1} [u_j + u₍₁₎ − φ]₊ = κ = aφ,   a = τ/(1 + τ),   S = φ/(1 + τ).

// capped1 are groups in which the first leaf is capped, side by side.
type capped1[F float] struct {
	groups  []int32 // which of the batch
	first   []int32 // the first leaf of each
	shifted []F     // u_j + u₍₁₎ ≥ 0, and 0 for the first leaf
	clipped []F
	at      []int32
	level   []F
}

func newCapped1[F float](m, lanes int) *capped1[F] {
	c := &capped1[F]{shifted: make([]F, m*lanes), clipped: make([]F, m*lanes), level: make([]F, lanes)}
	for k := range lanes {
		c.at = append(c.at, int32(k*m)) //nolint:gosec // small
	}
	return c
}

// pairs does groups of signed leaves, of which the two largest count. dst is not u.
func (b *bench[F]) pairs(g *groups, t, u, level []F, tau F) {
	if b.capped[g.m] == nil {
		b.capped[g.m] = newCapped1[F](g.m, b.lanes.count)
	}
	c := b.capped[g.m]
	for k := 0; k < g.count; k += b.lanes.count {
		at := g.at[k : k+b.lanes.count]
		b.run(g.m, t, u, at, 4*tau, level[k:])
		c.groups, c.first = c.groups[:0], c.first[:0]
		for j := range min(b.lanes.count, g.count-k) {
			theta := level[k+j]
			first := firstOf(u[at[j] : int(at[j])+g.m])
			level[k+j] = 2 * theta
			if u[int(at[j])+first]-theta <= 2*tau*theta {
				if theta > 0 {
					inside(t[at[j]:int(at[j])+g.m], u[at[j]:int(at[j])+g.m], 2)
				}
				continue
			}
			c.groups, c.first = append(c.groups, int32(j)), append(c.first, int32(first)) //nolint:gosec // small
		}
		if len(c.groups) > 0 {
			b.cap(c, g.m, t, u, at, level[k:], tau)
		}
	}
}

// cap does the groups of a batch in which the first leaf is capped.
func (b *bench[F]) cap(c *capped1[F], m int, t, u []F, at []int32, level []F, tau F) {
	for i, j := range c.groups {
		from, to := u[at[j]:int(at[j])+m], c.shifted[i*m:(i+1)*m]
		most := from[c.first[i]]
		for k, x := range from {
			to[k] = x + most
		}
		to[c.first[i]] = 0
	}
	share := tau / (1 + tau)
	b.run(m, c.clipped, c.shifted, c.at, share, c.level)
	for i, j := range c.groups {
		from, to := u[at[j]:int(at[j])+m], t[at[j]:int(at[j])+m]
		most, phi := from[c.first[i]], c.level[i]
		theta := phi - most
		for k, x := range from {
			to[k] = min(x, theta)
		}
		to[c.first[i]] = most - share*phi
		level[j] = phi / (1 + tau)
		if phi > 0 {
			inside(to, from, 2)
		}
	}
}

// run finds the levels of one-sided groups, as many as there are lanes.
func (b *bench[F]) run(m int, t, u []F, at []int32, kappa F, level []F) {
	if b.lanes.run == nil {
		level[0] = levelOf(t[at[0]:int(at[0])+m], u[at[0]:int(at[0])+m], true, kappa)
		return
	}
	b.lanes.run(m, &t[0], &u[0], &at[0], keepBits[F](true), kappa, &level[0], &b.scratch[0])
}

// firstOf is the place of the largest number.
func firstOf[F float](u []F) int {
	first, most := 0, u[0]
	for i, x := range u {
		if x > most {
			first, most = i, x
		}
	}
	return first
}
