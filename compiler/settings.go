package compiler

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// laplacianWord is the kernel whose functions have kinks, hashingWord the features of the linear kernel alone.
const (
	laplacianWord = "laplacian"
	hashingWord   = "hashing"
)

// A Kernel is k.
type Kernel struct {
	Name   string // gaussian, laplacian, linear or polynomial
	Width  Width  // of gaussian and laplacian
	Degree int    // of polynomial
	Offset float64
	Place  diag.Span
}

// A Width is a length, or a multiple of the median distance between training rows.
type Width struct {
	Value    float64
	OfMedian bool
}

// Features is the feature map φ.
type Features struct {
	Name      string // nystrom, fourier, hashing or exact
	Landmarks Landmarks
	Select    string // of nystrom's landmarks, where they are many: leverage or kmeans
	Rank      int    // leading directions that nystrom keeps; 0: all
	Count     int    // of fourier
	Bits      int    // of hashing
	Seed      uint64 // of fourier, hashing and the draw of landmarks, where HasSeed; else the run's
	HasSeed   bool
	Place     diag.Span
}

// Landmarks are the points of a Nyström map.
type Landmarks struct {
	Kind   LandmarkKind
	Count  int     // of CountLandmarks, where PerRow is 0
	PerRow float64 // of CountLandmarks: multiples of the number of training rows
}

// A LandmarkKind says where landmarks come from.
type LandmarkKind int

// The kinds of landmarks.
const (
	AllLandmarks   LandmarkKind = iota // the training rows and the points at which the invariances evaluate f
	RowLandmarks                       // the training rows
	CountLandmarks                     // that many, drawn from all
)

// A Method is how f or the representation is found.
type Method string

// The methods.
const (
	Embed Method = "embed" // convex Euclidean embedding, then a linear learner
	Warp  Method = "warp"  // the closed form; R is quadratic
	Plain Method = "plain" // R = 0
	Dual  Method = "dual"  // regularized risk over dual coefficients
	Risk  Method = "risk"  // regularized risk over f
)

// A Decoding is how labels are decided from scores.
type Decoding string

// The decodings.
const (
	Signs   Decoding = ""        // each label by its own sign
	Closure Decoding = "closure" // what implies another label lends it its score
)

// A Learn is the learner.
type Learn struct {
	Name   string  // svm, logistic, softmax or ridge
	C      float64 // of svm, logistic and softmax: the weight of the loss
	Lambda float64 // of ridge: the weight of the penalty
	// Probabilities says of svm that scores also become probabilities.
	Probabilities bool
	Place         diag.Span
}

// String is the learner as a spec writes it.
func (l Learn) String() string {
	switch l.Name {
	case "":
		return ""
	case ridge:
		return fmt.Sprintf("%s(lambda = %g)", l.Name, l.Lambda)
	}
	if l.Probabilities {
		return fmt.Sprintf("%s(C = %g, probabilities = on)", l.Name, l.C)
	}
	return fmt.Sprintf("%s(C = %g)", l.Name, l.C)
}

const anyPositive = math.SmallestNonzeroFloat64

var kernelSchemas = map[string][]plugins.Arg{
	"gaussian":    {{Name: "width", Kind: kindWidth, Doc: "s in exp(−‖x−x′‖²/2s²)", Default: tree.OfMedian, Min: anyPositive, Max: math.MaxFloat64}},
	laplacianWord: {{Name: "width", Kind: kindWidth, Doc: "s in exp(−‖x−x′‖/s)", Default: tree.OfMedian, Min: anyPositive, Max: math.MaxFloat64}},
	"linear":      {},
	"polynomial": {
		{Name: "degree", Kind: plugins.KindCount, Doc: "d in (⟨x, x′⟩ + c)^d", Default: "2", Min: 1, Max: 64},
		{Name: "offset", Kind: plugins.KindNumber, Doc: "c in (⟨x, x′⟩ + c)^d", Default: "1", Min: 0, Max: math.MaxFloat64},
	},
}

// The learners that more than their schemas speak of.
const (
	ridge   = "ridge"
	softmax = "softmax"
	svm     = "svm"
)

// The words of a switch.
const (
	on  = "on"
	off = "off"
)

var featureSchemas = map[string][]plugins.Arg{
	"nystrom": {
		{Name: "landmarks", Kind: kindLandmarks, Doc: "all, rows, or how many", Default: "all", Min: 1, Max: math.MaxInt32},
		{Name: "rank", Kind: plugins.KindCount, Doc: "how many leading directions are kept", Optional: true, Min: 1, Max: math.MaxInt32},
		{Name: "select", Kind: plugins.KindChoice, Doc: "how landmarks are drawn where they are many", Default: "leverage", Choices: []string{"leverage", "kmeans"}},
		tree.SeedArg,
	},
	"fourier": {
		{Name: "count", Kind: plugins.KindCount, Doc: "how many random features", Default: "1024", Min: 1, Max: 1 << 20},
		tree.SeedArg,
	},
	hashingWord: {
		{Name: "bits", Kind: plugins.KindCount, Doc: "2^bits features", Default: "12", Min: 1, Max: 20},
		tree.SeedArg,
	},
	"exact": {},
}

// The default weights of the losses. Representations have norm 1 in the mean, so that these depend on no scale; the logistic
// loss pulls less than the hinge does and needs more weight.
const (
	hingeWeight    = 1
	logisticWeight = 100
	ridgeWeight    = 1 // of the penalty
)

func lossWeight(standard int) []plugins.Arg {
	return []plugins.Arg{{
		Name: "C", Kind: plugins.KindNumber, Doc: "the weight of the loss", Default: strconv.Itoa(standard), Min: anyPositive, Max: math.MaxFloat64,
	}}
}

var learnSchemas = map[string][]plugins.Arg{
	svm: append(lossWeight(hingeWeight), plugins.Arg{
		Name: "probabilities", Kind: plugins.KindChoice, Doc: "whether scores also become probabilities, by folds", Default: off, Choices: []string{off, on},
	}),
	"logistic": lossWeight(logisticWeight), softmax: lossWeight(logisticWeight),
	ridge: {{Name: "lambda", Kind: plugins.KindNumber, Doc: "the weight of the penalty", Default: strconv.Itoa(ridgeWeight), Min: anyPositive, Max: math.MaxFloat64}},
}

// learners are those that fit a task, the default first.
var learners = map[Task][]string{
	Binary:     {svm, "logistic", ridge},
	Class:      {softmax, svm, "logistic", ridge},
	Multilabel: {svm, "logistic", softmax, ridge},
	Real:       {ridge},
}

var methods = []string{string(Embed), string(Warp), string(Plain), string(Dual), string(Risk)}

// settings compiles kernel, features, learn, method, decode and seed.
func (p *pass) settings() {
	in := p.instance
	p.jointly(func() { in.Kernel = p.kernel() })
	p.jointly(func() { in.Features = p.features() })
	p.suits()
	p.jointly(func() { in.Learn = p.learn() })
	in.Method = p.method()
	p.learnable()
	in.Decode = p.decode()
	in.Seed, in.HasSeed = p.seed()
}

// settingNouns are what settings name.
var settingNouns = map[string]string{"kernel": "kernel", "features": "feature map", "learn": "learner"}

// named splits a setting's value into a word and arguments and finds the word's schema.
func (p *pass) named(keyword string, schemas map[string][]plugins.Arg) (name string, v []*tree.Value, place diag.Span, ok bool) {
	set := p.decls.settings[keyword]
	p.section = keyword
	var id *dsl.Ident
	var args []*dsl.Arg
	switch e := set.Value.(type) {
	case *dsl.Ident:
		id = e
	case *dsl.Call:
		id, args = e.Fun, e.Args
	default:
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is no " + settingNouns[keyword], Mend: "Known here: " + strings.Join(tree.SortedKeys(schemas), ", ") + "."})
		return "", nil, set.Span(), false
	}
	schema, known := schemas[id.Name]
	if !known && p.poison[id.Name] {
		return "", nil, set.Span(), false
	}
	if !known {
		p.misnamed(id.Name, tree.SortedKeys(schemas), &diag.Diagnostic{Code: codes.UnknownChoice, Subject: id.Span(), Summary: fmt.Sprintf("there is no %s %s", settingNouns[keyword], shown(id))})
		return "", nil, set.Span(), false
	}
	p.place = keyword
	v, ok = p.arguments(schema, id.Name, args, set.Value.Span(), nil)
	return id.Name, v, set.Value.Span(), ok
}

func (p *pass) kernel() Kernel {
	if p.decls.settings["kernel"] == nil {
		p.missing("kernel", "kernel", "kernel gaussian(width = median)")
		return Kernel{}
	}
	name, v, place, ok := p.named("kernel", kernelSchemas)
	if !ok {
		return Kernel{}
	}
	k := Kernel{Name: name, Place: place}
	switch name {
	case "gaussian", laplacianWord:
		k.Width = Width{Value: v[0].Quantity.Value, OfMedian: v[0].Quantity.Unit == tree.OfMedian}
	case "polynomial":
		k.Degree, k.Offset = p.plainCount(v[0]), v[1].Quantity.Value
	}
	return k
}

func (p *pass) features() Features {
	if p.decls.settings["features"] == nil {
		p.missing("features", "feature map", "features nystrom(landmarks = all)")
		return Features{}
	}
	name, v, place, ok := p.named("features", featureSchemas)
	if !ok {
		return Features{}
	}
	f := Features{Name: name, Place: place}
	if name != "exact" {
		if s := v[len(v)-1]; s != nil {
			f.Seed, f.HasSeed = uint64(p.plainCount(s)), true
		}
	}
	switch name {
	case "nystrom":
		f.Landmarks = landmarks(v[0])
		if v[1] != nil {
			f.Rank = p.plainCount(v[1])
		}
		f.Select = v[2].Text
	case "fourier":
		f.Count = p.plainCount(v[0])
	case hashingWord:
		f.Bits = p.plainCount(v[0])
	}
	return f
}

// suits reports features that do not stand for the kernel.
func (p *pass) suits() {
	kernel, features := p.instance.Kernel, p.instance.Features
	kernels := map[string][]string{"fourier": {"gaussian", laplacianWord}, hashingWord: {"linear"}}[features.Name]
	if kernels == nil || kernel.Name == "" || slices.Contains(kernels, kernel.Name) {
		return
	}
	d := p.report(&diag.Diagnostic{Code: codes.WrongFeatures, Subject: features.Place, Summary: fmt.Sprintf("%s features do not stand for the %s kernel", features.Name, kernel.Name), Mend: fmt.Sprintf("They stand for %s; nystrom and exact features for every kernel.", strings.Join(kernels, " and "))})
	p.offer(d, "write nystrom(landmarks = all)", features.Place, "nystrom(landmarks = all)")
}

func landmarks(v *tree.Value) Landmarks {
	switch {
	case v.Text == "all":
		return Landmarks{Kind: AllLandmarks}
	case v.Text == tree.RowsWord:
		return Landmarks{Kind: RowLandmarks}
	case v.Quantity.Unit == tree.PerRow:
		return Landmarks{Kind: CountLandmarks, PerRow: v.Quantity.Value}
	}
	return Landmarks{Kind: CountLandmarks, Count: int(v.Quantity.Value)}
}

func (p *pass) learn() Learn {
	task := p.instance.Data.Target.Task
	if p.decls.settings["learn"] == nil {
		if task == NoTask {
			return Learn{}
		}
		switch name := learners[task][0]; name {
		case ridge:
			return Learn{Name: name, Lambda: ridgeWeight}
		case softmax:
			return Learn{Name: name, C: logisticWeight}
		default:
			return Learn{Name: name, C: hingeWeight}
		}
	}
	name, v, place, ok := p.named("learn", learnSchemas)
	if !ok {
		return Learn{}
	}
	if task != NoTask && !slices.Contains(learners[task], name) {
		d := p.report(&diag.Diagnostic{Code: codes.WrongLearner, Subject: place, Summary: fmt.Sprintf("%s does not learn a %s target", name, task), Mend: "Take " + strings.Join(learners[task], " or ") + "."})
		p.offer(d, "write "+learners[task][0], place, learners[task][0])
	}
	l := Learn{Name: name, Place: place}
	if name == ridge {
		l.Lambda = v[0].Quantity.Value
	} else {
		l.C = v[0].Quantity.Value
	}
	l.Probabilities = name == svm && v[1].Text == on
	return l
}

// method returns the method that the spec names; none means that settle fixes it.
func (p *pass) method() Method {
	set := p.decls.settings["method"]
	if set == nil {
		return ""
	}
	p.section = "method"
	v := p.argument(&plugins.Arg{Name: "method", Kind: plugins.KindChoice, Choices: methods, Doc: "how f or the representation is found"}, set.Value, nil)
	if v == nil {
		return Embed
	}
	return Method(v.Text)
}

// LearnsSets reports whether the learner is softmax on labels, which learns their sets.
func (in *Instance) LearnsSets() bool {
	return in.Learn.Name == softmax && in.Data.Target.Task == Multilabel
}

// learnable refuses a learner whose loss the method cannot minimize.
func (p *pass) learnable() {
	if in := p.instance; in.Method == Dual && in.LearnsSets() {
		d := p.report(&diag.Diagnostic{
			Code: codes.WrongLearner, Subject: in.Learn.Place, Summary: "method dual does not learn label sets by softmax",
			Detail: "On labels softmax learns sets, whose certificate this method lacks.", Mend: "Take method risk, which finds the same f, or svm or logistic or ridge.",
		})
		p.offer(d, "write svm", in.Learn.Place, svm)
	}
}

func (p *pass) decode() Decoding {
	set := p.decls.settings["decode"]
	if set == nil {
		return Signs
	}
	p.section = "decode"
	v := p.argument(&plugins.Arg{Name: "decode", Kind: plugins.KindChoice, Choices: []string{string(Closure)}, Doc: "how labels are decided from scores"}, set.Value, nil)
	if v == nil {
		return Signs
	}
	if task := p.instance.Data.Target.Task; task != NoTask && task != Multilabel {
		p.report(&diag.Diagnostic{Code: codes.WrongType, Subject: set.Value.Span(), Summary: fmt.Sprintf("closure is between labels, and the target is %s", task), Mend: "Leave decode out."})
	}
	return Closure
}

func (p *pass) seed() (uint64, bool) {
	set := p.decls.settings["seed"]
	if set == nil {
		return 0, false
	}
	p.section = "seed"
	arg := tree.SeedArg
	arg.Doc = "the seed of every draw"
	v := p.argument(&arg, set.Value, nil)
	if v == nil {
		return 0, false
	}
	return uint64(p.plainCount(v)), true
}
