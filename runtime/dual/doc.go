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
// Nor are there minima that hold one: H is positive semidefinite, so that −(C + g) never ascends. Where maxima of R tie, H is
// singular, and ∇F can vanish although C + g does not: V stays what it is for a while along −(C + g), and F with it, and falls as
// soon as V moves. There, and only there, L-BFGS comes to rest too early; it is taken along −(C + g) to a lower place and goes on.
//
// Coordinates are those in which the Hessian is nearly the identity: of K + KDK, with K = ΦM₀⁻¹Φᵀ the kernel of the norm with
// every maximum of R replaced by a mean, and D the curvatures of the losses. Hinges are smoothed by Moreau's envelope, the less
// the nearer the minimum; the gap is that of the hinge itself.
package dual
