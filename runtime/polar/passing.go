package polar

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
)

// Rows pass by, some at a time, where their features e_i are more than may be held.
type Rows interface {
	// Pass shows the scores of all rows at the v_y, the rows of v. It returns what the caller adds up in so many columns, and by so many curves.
	// Gram matrices may be off by about a number in their norm, as no bound depends on them. Errors are those of ctx, and of features that are not finite.
	Pass(ctx context.Context, v blas64.General, columns, curves int, off float64, see func(*Glance)) (*Passage, error)
	// Some sets the first rows of dst to the e_i of some rows.
	Some(ctx context.Context, index []int, dst blas64.General) error
	// Under returns the functionals of an operator, and behind them ⟨r_k, v_y⟩ of rows r_k at each label, labels fastest. One matrix of rows serves
	// all labels, or each has its own.
	Under(rows ...blas64.General) Operator
	// Apart reports whether no functional of the operator has two labels.
	Apart() bool
}

// A Glance shows some rows that follow each other, and takes what is to be added up. All is overwritten for the next rows.
type Glance struct {
	First  int            // the number of the first row
	Scores blas64.General // ⟨e_i, v_y⟩, off by at most Share of ‖e_i‖‖v_y‖
	Sizes  []float64      // at least ‖e_i‖
	Share  float64
	// Columns are u_i, and Curves h_i ≥ 0.
	Columns, Curves blas64.General
}

// A Passage has Σ_i u_ik e_i for each column k, and for each curve the lower triangle of Σ_i h_i e_ie_iᵀ. Sums are off by at most Share of Σ_i |u_ik|‖e_i‖.
type Passage struct {
	Sums  blas64.General
	Grams []blas64.General
	Share float64
}
