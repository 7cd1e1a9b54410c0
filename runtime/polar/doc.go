// Package polar computes embeddings: the polar operator of the norm J(V) = α‖V‖² + ρ(AV)², α > 0, ρ a gauge.
//
// For a right-hand side a, the embedding and its dual are
//
//	ι = argmin_V ½J(V) − ⟨a, V⟩ = (a − Aᵀc*)/α,   c* = argmin_c ‖a − Aᵀc‖²/α + ρ°(c)².
//
// v = ι/⟨a, ι⟩ solves the constrained problem min { J(v) : ⟨a, v⟩ = 1 }, whose value is P* = 1/⟨a, ι⟩, and ⟨a, ι⟩ = ‖a‖² in
// the dual norm of √J. For every V with ⟨a, V⟩ > 0 and every c with ρ°(c) < ∞,
//
//	⟨a, V⟩² / J(V)  ≤  ⟨a, ι⟩  ≤  ‖a − Aᵀc‖²/α + ρ°(c)².
//
// The ratio of the two ends less 1 is the gap that every embedding carries. It is computed in float64 from V and c,
// however they were found. P(V) − D(c) is half the difference of the ends for the best multiple of V, and
// ‖V − ι‖² ≤ (2/α)(P(V) − D(c)).
//
// Both ends are moved outwards by bounds of all rounding errors on their way (Higham, Accuracy and Stability of
// Numerical Algorithms, 2002, section 3.1). So they hold in exact arithmetic for A and a as they are stored. With
// γ_n = nu/(1 − nu), u = 2⁻⁵³,
//
//	ρ(AV) ≤ (1 + γ)(ρ(t) + γρ(s)‖V‖),   ‖a − Aᵀc‖ ≤ (1 + γ)(‖a − q‖ + γ Σ_j s_j|c_j|),
//
// t and q being the computed AV and Aᵀc, s_j ≥ ‖a_j‖ the sizes of the rows, and n the numbers of operations of each.
//
// The algorithm is the alternating direction method of multipliers on t = AV, over-relaxed (Eckstein and Bertsekas
// 1992). From z = t + c/(βW),
//
//	t = prox(z),   V = (αI + βAᵀWA)⁻¹(a + βAᵀW(2t − z)),   z ← z + 1.8 (AV − t).
//
// All right-hand sides share its one linear system. z begins at the closed form M₀⁻¹a, M₀ = αI + AᵀWA. A step β for each
// right-hand side makes it fast, and so does Anderson's acceleration if many iterations are needed. Semismooth Newton
// steps on the augmented Lagrangian, which use only the active rows, close the remaining gap.
//
// Where ρ² is a mean over many more groups than V has dimensions, kinks average out, and a descent comes first. Its
// quasi-Newton steps on the augmented Lagrangian take a third of the products or fewer.
//
// Right-hand sides iterate in batches, so that the work is matrix products. As one ends, the next takes
// its place. If processors would wait for one another at every step, a batch is cut into several that run beside each
// other. If the operator can, a batch is in float32. Gaps are then estimated in float32 at the times when they can be
// expected to be reached, and certified in float64. Right-hand sides that float32 cannot finish go on in a batch in
// float64. If the operator is an approximation, its errors widen the bounds.
//
// The result of a right-hand side depends only on itself. Neither the others in its batch nor the number of threads
// change it.
package polar
