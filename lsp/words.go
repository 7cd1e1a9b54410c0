package lsp

// A word's documentation: how it is written and what it means.
type wordDoc struct {
	form string
	doc  string
}

// statementDocs are the words that begin a statement.
var statementDocs = map[string]wordDoc{
	"use":          {"use NAME [from \"PATH\"]", "Makes a family of invariances available. With `from` it is a program that runs as a process of its own and is pinned in `sipc.lock`."},
	"data":         {"data { target …; columns …; … }", "Says what the data hold: the target, the features, how rows are drawn and prepared."},
	"let":          {"let NAME = VALUE", "Names a number, a text, a taxonomy, a grid or a transformation. `--set NAME=VALUE` overrides it."},
	wordKernel:     {"kernel gaussian | laplacian | linear | polynomial", "The kernel k. Required."},
	wordFeatures:   {"features nystrom | exact", "The feature map φ that stands for the kernel. Required."},
	wordLearn:      {"learn svm | logistic | softmax | ridge", "The linear learner on the representations. Left out, the one that fits the target: `svm` for binary and multilabel, `softmax` for class, `ridge` for real."},
	"decode":       {"decode closure", "How labels are decided. `closure`: a label's score is the largest of those that imply it, so that no decision violates an implication of the spec."},
	"method":       {"method embed | warp | plain | dual | risk", "How f or the representation is found. Left out, `embed` where every invariance is a seminorm, and `risk` where one is one-sided: what predicts is then what R bounds."},
	"seed":         {"seed NUMBER", "The seed of every draw. Default 0; `--seed` overrides it."},
	wordRegularize: {"regularize WEIGHT * NAME + …", "R in ‖f‖² + n·R(f)², n being the number of training rows: a sum of weighted invariances stands for R² = Σ (wₖ Rₖ)². Left out, every invariance counts once."},
	"def":          {"def NAME(PARAMETERS) = EXPRESSION", "Defines an expression with parameters, to be called in invariances."},
	"invariance":   {"invariance NAME = EXPRESSION", "Declares what must be small: a nonnegative, convex, positively homogeneous function of f."},
	"evaluate":     {"evaluate under {MAP, …}", "Reports the metrics on the test rows moved by each transformation, too."},
}

// itemDocs are the words that begin an item of a data block.
var itemDocs = map[string]wordDoc{
	"target":      {"target NAME, … : class | real | multilabel | binary(a, b)", "What is learned. `target columns(\"topic_*\")` takes the columns that match, `target labels(\"labels.txt\")` the labels of a file."},
	wordColumns:   {"columns a, b, c | image(h, w) | columns(\"a_*\")", "Which columns are features. Left out, all but the target."},
	wordIgnore:    {"ignore a, b | columns(\"a_*\")", "Which columns are no features."},
	wordID:        {"id NAME", "The column that names the rows, and is no feature. Left out, one called id."},
	"split":       {"split train = N, test = N", "Draws rows at random, by the seed: numbers of rows, or shares below 1. Left out, a quarter is held out."},
	"missing":     {"missing mean | mask | drop", "What a gap in a numeric feature gets. Left out, a gap is an error."},
	"standardize": {"standardize", "Brings every feature to mean 0 and variance 1, fitted on the training rows."},
	"scale":       {"scale NUMBER", "Divides the features by a number: `scale 255`."},
	"normalize":   {"normalize", "Brings every row to length 1."},
}

// typeDocs are the types of a target.
var typeDocs = map[string]wordDoc{
	"class":      {"class", "One of several classes: f is a function of (x, y), y a one-hot class."},
	"real":       {"real", "A number: f is a function of x."},
	"multilabel": {"multilabel", "A set of labels: f is a function of (x, y); the columns hold 0 and 1."},
	"binary":     {"binary(a, b)", "Two classes, and only their rows: f is a function of x, positive for the first."},
}

// reservedDocs are the words that are never names.
var reservedDocs = map[string]wordDoc{
	wordOver:  {"AGG over BINDER, … [where COND] of BODY", "Ranges over an index set."},
	"of":      {"AGG over BINDER, … of BODY", "What is aggregated; it reaches to the next `+` or `-` outside brackets."},
	"in":      {"λ in [0, 1], t in {…}, (a, b) in DOMAIN", "Binds names to the elements of an index set."},
	wordWhere: {"AGG over x where COND of BODY", "Keeps the elements that satisfy a condition on raw columns and labels."},
	"and":     {"COND and COND", "Both hold."},
	"or":      {"COND or COND", "At least one holds."},
	"not":     {"not COND", "It does not hold."},
	"from":    {"use NAME from \"PATH\"", "Where the program of a family is, relative to the spec."},
	"under":   {"evaluate under {MAP, …}", "Which transformations the test rows are moved by."},
}

// aggregationDocs are the aggregations.
var aggregationDocs = map[string]wordDoc{
	"max":    {"max over BINDER of e, max {e, …}", "The largest. Keeps the weakest kind of its parts."},
	"sum":    {"sum over BINDER of e, sum {e, …}", "The sum. Keeps the weakest kind of its parts; linear for linear parts."},
	"mean":   {"mean over BINDER of e, mean {e, …}", "The mean. Keeps the weakest kind of its parts; linear for linear parts."},
	"rms":    {"rms over BINDER of e", "The root of the mean of squares. Its parts must be nonnegative."},
	wordNorm: {"norm(p) over BINDER of e", "The p-norm, p ≥ 1. Its parts must be nonnegative."},
	"top":    {"top(k) over BINDER of e", "The sum of the k largest. Its parts must be nonnegative."},
	"min":    {"min …", "The smallest: not convex, and refused."},
}

// functionDocs are the functions of the language, and the names that it knows.
var functionDocs = map[string]wordDoc{
	"f":          {"f, f(x), f(label), f(x, label), f(t(x))", "The unknown function at a point. A bare `f` is at the innermost point bound around it. Linear, of either sign."},
	"pos":        {"pos(e)", "The positive part [e]₊. Sublinear and nonnegative, for convex e."},
	"hypot":      {"hypot(e, …)", "The root of the sum of squares. Its parts must be nonnegative."},
	wordGrid:     {"grid(a, b, …)", "A number that is chosen from several, by cross-validation on the training rows."},
	wordAuto:     {"regularize auto * NAME", "A weight that is chosen by cross-validation on the training rows: of 0, 0.01, 0.03, 0.1, …, 30 the largest within one standard error of the best."},
	wordTaxonomy: {"taxonomy(\"FILE\") | taxonomy(data)", "Edges child → parent between labels: CSV with the header `child,parent`, lines `parent child`, OBO, or the hierarchy that the data carry."},
	"median":     {"median", "The median distance between training rows; it may stand in a kernel's width."},
	wordLabels:   {"labels(\"FILE\") | labels(data)", "The labels that a file of lines `id code name`, or the data, name."},
}

// domainDocs are the index sets of the language itself.
var domainDocs = map[string]wordDoc{
	"x":        {"over x", "The training rows; binds the point x."},
	"rows":     {"over rows, a in rows", "The training rows; binds the point x, or the name given."},
	wordLabels: {"over labels, a in labels", "All labels; binds the label `label`, or the name given."},
	wordGraph:  {"(a, b) in graph(\"edges.csv\") | (a, b, w) in graph(\"edges.csv\", weight = w)", "The edges of a graph between rows: a file of two columns of row ids. Binds two points; with `weight`, the column of weights that a first line names, also the weight of the edge, a number that is not negative."},
}

// choiceDocs are the words that a setting may take.
var choiceDocs = map[string]string{
	"kernel gaussian":   "exp(−‖x−x′‖²/2s²)",
	"kernel laplacian":  "exp(−‖x−x′‖/s). Its functions have no derivatives.",
	"kernel linear":     "⟨x, x′⟩",
	"kernel polynomial": "(⟨x, x′⟩ + c)^d",
	"features nystrom":  "The span of landmarks: training rows, and the points at which the invariances evaluate f.",
	"features exact":    "No approximation; for few rows.",
	"learn svm":         "Hinge loss. Default for binary and multilabel targets.",
	"learn logistic":    "Logistic loss, one label against the rest.",
	"learn softmax":     "Cross-entropy. Default for class targets.",
	"learn ridge":       "Squared error. Default for real targets.",
	"method embed":      "Convex Euclidean embedding of every row, then a linear learner. The default where every invariance is a seminorm; what is one-sided need not reach the score.",
	"method warp":       "The warped kernel in closed form; R must be quadratic.",
	"method plain":      "R = 0: the kernel alone.",
	"decode closure":    "A label takes the largest score of those that imply it.",
	"method dual":       "Regularized risk, minimized over dual coefficients.",
	"method risk":       "Regularized risk, minimized over f: one convex problem, to a certified gap. The default where an invariance is one-sided: R bounds the score.",
	"columns image":     "The features are an image, row-major.",
}
