package gauge

// Scale sets dst to argmin_t ½‖t − u‖² + σρ(t), σ ≥ 0, and returns ρ(dst). By Moreau's decomposition u − dst is the
// projection of u on {ρ° ≤ σ}.
func (x *Prox) Scale(dst, u []float64, sigma float64) float64 {
	x.pending = false
	return x.evalRoot(dst, u, curve{kind: fixedMultiplier, x: sigma}).s
}

// Project sets dst to the point of {ρ ≤ level} nearest to u, level ≥ 0. It returns the multiplier ρ°(u − dst), which
// is 0 if u lies in the set.
func (x *Prox) Project(dst, u []float64, level float64) float64 {
	x.pending = false
	return x.evalRoot(dst, u, curve{kind: fixedLevel, x: level}).lam
}

// ProxSquare computes Square once.
func (n *Node) ProxSquare(dst, u []float64, tau float64) { NewProx(n).Square(dst, u, tau) }
