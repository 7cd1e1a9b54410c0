// Package represent embeds rows: it turns x and a label y into the element ι(x, y) by which a function that respects R evaluates there.
//
// The regularizer is R(V) = ρ(A V), with a gauge ρ and the operator A of the functionals. The norm of the space that it makes is
// J(V) = α‖V‖² + R(V)². The embedding of a right-hand side a = φ(x)yᵀ is the subgradient of the polar of J:
//
//	ι = argmax_V ⟨a, V⟩ − ½ J(V),    ½⟨a, ι⟩ = max_V ⟨a, V⟩ − ½ J(V) = ½ J°(a)
//
// The paper has it for α = 1 (section 4). ρ° is the polar of the gauge, J° that of J. A pair of V and c, any at all, bounds ⟨a, ι⟩ from both
// sides:
//
//	⟨a, V⟩²/J(V) ≤ ⟨a, ι⟩ ≤ ‖a − Aᵀc‖²/α + ρ°(c)²
//
// The gap of an embedding is the quotient of the two bounds less one. It needs no trust in how V and c were found, and so a reduction may guess.
//
// [Representer] holds this problem and finds embeddings, each with a certified gap. Where ρ² is quadratic there is a closed form, and method
// warp takes no other R. Method embed solves the others by package polar. Three reductions make that cheaper. Each replaces the problem by others, and joins their solutions to
// one of the whole, with a certificate for the whole:
//
//   - nodes (nodes.go): an R over an interval is solved at its nodes, and certified for the interval afterwards.
//   - components (components.go): labels that no functional couples have problems of their own; their bounds add up.
//   - closed form (closed.go): where ρ² is quadratic, ι = M⁻¹a; labels that R does not couple have an M each.
//   - support (support.go): an embedding that vanishes at most labels, as a taxonomy makes them, is solved for at the others alone.
package represent
