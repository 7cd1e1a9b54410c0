// Package curve holds smooth functions of a parameter λ that are known at Lobatto nodes.
//
// On [0, 1] the nodes of N = n + 1 are λ_k = (1 − cos θ_k)/2 with the angles θ_k = πk/n, the ends among them. Values there
// determine the polynomial p of degree n, which is an even trigonometric polynomial of the angle,
//
//	p(λ(θ)) = q(θ) = Σ_m c_m cos mθ,   m = 0 … n.
//
// A maximum over λ that is taken at the nodes is too small by what p does between them (see Table), and by how far p is from
// the function that it stands for (see Analytic, Smooth and Remainder). Means over λ are taken by the rule of Clenshaw and Curtis, which
// integrates p itself, and misses norms of p and densities (see Integral).
package curve
