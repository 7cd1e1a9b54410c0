// Package codes names what diagnostics of the compiler, and of what runs a spec, are about. Each code has a rule and an example.
package codes

import (
	"github.com/sipc-ml/sipc/dsl/diag"
)

// The codes of this package's diagnostics. Each comment gives the rule and an example that breaks it; a test compiles
// every example and asserts its code. In the examples, a spec that lacks data, kernel or features gets those of
// logic.inv. A line that is an expression stands for the body of an invariance.
const (
	// UndefinedName: a name stands for nothing.
	//
	// Example:
	//  |g(cat)|
	UndefinedName diag.Code = "E201"

	// DuplicateName: a name is declared twice, or a setting given twice.
	//
	// Example:
	//  let a = 1
	//  let a = 2
	DuplicateName diag.Code = "E202"

	// UnknownLabel: f is asked for a label that the target does not have.
	//
	// Example:
	//  rms over x of |f(cot)|
	UnknownLabel diag.Code = "E203"

	// UnknownColumn: a column is named that the data block does not pick, or that a model does not have.
	//
	// Example:
	//  data {
	//      target price : real
	//      columns area, age
	//  }
	//  invariance i = rms over x of |d/d(aera) f|
	UnknownColumn diag.Code = "E204"

	// UnknownFamily: use names a family that is not built in.
	//
	// Example:
	//  use swops
	UnknownFamily diag.Code = "E205"

	// UnknownDomain: a quantifier ranges over something that is not an index set.
	//
	// Example:
	//  rms over z in edgs(topics) of |f(cat)|
	UnknownDomain diag.Code = "E206"

	// UnknownMap: a point is moved by something that is not a transformation.
	//
	// Example:
	//  rms over x of |f(turn(x)) - f(x)|
	UnknownMap diag.Code = "E207"

	// Recursive: a definition, a let or an invariance uses itself.
	//
	// Example:
	//  def a(c) = a(c)
	//  invariance i = rms over x of a(cat)
	Recursive diag.Code = "E208"

	// UnknownInvariance: regularize names what is not an invariance.
	//
	// Example:
	//  invariance steady = rms over x of |f(cat)|
	//  regularize stedy
	UnknownInvariance diag.Code = "E209"

	// NoPoint: f stands where no quantifier binds a point.
	//
	// Example:
	//  |f(cat)|
	NoPoint diag.Code = "E210"

	// MissingDeclaration: a spec lacks its data, kernel or features.
	//
	// Example:
	//  #!bare
	//  data { target price : real }
	//  features exact
	MissingDeclaration diag.Code = "E211"

	// WrongInclude: an included file includes itself, or holds another statement than let, def and include.
	//
	// Example:
	//  #!bare
	//  include "settings.inv"
	//  data { target price : real }
	//  kernel gaussian(width = median)
	//  features exact
	WrongInclude diag.Code = "E212"

	// WrongType: an expression is of another type than its place asks for.
	//
	// Example:
	//  rms over x of |cat|
	WrongType diag.Code = "E301"

	// MissingArgument: a call lacks an argument.
	//
	// Example:
	//  rms over x of max over t in {move(amount = 2)} of |f(t(x), cat)|
	MissingArgument diag.Code = "E302"

	// UnknownArgument: a call has an argument that its schema does not know.
	//
	// Example:
	//  learn svm(c = 1)
	UnknownArgument diag.Code = "E303"

	// OutOfRange: a number lies outside its bounds.
	//
	// Example:
	//  learn svm(C = -1)
	OutOfRange diag.Code = "E304"

	// WrongUnit: a number lacks the unit that its place asks for, or has one too many.
	//
	// Example:
	//  rms over x of max over t in {spin(10)} of |f(t(x), cat)|
	WrongUnit diag.Code = "E305"

	// UnknownChoice: a word is not among the choices.
	//
	// Example:
	//  kernel gausian(width = 1)
	UnknownChoice diag.Code = "E306"

	// TooManyArguments: a call has more arguments than its schema.
	//
	// Example:
	//  rms over x of implies(cat, dog, animal)
	TooManyArguments diag.Code = "E307"

	// WrongTarget: the data block lacks a target, has two, or gives it a type that does not fit.
	//
	// Example:
	//  #!bare
	//  data { target a, b : real }
	//  kernel linear
	//  features exact
	WrongTarget diag.Code = "E308"

	// LabelRefused: f is asked for a label where it is a function of x alone.
	//
	// Example:
	//  data { target price : real }
	//  invariance i = rms over x of |f(x, north)|
	LabelRefused diag.Code = "E309"

	// WrongOption: a line of the data block is unknown or contradicts another.
	//
	// Example:
	//  data {
	//      target price : real
	//      columns image(28, 28), area
	//  }
	WrongOption diag.Code = "E310"

	// WrongGrid: grid(…) stands where nothing can be chosen by cross-validation, auto where no weight stands, or grids in more combinations than are judged.
	//
	// Example:
	//  seed grid(1, 2)
	WrongGrid diag.Code = "E311"

	// AmbiguousPoint: several points are bound and f does not say at which it is.
	//
	// Example:
	//  rms over (a, b) in graph("edges.csv") of |f|
	AmbiguousPoint diag.Code = "E312"

	// NoDerivative: f has no derivative of this kind here.
	//
	// Example:
	//  rms over x of |d/dλ f(cat)|
	NoDerivative diag.Code = "E313"

	// WrongBinder: a binder names more or fewer variables than its index set binds, or a parameter of its definition, or its interval is empty. Or it draws rows within a sample.
	//
	// Example:
	//  rms over (a, b, c) in graph("edges.csv") of |f(a, cat)|
	WrongBinder diag.Code = "E314"

	// WrongCondition: a where condition compares what cannot be compared.
	//
	// Example:
	//  rms over x where region of |f(cat)|
	WrongCondition diag.Code = "E315"

	// WrongOverride: --set names no let, or its value is not in the language's syntax.
	WrongOverride diag.Code = "E316"

	// WrongLearner: the learner does not fit the target.
	//
	// Example:
	//  data { target price : real }
	//  learn svm
	WrongLearner diag.Code = "E317"

	// WrongUnder: the worst loss under a set has no certificate here, or copies are made twice.
	//
	// Example:
	//  learn svm under {put(area, 1)}
	//  method embed
	WrongUnder diag.Code = "E322"

	// WrongSum: regularize is not a list of weighted invariances.
	//
	// Example:
	//  invariance a = rms over x of |f(cat)|
	//  regularize a * a
	WrongSum diag.Code = "E318"

	// WrongFeatures: the feature map does not stand for the kernel.
	//
	// Example:
	//  kernel linear
	//  features fourier
	WrongFeatures diag.Code = "E319"

	// NoSecondDerivative: functions of the kernel have no second derivative, or none but zero.
	//
	// Example:
	//  kernel laplacian(width = 1)
	//  invariance a = rms over x of |d/d(age) d/d(age) f(cat)|
	NoSecondDerivative diag.Code = "E320"

	// Normalized: put or swap writes values of the file into rows that normalize divides by their length.
	//
	// Example:
	//  data {
	//      target price : real
	//      normalize
	//  }
	//  invariance i = rms over x of |f(put(age, 30)) - f(x)|
	Normalized diag.Code = "E321"

	// NoColumns: a kernel of single columns meets rows that normalize divides by their length, images or words of texts.
	//
	// Example:
	//  data {
	//      target price : real
	//      normalize
	//  }
	//  kernel pairwise(gaussian)
	NoColumns diag.Code = "E329"

	// NegatedConvex: a minus sign stands before a part that is convex but not linear.
	//
	// Example:
	//  rms over x of -|f(cat)|
	NegatedConvex diag.Code = "E401"

	// NotHomogeneous: a constant stands beside f.
	//
	// Example:
	//  rms over x of pos(f(cat) - 1)
	NotHomogeneous diag.Code = "E402"

	// NegativeFactor: a part that is convex but not linear is multiplied by a negative number.
	//
	// Example:
	//  rms over x of (1 - 3) * |f(cat)|
	NegativeFactor diag.Code = "E403"

	// Product: two parts that hold f are multiplied.
	//
	// Example:
	//  rms over x of pos(f(cat) * f(dog))
	Product diag.Code = "E404"

	// Minimum: min of parts that hold f.
	//
	// Example:
	//  rms over x of |min {f(cat), f(dog)}|
	Minimum diag.Code = "E405"

	// NeedsNonnegative: rms, norm, top and hypot need nonnegative parts.
	//
	// Example:
	//  rms over x of f(cat)
	NeedsNonnegative diag.Code = "E406"

	// AbsOfConvex: |…| holds a part that is convex, not linear, and may be negative.
	//
	// Example:
	//  rms over x of |max {f(cat), f(dog)}|
	AbsOfConvex diag.Code = "E407"

	// DividedByF: a part is divided by one that holds f.
	//
	// Example:
	//  rms over x of pos(f(cat) / f(dog))
	DividedByF diag.Code = "E408"

	// DerivativeOfNonlinear: d/d… stands before a part that is not linear.
	//
	// Example:
	//  rms over pairs of pos(d/dλ |f|)
	DerivativeOfNonlinear diag.Code = "E409"

	// MayBeNegative: an invariance may be negative, but R squares it.
	//
	// Example:
	//  mean over x of f(cat)
	MayBeNegative diag.Code = "E410"

	// AlwaysZero: an invariance is the same whatever f is.
	//
	// Example:
	//  rms over x of 0 * |f(cat)|
	AlwaysZero diag.Code = "E411"

	// NegativeWeight: an invariance has a negative weight.
	//
	// Example:
	//  invariance a = rms over x of |f(cat)|
	//  regularize -1 * a
	NegativeWeight diag.Code = "E412"

	// NoGauge: an expression is convex, but has no gauge with a functional for each leaf.
	//
	// Example:
	//  rms over x of pos(hypot(|f(cat)|, |f(dog)|) - f(animal))
	NoGauge diag.Code = "E413"

	// NotQuadratic: method warp needs invariances that are root mean squares of |linear| parts.
	//
	// Example:
	//  invariance a = rms over x of max {|f(cat)|, |f(dog)|}
	//  method warp
	NotQuadratic diag.Code = "E414"

	// ConstantBody: a quantifier's body holds no f.
	//
	// Example:
	//  rms over x of |f(cat) + (2 - sum over z in rows of 1)|
	ConstantBody diag.Code = "E415"

	// ColumnNotInData: a column is not in the data.
	ColumnNotInData diag.Code = "E551"

	// LabelNotInData: a label is not in the data.
	LabelNotInData diag.Code = "E552"

	// EmptyIndexSet: a quantifier ranges over nothing.
	EmptyIndexSet diag.Code = "E553"

	// Incomparable: a condition, put or swap brings a column together with a value of another type, or with one that it never has.
	//
	// Example:
	//  data {
	//      target price : real
	//      types  region : {north, south}
	//  }
	//  invariance i = rms over x where region == "nroth" of |f|
	Incomparable diag.Code = "E554"

	// WrongGraph: a graph's file is not one of edges.
	//
	// Example:
	//  rms over (a, b) in graph("broken.csv") of |f(a, cat) - f(b, cat)|
	WrongGraph diag.Code = "E555"

	// WrongTaxonomy: a taxonomy's file is not one, or does not fit the labels.
	//
	// Example:
	//  let t = taxonomy("broken.csv")
	//  invariance i = rms over x of max over (a, b) in edges(t) of implies(a, b)
	WrongTaxonomy diag.Code = "E556"

	// NeedsImage: a transformation acts on images, and the features are a table.
	NeedsImage diag.Code = "E557"

	// UnreadableFile: a file that the spec names cannot be read.
	//
	// Example:
	//  rms over (a, b) in graph("nowhere.csv") of |f(a, cat) - f(b, cat)|
	UnreadableFile diag.Code = "E558"

	// TooLarge: the invariances have more functionals than fit, or more terms than can be numbered.
	TooLarge diag.Code = "E559"

	// ConstantColumn: a derivative is along a column that is the same in every training row.
	ConstantColumn diag.Code = "E560"

	// NegativeFactorInData: a part that is convex but not linear is multiplied by a number that data make negative.
	NegativeFactorInData diag.Code = "E561"

	// NoNumber: a factor that data decide is a text, a gap or not finite.
	//
	// Example:
	//  data {
	//      target price : real
	//      types  region : {north, south}
	//  }
	//  invariance i = rms over x of region * |f|
	NoNumber diag.Code = "E562"

	// WrongWeight: a file of edges lacks the column of weights, or a weight is negative or no number.
	//
	// Example:
	//  rms over (a, b) in graph("weighed.csv", weight = strength) of strength * |f(a, cat) - f(b, cat)|
	WrongWeight diag.Code = "E563"

	// FamilyNotStarted: a family cannot be started or described.
	//
	// Example:
	//  use swaps from "./nowhere"
	FamilyNotStarted diag.Code = "E601"

	// WrongSchema: a family describes itself wrongly.
	WrongSchema diag.Code = "E602"

	// FamilyFailed: a family failed, or answered with what the contract does not allow.
	FamilyFailed diag.Code = "E603"

	// Untrusted: a family's program is not one that the user has trusted.
	Untrusted diag.Code = "E604"

	// NotKept: statements are required, and the method, the features, the learner or the kernel keeps none.
	//
	// Example:
	//  require a = f(cat) >= 0 over x in box
	//  method embed
	NotKept diag.Code = "E323"

	// NotSearched: a maximum is taken over an orbit, and the method searches no worst moves.
	//
	// Example:
	//  invariance a = rms over x of max over t in orbit {move(age, [-1, 1])} of |f(t(x), cat) - f(x, cat)|
	//  regularize 1 * a
	//  method embed
	NotSearched diag.Code = "E325"

	// WrongRegion: a region is faulty, stands outside of a statement `require`, or the rows have none.
	//
	// Example:
	//  invariance a = rms over x in box of |f(cat)|
	WrongRegion diag.Code = "E324"

	// NotConvexSet: the functions that keep a statement do not form a convex set. Its larger side, or one beside ==, is convex and not linear.
	//
	// Example:
	//  require a = |f(cat)| >= 1 over x in box
	NotConvexSet diag.Code = "E416"

	// NotEverywhere: a statement is of a form that cannot be proved at every point of a region.
	//
	// Example:
	//  require a = f(x, cat) >= f(z, cat) over x in box, z in box
	NotEverywhere diag.Code = "E417"

	// EqualEverywhere: == is required at more than finitely many points.
	//
	// Example:
	//  require a = f(cat) == 0 over x in box(age = [0, 1], others = rows)
	EqualEverywhere diag.Code = "E418"

	// OwnLabel warns of a statement about the score of each row's own class, where a class may be meant.
	//
	// Example:
	//  data { target animal : class }
	//  invariance a = rms over x of pos(-d/d(age) f)
	OwnLabel diag.Code = "W303"

	// Unseen warns of a character that takes no place on its line, turns its direction or steers a terminal.
	//
	// Example:
	//  invariance a = rms over x of |f(cat)|   # \u{202E} as before
	Unseen diag.Code = "W304"

	// LookAlike warns of a name that looks like another one, or mixes letters of two scripts that look alike.
	//
	// Example:
	//  let сar = 1
	//  invariance a = сar * rms over x of |f(cat)|
	LookAlike diag.Code = "W305"

	// NoEffect warns of a part that is zero whatever f is, a variable that is bound in vain, or a member that is listed twice.
	//
	// Example:
	//  rms over x of max {|f(cat)|, implies(dog, dog)}
	NoEffect diag.Code = "W306"

	// SumOfSquares warns of + between invariances in regularize, which stands for a list and reads like the sum.
	//
	// Example:
	//  invariance a = rms over x of |f(cat)|
	//  invariance b = rms over x of |f(dog)|
	//  regularize a + 2 * b
	SumOfSquares diag.Code = "W307"

	// OldName warns of a name that a word of the language had in an earlier version.
	//
	// Example:
	//  rms over x of |f(jitter(age, 1), cat) - f(x, cat)|
	OldName diag.Code = "W309"

	// FarAmount warns of an orbit whose amounts run so far that its images show hardly anything, or are the same several times. It warns of a scale that looks like a factor, too.
	//
	// Example:
	//  data { target digit : binary(4, 9); columns image(28, 28) }
	//  invariance i = rms over x of rms over t in orbit {shift(dx = [-200, 200])} of |f(t(x)) - f(x)|
	FarAmount diag.Code = "W310"

	// UnusedInvariance warns of an invariance that regularize does not take.
	//
	// Example:
	//  invariance a = rms over x of |f(cat)|
	//  invariance b = rms over x of |f(dog)|
	//  regularize a
	UnusedInvariance diag.Code = "W201"

	// LikeDeclared warns of a column without a type that reads like one whose type `types` declares.
	//
	// Example:
	//  data { target price : real; types region : {north, south} }
	//  invariance i = rms over x where regoin == "north" of |f|
	LikeDeclared diag.Code = "W202"

	// UnboundedDerivative warns of derivatives under a kernel whose functions have none.
	//
	// Example:
	//  kernel laplacian(width = 1)
	//  invariance a = rms over x of |d/d(age) f(cat)|
	UnboundedDerivative diag.Code = "W301"

	// ZeroWeight warns of an invariance whose weight is zero.
	//
	// Example:
	//  invariance a = rms over x of |f(cat)|
	//  regularize 0 * a
	ZeroWeight diag.Code = "W302"

	// Unmet warns of an expectation that the proofs contradict, whatever the data are.
	//
	// Example:
	//  invariance a = rms over x of pos(f(cat))
	//  expect kind(a) == seminorm
	Unmet diag.Code = "W308"

	// EdgesLeftOut warns of edges of a graph that end outside the rows that R sees.
	EdgesLeftOut diag.Code = "W551"

	// NamesLeftOut warns of names of a taxonomy that are not labels.
	NamesLeftOut diag.Code = "W552"

	// NotTrue warns of an invariance that the labels of the training rows break, more than a tenth of the rows. Where it
	// compares rows, that is more than a tenth of the comparisons, and more than half as many as shuffled labels break.
	NotTrue diag.Code = "W553"

	// NoScores warns of implications in R where softmax learns label sets, whose f at a label is not a score of the label.
	NoScores diag.Code = "W555"

	// EmbedOneSided warns of one-sided invariances under method embed, whose R bounds representations and not the score.
	//
	// Example:
	//  invariance a = rms over x of implies(cat, animal)
	//  method embed
	EmbedOneSided diag.Code = "W556"

	// LongPaths warns of paths that are long for the kernel's width. No number of nodes that fits shows what f does between
	// them, and the gap that was asked for is not reached.
	LongPaths diag.Code = "W557"

	// EmptyForSome warns of a condition that no element satisfies for some of the elements around it.
	EmptyForSome diag.Code = "W558"

	// TextNotInData warns of a text in a condition that its column has in no row.
	TextNotInData diag.Code = "W559"
)
