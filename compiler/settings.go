package compiler

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// laplacianWord is the kernel whose functions have kinks.
const laplacianWord = "laplacian"

// anyPositive is the bound of numbers that must be greater than 0, whatever their size.
const anyPositive = math.SmallestNonzeroFloat64

// Bounds of the numbers of kernels and learners. Beyond them squares of these numbers, or of what is divided by them, overflow.
const (
	leastWidth    = 1e-50
	mostWidth     = 1e50
	leastStrength = 1e-100
	mostStrength  = limits.LargestNumber
	leastMargin   = 1e-6
)

// kernelSchemas has the kernels with their arguments. The default width is the median distance
// between training rows: at it, exp(−‖x − x′‖²/2s²) is neither 0 nor 1 for most pairs.
var kernelSchemas = map[string][]plugins.Arg{
	"gaussian":               {{Name: "width", Kind: values.KindWidth, Doc: "s in exp(−‖x−x′‖²/2s²)", Default: tree.OfMedian, Min: leastWidth, Max: mostWidth}},
	laplacianWord:            {{Name: "width", Kind: values.KindWidth, Doc: "s in exp(−‖x−x′‖/s)", Default: tree.OfMedian, Min: leastWidth, Max: mostWidth}},
	string(setting.Matern32): lineSchemas["matern32"], string(setting.Matern52): lineSchemas["matern52"],
	string(setting.Additive): {ofEach}, string(setting.Pairwise): {ofEach, onlyPairs},
	"linear": {},
	"polynomial": {
		{Name: "degree", Kind: plugins.KindCount, Doc: "d in (⟨x, x′⟩ + c)^d", Default: "2", Min: 1, Max: 64},
		{Name: "offset", Kind: plugins.KindNumber, Doc: "c in (⟨x, x′⟩ + c)^d", Default: "1", Min: 0, Max: limits.LargestNumber},
	},
}

// The learners that more than their schemas speak of.
const (
	ridge   = "ridge"
	softmax = "softmax"
	svm     = "svm"
	poisson = "poisson"

	quantileWord = string(setting.Quantile)
)

// The words of a switch, and of the losses of svm.
const (
	on  = "on"
	off = "off"

	hingeWord   = "hinge"
	squaredWord = "squared"
)

// featureSchemas has the feature maps with their arguments. All have finitely many features, as R
// is computed in features.
var featureSchemas = map[string][]plugins.Arg{
	"nystrom": {
		{Name: "landmarks", Kind: values.KindLandmarks, Doc: "all, rows, or how many", Default: "all", Min: 1, Max: math.MaxInt32},
		{Name: "rank", Kind: plugins.KindCount, Doc: "how many leading directions are kept", Optional: true, Min: 1, Max: math.MaxInt32},
		{Name: "select", Kind: plugins.KindChoice, Doc: "how landmarks are drawn where they are many", Default: "leverage", Choices: []string{"leverage", "kmeans"}},
		tree.SeedArg,
	},
	"fourier": {
		{Name: "count", Kind: plugins.KindCount, Doc: "how many random features", Default: "1024", Min: 1, Max: 1 << 20},
		tree.SeedArg,
	},
	"hashing": {
		{Name: "bits", Kind: plugins.KindCount, Doc: "2^bits features", Default: "12", Min: 1, Max: 20},
		tree.SeedArg,
	},
	"exact": {},
}

// The default weights of the losses. Representations have norm 1 in the mean, so that these depend
// on no scale. The logistic loss pulls less than the hinge does and needs more weight.
const (
	hingeWeight    = 1
	logisticWeight = 100
	poissonWeight  = 10
	quantileWeight = 1
	ridgeWeight    = 1 // of the penalty
)

// lossWeight returns the schema of a loss's weight, with its default.
func lossWeight(standard int) []plugins.Arg {
	return []plugins.Arg{{
		Name: "C", Kind: plugins.KindNumber, Doc: "the weight of the loss", Default: strconv.Itoa(standard), Min: leastStrength, Max: mostStrength,
	}}
}

// learnSchemas has the learners with their arguments. C multiplies the loss, lambda the penalty.
var learnSchemas = map[string][]plugins.Arg{
	svm: append(lossWeight(hingeWeight), plugins.Arg{
		Name: "probabilities", Kind: plugins.KindChoice, Doc: "whether scores also become probabilities, by folds", Default: off, Choices: []string{off, on},
	}, plugins.Arg{
		Name: "loss", Kind: plugins.KindChoice, Doc: "the hinge as it is, or its square", Default: hingeWord, Choices: []string{hingeWord, squaredWord},
	}),
	"logistic": lossWeight(logisticWeight), softmax: lossWeight(logisticWeight), poisson: lossWeight(poissonWeight),
	quantileWord: slices.Insert(lossWeight(quantileWeight), 0, plugins.Arg{
		Name: "levels", Kind: plugins.KindNumber, Doc: "levels between 0 and 1, in rising order: 0.1, 0.5, 0.9", Min: anyPositive, Max: 1,
	}),
	ridge: {{Name: "lambda", Kind: plugins.KindNumber, Doc: "the weight of the penalty", Default: strconv.Itoa(ridgeWeight), Min: leastStrength, Max: mostStrength}},
}

// learners are those that fit a task, the default first.
var learners = map[setting.Task][]string{
	setting.Binary:     {svm, "logistic", ridge},
	setting.Class:      {softmax, svm, "logistic", ridge},
	setting.Multilabel: {svm, "logistic", softmax, ridge},
	setting.Real:       {ridge, poisson, quantileWord},
	setting.Counts:     {poisson},
	setting.Quantiles:  {quantileWord},
}

// methods has the words of `method`, in the order in which they are listed.
var methods = []string{string(setting.Embed), string(setting.Warp), string(setting.Plain), string(setting.Dual), string(setting.Risk)}

// settings compiles kernel, features, learn, method, decode and seed. Each is judged together with
// the grids that stand in it, and then against those that it must suit.
func settings(p *names.Pass) {
	in := p.Out
	values.Jointly(p, func() { in.Kernel = kernel(p) })
	values.Jointly(p, func() { in.Features = features(p) })
	suits(p)
	values.Jointly(p, func() { in.Learn = learn(p) })
	in.Method = method(p)
	learnable(p)
	in.Decode = decode(p)
	in.Seed, in.HasSeed = seed(p)
}

// settingNouns are what settings name.
var settingNouns = map[string]string{kernelWord: kernelWord, "features": "feature map", "learn": "learner"}

// usual are the values that a missing setting is offered with.
var usual = map[string]string{kernelWord: "gaussian(width = median)", "features": "nystrom(landmarks = all)"}

// namedChoice splits a setting's value into a word and arguments and finds the word's schema. A
// setting that the spec lacks is reported, with a line that adds it. An unknown word comes with the
// nearest known one. Ok is false in both cases, and the caller leaves the setting as it is.
func namedChoice(p *names.Pass, keyword string, schemas map[string][]plugins.Arg) (name string, v []*tree.Value, ok bool) {
	set := p.Decls.Settings[keyword]
	if set == nil {
		missing(p, keyword, settingNouns[keyword], keyword+" "+usual[keyword])
		return "", nil, false
	}
	p.Section = keyword
	id, args := dsl.Called(set.Value)
	if id == nil {
		e := set.Value
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is not a " + settingNouns[keyword], Mend: "Available: " + strings.Join(tree.SortedKeys(schemas), ", ") + "."})
		return "", nil, false
	}
	schema, known := schemas[id.Name]
	if !known && p.Poison[id.Name] {
		return "", nil, false
	}
	if !known {
		fit := tree.SortedKeys(schemas)
		if fitting := learners[p.Out.Data.Target.Task]; keyword == "learn" && len(fitting) > 0 {
			fit = fitting // a word near to that of another task would lead to the next error
		}
		p.Misnamed(id.Name, fit, &diag.Diagnostic{Code: codes.UnknownChoice, Subject: id.Span(), Summary: fmt.Sprintf("there is no %s %s", settingNouns[keyword], names.Shown(id))})
		return "", nil, false
	}
	p.Place = keyword
	if keyword == "learn" && id.Name == quantileWord {
		if args, ok = levels(p, args, set.Value.Span()); !ok {
			return "", nil, false
		}
		schema = schema[1:]
	}
	v, ok = values.Arguments(p, schema, id.Name, args, set.Value.Span(), nil)
	return id.Name, v, ok
}

// kernel compiles the kernel, which a spec must name: no default suits all data.
func kernel(p *names.Pass) setting.Kernel {
	if set := p.Decls.Settings[kernelWord]; set != nil {
		if id, args := dsl.Called(set.Value); id != nil && (id.Name == string(setting.Additive) || id.Name == string(setting.Pairwise)) {
			return kernelOfColumns(p, id, args)
		}
	}
	name, v, ok := namedChoice(p, kernelWord, kernelSchemas)
	if !ok {
		return setting.Kernel{}
	}
	k := setting.Kernel{Kind: setting.KernelKind(name)}
	switch name {
	case "gaussian", laplacianWord, string(setting.Matern32), string(setting.Matern52):
		k.Width, k.OfMedian = v[0].Quantity.Value, v[0].Quantity.Unit == tree.OfMedian
	case "polynomial":
		k.Degree, k.Offset = values.PlainCount(p, v[0]), v[1].Quantity.Value
		if power := math.Pow(k.Offset, float64(k.Degree)); power > limits.LargestKernel {
			p.Report(&diag.Diagnostic{
				Code: codes.OutOfRange, Subject: v[1].Place, Summary: fmt.Sprintf("the kernel is at least %g to the power of %d, which is %.3g", k.Offset, k.Degree, power),
				Detail: fmt.Sprintf("Values of a kernel beyond %g overflow.", limits.LargestKernel), Mend: "Write a smaller offset or a smaller degree.",
			})
		}
	}
	return k
}

// features compiles the feature map, which a spec must name as well.
func features(p *names.Pass) setting.Features {
	name, v, ok := namedChoice(p, "features", featureSchemas)
	if !ok {
		return setting.Features{}
	}
	f := setting.Features{Kind: setting.FeatureKind(name)}
	switch f.Kind {
	case setting.Nystrom:
		landmarks(&f, v[0])
		if v[1] != nil {
			f.Rank = values.PlainCount(p, v[1])
		}
		f.Draw = setting.Draw(v[2].Text)
	case setting.Fourier:
		f.Count = values.PlainCount(p, v[0])
	case setting.Hashing:
		f.Bits = values.PlainCount(p, v[0])
	}
	if f.Kind != setting.Exact && v[len(v)-1] != nil {
		f.Seed, f.HasSeed = uint64(values.PlainCount(p, v[len(v)-1])), true
	}
	return f
}

// suits reports features that do not stand for the kernel. Random Fourier features sample the
// spectrum of a stationary kernel, and hashed ones keep inner products alone. Nyström and exact
// features stand for every kernel.
func suits(p *names.Pass) {
	kernel, features := p.Out.Kernel, p.Out.Features
	kernels := map[setting.FeatureKind][]string{setting.Fourier: {"gaussian", laplacianWord}, setting.Hashing: {"linear"}}[features.Kind]
	if kernels == nil || kernel.Kind == "" || slices.Contains(kernels, string(kernel.Kind)) {
		return
	}
	at := p.Decls.Settings["features"].Value.Span()
	d := p.Report(&diag.Diagnostic{Code: codes.WrongFeatures, Subject: at, Summary: fmt.Sprintf("%s features do not stand for the %s kernel", features.Kind, kernel.Kind), Mend: fmt.Sprintf("They stand for %s; nystrom and exact features for every kernel.", strings.Join(kernels, " and "))})
	p.Offer(d, "write nystrom(landmarks = all)", at, "nystrom(landmarks = all)")
}

// landmarks sets which landmarks features have: all points at which R evaluates f, the rows alone,
// or how many are drawn.
func landmarks(f *setting.Features, v *tree.Value) {
	switch {
	case v.Text != "":
		f.Landmarks = setting.Landmarks(v.Text)
	case v.Quantity.Unit == tree.PerRow:
		f.Landmarks, f.PerRow = setting.CountLandmarks, v.Quantity.Value
	default:
		f.Landmarks, f.Count = setting.CountLandmarks, int(v.Quantity.Value)
	}
}

// learn compiles the learner. Left out, it is the one that fits the task.
func learn(p *names.Pass) setting.Learner {
	task := p.Out.Data.Target.Task
	if p.Decls.Settings["learn"] == nil {
		if task == setting.NoTask {
			return setting.Learner{}
		}
		name := learners[task][0]
		return setting.Learner{Kind: setting.LearnerKind(name), Strength: map[string]float64{ridge: ridgeWeight, softmax: logisticWeight, svm: hingeWeight}[name]}
	}
	name, v, ok := namedChoice(p, "learn", learnSchemas)
	if !ok {
		return setting.Learner{}
	}
	if task != setting.NoTask && !slices.Contains(learners[task], name) {
		place := p.Decls.Settings["learn"].Value.Span()
		d := p.Report(&diag.Diagnostic{Code: codes.WrongLearner, Subject: place, Summary: fmt.Sprintf("%s does not learn a %s target", name, task), Mend: "Take " + strings.Join(learners[task], " or ") + "."})
		p.Offer(d, "write "+learners[task][0], place, learners[task][0])
	}
	// What f is decides what the scores, figures and predictions of the target are.
	switch {
	case task == setting.Real && name == poisson:
		p.Out.Data.Target.Task = setting.Counts
	case task == setting.Real && name == quantileWord:
		p.Out.Data.Target.Task = setting.Quantiles
	}
	l := setting.Learner{Kind: setting.LearnerKind(name), Strength: v[0].Quantity.Value}
	if name == svm {
		l.Probabilities = v[1].Text == on
		if v[2].Text == squaredWord {
			l.Kind = setting.SquaredSVM
		}
	}
	return l
}

// levels compiles those of learn quantile(0.1, 0.5, C = 1), the arguments without a name, and returns the others. It returns false
// where they are no levels, which is reported (codes.MissingArgument, codes.OutOfRange).
func levels(p *names.Pass, args []*dsl.Arg, at diag.Span) (others []*dsl.Arg, ok bool) {
	const mend = "Write the levels in rising order, as in quantile(0.1, 0.5, 0.9)."
	// A grid would be met in its section, and no level may come from one.
	defer func(section string) { p.Section = section }(p.Section)
	p.Section = tree.LevelsWord
	var found []float64
	for _, a := range args {
		if a.Name != nil {
			others = append(others, a)
			continue
		}
		q, ok := values.Plain(p, a.Value, nil)
		if !ok {
			return nil, false
		}
		found = append(found, q.Value)
		if err := setting.CheckLevels(found); err != nil {
			p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: a.Span(), Summary: err.Error(), Mend: mend})
			return nil, false
		}
	}
	if found == nil {
		p.Report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: at, Summary: "quantile needs levels between 0 and 1", Mend: mend})
		return nil, false
	}
	p.Out.Data.Target.Levels = found
	return others, true
}

// method returns the method that the spec names. Empty means that settle fixes it, once it is known
// which invariances are one-sided.
func method(p *names.Pass) setting.Method {
	set := p.Decls.Settings["method"]
	if set == nil {
		return ""
	}
	p.Section = "method"
	if id, args := dsl.Called(set.Value); len(args) > 0 && id.Name == string(setting.Risk) {
		margin(p, id.Name, args, set.Value.Span())
		return setting.Risk
	}
	v := values.Argument(p, &plugins.Arg{Name: "method", Kind: plugins.KindChoice, Choices: methods, Doc: "how f or the representation is found"}, set.Value, nil)
	if v == nil {
		return ""
	}
	return setting.Method(v.Text)
}

// riskSchema has the arguments of method risk. Margins below its least would leave hardly anything to prove.
var riskSchema = []plugins.Arg{{Name: "margin", Kind: plugins.KindNumber, Doc: "what statements are fitted with, as a share of their size", Min: leastMargin, Max: 1}}

// margin compiles method risk(margin = m). The margin is what a fit leaves between a statement and its bound at the points that it looks at. It is a
// share of the statement's size. So it is refused where nothing is required. No grid stands for it, as a run chooses from grids by how well
// it predicts.
func margin(p *names.Pass, name string, args []*dsl.Arg, at diag.Span) {
	v, ok := values.Arguments(p, riskSchema, name, args, at, nil)
	switch {
	case !ok:
	case len(p.Decls.Requires) == 0:
		d := p.Report(&diag.Diagnostic{Code: codes.UnknownArgument, Subject: at, Summary: "a margin is that of statements, and none is required", Mend: "Write method risk, or require a statement."})
		p.Offer(d, "write risk", at, name)
	default:
		p.Out.Margin = v[0].Quantity.Value
	}
}

// learnable refuses a learner whose loss the method cannot minimize with a certificate. Softmax on
// labels learns sets of them, a loss over all sets that occur. Method dual has no certificate for
// it.
func learnable(p *names.Pass) {
	if in := p.Out; in.Method == setting.Dual && learnsSets(in) {
		d := p.Report(&diag.Diagnostic{
			Code: codes.WrongLearner, Subject: p.Decls.Settings["learn"].Value.Span(), Summary: "method dual does not learn label sets by softmax",
			Detail: "On labels softmax learns sets, whose certificate this method lacks.", Mend: "Take method risk, which finds the same f, or svm or logistic or ridge.",
		})
		p.Offer(d, "write svm", p.Decls.Settings["learn"].Value.Span(), svm)
	}
}

// decode compiles how labels are decided from scores.
func decode(p *names.Pass) setting.Decoding {
	set := p.Decls.Settings["decode"]
	if set == nil {
		return setting.Signs
	}
	p.Section = "decode"
	v := values.Argument(p, &plugins.Arg{Name: "decode", Kind: plugins.KindChoice, Choices: []string{string(setting.Closure)}, Doc: "how labels are decided from scores"}, set.Value, nil)
	if v == nil {
		return setting.Signs
	}
	if task := p.Out.Data.Target.Task; task != setting.NoTask && task != setting.Multilabel {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: set.Value.Span(), Summary: fmt.Sprintf("closure is between labels, and the target is %s", task), Mend: "Leave decode out."})
	}
	return setting.Closure
}

// seed compiles the seed of every draw. Ok is false where the spec gives none.
func seed(p *names.Pass) (uint64, bool) {
	set := p.Decls.Settings["seed"]
	if set == nil {
		return 0, false
	}
	p.Section = "seed"
	arg := tree.SeedArg
	arg.Doc = "the seed of every draw"
	v := values.Argument(p, &arg, set.Value, nil)
	if v == nil {
		return 0, false
	}
	return uint64(values.PlainCount(p, v)), true
}

// missing reports a declaration that a spec needs, with a line that adds it. Where a statement with
// its keyword failed to parse, nothing is missing.
func missing(p *names.Pass, keyword, what, write string) {
	if p.Lost[keyword] || p.Lost[""] {
		return
	}
	at := diag.Span{File: p.File.Name, Start: diag.Pos{Line: 1, Column: 1}, End: diag.Pos{Line: 1, Column: 1}}
	d := p.Report(&diag.Diagnostic{Code: codes.MissingDeclaration, Subject: at, Summary: "the spec has no " + what, Mend: "Add a line such as " + write + "."})
	if keyword != tree.DataWord { // whose names nobody knows
		p.Offer(d, "add "+write, endOf(p.File), lineAtEnd(p.File.Source, write))
	}
}

// endOf returns the empty span behind a file's text.
func endOf(file *dsl.File) diag.Span {
	before := file.Source
	at := diag.Pos{Offset: len(before), Line: 1 + bytes.Count(before, []byte("\n"))}
	at.Column = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return diag.Span{File: file.Name, Start: at, End: at}
}

// lineAtEnd returns a line to be put behind a text, on a line of its own.
func lineAtEnd(source []byte, line string) string {
	if len(source) > 0 && source[len(source)-1] != '\n' {
		line = "\n" + line
	}
	return line + "\n"
}
