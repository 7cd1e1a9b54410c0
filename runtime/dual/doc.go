// Package dual minimizes regularized risk over dual coefficients, as the paper does (its section on regularized risk
// minimization and the appendix on its gradient, corrected).
//
// By the representer theorem the minimizer f has f* = Σ_iy C_iy G*_{x_i,y}. With Φ the features of the rows and a = ΦᵀC,
// V = ι(a) is the embedding of package polar, J(V) = α‖V‖² + ρ(AV)². The package minimizes
//
//	F(C) = ½J(V) + Σ_i loss_i(s_i),   s = ΦV,   ½J(V) = ½‖a‖² in the dual norm,
//
// This is not convex, because ι is not linear. With H = dι/da, g the losses' gradient, and ι(a) = Ha, as ι is
// homogeneous,
//
//	∇F(C) = Φ(V + HΦᵀg) = ΦHΦᵀ(C + g),
//
// by one linear system over the active rows at each C (polar.Follower.Differentiate).
//
// The convex problem of package risk, min_V P(V), has the same minimum, at V = ι(−Φᵀg). So Fenchel's duality bounds it: for
// every g in the domain of the losses' conjugates
//
//	min F = min P ≥ D(g) = −½‖Φᵀg‖² − Σ_i loss_i*(g_i)   in the dual norm,
//
// plus the error of the embedding of Φᵀg. (F − D)/F is the gap that every result carries. It is valid although the
// problem is not convex.
//
// Plateaus are in the way. H is positive semidefinite, so −(C + g) never ascends. But where maxima of R tie, H is
// singular, and ∇F can vanish although C + g does not: V stays in the tie while C moves. So ½ρ² is replaced by its
// Moreau envelope of some β, under which H is definite, and hinges by theirs of some τ. These need not be sharp, because
// they are shifted by multipliers, as in the method of multipliers,
//
//	½ρ²(t) → min_u ½ρ²(u) + β/2 ‖u − t − c/β‖² − ‖c‖²/2β,   loss(s) → min_u loss(u) + ‖u − s − τg‖²/2τ − τ‖g‖²/2,
//
// These shifts do not move the minimum if c and g are its own. Stages of L-BFGS each take c and g from where the last
// one ended. Every stage has the minimum of F as its limit, at all β and τ.
//
// The width of the envelopes decides how long this takes. Under wide ones a step or two of a stage lead to the minimum,
// and many shifts are needed. Under sharp ones it is the other way. The envelopes leave out P − F ≥ 0 at the same V. P
// lies above its minimum by at most this and what F could still gain. So the envelopes begin wide. They are shifted when
// F could gain at most a tenth of that. They become sharper when it does not fall by half from shift to shift, while one
// stage is enough.
//
// Every stage has coordinates in which the Hessian K + KDK is the identity where it begins, with K = ΦHΦᵀ and D the
// losses' curvatures. So a step or two of L-BFGS are enough. Embeddings and derivatives are as exact as the stage needs.
// They go on from the last by Newton steps whose systems conjugate gradients solve, preconditioned by the factor of the
// coordinates.
//
// After each stage P(V) is evaluated without envelopes at the best multiple of C, which is the best multiple of V as ι
// is homogeneous. So is the gap of V as the embedding of ΦᵀC. The method ends when both gaps are reached.
package dual
