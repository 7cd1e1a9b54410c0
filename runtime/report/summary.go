package report

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sipc-ml/sipc/runtime/metric"
)

// A Summary is the outcome of runs of one spec under several seeds. Intervals are those of 95 % by Student's t over the seeds: half of
// their width stands beside each mean. They speak of draws from these data, which overlap, and not of other data.
type Summary struct {
	Spec         string `json:"spec"`
	Data         string `json:"data"`
	Test         string `json:"test,omitempty"`
	Method       string `json:"method"`
	MethodReason string `json:"method_reason"`
	Task         string `json:"task"`
	NTrain       int    `json:"n_train"` // of the first run
	NValid       int    `json:"n_valid,omitempty"`
	NTest        int    `json:"n_test"`
	NUnlabelled  int    `json:"n_unlabelled,omitempty"` // further rows that R sees

	// Seeds are those of the runs that came to an end. Where Folds is not 0, they are the numbers of folds, from 1, of so many.
	Seeds []uint64 `json:"seeds"`
	Folds int      `json:"folds,omitempty"`
	Later bool     `json:"later,omitempty"` // each fold is later than the rows that it is predicted from
	// SameRows says that every seed has the same training and test rows, so that intervals tell nothing about other draws.
	SameRows   bool              `json:"same_rows"`
	Metrics    []Spread          `json:"metrics"`
	Under      []Moved[[]Spread] `json:"under,omitempty"`
	Contenders []Comparisons     `json:"contenders,omitempty"` // the baseline and the rivals
	Chosen     []Choice          `json:"chosen,omitempty"`     // by grids
	GapsMissed []uint64          `json:"gaps_missed,omitempty"`
	Missed     string            `json:"missed,omitempty"`   // of the first run that says so; see [Report]
	Unproved   []RepeatedText    `json:"unproved,omitempty"` // statements that are not proved, as "rising is open"
	// Proved is how many statements are proved at each of the seeds that prove all; they are AllProved.
	Proved    int            `json:"proved,omitempty"`
	AllProved []uint64       `json:"all_proved,omitempty"`
	Untested  []RepeatedText `json:"untested,omitempty"` // invariances that have no value by the test rows, and why
	Failed    []Failed       `json:"failed,omitempty"`
	Warnings  []RepeatedText `json:"warnings"`
	Hints     []RepeatedText `json:"hints,omitempty"`

	SpecSHA256 string `json:"spec_sha256"`
	DataSHA256 string `json:"data_sha256"`
	TestSHA256 string `json:"test_sha256,omitempty"`

	All bool `json:"-"` // asks the table for every figure
	// Pages are the paths of the page of the runs and of its model card, as far as they were asked for.
	Pages []string `json:"-"`

	overlap float64 // see interval
}

// A Spread is a figure over the seeds.
type Spread struct {
	Metric   string   `json:"metric"`
	Mean     Number   `json:"mean"` // of the seeds at which it is defined
	Interval Number   `json:"interval"`
	Values   []Number `json:"values"` // by seed
	// Inexact is how many seeds of the mean have a solution that missed its gap, of the method's own figures.
	Inexact int `json:"inexact,omitempty"`
}

// Comparisons are the figures of the baseline or a rival, beside the run's own method.
type Comparisons struct {
	Name    string              `json:"name"`
	Setting []Choice            `json:"settings,omitempty"` // of a rival, and of a baseline that chose its strength
	Metrics []Compared          `json:"metrics"`
	Under   []Moved[[]Compared] `json:"under,omitempty"`
	// GapsMissed lists the seeds at which the contender's learner stopped before its gap.
	GapsMissed []uint64 `json:"gaps_missed,omitempty"`
}

// Compared is a figure of a contender, and how far the method's own lies above it: seed by seed on the same rows.
type Compared struct {
	Spread
	Difference         Number `json:"difference"`
	DifferenceInterval Number `json:"difference_interval"`
	Better             int    `json:"better"` // seeds at which the method's own is the better one
	Pairs              int    `json:"pairs"`  // seeds at which both are defined
}

// A Choice is a setting, and the seeds at which it was chosen.
type Choice struct {
	Setting string   `json:"setting"`
	Seeds   []uint64 `json:"seeds"`
}

// A Failed is a seed whose run failed.
type Failed struct {
	Seed  uint64 `json:"seed"`
	Error string `json:"error"`
}

// A RepeatedText is a warning or a hint, and the seeds at which it was given.
type RepeatedText struct {
	Text  string   `json:"text"`
	Seeds []uint64 `json:"seeds"`
	told  bool     // as a diagnostic: the table leaves it out
}

// SummarizeFolds sums up runs of one spec, each of which was tested on a fold that the others learnt from. Numbers are those of the folds, from 1, of so
// many in all. Later says that each is predicted from the rows before it alone.
func SummarizeFolds(runs []*Report, numbers []uint64, folds int, later bool) *Summary {
	numbered := make([]*Report, len(runs))
	var train, test float64
	for i, r := range runs {
		own := *r
		own.Seed, numbered[i] = numbers[i], &own
		train, test = train+float64(r.NTrain), test+float64(r.NTest)
	}
	of := &Summary{Folds: folds, Later: later}
	if !later {
		of.overlap = test / train
	}
	return summarize(numbered, of)
}

// Summarize sums up runs of one spec, each under a seed of its own; there is at least one.
func Summarize(runs []*Report) *Summary { return summarize(runs, &Summary{}) }

// summarize fills in a summary, but for what it says of the runs as a whole.
func summarize(runs []*Report, of *Summary) *Summary {
	first := runs[0]
	s := &Summary{
		Folds: of.Folds, Later: of.Later, overlap: of.overlap,
		Spec: first.Spec, Data: first.Data, Test: first.Test, Method: first.Method, MethodReason: first.MethodReason, Task: first.Task,
		NTrain: first.NTrain, NValid: first.NValid, NTest: first.NTest, NUnlabelled: first.NUnlabelled, SpecSHA256: first.SpecSHA256, DataSHA256: first.DataSHA256, TestSHA256: first.TestSHA256,
	}
	s.Metrics = s.spreads(figuresOf(runs, (*Report).own, plainRows))
	for k := range first.Under {
		s.Under = append(s.Under, Moved[[]Spread]{Transformation: first.Under[k].Transformation, Metrics: s.spreads(figuresOf(runs, (*Report).own, k))})
	}
	s.contenders(runs)
	for _, r := range runs {
		s.Seeds = append(s.Seeds, r.Seed)
		if r.Grid != nil {
			s.Chosen = addChoice(s.Chosen, r.Grid.Chosen, r.Seed)
		}
		if r.inexact() {
			s.GapsMissed = append(s.GapsMissed, r.Seed)
		}
		if s.Missed == "" {
			s.Missed = r.Missed
		}
		s.countProved(r)
		for _, text := range r.Hints {
			s.Hints = repeated(s.Hints, text, r.Seed, false)
		}
		for _, text := range r.Warnings {
			s.Warnings = repeated(s.Warnings, text, r.Seed, slices.Contains(r.Told, text))
		}
		for _, v := range slices.Concat(r.Regularizer, r.Measures) {
			if v.Test != nil && v.Test.Unknown != "" {
				s.Untested = repeated(s.Untested, v.Name+": "+v.Test.Unknown, r.Seed, false)
			}
		}
	}
	s.countInexact(s.Metrics)
	for k := range s.Under {
		s.countInexact(s.Under[k].Metrics)
	}
	return s
}

// countProved takes in what is proved of the statements of a run.
func (s *Summary) countProved(r *Report) {
	missing := unproved(r.Required)
	if len(r.Required) > 0 && len(missing) == 0 {
		s.Proved, s.AllProved = max(s.Proved, len(r.Required)), append(s.AllProved, r.Seed)
	}
	for _, text := range missing {
		s.Unproved = repeated(s.Unproved, text, r.Seed, false)
	}
}

// inexact reports whether a gap was missed: of an embedding, of the one problem that was solved, or of the learner.
func (r *Report) inexact() bool {
	c, l := r.Certificate, r.Learner
	return c != nil && c.Reached < c.Count || l != nil && !l.Converged
}

// countInexact counts for each figure the seeds in its mean whose gap was missed.
func (s *Summary) countInexact(figures []Spread) {
	for k := range figures {
		for i, seed := range s.Seeds {
			if figures[k].Metric != metric.MajorityBaseline && slices.Contains(s.GapsMissed, seed) && !math.IsNaN(float64(figures[k].Values[i])) {
				figures[k].Inexact++
			}
		}
	}
}

// contenders adds the baseline and the rivals that every run has. Where the time was over before one of them in some runs, a hint tells that it is left out.
func (s *Summary) contenders(runs []*Report) {
	baseline := func(r *Report) *Contender { return r.Baseline }
	if s.everywhere(runs, baseline) && slices.ContainsFunc(runs, func(r *Report) bool { return !r.Baseline.Same }) {
		s.contend(runs, baseline)
	}
	var seen []string
	for _, r := range runs {
		for k := range r.Rivals {
			name := r.Rivals[k].Name
			if slices.Contains(seen, name) {
				continue
			}
			seen = append(seen, name)
			of := func(r *Report) *Contender {
				if k := slices.IndexFunc(r.Rivals, func(c Contender) bool { return c.Name == name }); k >= 0 {
					return &r.Rivals[k]
				}
				return nil
			}
			if s.everywhere(runs, of) {
				s.contend(runs, of)
			}
		}
	}
}

// everywhere reports whether all runs have a contender. A hint tells which lack one that others have.
func (s *Summary) everywhere(runs []*Report, of func(*Report) *Contender) bool {
	lack := slices.DeleteFunc(slices.Clone(runs), func(r *Report) bool { return of(r) != nil })
	if len(lack) == 0 || len(lack) == len(runs) {
		return len(lack) == 0
	}
	at := slices.IndexFunc(runs, func(r *Report) bool { return of(r) != nil })
	c := of(runs[at])
	for _, r := range lack {
		s.Hints = repeated(s.Hints, cmp.Or(c.Method, c.Name)+" is left out of the comparison, as the time was over before it", r.Seed, false)
	}
	return false
}

// contend adds a contender.
func (s *Summary) contend(runs []*Report, of func(*Report) *Contender) {
	c := Comparisons{Name: cmp.Or(of(runs[0]).Method, of(runs[0]).Name), Metrics: s.compare(runs, of, plainRows)}
	for _, r := range runs {
		e := of(r)
		setting := e.Setting
		if e.Grid != nil && e.Learner != nil {
			setting = e.Learner.Text
		}
		if setting != "" {
			c.Setting = addChoice(c.Setting, setting, r.Seed)
		}
		if e.Learner != nil && !e.Learner.Converged {
			c.GapsMissed = append(c.GapsMissed, r.Seed)
		}
	}
	for k := range s.Under {
		c.Under = append(c.Under, Moved[[]Compared]{Transformation: s.Under[k].Transformation, Metrics: s.compare(runs, of, k)})
	}
	s.Contenders = append(s.Contenders, c)
}

// repeated adds a text of one seed to those of all.
func repeated(all []RepeatedText, text string, seed uint64, told bool) []RepeatedText {
	k := slices.IndexFunc(all, func(w RepeatedText) bool { return w.Text == text })
	if k < 0 {
		k, all = len(all), append(all, RepeatedText{Text: text, told: told})
	}
	all[k].Seeds = append(all[k].Seeds, seed)
	return all
}

// addChoice notes that a seed chose a setting.
func addChoice(all []Choice, setting string, seed uint64) []Choice {
	k := slices.IndexFunc(all, func(c Choice) bool { return c.Setting == setting })
	if k < 0 {
		k, all = len(all), append(all, Choice{Setting: setting})
	}
	all[k].Seeds = append(all[k].Seeds, seed)
	return all
}

// What stands before the name of an invariance in that of a figure.
const (
	violationsOf = "violations of "                     // the share of test rows whose decisions violate it
	valueOf      = "value of "                          // at the function that predicts
	valueAtTest  = "value by test rows of "             // likewise
	brokenTrain  = "share of training rows that break " // a one-sided statement, at the function that predicts
	brokenFree   = "share of unlabelled rows that break "
	brokenTest   = "share of test rows that break "
)

// plainRows stands for test rows as they are, where others are given by their transformation.
const plainRows = -1

// figuresOf returns figures by run, on test rows under a transformation, or as they are. Among the latter are violations, values and broken
// rows of invariances.
func figuresOf(runs []*Report, of func(*Report) *Contender, under int) []metric.Figures {
	out := make([]metric.Figures, len(runs))
	for i, r := range runs {
		c := of(r)
		m, summands := &c.Metrics, slices.Concat(c.Regularizer, c.Measures)
		if under != plainRows {
			m, summands = &c.Under[under].Metrics, nil
		}
		out[i] = slices.Clone(m.Figures)
		add := func(name string, v float64) { out[i] = append(out[i], metric.Figure{Name: name, Value: v}) }
		for _, v := range m.Violations {
			add(violationsOf+v.Name, v.Value)
		}
		for _, v := range summands {
			add(valueOf+v.Name, float64(v.Value))
			if v.Test.known() {
				add(valueAtTest+v.Name, float64(v.Test.Value))
			}
			if v.Broken == nil {
				continue
			}
			add(brokenTrain+v.Name+overWords[v.Broken.Over][2], v.Broken.Train.Share())
			if v.Broken.Unlabelled != nil {
				add(brokenFree+v.Name+overWords[v.Broken.Over][2], v.Broken.Unlabelled.Share())
			}
			if v.Broken.Test != nil {
				add(brokenTest+v.Name+overWords[v.Broken.Over][2], v.Broken.Test.Share())
			}
		}
	}
	return out
}

// Share returns the share of rows that break a statement, NaN of no rows.
func (c Count) Share() float64 { return float64(c.Broken) / float64(c.Rows) }

// ofInvariance reports whether a figure is one of an invariance, which is small where it is good.
func ofInvariance(name string) bool {
	begins := func(begin string) bool { return strings.HasPrefix(name, begin) }
	return slices.ContainsFunc([]string{violationsOf, valueOf, valueAtTest, brokenTrain, brokenFree, brokenTest}, begins)
}

// spreads returns the spread of every figure over runs.
func (s *Summary) spreads(runs []metric.Figures) []Spread {
	var out []Spread
	for _, name := range namesOf(runs) {
		out = append(out, s.spreadOf(name, runs))
	}
	return out
}

// namesOf lists the figures that some run has.
func namesOf(runs []metric.Figures) []string {
	var names []string
	for _, r := range runs {
		for _, f := range r {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// spreadOf returns the values of a figure over runs, with their mean and its interval. Undefined values count in
// neither.
func (s *Summary) spreadOf(name string, runs []metric.Figures) Spread {
	out := Spread{Metric: name, Values: make([]Number, len(runs))}
	var defined []float64
	for i, r := range runs {
		v, _ := r.Get(name)
		if out.Values[i] = Number(v); !math.IsNaN(v) {
			defined = append(defined, v)
		}
	}
	out.Mean, out.Interval = interval(defined, s.overlap)
	return out
}

// compare sets the figures of a contender beside those of the method's own.
func (s *Summary) compare(runs []*Report, of func(*Report) *Contender, under int) []Compared {
	own, other := figuresOf(runs, (*Report).own, under), figuresOf(runs, of, under)
	var out []Compared
	for _, name := range namesOf(other) {
		c := Compared{Spread: s.spreadOf(name, other)}
		sign := 1.0
		if metric.Smaller(name) || ofInvariance(name) {
			sign = -1
		}
		var differences []float64
		for i := range own {
			a, _ := own[i].Get(name)
			d := a - float64(c.Values[i])
			if math.IsNaN(d) {
				continue
			}
			differences = append(differences, d)
			if sign*d > 0 {
				c.Better++
			}
		}
		c.Pairs = len(differences)
		c.Difference, c.DifferenceInterval = interval(differences, s.overlap)
		out = append(out, c)
	}
	return out
}

// interval returns the mean of some numbers and half the width of its interval of 95 % by Student's t; of fewer than two there is none.
// Overlap is the number of rows of a test over that of training rows where drawn folds share these, and 0 elsewhere. Figures of such folds
// depend on each other, and the variance of their mean is about (1/n + overlap) times theirs (Nadeau and Bengio, Machine Learning 52, 2003).
// That is for folds that might as well be exchanged, and folds in time might not. There rows before a fold say nothing of how its figure deviates
// from its expectation. So deviations of two folds are not correlated, and the overlap is 0.
func interval(x []float64, overlap float64) (mean, half Number) {
	n := float64(len(x))
	if n == 0 {
		return Number(math.NaN()), Number(math.NaN())
	}
	m, deviation := stat.MeanStdDev(x, nil)
	if n < 2 {
		return Number(m), Number(math.NaN())
	}
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return Number(m), Number(t * deviation / math.Sqrt(n) * math.Sqrt(1+n*overlap))
}

// WriteJSON writes the summary as one JSON object and a line end.
func (s *Summary) WriteJSON(w io.Writer) error {
	out := *s
	if out.Warnings == nil {
		out.Warnings = []RepeatedText{}
	}
	return writeJSON(w, &out)
}
