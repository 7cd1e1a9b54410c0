// Package worst looks for points where statements about a model's function are worst. Fits take them as cuts, and the verifier as suspects. Nothing
// here is trusted. A point that is missed leaves a statement open, or a fit a round longer. What is found is enclosed by package proof before it
// refutes anything.
//
// Where the sides of a statement meet in a star, [Search] looks at the star's polynomials from a grid of its centre. Elsewhere it descends side by
// side from some landmarks. [Suspects] needs no polynomials: it falls from landmarks by enclosures of single values.
package worst
