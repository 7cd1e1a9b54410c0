// Package report holds the results of a run, as one JSON object or a table for a terminal, and the progress on the way.
//
// The JSON object has the same fields in the same order at every run. Numbers are finite; a figure that is not defined is
// null. Everything but the timing is the same for the same spec, data and seed.
package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/metric"
)

// A Report is the outcome of a run.
type Report struct {
	Spec   string `json:"spec"` // path of the spec, as given
	Data   string `json:"data"` // path of the data, as given
	Test   string `json:"test,omitempty"`
	Method string `json:"method"` // embed, warp, risk, dual, plain
	// MethodReason says why this method was taken: "every invariance is a seminorm".
	MethodReason string `json:"method_reason"`
	Task         string `json:"task"` // binary, class, real, multilabel
	NTrain       int    `json:"n_train"`
	NValid       int    `json:"n_valid,omitempty"`      // rows that decided between the values of grids
	NUnlabelled  int    `json:"n_unlabelled,omitempty"` // further rows that R sees
	// Weight is the sum of the training rows' weights; absent where each counts once.
	Weight float64 `json:"weight,omitempty"`
	// WeightBy says by what rows are weighed: a column, or balanced. ClassWeights are the weights of classes that are balanced; absent where they are not.
	WeightBy     string        `json:"weight_by,omitempty"`
	ClassWeights []ClassWeight `json:"class_weights,omitempty"`

	LearnUnder []string `json:"learn_under,omitempty"` // the maps of which the worst loss of each row counts
	NLearnt    int      `json:"n_learnt,omitempty"`    // rows that the learner was fitted to, with copies; absent without copies
	NTest      int      `json:"n_test"`
	Labels     int      `json:"labels,omitempty"` // m, where f is a function of the label too
	Dim        int      `json:"dim"`              // of the feature map, d

	// Scale is the factor of embeddings: their mean squared norm over the training rows is then 1. Absent where there are none.
	Scale float64 `json:"scale,omitempty"`

	Metrics     Metrics          `json:"metrics"`
	Under       []Under          `json:"under,omitempty"` // on transformed test rows
	Baseline    *Contender       `json:"baseline,omitempty"`
	Rivals      []Contender      `json:"rivals,omitempty"`
	Certificate *Certificate     `json:"certificate"`        // null where no embedding was solved for
	Required    []Requirement    `json:"required,omitempty"` // statements that the function keeps everywhere on their regions
	Regularizer []Summand        `json:"regularizer"`
	Measures    []Summand        `json:"measures,omitempty"`      // that R does not hold; their weight is 0
	Roots       []string         `json:"auprc_without,omitempty"` // labels that auprc leaves out
	Unseen      []dataset.Unseen `json:"unseen,omitempty"`        // what test rows hold that no training row does
	Lint        []Lint           `json:"lint,omitempty"`          // are the invariances true of the labels of the training rows
	Span        *Span            `json:"span,omitempty"`
	Landmarks   *Landmarks       `json:"landmarks,omitempty"` // that were drawn of many points; absent where all were taken, or the spec counts them
	Learner     *Solution        `json:"learner,omitempty"`
	Grid        *Grid            `json:"grid,omitempty"`

	Timing     Timing     `json:"timing,omitzero"`
	Seed       uint64     `json:"seed"`
	SpecSHA256 string     `json:"spec_sha256"`
	DataSHA256 string     `json:"data_sha256"`
	TestSHA256 string     `json:"test_sha256,omitempty"`
	Families   []Family   `json:"families,omitempty"` // that are programs
	Warnings   []string   `json:"warnings"`
	Expected   []Expected `json:"expected,omitempty"` // of the spec
	Missed     string     `json:"missed,omitempty"`   // that the gap was missed by so much that the results should not be used unseen
	Hints      []string   `json:"hints,omitempty"`    // at changes that might do better

	// All asks the table for every figure, and for those of each class; else it has the few by which a task is told.
	All   bool     `json:"-"`
	Told  []string `json:"-"` // those of the warnings that the caller of the run was told of as diagnostics; the table leaves them out
	Files []string `json:"-"` // that the run wrote
	// Pictures are the paths of a page and of the pictures that it shows.
	Pictures []string `json:"-"`
	// Pages are the paths of the page of the run and of its model card, as far as they were asked for.
	Pages []string `json:"-"`
	// ModelSHA256 is that of the model file among Files.
	ModelSHA256 string   `json:"-"`
	Stale       []string `json:"-"` // embeddings of an earlier run that lie beside them
}

// A ClassWeight says how much a training row of a class counts, in the mean.
type ClassWeight struct {
	Class  string  `json:"class"`
	Rows   int     `json:"rows"`
	Weight float64 `json:"weight"`
}

// WeightLine says how the training rows are weighed; empty where each counts once.
func (r *Report) WeightLine() string {
	if len(r.ClassWeights) == 0 {
		if r.Weight == 0 {
			return ""
		}
		return fmt.Sprintf("%s, by which %s count as %.6g", r.WeightBy, Counted(r.NTrain, "training row"), r.Weight)
	}
	var parts []string
	for _, c := range r.ClassWeights[:min(len(r.ClassWeights), mostWeights)] {
		parts = append(parts, fmt.Sprintf("%s %.4g", c.Class, c.Weight))
	}
	text := r.WeightBy + ", so that classes count alike: a training row of " + strings.Join(parts, ", of ")
	if more := len(r.ClassWeights) - mostWeights; more > 0 {
		text += fmt.Sprintf(" and of %d more classes, which --json lists", more)
	}
	return text
}

// mostWeights bounds the classes that a line names.
const mostWeights = 8

// An Expected is an expectation of a spec, and whether it is met.
type Expected struct {
	Text   string `json:"text"`
	Line   int    `json:"line"` // of the spec, from 1
	Column int    `json:"column"`
	Met    bool   `json:"met"`
	Found  string `json:"found"` // the figures that it names, with their values
}

// Unmet returns a line for each expectation that is not met: its place, its text and the figures that were found.
func (r *Report) Unmet() []string {
	var out []string
	for _, e := range r.Expected {
		if !e.Met {
			out = append(out, fmt.Sprintf("%s:%d:%d: expected %s, found %s", r.Spec, e.Line, e.Column, e.Text, e.Found))
		}
	}
	return out
}

// A Family is a program that a run asked for functionals. Its digests are SHA-256. Asked is that of the data and the calls, Answers
// that of what came back, each in any order. A family that keeps its contract answers the same whenever it is asked the same.
type Family struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Program string `json:"program_sha256"`
	Asked   string `json:"asked_sha256"`
	Answers string `json:"answers_sha256"`
}

// Timing has the seconds of a run, and the linear algebra that it ran on.
type Timing struct {
	metric.Figures        // seconds by phase, in order; "total" is the last
	BLAS           string // the kernels of linear algebra, such as avx512
}

// MarshalJSON writes the seconds, and the kernels of linear algebra after them.
func (t Timing) MarshalJSON() ([]byte, error) {
	return withFields(t.Figures, field{"blas", t.BLAS, t.BLAS != ""})
}

// A field is one of an object, unless it is left out.
type field struct {
	name  string
	value any
	there bool
}

// withFields returns an object of figures, with further fields behind them.
func withFields(figures metric.Figures, fields ...field) ([]byte, error) {
	out, err := json.Marshal(figures)
	for _, f := range fields {
		if !f.there || err != nil {
			continue
		}
		var text []byte
		if text, err = json.Marshal(f.value); err != nil {
			break
		}
		out = bytes.TrimSuffix(out, []byte("}"))
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:%s}", f.name, text)
	}
	return out, err
}

// Metrics are the figures of a task, and the shares of test rows that violate each invariance.
type Metrics struct {
	Figures     metric.Figures
	Violations  metric.Figures // by invariance
	Classes     []metric.Class // each class or label by itself
	Calibration []metric.Bin   // of probabilities, where there are any
}

// MarshalJSON writes one object: the figures, with further fields among them.
func (m Metrics) MarshalJSON() ([]byte, error) {
	return withFields(m.Figures, field{"violations", m.Violations, len(m.Violations) > 0}, field{"classes", m.Classes, len(m.Classes) > 0},
		field{"calibration", m.Calibration, len(m.Calibration) > 0})
}

// Moved are figures on test rows that are moved by a transformation.
type Moved[M any] struct {
	Transformation string `json:"transformation"`
	Metrics        M      `json:"metrics"`
	// Inexact counts the embeddings of a run's moved rows that missed the gap, of so many; absent where all reached it. In a summary, each
	// figure has its own count.
	Inexact int `json:"inexact,omitempty"`
	Of      int `json:"of,omitempty"`
}

// An Under holds the metrics on transformed test rows.
type Under = Moved[Metrics]

// A Contender holds the results of another method on the same rows: the baseline, which has a Method, or a rival, which has a Name.
type Contender struct {
	Method  string  `json:"method,omitempty"`
	Name    string  `json:"name,omitempty"`
	Setting string  `json:"setting,omitempty"` // of a rival
	Metrics Metrics `json:"metrics"`
	Under   []Under `json:"under,omitempty"`
	// Regularizer has each invariance at the baseline's function.
	Regularizer []Summand `json:"regularizer,omitempty"`
	Measures    []Summand `json:"measures,omitempty"`
	// Copies are the transformations under which rows were copied: scores are means over a row and its copies. Empty: none were.
	Copies []string `json:"copies,omitempty"`
	// NCopies is how many copies each row has. An orbit makes one for each of its moves.
	NCopies int `json:"n_copies,omitempty"`
	// Search has the scores of a rival's settings on training rows held out; absent where the setting was given.
	Search []Tried `json:"search,omitempty"`
	// Same says that it is the run's own function, as R = 0 and nothing is required. Its figures are those of the run.
	Same bool `json:"same,omitempty"`
	// Costs says that R makes the first figure worse than the baseline's, beyond chance; absent where it does not.
	Costs *Cost `json:"costs,omitempty"`
	// Learner says how near to its minimum it came; absent where it solves for none.
	Learner *Solution `json:"learner,omitempty"`
	// Grid is the baseline's choice of a strength from the learner's grid; absent if there is no grid.
	Grid *Grid `json:"grid,omitempty"`
}

// own returns the run's own results as those of a contender.
func (r *Report) own() *Contender {
	return &Contender{Method: r.Method, Metrics: r.Metrics, Under: r.Under, Regularizer: r.Regularizer, Measures: r.Measures, Learner: r.Learner, Grid: r.Grid}
}

// Twin returns the run's own results as those of a method that finds the same function.
func (r *Report) Twin(method string) *Contender {
	out := r.own()
	out.Method, out.Same = method, true
	return out
}

// A Cost says how much worse a figure of a run is than that of its baseline. The difference lies from Low to High in 95 % of draws of the test rows.
type Cost struct {
	Metric string `json:"metric"`
	More   Number `json:"difference"` // of the run's figure less the baseline's
	Low    Number `json:"low"`
	High   Number `json:"high"`
	// Strained is the invariance with the largest share of R² at the function that predicts; absent of a single one.
	Strained string `json:"strained,omitempty"`
	Share    Number `json:"share,omitempty"`
}

// summand returns the k-th invariance at the contender's function; nil where there is none, and of no contender.
func (c *Contender) summand(k int) *Summand {
	if c == nil || k >= len(c.Regularizer) {
		return nil
	}
	return &c.Regularizer[k]
}

// A Certificate sums up the relative gaps of the embeddings.
type Certificate struct {
	MaxGap    Number `json:"max_gap"`
	MedianGap Number `json:"median_gap"`
	Target    Number `json:"target"`
	Reached   int    `json:"reached"` // how many gaps are at most the target
	Count     int    `json:"count"`
	// Contradictions counts gaps whose bounds contradict each other, which is a fault of the program. They count as not reached.
	Contradictions int `json:"contradictions,omitempty"`
	// Nodes is the number of nodes for an interval over which R takes a maximum or an integral. Between says how all is
	// known between them: "proved", "measured" or "nodes". They are absent if R takes neither.
	Nodes   int    `json:"nodes,omitempty"`
	Between string `json:"between,omitempty"`
	// Active tells of the functionals of an R that came in parts; absent where all were at hand.
	Active *Active `json:"active,omitempty"`
	// Without is the gap with multipliers of 0 in place of those of R, the largest of embeddings. At most the target says that R is idle. It is absent
	// where it is not known, as beside statements, and where a model is applied.
	Without *Number `json:"gap_without_r,omitempty"`
	// Scores bounds the errors of scores; absent where nothing is known of them.
	Scores *ScoreErrors `json:"score_error,omitempty"`
}

// Active tells of an R of which a fit held those functionals that are active at the minimum. The gap counts all of them.
type Active struct {
	Functionals int `json:"functionals"` // of R
	Held        int `json:"held"`
	Evaluated   int `json:"evaluated"` // at the minimum, of the others
	Screened    int `json:"screened"`  // the rest, which a safe rule shows to be below maxima there
	Rounds      int `json:"rounds"`    // of minima
}

// Text says what the gap counts.
func (a *Active) Text() string {
	return fmt.Sprintf("the gap counts all %d functionals of R: %d held in round %d, %d more evaluated at the end, and %d that are known to be below maxima",
		a.Functionals, a.Held, a.Rounds, a.Evaluated, a.Screened)
}

// Ask names a gap for the scores of a certificate, unless the solver did not even reach the one that was asked for.
// Rounding is the part of the gap that rounding errors leave, 0 if it is not known.
func (c *Certificate) Ask(aim, rounding float64) {
	if c.Scores.Missed = c.Missed(); !c.Scores.Missed {
		c.Scores.Ask(float64(c.MaxGap), aim, rounding, c.MaxGap < c.Target/10)
	}
}

// A Summand is one invariance of the regularizer.
type Summand struct {
	Name        string  `json:"name"`
	Kind        string  `json:"kind"` // sublinear, seminorm or smooth seminorm
	Weight      float64 `json:"weight"`
	Functionals int     `json:"functionals"`
	Value       Number  `json:"value"`             // of the invariance at the function that predicts; null where it is not known
	Unknown     string  `json:"unknown,omitempty"` // the reason why Value is null; absent where it is known, and where none was to be measured
	// Between says what certificates know of a maximum or integral over an interval between its nodes. "proved" means
	// that they hold there, and "measured" that they do up to a measured error. "nodes" means that they hold only at
	// the nodes. It is absent if there is no interval.
	Between string `json:"between,omitempty"`
	// Sampled says from how many elements of its outermost index set the value is estimated, or bounded below; absent where all were looked at.
	Sampled *Sampled `json:"sampled,omitempty"`
	// Broken says at how many rows a one-sided statement is broken; absent where there is nothing to count.
	Broken *Broken `json:"broken,omitempty"`
	// Orbit has its value over an orbit; absent where it is over none, and where nothing was measured.
	Orbit *OverOrbit `json:"orbit,omitempty"`
	// Drawn says which rows it is over, where these are a sample; absent where it is over all, and where nothing was measured.
	Drawn *Drawn `json:"drawn,omitempty"`
	// Searched says how the worst moves of an orbit were searched; absent where none were.
	Searched *Searched `json:"searched,omitempty"`
	// Test has its value by the test rows at the same function; absent where nothing was measured.
	Test *Tested `json:"test,omitempty"`
}

// Tested is the value of an invariance by the test rows, scaled as by the training rows.
type Tested struct {
	Value   Number   `json:"value"`             // null where it is not known
	Unknown string   `json:"unknown,omitempty"` // the reason why it is not
	Sampled *Sampled `json:"sampled,omitempty"`
	// AsMany is the value of a sum or a norm for as many elements as by the training rows. It is absent of others, and where there are as many.
	AsMany Number `json:"as_many,omitempty"`
}

// known reports whether there is a value.
func (t *Tested) known() bool { return t != nil && valueText(t.Value) != "" }

// testLine writes why an invariance has no value by the test rows, or that the value is a sample's.
func (s *Summand) testLine(b *strings.Builder) {
	t := s.Test
	switch {
	case t == nil:
	case t.Unknown != "" && (s.Broken == nil || s.Broken.Untested == ""): // else the line of broken rows says so
		fmt.Fprintf(b, "test rows     have no value of %s: %s\n", s.Name, t.Unknown)
	case t.Sampled != nil:
		fmt.Fprintf(b, "              %s\n", t.Sampled.sentence(s.Name+" by test rows"))
	}
	if t != nil && t.AsMany > 0 {
		fmt.Fprintf(b, "              %s grows with the number of rows: for as many as in `value` it would be %s by test rows\n", s.Name, valueText(t.AsMany))
	}
}

// Sampled counts the elements that were looked at, of all that there are.
type Sampled struct {
	Elements int  `json:"elements"`
	Of       int  `json:"of"`
	AtLeast  bool `json:"at_least,omitempty"` // a maximum or the like was sampled: the value of all is at least that of the sample
	// Error is the standard error of an estimate, told by the spread of the elements; absent where it tells nothing.
	Error Number `json:"standard_error,omitempty"`
}

// sentence says how well the value of an invariance is known.
func (s *Sampled) sentence(of string) string {
	word := "an estimate"
	if s.AtLeast {
		word = "at least this, known"
	}
	return fmt.Sprintf("that of %s is %s from %d of its %d elements%s", of, word, s.Elements, s.Of, s.errorText())
}

// errorText says by how much an estimate may be off; empty where nothing tells it.
func (s *Sampled) errorText() string {
	if !(s.Error > 0) {
		return ""
	}
	return fmt.Sprintf(", with a standard error of %.2g", float64(s.Error))
}

// A Span says how well the feature map spans the invariances: the share of the squared norm of the functionals' representers
// that it loses.
type Span struct {
	MaxLoss    Number `json:"max_loss"`
	MedianLoss Number `json:"median_loss"`
	Count      int    `json:"count"` // functionals looked at
	// Functionals is how many there are; more than a sample of 2000 of an invariance are not looked at.
	Functionals int `json:"functionals"`
}

// A Solution says which learner was fitted, and how near its problem was solved.
type Solution struct {
	Text       string  `json:"text"` // svm(C = 1)
	Objective  Number  `json:"objective"`
	Gap        Number  `json:"gap"` // proven share of the objective by which it may lie above the minimum
	Iterations int     `json:"iterations"`
	Converged  bool    `json:"converged"`
	Strength   float64 `json:"strength"` // C or lambda
	// Start is the objective of method dual at the coefficients from which it began. The length of the gradient at
	// the end follows, and how often the objective was computed.
	Start       *Number `json:"start,omitempty"`
	Gradient    *Number `json:"gradient,omitempty"`
	Evaluations int     `json:"evaluations,omitempty"`
	// Inner is the certified gap of the function as the embedding of its coefficients; method dual has converged where this is small too.
	Inner *Number `json:"inner_gap,omitempty"`
}

// A Grid is a choice by cross-validation on training rows, or on valid rows.
type Grid struct {
	Metric string      `json:"metric"`
	Folds  int         `json:"folds"`
	Valid  int         `json:"valid,omitempty"` // rows that decided in place of folds
	Later  bool        `json:"later,omitempty"` // each fold is later than the rows that it is predicted from
	Fits   int         `json:"fits"`            // one for each candidate and fold
	Chosen string      `json:"chosen"`
	Scores []Candidate `json:"scores"` // of all candidates on the same folds, the best first
	// Anew says that R was made anew for each fold, of the rows that are not held out.
	Anew bool `json:"anew,omitempty"`
	// Largest says that the largest weights were taken of those within one standard error of the best, not the best.
	Largest bool `json:"one_standard_error,omitempty"`
	// Without is weight 0 beside the choice of auto; absent without auto.
	Without *Without `json:"without_r,omitempty"`
	// Weights are those that the choice gives to statements, with all factors: the numbers to write in place of what was chosen.
	Weights []Weight `json:"weights,omitempty"`
}

// A Weight is the weight of a statement; 0 leaves it out.
type Weight struct {
	Of     string  `json:"of"`
	Weight float64 `json:"weight"`
}

// weights writes the weights that follow from the choice, as a spec would have them, and the statements that it leaves out.
func (g *Grid) weights(b *strings.Builder) {
	var taken, left []string
	for _, w := range g.Weights {
		if w.Weight == 0 {
			left = append(left, fmt.Sprintf("; %s: chosen factor 0, not used", w.Of))
		} else {
			taken = append(taken, fmt.Sprintf("%.6g * %s", w.Weight, w.Of))
		}
	}
	if len(g.Weights) > 0 {
		fmt.Fprintf(b, "weights       %s%s\n", cmp.Or(strings.Join(taken, ", "), "none"), strings.Join(left, ""))
	}
}

// A Candidate of a grid has a mean score over the folds, and the standard error of that mean. With valid rows it has the score of these,
// and the standard error over them.
type Candidate struct {
	Choice string `json:"choice"`
	Score  Number `json:"score"`
	Error  Number `json:"error"`
	Chosen bool   `json:"chosen,omitempty"`
}

// Tried is a setting of a rival and its mean score.
type Tried struct {
	Choice string `json:"choice"`
	Score  Number `json:"score"`
}

// Reproducible returns the report without its timing: the part that is the same at every run.
func (r *Report) Reproducible() *Report {
	out := *r
	out.Timing = Timing{}
	return &out
}

// WriteJSON writes the report as one JSON object and a line end. The weights of the regularizer and the strength of the
// learner are the user's own numbers and finite; everything else is made so.
func (r *Report) WriteJSON(w io.Writer) error {
	out := *r
	if out.Regularizer == nil {
		out.Regularizer = []Summand{}
	}
	if out.Warnings == nil {
		out.Warnings = []string{}
	}
	return writeJSON(w, &out)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// SummarizeGaps counts and orders relative gaps. Without any it is nil.
func SummarizeGaps(gaps []float64, target float64) *Certificate {
	if len(gaps) == 0 {
		return nil
	}
	c := &Certificate{Target: Number(target), Count: len(gaps)}
	top, median := extremes(gaps)
	c.MaxGap, c.MedianGap = Number(top), Number(median)
	for _, g := range gaps {
		switch {
		case g <= target:
			c.Reached++
		case math.IsNaN(g):
			c.Contradictions++
		}
	}
	return c
}

// Missed reports whether most of the gaps are above the target.
func (c *Certificate) Missed() bool { return c != nil && 2*c.Reached < c.Count }

// Shortfall says of a certificate by how much its target is missed, and by what: "embeddings of the training rows".
func (c *Certificate) Shortfall(what string) string {
	switch {
	case c.Count == 1 && c.Contradictions == 1:
		return fmt.Sprintf("the gap %s is missed by %s: its bounds contradict each other", short(c.Target), what)
	case c.Count == 1:
		return fmt.Sprintf("the gap %s is missed by %s: it is %s", short(c.Target), what, short(c.MaxGap))
	}
	return fmt.Sprintf("the gap %s is missed by %d of %d %s; the largest is %s",
		short(c.Target), c.Count-c.Reached, c.Count, what, short(c.MaxGap))
}

// Contradicting says how many bounds contradict each other.
func (c *Certificate) Contradicting() string {
	return fmt.Sprintf("of %d the bounds contradict each other, a fault of the program: nothing is proved there", c.Contradictions)
}

// Over says of maxima and integrals over intervals how many nodes stand for one, and what is known between them. Without nodes there are
// none.
func (c *Certificate) Over(nodes int, between string) *Certificate {
	if c != nil && nodes > 0 {
		c.Nodes, c.Between = nodes, between
	}
	return c
}

// SummarizeSpan orders the shares that a feature map loses. Without any it is nil.
func SummarizeSpan(losses []float64) *Span {
	if len(losses) == 0 {
		return nil
	}
	top, median := extremes(losses)
	return &Span{MaxLoss: Number(top), MedianLoss: Number(median), Count: len(losses), Functionals: len(losses)}
}
