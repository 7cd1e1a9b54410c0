// Package dual minimizes regularized risk over dual coefficients, as the paper does (its section on regularized risk
// minimization and the appendix on its gradient, corrected).
//
// By the representer theorem the minimizer f has f* = Σ_iy C_iy G*_{x_i,y}. With Φ the features of the rows, a = ΦᵀC, and
// V = ι(a) is the embedding of package polar, J(V) = α‖V‖² + ρ(AV)². What is minimized is
//
//	F(C) = ½J(V) + Σ_i loss_i(s_i),   s = ΦV,   ½J(V) = ½‖a‖² in the dual norm,
//
// which is not convex: ι is not linear. With H = dι/da, g the losses' gradient, and ι(a) = Ha, as ι is homogeneous,
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
// and what an embedding of Φᵀg is not solved to is added. (F − D)/F is the gap that every result carries; that the problem is not
// convex does not weaken it.
//
// What is in the way are plateaus. H is positive semidefinite, so that −(C + g) never ascends; but where maxima of R tie, H is
// singular, and ∇F can vanish although C + g does not: V stays in the tie while C moves. So ½ρ² is replaced by its Moreau envelope
// of some β, under which H is definite, and hinges by theirs of some τ. These need not be sharp: they are shifted by multipliers, as in
// the method of multipliers,
//
//	½ρ²(t) → min_u ½ρ²(u) + β/2 ‖u − t − c/β‖² − ‖c‖²/2β,   loss(s) → min_u loss(u) + ‖u − s − τg‖²/2τ − τ‖g‖²/2,
//
// which change nothing at the minimum where c and g are those of the minimum. Stages of L-BFGS each take them from where the last
// one ended; all stages have the minimum of F as their limit, at whatever β and τ.
//
// How wide envelopes are is what decides how long it takes: under wide ones a step or two of a stage lead to the minimum, and many
// shifts are needed, under sharp ones it is the other way. What the envelopes leave out, P − F ≥ 0 at the same V, tells both apart: P lies no
// further above its minimum than that and what F could still gain. So they begin wide; they are shifted when F could gain a tenth of that at
// most, and become sharper when it does not fall by half from shift to shift, while one stage is enough.
//
// Every stage has coordinates of its own, in which the Hessian K + KDK, K = ΦHΦᵀ and D the losses' curvatures, is the identity
// where it begins, so that a step or two of L-BFGS do. Embeddings and derivatives are as exact as the stage has use for: they go on
// from the last, by Newton steps whose systems conjugate gradients solve, preconditioned by the factor that the coordinates took.
//
// After each stage P(V) is looked at as it is, without envelopes, at the best multiple of C, which is that of V as ι is homogeneous;
// and the gap of V as the embedding of ΦᵀC, without an envelope either. It ends when both gaps are reached.
package dual
