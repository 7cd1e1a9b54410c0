// Package curve holds smooth functions of a parameter λ that are known at Lobatto nodes.
//
// On [0, 1] the nodes of N = n + 1 are λ_k = (1 − cos θ_k)/2 with the angles θ_k = πk/n; they include the ends. Values
// there determine the polynomial p of degree n, which is an even trigonometric polynomial of the angle,
//
//	p(λ(θ)) = q(θ) = Σ_m c_m cos mθ,   m = 0 … n.
//
// A maximum over the nodes is too small, for two reasons. p may be larger between them (see Table), and p differs from
// the function that it stands for (see Analytic, Smooth and Remainder). Means over λ are taken by the rule of Clenshaw
// and Curtis. The rule integrates p itself exactly, but not norms of p and densities (see Integral).
package curve
