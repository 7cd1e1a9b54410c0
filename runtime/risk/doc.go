// Package risk minimizes regularized risk over the functions themselves. This is one convex problem,
//
//	min_V  P(V) = ½(α‖V‖² + ρ(AV)²) + Σ_i loss_i(s_i),   s_i = (φ(x_i)ᵀV e_y)_y,
//
// instead of an embedding for every row and label. The losses are those of package learn,
//
//	svm       C Σ_y max(0, 1 − t_y s_y)        logistic  C Σ_y log(1 + exp(−t_y s_y))
//	softmax   C (log Σ_y exp s_y − s_{y_i})    ridge     Σ_y (s_y − t_y)²/(2λ)
//	squared svm   C Σ_y max(0, 1 − t_y s_y)²
//	poisson   C (exp s − ts + t log t − t), half the deviance of a count t of the rate exp s
//	quantile  Cσ Σ_q max(q (t − s_q), (q − 1)(t − s_q)) at the levels q, σ the deviation of the t
//	softmax   C (log Σ_Y exp Σ_{y∈Y} s_y − Σ_{y∈Y_i} s_y)    on labels, over the label sets Y of the rows
//
// with t = ±1, or the number to be predicted. Where rows have copies, the loss of a row is the largest among those of its own
// scores and of its copies', max_t loss_i(s_it). Its conjugate takes weights of the copies,
//
//	(max_t loss_i)*(g) = min { Σ_t λ_t loss_i*(g_t/λ_t) : λ ≥ 0, Σ_t λ_t = 1 }.
//
// Evaluations of f at the rows are functionals like those of R: an operator that has them below A makes V ↦ (AV, s) in one
// product. The operator A has a bias as one more feature, a large constant, so that it is hardly penalized. R acts on the bias too, as on the rest of f.
//
// By Fenchel's duality, for every c with ρ°(c) < ∞ and every g in the losses' domains,
//
//	min P ≥ D(c, g) = −‖Aᵀc + Eᵀg‖²/2α − ½ρ°(c)² − Σ_i loss_i*(g_i),   s = EV,
//
// and (P − D)/P is the gap that every result carries. It is computed from V and (c, g), however they were found.
//
// Where ρ² is a sum of squares that treats labels alike, other coordinates take it away, and package learn minimizes P in them: see
// isometry.go. V, c and g go into the same bounds.
//
// Else the algorithm is the alternating direction method of multipliers, over-relaxed (Eckstein and Bertsekas 1992), on
// u = (t, s). From z = u + (c, g)/(βW),
//
//	u = prox(z),   V = (αI + βÃᵀWÃ)⁻¹ βÃᵀW(2u − z),   z ← z + 1.8 (ÃV − u),   Ã = (A, E).
//
// All proximal maps are separable: package gauge has the one of ½ρ², and losses are taken row by row. The linear system
// keeps the structure of its operator. For implications on the rows it splits along the eigenvectors of the taxonomy's
// matrix and of the rows' matrix. So hierarchies of hundreds of labels take a few matrix products an iteration. Thousands of labels are
// eliminated one after the other, for each eigenvector of the rows' matrix. The step
// β balances curvatures, by how far the proximal map follows a step (Barzilai and Borwein 1988). It changes rarely, because each
// step needs a new factor. Late it balances the two residuals, relative to their size (Boyd et al. 2011, §3.4.1; Wohlberg 2017).
// On many functionals, steps are hastened by what the last ones did: see history.go.
// Under large weights these iterations crawl. Newton steps of the method of multipliers then close the gap, with
// separate steps for R and for the losses. Label sets under a quadratic R go by L-BFGS, which needs no step; there the
// gap is ‖∇P‖²/2αP.
package risk
