package reproduce

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
)

// A Kind is what a unit is for.
type Kind string

// The kinds.
const (
	Choice Kind = "choice" // one setting, on training rows held out in folds
	Run    Kind = "run"    // one draw of rows, with the setting chosen
	Curve  Kind = "curve"  // the first draw with a learner that gives probabilities, for the loss between test rows
)

// A Unit is a piece of work that is done at once or not at all.
type Unit struct {
	Cell      *Cell
	Contender *Contender
	Kind      Kind
	Number    int // of the setting, or of the run, from 0
}

// Name returns the name of the unit, the path of its file in the folder of the units.
func (u *Unit) Name() string {
	return filepath.Join(string(u.Cell.Table), u.Cell.Name(), u.Contender.Name, fmt.Sprintf("%s-%03d.json", u.Kind, u.Number))
}

// A Result is what a unit came to. Everything but revision and seconds is the same each time.
type Result struct {
	Fingerprint string              `json:"fingerprint"` // of all that the result depends on
	Setting     Setting             `json:"setting"`
	Seed        uint64              `json:"seed"`
	NTrain      int                 `json:"n_train,omitempty"`
	NTest       int                 `json:"n_test,omitempty"`
	Score       *float64            `json:"score,omitempty"`   // of a choice
	Figures     metric.Figures      `json:"figures,omitempty"` // of a run
	Violations  metric.Figures      `json:"violations,omitempty"`
	Learner     string              `json:"learner,omitempty"`
	Solution    *Solution           `json:"solution,omitempty"` // of a run: that of the learner; units of before lack it
	Certificate *report.Certificate `json:"certificate,omitempty"`
	Counts      *Counts             `json:"counts,omitempty"`   // of the third table
	Losses      [][]float64         `json:"losses,omitempty"`   // of the second table, first draw: of each pair, as λ grows
	Between     []RowPair           `json:"between,omitempty"`  // the pairs whose losses these are; units of before lack them
	Revision    string              `json:"revision,omitempty"` // of the program that did the unit, where it knows
	Seconds     float64             `json:"seconds"`
}

// The seed of the rows on which settings are compared, and of the first run; the next have the next. Before the search spaces were
// settled, runs had been looked at whose seeds were below 100. Settings had been compared on the rows of the seed 1000003.
const (
	seedOfChoice = 2_000_003
	seedOfRuns   = 100
)

// gap returns the certified gap of a table's embeddings.
func gap(t Table) float64 {
	if t == Table1 {
		return model.DefaultGap
	}
	return 1e-2
}

// choiceRows is the largest number of rows on which settings are compared. All of them are held out once.
const choiceRows = 500

// seed returns the seed of a unit.
func (u *Unit) seed() uint64 {
	if u.Kind == Choice {
		return seedOfChoice
	}
	return seedOfRuns + uint64(u.Number) //nolint:gosec // runs count from zero
}

// spec returns the text of the unit's spec.
func (u *Unit) spec(s Setting) string {
	learner := u.Cell.Table.learner()
	if u.Kind == Curve {
		learner = learnerSoftmax
	}
	return u.Cell.spec(u.Contender, s, u.draw(), learner)
}

// draw returns how many rows a unit takes.
func (u *Unit) draw() rowCount {
	if u.Kind == Choice {
		n := min(u.Cell.N, choiceRows)
		return rowCount{train: n, fitted: n - n/rival.ScoreFolds}
	}
	return rowCount{train: u.Cell.N, test: u.Cell.N, fitted: u.Cell.N}
}

// folds returns the number of folds in which a choice is scored, 0 for a run.
func (u *Unit) folds() int {
	if u.Kind == Choice {
		return rival.ScoreFolds
	}
	return 0
}

// generation counts the changes of the program, rivals included, that made a unit come to other figures.
const generation = 8

// fingerprint returns a digest of all that a unit's result depends on, the program by its version and generation.
func (u *Unit) fingerprint(s Setting, spec string, from *source) (string, error) {
	text, err := json.Marshal(struct {
		Version, Spec, Data, Contender string
		Generation                     int
		Setting                        Setting
		Pairs                          int
		Seed                           uint64
		Gap                            float64
		Folds                          int
		By                             string
	}{sipc.Version, spec, from.digest, u.Contender.Name, generation, s, u.Cell.pairs(u.draw().train), u.seed(), gap(u.Cell.Table), u.folds(), chosenBy(u.Cell.Table)})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// do does the work of a unit.
func (u *Unit) do(ctx context.Context, s Setting, from *source, progress func(stage string, done, total int)) (*Result, error) {
	started := time.Now()
	text := u.spec(s)
	fingerprint, err := u.fingerprint(s, text, from)
	if err != nil {
		return nil, err
	}
	spec := sipc.NewSpec(ctx, filepath.Join(from.dir, "reproduce.inv"), []byte(text), sipc.SpecOptions{})
	if err := spec.Err(); err != nil {
		return nil, from.explain(err)
	}
	defer spec.Close() //nolint:errcheck // the specs use no plugin
	seed := u.seed()
	o := sipc.RunOptions{Data: from.train, Open: from.shelf.open, Seed: &seed, Gap: gap(u.Cell.Table), Unmeasured: true, Progress: progress}
	out := &Result{Fingerprint: fingerprint, Setting: s, Seed: seed, Revision: sipc.Revision()}
	if u.Kind == Choice {
		err = u.choose(ctx, spec, o, out)
	} else {
		o.Test = from.test
		err = u.run(ctx, spec, o, from, out)
	}
	out.Seconds = time.Since(started).Seconds()
	return out, from.explain(err)
}

// contender returns the rival with a setting.
func (u *Unit) contender(s Setting) sipc.RivalOptions {
	return sipc.RivalOptions{Name: u.Contender.Rival, Setting: &s.Setting, Pairs: u.Cell.pairs(u.draw().train), By: chosenBy(u.Cell.Table)}
}

// choose scores a setting.
func (u *Unit) choose(ctx context.Context, spec *sipc.Spec, o sipc.RunOptions, out *Result) error {
	p, err := sipc.Prepare(ctx, spec, o)
	if err != nil {
		return err
	}
	var score float64
	if u.Contender.Rival != "" {
		score, err = scoreRival(ctx, p, u.contender(out.Setting))
	} else {
		score, err = scoreMethod(ctx, p, chosenBy(u.Cell.Table))
	}
	out.Score = &score
	return err
}

// run fits and measures.
func (u *Unit) run(ctx context.Context, spec *sipc.Spec, o sipc.RunOptions, from *source, out *Result) error {
	var made *trained
	var err error
	if u.Contender.Rival != "" {
		made, err = trainRival(ctx, spec, o, u.contender(out.Setting))
	} else {
		made, err = trainMethod(ctx, spec, o)
	}
	if err != nil {
		return err
	}
	if err := u.inspect(ctx, made, from, out); err != nil {
		return err
	}
	rep := made.Report
	out.NTrain, out.NTest, out.Figures, out.Certificate = rep.NTrain, rep.NTest, rep.Metrics.Figures, rep.Certificate
	out.Solution = solutionOf(rep)
	if out.Counts != nil {
		out.Violations = out.Counts.shares(rep.NTest)
	}
	if rep.Learner != nil {
		out.Learner = rep.Learner.Text
	}
	return nil
}
