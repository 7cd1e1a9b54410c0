// Package model fits models, applies them, and keeps them in files.
//
// A model is a feature map φ, the regularizer in features (A, ρ), and a linear learner on the representation
//
//	ι(G_{x,y}) = argmin_V ½(‖V‖² + ρ(AV)²) − ⟨φ(x)yᵀ, V⟩,   f(x, y) = ⟨W, ι(G_{x,y})⟩ + b_y.
//
// Where f is a function of x alone there is one embedding ι(G_x) ∈ ℝᵈ a row; where it is a function of (x, y), one for each
// label y. All are scaled by one number so that their mean squared norm over the training rows is 1: the size of ι depends on
// the weight of R, and the learner's own regularization should not.
package model
