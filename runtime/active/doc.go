// Package active keeps those functionals of R that matter at its minimum, where all of them are too many to be held. R² is a sum over rows, and within a row
// there are maxima:
//
//	R(f)² = Σ_i ρ_i(A_i f)²,   such as ρ_i(t) = max_k |t_k|.
//
// Of a maximum only the largest members have multipliers. An active set (Nocedal and Wright 2006, section 16.5) minimizes with some functionals. It looks at
// all others there, and takes in those that are as large:
//
//	V^k = argmin P with K^k,   K^{k+1} = K^k ∪ {j : j attains a maximum at V^k}.
//
// Gauges are monotone, so that ρ of some functionals is nowhere larger than that of all. A lower bound by multipliers of some is one for all, as the others are 0.
// The upper bound P(V) counts all. So the gap between them needs no other certificate, and K may be anything.
//
// Look evaluates R part by part. No part outlives its evaluation. Late looks leave many functionals out, by a safe rule. El Ghaoui, Viallon and Rabbani
// (2012) have such rules for the lasso. A functional a_j of label y with a known value at a function W comes at V to
//
//	|⟨a_j, V⟩| ≤ |⟨a_j, W⟩| + ‖a_j‖‖V_y − W_y‖.
//
// Where that is no more than another member of the same maximum is at V, the maximum does not depend on it. Its features are not computed again.
package active
