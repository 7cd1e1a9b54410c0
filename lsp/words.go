package lsp

// A word's documentation: how it is written and what it means.
type wordDoc struct {
	form string
	doc  string
}

// statementDocs are the words that begin a statement.
var statementDocs = map[string]wordDoc{
	"use":          {"use NAME [from \"PATH\"]", "Makes a family of invariances available. With `from` it is a program that runs as a process of its own and is pinned in `sipc.lock`."},
	"include":      {"include \"PATH\"", "Adds the values and definitions of another file, found relative to this one. It holds `let`, `def` and `include` alone."},
	"data":         {"data { target …; columns …; … }", "Says what the data hold: the target, the features, how rows are drawn and prepared."},
	"let":          {"let NAME = VALUE", "Names a number, a text, a taxonomy, a grid, a transformation, a set or a graph. `--set NAME=VALUE` overrides it."},
	wordKernel:     {"kernel gaussian | matern32 | matern52 | laplacian | linear | polynomial | additive | pairwise", "The kernel k. Required."},
	wordFeatures:   {"features nystrom | fourier | hashing | exact", "The feature map φ that stands for the kernel. Required."},
	wordLearn:      {"learn svm | logistic | softmax | ridge | poisson | quantile(0.1, 0.5, 0.9) [ under {MAP, …} ]", "The linear learner on the representations. Left out, the one that fits the target: `svm` for binary and multilabel, `softmax` for class, `ridge` for real. With `under {MAP, …}` the largest loss of each row and its copies counts."},
	"decode":       {"decode closure", "How labels are decided. `closure`: a label's score is the largest of those that imply it, so that no decision violates an implication of the spec."},
	"method":       {"method embed | warp | plain | dual | risk", "How f or the representation is found. Left out, `embed` where every invariance is a seminorm, and `risk` where one is one-sided: what predicts is then what R bounds."},
	"seed":         {"seed NUMBER", "The seed of every draw. Default 0; `--seed` overrides it."},
	wordRegularize: {"regularize auto | regularize WEIGHT * NAME, …", "R in ‖f‖² + n·R(f)², n being the number of training rows: a list of weighted invariances stands for R² = Σ (wₖ Rₖ)². `regularize auto` weighs every invariance alike, by a number that run chooses. Left out, every invariance counts once."},
	"def":          {"def NAME(PARAMETERS) = EXPRESSION", "Defines an expression with parameters, to be called in invariances."},
	wordRequire:    {"require NAME = EXPRESSION >= EXPRESSION over BINDERS [where COND]", "Declares what must hold at every point of a region: `require rising = d/d(area) f >= 0 over x in box`. `<=`, chains `0 <= f <= 1`, and `==` at finitely many points stand likewise."},
	"expect":       {"expect CONDITION", "A test of what is proved and reported: `expect accuracy > 90%`, `expect kind(steady) == seminorm`. `sipc check` and `sipc run --expect` judge it."},
	"measure":      {"measure NAME = EXPRESSION", "Reports an expression on training and test rows, as an invariance is, without regularizing it."},
	"invariance":   {"invariance NAME = EXPRESSION", "Declares what must be small: a nonnegative, convex, positively homogeneous function of f."},
	wordEvaluate:   {"evaluate under {MAP, …}", "Reports the metrics on the test rows moved by each transformation, too."},
	wordAugment:    {"augment {MAP, …}", "Learns from copies of the training rows, too: one of each row under each transformation, with the row's label."},
}

// itemDocs are the words that begin an item of a data block.
var itemDocs = map[string]wordDoc{
	"target":      {"target NAME, … : class | real | multilabel | binary(a, b)", "What is learned. `target columns(\"topic_*\")` takes the columns that match, `target labels(\"labels.txt\")` the labels of a file."},
	wordColumns:   {"columns a, b, c | image(h, w) | columns(\"a_*\") | text(a)", "Which columns are features, and of which texts the words are. Left out, all but the target."},
	wordTypes:     {"types a : real, b : integer [0, 120], c : {north, south}", "What some columns hold. It picks no features, and leaves the other columns as they are: statements are checked against it without data, and the data when they are read."},
	wordIgnore:    {"ignore a, b | columns(\"a_*\")", "Which columns are not features."},
	wordID:        {"id NAME", "The column that names the rows, and is not a feature. Left out, one called id."},
	"split":       {"split train = N, test = N | split time = COLUMN, test = N | split by COLUMN", "Draws rows at random, by the seed: numbers of rows, or shares below 1. Left out, a quarter is held out. With time the latest rows by a column test, and folds follow each other. By a column, its cells say train, test or valid; valid rows decide between the values of grids."},
	"weight":      {"weight COLUMN | balanced | balanced(COLUMN)", "The column of the rows' weights: a row with the weight w counts as w equal rows. It is not a feature, and 0 removes the row. Under balanced the training rows of each class count alike."},
	"gaps":        {"gaps NUMBER, …", "Numbers in numeric columns that stand for gaps: `gaps -7, -8`. `missing` says what they get; under `missing mask` each code is marked by a column of its own."},
	"outside":     {"outside clip | warn | refuse", "What a number gets that lies outside the declared interval of its column, or else outside the range of the training rows: the nearest end, a warning, or an error. Left out, a warning."},
	"missing":     {"missing mean | median | frequent | mask | mask(median) | drop", "What a gap in a feature gets: a value of the training rows, with mask also a column that says so. Left out, a gap is an error."},
	"standardize": {"standardize", "Brings every feature to mean 0 and variance 1, fitted on the training rows."},
	"scale":       {"scale NUMBER", "Divides the features by a number: `scale 255`."},
	"normalize":   {"normalize", "Brings every row to length 1."},
	"unlabelled":  {"unlabelled \"more.csv\" | test", "Further rows, whose features R sees and whose labels nobody is told: those of a file, or the test rows. Rows of the data without a target are such, too."},
}

// typeDocs are the types of a target.
var typeDocs = map[string]wordDoc{
	"class":      {"class", "One of several classes: f is a function of (x, y), y a one-hot class."},
	"real":       {"real", "A number: f is a function of x."},
	"multilabel": {"multilabel", "A set of labels: f is a function of (x, y); the columns hold 0 and 1."},
	"binary":     {"binary(a, b)", "Two classes, and only their rows: f is a function of x, positive for the second."},
}

// columnTypeDocs are the types of a column.
var columnTypeDocs = map[string]wordDoc{
	"real":           {"real | real [LOW, HIGH]", "A number, between bounds where they are given."},
	"integer":        {"integer | integer [LOW, HIGH]", "A whole number, between bounds where they are given."},
	"date":           {"date | date [FIRST, LAST]", "A date, 2020-02-29 or 2020-02-29T12:30:00, as a number: the year with the share of it that has passed."},
	"text":           {"text", "Texts, whatever they are and also if they look like numbers: a category each."},
	"{north, south}": {"{VALUE, …}", "One of the values. If one of them is not a number, the column holds texts."},
}

// reservedDocs are the words that are never names.
var reservedDocs = map[string]wordDoc{
	wordOver:  {"AGG over BINDER, … [where COND] of BODY", "Ranges over an index set."},
	"of":      {"AGG over BINDER, … of BODY", "What is aggregated; it reaches to the next `+` or `-` outside brackets."},
	"in":      {"λ in [0, 1], t in {…}, (a, b) in DOMAIN; where region in {…}", "Binds names to the elements of an index set. In a condition: one of some values, or a number between bounds."},
	wordWhere: {"AGG over x where COND of BODY", "Keeps the elements that satisfy a condition on raw columns, what is calculated from them, points and labels. A let or a def may name it."},
	"and":     {"COND and COND", "Both hold."},
	"or":      {"COND or COND", "At least one holds."},
	"not":     {"not COND", "It does not hold."},
	"from":    {"use NAME from \"PATH\"", "Where the program of a family is, relative to the spec."},
	"by":      {"split by COLUMN", "Which column says of each row whether it is train, test or valid."},
	wordUnder: {"evaluate under {MAP, …}, learn LEARNER under {MAP, …}", "Which transformations the test rows are moved by; behind a learner, those under which the worst loss of each training row counts."},
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
	wordAuto:     {"regularize auto | regularize auto * NAME, …", "A weight that is chosen by cross-validation on the training rows, or on the valid rows of `split by`: of 0, 0.01, 0.03, 0.1, …, 30 the largest within one standard error of the best. Alone it weighs every invariance alike, and before a name that one."},
	wordTaxonomy: {"taxonomy(\"FILE\") | taxonomy(data)", "Edges child → parent between labels: CSV with the header `child,parent`, lines `parent child`, OBO, or the hierarchy that the data carry."},
	"median":     {"median", "The median distance between training rows; it may stand in a kernel's width."},
}

// figureDocs are what expectations name of an invariance or a measure.
var figureDocs = map[string]wordDoc{
	"kind":       {"kind(NAME) == seminorm | sublinear | \"smooth seminorm\"", "What the proof says of an invariance or a measure. A smooth seminorm is a seminorm, too."},
	"value":      {"value(NAME) | value(NAME, train)", "The value that a run reports of it, by the test rows or the training rows."},
	"broken":     {"broken(NAME) | broken(NAME, train)", "The share of the rows that a statement is about which break it."},
	"violations": {"violations(NAME)", "How often decided labels of test rows violate it."},
}

// dataCallDocs are the calls in a data block that stand for columns or labels.
var dataCallDocs = map[string]wordDoc{
	wordLabels:  {"labels(\"FILE\") | labels(data)", "The labels that a file of lines `id code name`, or the data, name."},
	wordColumns: {"columns(\"a_*\")", "The columns that match."},
	"image":     {"image(height, width)", choiceDocs["columns image"]},
}

// binderDocs are the ways to bind names that no index set has a word for.
var binderDocs = map[string]wordDoc{
	"λ in [0, 1]": {"the parameter of a path", ""},
	"t in {…}":    {"transformations, or labels", ""},
	"t in orbit":  {"transformations whose amounts run through intervals", ""},
	"x in box":    {"the points of a region, of a requirement alone", ""},
	"(a, b) in …": {"the elements of an index set", ""},
}

// derivativeDocs are the derivatives.
var derivativeDocs = map[string]wordDoc{
	"d/dλ":        {"d/dλ f", "The derivative along a path's parameter."},
	"d/d(column)": {"d/d(column) f", "The derivative along a feature column, per standard deviation of it; d/d(column, unit = raw) f is per unit of the file."},
}

// snippets are what is typed for a word, with places to fill; a call has a bracket behind its name.
var snippets = map[string]string{
	"use": "use ${1:name} from \"${2:./program}\"", "data": "data {\n    target ${1:name} : ${2:class}\n}", "let": "let ${1:name} = ${2:1}",
	wordKernel: "kernel ${1:gaussian}", wordFeatures: "features ${1:nystrom}", wordLearn: "learn ${1:svm}", "method": "method ${1:embed}", "decode": "decode ${1:closure}",
	"seed": "seed ${1:7}", wordRegularize: "regularize ${1:auto}", "def": "def ${1:name}(${2:a, b}) = ${3:|f(a) - f(b)|}",
	"invariance": "invariance ${1:name} = rms over ${2:x} of ${3:|f|}", "measure": "measure ${1:name} = rms over ${2:x} of ${3:|f|}", wordRequire: "require ${1:name} = ${2:f} >= ${3:0} over ${4:x in box}", wordEvaluate: "evaluate under {${1:rotate(15deg)}}", wordAugment: "augment {${1:rotate(15deg)}}",

	"{north, south}": "{${1:north}, ${2:south}}", "binary": "binary(${1:a}, ${2:b})", "from": "from \"${1:./program}\"", wordUnder: "under {${1:rotate(15deg)}}",
	"max": "max over ${1:x} of ${2:|f|}", "rms": "rms over ${1:x} of ${2:|f|}", "mean": "mean over ${1:x} of ${2:|f|}", "sum": "sum over ${1:x} of ${2:|f|}",
	wordNorm: "norm(${3:3}) over ${1:x} of ${2:|f|}", "top": "top(${3:3}) over ${1:x} of ${2:|f|}", wordGraph: "graph(\"${1:edges.csv}\")", wordSample: "sample(${1:1000})",
	"t in {…}": "t in {${1:rotate(10deg)}}", "t in orbit": "t in orbit {${1:rotate([-15deg, 15deg])}}", wordOrbit: "orbit {${1:rotate([-15deg, 15deg])}}", "(a, b) in …": "(${1:a}, ${2:b}) in ${3:pairs}", "d/d(column)": "d/d(${1:column})",
	"columns(": "columns(\"${1:*}\")", "labels(": "labels(${1:data})", "image(": "image(${1:28}, ${2:28})", "taxonomy(": "taxonomy(\"${1:file.csv}\")",
	"grid(": "grid(${1:0.1, 1, 10})", "pos(": "pos(${1:e})", "hypot(": "hypot(${1:e})",
}

// domainDocs are the index sets of the language itself.
var domainDocs = map[string]wordDoc{
	"x":         {"over x", "The training rows; binds the point x."},
	"rows":      {"over rows, a in rows", "The training rows; binds the point x, or the name given."},
	wordSample:  {"x in sample(1000) | sample(0.1n, seed = 3)", "Training rows drawn at random by the seed, all where there are fewer; binds the point x, or the name given. The report says how strongly the others violate the invariance."},
	wordLabels:  {"over labels, a in labels", "All labels; binds the label `label`, or the name given."},
	wordLevels:  {"q in levels | (q, r) in levels", "The levels of `learn quantile`; with two names each level and the next above it. Binds labels: `f(x, q)`."},
	wordColumns: {"c in columns(age, income) | c in columns(\"x_*\")", "Feature columns, by names or patterns; binds a column, for `d/d(c) f`."},
	wordBox:     {"x in box | box(age = [18, 65], town = {\"a\"}, others = box | rows | rows(\"FILE\"))", "The points of a region, for `require` alone: the box of declared types, or else of the training rows' ranges. Named columns move through intervals or values, the others through their box or as in each row."},
	wordOrbit:   {"t in orbit {MAP, …} | t in orbit(moves = 64, seed = 3) {MAP, …}", "Compositions of transformations, from the first to the last, whose amounts run through intervals: `rotate([-15deg, 15deg])`. Binds a move, of which each element has a sample of its own, 24 unless told. It stands under `rms` and `mean`, and under `max`, for which worst moves are searched."},
	wordGraph:   {"(a, b) in graph(\"edges.csv\") | (a, b, w) in graph(\"edges.csv\", weight = w)", "The edges of a graph between rows: a file of two columns of row ids. Binds two points; with `weight`, the column of weights that a first line names, also the weight of the edge, a number that is not negative."},
}

// choiceDocs are the words that a setting may take.
var choiceDocs = map[string]string{
	"kernel gaussian":   "exp(−‖x−x′‖²/2s²)",
	"kernel laplacian":  "exp(−‖x−x′‖/s). Its functions have no derivatives.",
	"kernel matern32":   "(1 + r)e^(−r), r = √3‖x−x′‖/s. Its functions have one derivative.",
	"kernel matern52":   "(1 + r + r²/3)e^(−r), r = √5‖x−x′‖/s. Its functions have two derivatives.",
	"kernel additive":   "The mean of kernels in single columns: f is a sum of curves.",
	"kernel pairwise":   "The same, and the mean of products of two: f is a sum of curves and of surfaces.",
	"kernel linear":     "⟨x, x′⟩",
	"kernel polynomial": "(⟨x, x′⟩ + c)^d",
	"features nystrom":  "The span of landmarks: training rows, and the points at which the invariances evaluate f.",
	"features fourier":  "Random Fourier features, for gaussian and laplacian kernels.",
	"features hashing":  "Hashed features, for the linear kernel.",
	"features exact":    "No approximation; for few rows.",
	"learn svm":         "Hinge loss, or its square with `loss = squared`. Default for binary and multilabel targets.",
	"learn logistic":    "Logistic loss, one label against the rest.",
	"learn softmax":     "Cross-entropy. Default for class targets.",
	"learn ridge":       "Squared error. Default for real targets.",
	"learn quantile":    "A quantile of a real target at each level listed: f(x, 0.9). `q in levels` ranges over them.",
	"learn poisson":     "Counts of a real target: f is the logarithm of their rate.",
	"method embed":      "Convex Euclidean embedding of every row, then a linear learner. The default where every invariance is a seminorm; what is one-sided need not reach the score.",
	"method warp":       "The warped kernel in closed form; R must be quadratic.",
	"method plain":      "R = 0: the kernel alone.",
	"decode closure":    "A label takes the largest score of those that imply it.",
	"method dual":       "Regularized risk, minimized over dual coefficients.",
	"method risk":       "Regularized risk, minimized over f: one convex problem, to a certified gap. The default where an invariance is one-sided: R bounds the score.",
	"columns image":     "The features are an image, row-major.",
}
