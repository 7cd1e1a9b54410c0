// Package rival holds machines to compare with. All except augment work in the space of a gaussian kernel, spanned by
// the training rows. φ(x) are the coordinates of k(·, x) there, so that a linear learner on φ is the kernel learner
// itself.
//
//	augment           the spec's own kernel, features and learner, without R, on the training rows and their copies under the
//	                  transformations t that the spec's invariances want f to be the same under, each with its row's target;
//	                  scores are means over a row and its copies
//	svr               for numbers: the same up to an error of ε that costs nothing
//	ridge             for numbers: by squared errors
//	svm               a support vector machine; of several classes, one against the rest
//	ml-svm            a support vector machine for each label
//	hr-svm            for each label one on the rows that carry its parent, its threshold moved to the best F1 where
//	                  validation finds that better, read from the root down (Vateekul, Kubat and Sarinnapakorn,
//	                  "Hierarchical multi-label classification with SVMs: a case study in gene function prediction",
//	                  Intelligent Data Analysis 2014)
//	masking           ml-svm, where a label counts only as far as its parents do: s_y ← min(s_y, s_parent), from the root down
//	mixup             softmax on mixed rows (Zhang, Cissé, Dauphin and Lopez-Paz, "mixup: beyond empirical risk
//	                  minimization", 2018), in one batch of p pairs:
//
//	                  min_W ½‖W‖² + C n · mean over pairs and λ ~ Beta(β, β) of ℓ(W φ(λx_i + (1−λ)x_j), λy_i + (1−λ)y_j)
//
//	stochastic-mixup  the same with pairs drawn anew at every step, as the authors do
//
// Targets of svr and ridge are scaled to mean 0 and variance 1, so that C, λ and ε have no unit. Copies go with their
// rows: if a row is held out, its copies are not trained on.
//
// A Solution says how near to its minimum each machine came. Package learn gives the gap of the others, and mixup has
// P(W) − min P ≤ ½‖∇P(W)‖², because P − ½‖·‖² is convex. Stochastic-mixup takes a number of steps and solves no problem.
//
// Scores are compared with 0, and scores of classes with each other. The same seed gives the same bits on any number of
// processors.
package rival
