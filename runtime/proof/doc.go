// Package proof decides whether a statement about a model holds at every point of a region. It knows no solver and no norm of one: it reads
// stored coefficients, and trusts IEEE 754 arithmetic and the argument below.
//
// A model is f(x)_y = b_y + Σ_i a_iy L_i k(·, z_i) with a kernel that is a sum of products of factors in few columns ([Model]). A statement says
// g(x) ≥ 0 on a box, g a sum of values and derivatives of f ([statement.Statement]). A verdict is about the exact function g of the stored
// numbers:
//
//	proved    g ≥ Margin ≥ 0 on the whole region
//	refuted   g(At) < 0, as the enclosure Low ≤ g(At) ≤ High < 0 shows; anybody can evaluate it
//	open      neither is known; Reason says why
//
// # From a statement to sums of products
//
// Derivatives and sums of a statement go through the sum over landmarks (expand.go). With u_i,s(x_s) the product of the factors that depend on
// side s of the region, a number of sides H is coupled by
//
//	v_H(x) = Σ_i w_i Π_{s ∈ H} u_i,s(x_s),   g(x) = c + Σ_H v_H(x).
//
// A slope in column j of a pairwise kernel has H = {j, l} for all l, and no other pairs. What cancels between terms is dropped by name, before
// any number is rounded.
//
// # Polynomials
//
// The interval of a side is cut into pieces. On a piece each u_i,s is replaced by the polynomial p of degree 12 through 13 nodes, in
// Bernstein form (bernstein.go). Its error e is bounded by derivatives of the factor, whose suprema are known (base.go):
//
//	|u − p| ≤ max |Π (x − x_k)| sup |u^(13)|/13!,
//
// about 10⁻¹³ for a Gaussian kernel on a piece of half a width to either side. A Matérn factor is analytic on pieces without its landmark. On
// the others it has a kink, and the theorem of Jackson for few derivatives is used. Linear factors are exact. Values at the nodes
// are balls: numbers with a bound of all errors of arithmetic (ball.go), the exponential's own included. Then, with |u|, |p| ≤ U_s,
//
//	|v_H − Σ_i w_i Π p_i,s| ≤ Σ_i |w_i| Σ_s e_i,s Π_{t ≠ s} U_t.
//
// The coefficients of the right-hand polynomial of several variables are matrix products. Their rounding is bounded a priori by
// γ Σ_i |w_i| Π U_s, γ = mu/(1 − mu), u = 2⁻⁵³, m = number of landmarks + 6 (block.go). No norm of f is needed, and no property of the kernel but
// bounds of derivatives in one variable.
//
// # Stars
//
// Let S, the centre, be sides such that no H has two sides outside of S; the others are leaves (prove.go finds the cheapest). For
// x_S held, leaves do not meet. On a cell of the centre, with Bernstein polynomials B_r of x_S,
//
//	g(x) = Σ_r B_r(x_S) [c_r + Σ_t q_rt(x_t)],   B_r ≥ 0,  Σ_r B_r = 1,
//
// hence
//
//	min g ≥ min_r [c_r + Σ_t min q_rt].
//
// That is exact in the limit: halving a cell makes the difference four times smaller. Minima of polynomials q in one variable are
// found by halving too (cell.go). Their least coefficient is a lower bound, and values at ends are attained. Halving takes means of two
// numbers alone (de Casteljau), so that roundings do not grow. Nothing goes back to the kernel.
//
// Slopes, curvature, differences of slopes between labels and orders of categories have a centre of one side, ∂_j ∂_l too, dominance
// has two. A full Gaussian kernel on a box of d sides has a centre of d − 1 sides. Sides with finitely many points are
// enumerated. Bounds of values of a pairwise kernel of many columns have no centre of at most three sides. Sums of minima of pairs bound
// them (pairs.go), not always exactly.
//
// If what is left to prove is less than the errors, pieces are halved and all is done again, as long as that helps.
//
// # What is trusted
//
// A proof rests on these files, in the order in which they are best read:
//
//	ball.go       arithmetic with errors, the exponential, sine and cosine
//	model.go      what a function is made of
//	base.go       kernels of one variable: values, derivatives, bounds of all derivatives
//	bernstein.go  polynomials through nodes and their errors
//	side.go       pieces of a region
//	factor.go     factors of components, as polynomials with errors
//	expand.go     statements as sums of products
//	block.go      sums of products as polynomials, and their rounding
//	cell.go       minima of stars
//	pairs.go      sums of the minima of pairs
//	prove.go      the search over cells
//
// Any choice of pieces, of a centre (cover) and of shares (diffuse) is right. Such choices cost time and closeness alone. A refutation rests
// on Enclose in expand.go, whoever proposed the point. Package worst proposes some, and this package does not import it. values.go encloses
// what a model predicts, which no verdict needs.
package proof
