// Package exchange finds the members of an orbit that a maximum over it needs. With t_a the move by amounts a of a box B, the problem
//
//	min_f  P(f),   R(f) = ρ(max_{a ∈ B} |f(t_a(x_i)) − f(x_i)|, …)
//
// has a constraint for each a, of which there are infinitely many. An exchange method (Hettich and Kortanek, SIAM Review 35, 1993)
// solves it with finitely many members A_i ⊂ B of each row. It searches each row's worst move at the minimum, and adds it:
//
//	f^k = argmin P with A_i^k,   a_i ≈ argmax_{a ∈ B} |f^k(t_a(x_i)) − f^k(x_i)|,   A_i^{k+1} = A_i^k ∪ {a_i}.
//
// P with fewer members is at most P with more. So a lower bound of the minimum with members is one of the minimum with the orbit.
// What an upper bound lacks is the search: |f(t_a(x)) − f(x)| has many local maxima in a, and nothing proves that the largest was found.
//
// The search (Search) looks at corners of the box, as worst moves are often there, and at a design with low discrepancy. From the best few at each place it
// steps along one amount after the other, in steps that halve. Moves of all rows are evaluated together. There is no solver here, and no family.
package exchange
