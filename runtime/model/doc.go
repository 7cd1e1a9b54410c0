// Package model fits models, applies them, and keeps them in files.
//
// # The chain of a fit
//
// [Fit] takes training rows x_1 … x_n and a regularizer R that is grounded on them. It goes through the steps
// "features", "operator", "embed", "learn" and "values", each of which takes what those before it left in a fitter.
//
// Features (features.go). A kernel and a choice of landmarks or waves give the map φ(x) ∈ ℝᵈ. A function of rows and
// m labels is a matrix V ∈ ℝᵈˣᵐ,
//
//	f(x, y) = φ(x)ᵀ V y.
//
// A function of x alone has m = 1. Landmarks may lie at the points where R looks at f, too, as R is hardly felt where
// the features lose its functionals. [Fitting.Span] says how much of them is lost.
//
// Operator (features.go, groups.go for its accuracy). A functional of R is a sum of values and derivatives of f, and so
// a row of a matrix A in feature space. With a gauge ρ, a tree of maxima, sums and norms,
//
//	R(V) = ρ(AV).
//
// For speed, method embed may replace a row of A by a combination of others that lies within some distance of it.
// Certificates count that distance. The operator is built anew where it would take more than a quarter of the gap.
//
// Interval (interval.go). A maximum or an integral over λ ∈ [0, 1] is computed at N nodes. Package interval bounds by
// e how far functionals may be from their polynomials through the nodes, and ρ(e)‖V‖ goes into the certificate. If
// what lies between the nodes costs more than half of the gap, R is grounded anew at more nodes.
//
// Embeddings (embed.go). Method embed represents each row and label by
//
//	ι(G_{x,y}) = argmin_V ½(‖V‖² + ρ(AV)²) − ⟨φ(x)yᵀ, V⟩,
//
// or each row by one ι(G_x) ∈ ℝᵈ if f is a function of x alone. Each comes with a certified gap. If ρ² is a quadratic
// form, method warp computes ι in closed form; method plain takes φ(x) for ι. All are scaled by one number, so that
// their mean squared norm over the training rows is 1. The size of ι depends on the weight of R, and the learner's own
// regularization should not.
//
// Learner (learn.go). A linear learner on the representations gives
//
//	f(x, y) = ⟨W, ι(G_{x,y})⟩ + b_y.
//
// Minimizer (minimizer.go, risk.go). Methods risk and dual embed no rows but minimize one convex objective in V,
//
//	½(‖V‖² + ρ(AV)²) + s² Σ_i loss_i(f(x_i, ·)).
//
// A bias is the weight of one more feature, a large constant. The factor s² makes strengths mean the same as under the
// other methods (see minimizer.scale). Method risk solves for V itself. Method dual (dual.go) solves for the
// coefficients C of f* = Σ C_iy G*_{x_i,y}, as the paper does, and finds the same f.
//
// Many rows (sums.go). Under squared losses P depends on rows through sums of squares alone,
//
//	Σ_i w_i ‖f(x_i, ·) − t_i‖² = ‖EV − T‖² + constant,
//
// where E has as few rows as there are features. So many rows pass by once, and what follows is that of few rows. Under other
// losses they pass by several times, see [risk.Passing] and [risk.Passes]. Closed scores, copies and folds in time ask for all of them at hand.
//
// Many functionals (active.go, squares.go). R may come in parts, of which no more than one is held. Squares of functionals are added up as they pass. Of maxima
// package active keeps those members that attain them, and the gap counts all. The fit begins at the minimum with means in place of maxima,
//
//	max_k |t_k|²  →  (1/K) Σ_k t_k²,
//
// whose weights give the scale s, too. So strengths mean the same, whatever is held.
//
// # Statements
//
// Under method risk f may be asked to keep statements g(x) ≥ 0 at all points of a region (Options.Require, keep.go). A
// statement is linear in f up to a constant. So it is one half-space {V : ⟨b_p, V⟩ ≥ −c} for each point p, and the
// functions that keep it form a convex set. Half-spaces are added where the minimum falls short, with a margin ε:
//
//	f ← argmin {P(V) : ⟨b_p, V⟩ ≥ ε − c for p in the pool}
//	points ← those of the region at which g is below ε/2, found by package proof; none ends the rounds
//	pool ← pool ∪ points
//
// The pool has the points at which f must be held and little else, as those without a multiplier leave it again. What
// is proved at the end is not that points are kept. Package proof bounds g on the whole region, from coefficients a with
//
//	f(x)_y = Σ_i a_iy L_i k(·, z_i)(x) + b_y     over the landmarks (coefficients.go, function.go).
//
// They stand in the model file, and predict. So nothing that the solver claims has a part in a verdict. Points
// at which a verdict refutes a statement are added to the pool, and margins of what stays open are doubled. Where the
// price of margins alone misses the gap they are lowered.
//
// A half-space may hardly be felt by the features: far from all landmarks every function is nearly 0. Such points
// become landmarks before anything is chosen (widen.go). Where statements contradict each other all the same, their
// verdicts say so. A certificate bounds the risk from below over all functions that keep the statements without margins.
// So the price of the margins is a part of the gap.
//
// # What R is where it predicts
//
// A small R at every ι(G_{x,y}) need not make R small at the function that is learnt from them, as ι need not be linear.
// So the last step measures each R_k at the function that predicts (values.go, score.go). Its scores are divided by their
// standard deviation over the training rows, so that a value does not depend on their size.
//
// If ι is linear, ⟨W, ι(G)⟩ = ⟨ι(W), G⟩, and V = ι(W) gives all scores and slopes. Otherwise the points that functionals
// look at are embedded, and slopes are differences of scores. That may cost more than the fit. So an allowance bounds
// it, a sample may stand for all elements (sample.go), and a value may stay unknown.
//
// A [Witness] then names the functionals and rows that a value comes from (witness.go, share.go).
//
// # How near the scores are
//
// A gap proves an objective, and users look at scores. As both objectives are strongly convex, a gap bounds the distance
// to the exact solution. The distance bounds the error of every score: see [Nearness] and [Proof].
//
// # Pictures
//
// Functions of additive and pairwise kernels are sums of curves and surfaces, which package anova takes apart. A model keeps what that needs
// besides its coefficients ([Rows], [Twin]):
//
//   - training rows, over which parts are centred, and whose density stands beneath them;
//   - the coefficients of the function without statements, to be drawn beside f.
//
// No prediction depends on them.
//
// # Comparing learners
//
// Strengths are compared by cross-validation on one representation of all training rows. If R depends on their labels,
// that representation has seen the labels of the rows held out. Each fold then makes R, features and representations
// from its own rows: see [Poser].
//
// The equations are derived in docs/mathematics.md. They follow Ma, Ganapathiraman, Yu and Zhang, Convex Representation
// Learning for Generalized Invariance in Semi-Inner-Product Space (ICML 2020), called the paper here.
package model
