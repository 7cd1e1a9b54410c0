// Package compiler turns a spec's syntax tree into a plan, and a plan with data into a regularizer.
//
// A spec declares invariances: expressions e(f) in an unknown function f. Each must be a gauge of
// bounded linear functionals ℓ_i of f,
//
//	e(f) = ρ(ℓ_1(f), …, ℓ_q(f)),   ρ nonnegative, convex, positively homogeneous,
//
// so that R² = Σ_k (w_k e_k(f))² has the convex Euclidean embedding that the runtime computes. The
// package proves this before it looks at any data, or refuses and says why. A proof is by rules,
// never by trying numbers. An accepted expression is convex for every f and all data that pass the
// conditions which grounding checks.
//
// It works in passes, a file or package each, every one handing the next what that may rely on. An
// error of one pass silences what would follow from it in later ones, so that n mistakes make n
// messages:
//
//	internal/names      declarations, families, the standard library
//	internal/values     numbers, texts, files, arguments
//	data.go             the data block
//	settings.go         kernel, features, learn, method, seed
//	internal/elaborate  expressions: names resolved, types checked, definitions inlined
//	internal/calculus   linear, seminorm or sublinear, with a sign; the gauge of an expression
//	require.go          what must hold everywhere
//	regularize.go       the weights
//	moves.go            what rows are moved by: evaluate under, augment, learn under
//	mend.go             what may mend an error is tried
//	internal/ground     data in: index sets enumerated, functionals asked of families, gauge unrolled
//	internal/explain    what was proved, and why
//
// A fault is reported once and never stops the rest. A pass that gets nil from another knows that it
// was reported, and is silent. What a fault makes unknown, such as the task of a faulty data block,
// is taken to be whatever is asked for (names.Spec).
//
// Searches for counterexamples and mends are bounded by counts and not by time. So every machine
// gives the same messages for the same spec, and tests can compare them letter by letter.
//
// Package symbols says what names stand for where nothing is judged, and Info holds both by place,
// for editors. Judge proves what an expression is that stands in no spec.
//
// A spec also states what must hold at every point of a region. Such a statement is an affine g(f) ≥ 0, or several of them, which
// Instance.Require writes in prepared coordinates:
//
//	d/d(c) f >= 0 over x in box, c in columns(a, b)   ⟼   ∂_a f ≥ 0 on B,  ∂_b f ≥ 0 on B
//
// The same rules prove that the functions which keep it form a convex set. Constants may stand beside f there, as convexity does not
// ask for homogeneity.
//
// Check runs all but the last and returns a Plan. A number may be a grid of values; Plan.At fixes
// them, and Instance.Ground makes the regularizer. The chain with the types that flow on it is
// docs/architecture.md, the language docs/language.md, the theory docs/mathematics.md.
package compiler
