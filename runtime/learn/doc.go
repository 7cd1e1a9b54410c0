// Package learn fits linear learners to representations of examples.
//
// A Design holds the examples to learn from: n examples and m labels. It has a row of features for each example
// (shared) or for each pair of example and label (joint). The score of label y on example i is
//
//	s_iy = ⟨W_y, x_i⟩ + b_y     on a shared design, W ∈ ℝ^{m×d},
//	s_iy = ⟨W, x_iy⟩ + b_y      on a joint design,  W ∈ ℝ^D.
//
// Functions of x alone (binary and real targets) are shared designs with m = 1. The learners minimize
//
//	svm(C)             ½‖W‖² + C Σ max(0, 1 − t_iy s_iy),      t = ±1,
//	squared svm(C)     ½‖W‖² + C Σ max(0, 1 − t_iy s_iy)²,
//	logistic(C)        ½‖W‖² + C Σ log(1 + exp(−t_iy s_iy)) + ½ε‖b‖²,
//	softmax(C)         ½‖W‖² + C Σ_i (log Σ_y exp s_iy − s_{i,y_i}),   b = 0,
//	poisson(C)         ½‖W‖² + C Σ (exp(s_i) − t_i s_i + t_i log t_i − t_i) + ½ε‖b‖²,       t a count,
//	quantile(C)        ½‖W‖² + C σ Σ_i Σ_q max(q (t_i − s_iq), (q − 1)(t_i − s_iq)),       σ the deviation of the t_i,
//	ridge(lambda)      λ‖W‖² + Σ (t_iy − s_iy)²,
//	svr(C, epsilon)    ½‖W‖² + C Σ max(0, |t_i − s_i| − epsilon),       t a number,
//
// where sums run over all examples and labels. On labels, softmax runs over the label sets of the examples, with
// Σ_{y∈Y} s_iy instead of s_iy (Sets). All of svm, squared svm and ridge learn a class target one against the rest. There t is +1 for an
// example's class and −1 for the others, also on joint designs, where all labels share the weights. Without a
// regularizer that couples labels the two designs then agree, because W splits into one part for each label. Biases
// are not penalized. Only logistic and poisson add ε = 10⁻⁶ C n, which keeps the minimum attained for labels without an
// example, and for counts of 0 alone.
// Softmax has no bias. A free one would first learn the frequencies of the classes, and would decide alone where the
// weights are kept small.
//
// # Gaps
//
// Every fit states the gap that it reached, as a share of the objective: objective · (1 − gap) is a proven lower
// bound of the minimum. For svm, squared svm, svr and quantile the bound is the dual value at a feasible point. For the others it follows
// from strong convexity: a point with the gradient g lies above the minimum by at most ‖g‖²/2μ, μ being the least
// curvature.
//
// All results are the same bits for any number of processors.
package learn
