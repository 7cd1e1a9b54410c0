// Package anova takes functions of additive and pairwise kernels apart into a constant, curves and surfaces. These are unique, and their sum is
// f.
//
// Such a kernel is k = c₁ Σ_j k_j + c₂ Σ_{j<l} k_j k_l with components k_j in a column of the file each. Hence
//
//	f(x) = b + Σ_i a_i k(x, z_i) = b + c₁ Σ_j Σ_i a_i k_j(x_j, z_i) + c₂ Σ_{j<l} Σ_i a_i k_j(x_j, z_i) k_l(x_l, z_i).
//
// The parts under these sums are not unique: a surface may hold a curve. With the means over n training rows r and the rest
//
//	μ_j(z) = mean over r of k_j(r_j, z),   k̃_j(x_j, z) = k_j(x_j, z) − μ_j(z)
//
// the parts with k_j = μ_j + k̃_j multiplied out are
//
//	f_0         = b + Σ_i a_i [c₁ Σ_j μ_j(z_i) + c₂ Σ_{j<l} μ_j(z_i) μ_l(z_i)]
//	f_j(x_j)    = Σ_i a_i k̃_j(x_j, z_i) [c₁ + c₂ Σ_{l: pair of j} μ_l(z_i)]
//	f_jl(x_j, x_l) = c₂ Σ_i a_i k̃_j(x_j, z_i) k̃_l(x_l, z_i)
//
// and f = f_0 + Σ_j f_j + Σ_{j<l} f_jl still. The mean of f_j over the rows is 0. That of f_jl over the rows' values of either column is 0, too,
// whatever the other column is. So no surface holds a curve, and no curve a constant. This is the functional analysis of variance of f, for
// the product of the columns' distributions (Hoeffding 1948).
//
// Landmarks may be derivatives along a tangent. They go through the products by Leibniz's rule: with D^q that of order q in z,
//
//	D²(k_j k_l) = Σ_q (2 over q) D^q k_j D^(2−q) k_l.
package anova
