// Package elaborate makes trees of expressions. It resolves names, checks types, and puts the bodies of
// definitions in place of calls.
//
// An expression is read in a scope Γ and becomes a function n of the functionals of f, Γ ⊢ e ⇝ n. Four rules
// carry the package.
//
// Definitions. The body of a definition is read where the definition stands, its arguments where the call
// stands:
//
//	def g(a) = e      Γ₀, a ↦ (d, Γ) ⊢ e ⇝ n
//	────────────────────────────────────────
//	            Γ ⊢ g(d) ⇝ n
//
// So no variable of a body captures one of an argument. An argument keeps its scope with it (names.Argument)
// and is compiled again wherever the body uses it. With
//
//	def gap(a, b) = rms over x of |f(a) - f(b)|
//
// the call gap(cat, dog) is rms over x of |f(x, cat) - f(x, dog)|, also under a quantifier that binds another x.
// A definition that calls itself is refused, so that replacing ends.
//
// Quantifiers. A quantifier extends the scope by what its index set binds, and marks its points ⟨x⟩:
//
//	Γ, x : point of D, ⟨x⟩ ⊢ e ⇝ n
//	──────────────────────────────────────────
//	Γ ⊢ AGG over x in D of e ⇝ AGG_{x ∈ D} n
//
// Points. A bare f is f(x) at the innermost points ⟨x⟩, if there is exactly one. An f under no quantifier is
// at no point and is refused, as is one under a quantifier over pairs of rows, which binds two.
//
// Numbers. An expression without f is a number. Either it is known now, and is folded. Or the data
// decide it, as they do a column, a weight of an edge or a place on a path (tree.OpDatum). It is
// then a factor, and grounding works it out element by element. Numbers never end an invariance: R
// is a function of f.
//
// What cannot be read is reported where it stands, once. The result is nil then, and whoever gets a nil
// reports nothing. Sound parts of a faulty expression are judged by themselves, since nothing that the faulty
// part may be meant to be would mend them. Suggested mends are tried before they are offered; see mend.go of
// package compiler.
//
// What the language offers stands in docs/language.md under Expressions, Index sets and Transformations.
// Whether a tree is convex in f, package calculus proves.
package elaborate
