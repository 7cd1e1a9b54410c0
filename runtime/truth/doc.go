// Package truth asks whether a declared invariance is true of the labels.
//
// An invariance is evaluated at the truth f = y. f(x, l) is +1 where row x has label l and −1 where it does not. f(x) is
// ±1 for a binary target, and the number itself for a real one. A functional can be judged if it only evaluates f
// at rows of the data; labels say nothing about moved points or derivatives. A functional is broken where
//
//	[ℓ]₊     ℓ(y) > 0: a premise holds without its conclusion, two labels that exclude each other are both there,
//	         the larger of two rows is the cheaper one;
//	|ℓ|      ℓ(y) ≠ 0 for labels: two rows that should be alike have different ones. Numbers are hardly ever equal: they
//	         break it where they differ at least as much as those of two rows drawn at random, in the root mean square;
//	of many  rows, such as a difference of two means, where that is all that is stated: |ℓ(y)| is at least twice what
//	         it is for shuffled labels, in the root mean square;
//	of many  rows, one statement of several, such as one about each row and the mean of its neighbours: |ℓ(y)| is at
//	         least as large as for shuffled labels. If ℓ is spread over more than four rows, it is half the root of their
//	         number times as large, and at most twice.
//
// With the labels shuffled among the rows, ℓ(y) has the second moment (ȳ Σc)² + s² (Σc² − (Σc)²/n), s² being the sample variance.
package truth
