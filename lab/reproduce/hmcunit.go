package reproduce

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sipc "github.com/sipc-ml/sipc"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/model"
)

// hierarchyFiles say between which files a unit learns and measures.
type hierarchyFiles struct {
	train, held   string // for choice
	all, test     string // for the run
	parted, whole int    // rows of train and of all
	digest        string
	text          string // how rows are held out
	origins       origins
	shelf         shelf
}

// Where there is no published valid split, one in heldThird of the training rows is held out, of mostCompared rows at most.
const (
	heldThird    = 3
	mostCompared = 6000
)

// hierarchyFilesOf finds the files of a set and writes those that are made of others. These are training and valid rows together, or the
// two parts of the training rows.
func hierarchyFilesOf(ctx context.Context, set *hierarchySet, data, out string) (*hierarchyFiles, error) {
	in := func(name string) string { return filepath.Join(data, Hierarchies, name) }
	dir, err := (&sources{out: out}).made(Hierarchies)
	if err != nil {
		return nil, err
	}
	f := &hierarchyFiles{test: in(set.test), origins: origins{}}
	f.shelf.turn(set.name)
	head, rows, err := arffLines(ctx, in(set.train))
	if err != nil {
		return nil, err
	}
	if set.valid == "" {
		err = f.hold(in(set.train), filepath.Join(dir, set.name), head, rows)
	} else {
		f.parted = dataRows(rows)
		err = f.join(ctx, in(set.train), in(set.valid), filepath.Join(dir, set.name), slices.Concat(head, rows))
	}
	if err != nil {
		return nil, err
	}
	f.digest, err = digestOf([]string{f.train, f.held, f.all, f.test}) // of how rows are divided, too
	return f, err
}

// join writes the rows for training and those of the valid split to one file.
func (f *hierarchyFiles) join(ctx context.Context, train, valid, begin string, all []line) error {
	f.train, f.held, f.all, f.text = train, valid, begin+"-all.arff", "the published valid split"
	_, more, err := arffLines(ctx, valid)
	if err != nil {
		return err
	}
	f.whole = f.parted + dataRows(more)
	return f.origins.write(f.all, slices.Concat(all, more))
}

// hold divides the training rows of a file without a valid split into two files, whose names begin alike.
func (f *hierarchyFiles) hold(all, begin string, head, rows []line) error {
	f.all, f.train, f.held = all, begin+"-part.arff", begin+"-held.arff"
	f.text = "a third of the training rows"
	order := rand.New(rand.NewPCG(divisionSeed, divisionStream)).Perm(len(rows))
	if len(order) > mostCompared {
		order = order[:mostCompared]
		f.text = fmt.Sprintf("a third of %d training rows", mostCompared)
	}
	count := len(order) / heldThird
	held, kept := slices.Clone(head), slices.Clone(head)
	for k, i := range order {
		if k < count {
			held = append(held, rows[i])
		} else {
			kept = append(kept, rows[i])
		}
	}
	f.whole, f.parted = dataRows(rows), dataRows(kept[len(head):])
	if err := f.origins.write(f.held, held); err != nil {
		return err
	}
	return f.origins.write(f.train, kept)
}

// arffLines returns the lines of a gzipped ARFF file up to @data, and those of its rows.
func arffLines(ctx context.Context, path string) (head, rows []line, err error) {
	all, err := linesOf(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	for k, l := range all {
		if bytes.EqualFold(bytes.TrimSpace(l.text), []byte("@data")) {
			return all[:k+1], all[k+1:], nil
		}
	}
	return nil, nil, cli.WrongInput(fmt.Errorf("%s: the file has no @data", path))
}

// dataRows returns how many of the lines after @data hold a row.
func dataRows(lines []line) int {
	count := 0
	for _, l := range lines {
		if text := bytes.TrimSpace(l.text); len(text) > 0 && text[0] != '%' {
			count++
		}
	}
	return count
}

// A hierarchyUnit is a setting compared, or a run.
type hierarchyUnit struct {
	set       *hierarchySet
	files     *hierarchyFiles
	contender string
	step      string // kernel, choice or run
	number    int
	setting   HierarchySetting
	rows      int
}

const (
	kernelStep = "kernel"
	choiceStep = string(Choice)
	runStep    = string(Run)
)

// unit returns the unit as the clock and the folder of units know it. One of fewer rows takes no place of one of all.
func (u *hierarchyUnit) unit() *Unit {
	c := &Cell{Table: Hierarchies, Dataset: u.set.name, name: u.set.name}
	if u.rows > 0 {
		c.name += fmt.Sprintf("-n%d", u.rows)
	}
	return &Unit{c, &Contender{Name: u.contender}, Kind(u.step), u.number}
}

// spec returns the text of the unit's spec.
func (u *hierarchyUnit) spec() string {
	n := u.files.parted
	switch {
	case u.rows > 0:
		n = u.rows
	case u.step == runStep:
		n = u.files.whole
	}
	return u.setting.spec(u.contender, n, u.rows > 0)
}

func (u *hierarchyUnit) fingerprint() (string, error) {
	text, err := json.Marshal(struct {
		Version    string
		Generation int
		Spec, Data string
		Step       string
		Gap        float64
	}{sipc.Version, generation, u.spec(), u.files.digest, u.step, hierarchyGap})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// do fits and measures: a choice on the rows held out, a run on the test rows.
func (u *hierarchyUnit) do(ctx context.Context, fingerprint string, stage func(string, int, int)) (*HierarchyRun, error) {
	started := time.Now()
	text := u.spec()
	spec := sipc.NewSpec(ctx, "reproduce.inv", []byte(text), sipc.SpecOptions{})
	if err := spec.Err(); err != nil {
		return nil, u.files.origins.explain(err, u.files.all)
	}
	defer spec.Close() //nolint:errcheck // the specs use no plugin
	seed := uint64(0)
	out := &HierarchyRun{Fingerprint: fingerprint, Setting: u.setting, Revision: sipc.Revision()}
	o := sipc.RunOptions{Data: u.files.train, Test: u.files.held, Open: u.files.shelf.open, Seed: &seed, Gap: hierarchyGap, Unmeasured: true, Progress: stage}
	if u.step == runStep {
		o.Data, o.Test = u.files.all, u.files.test
	}
	made, err := sipc.Perform(ctx, spec, o)
	if err != nil {
		taxonomy, _ := u.files.origins.place(o.Data, 0)
		return nil, u.files.origins.explain(err, taxonomy)
	}
	rep := made.Report
	out.NTrain, out.NTest, out.Figures = rep.NTrain, rep.NTest, rep.Metrics.Figures
	if err := out.inspect(ctx, made); err != nil {
		return nil, err
	}
	out.Gap, out.Reached = float64(rep.Learner.Gap), rep.Learner.Converged
	out.Seconds = time.Since(started).Seconds()
	return out, nil
}

// inspect counts the rows that break an implication of the hierarchy.
func (r *HierarchyRun) inspect(ctx context.Context, o *sipc.Outcome) error {
	children, parents := o.Train.Taxonomy()
	edges := make([][2]int, len(children))
	for k := range children {
		edges[k] = [2]int{int(children[k]), int(parents[k])}
	}
	r.Labels = len(o.Train.LabelNames)
	r.Violating = count(decisions(o, o.Scores), edges, nil).Any[0]
	r.Open, r.OpenViolating = r.Figures, r.Violating // the same where R is about no implication, as with label sets
	if len(o.Model.Closure) == 0 {
		return nil
	}
	own := *o.Model
	own.Closure = nil
	scores, _, err := own.Scores(ctx, o.Test.X, nil, nil)
	if err != nil {
		return err
	}
	r.Open = sipc.Figures(o.Train, o.Test, scores, model.Probabilities(&own, scores))
	r.OpenViolating = count(decisions(o, scores), edges, nil).Any[0]
	return nil
}

// A hierarchyWorker does units one after the other.
type hierarchyWorker struct {
	o     Options
	store store
	clock clock
}

// Classify does the units of the hierarchical sets that are not done, and gathers all. Their split is a published one, so that Options.Runs counts for nothing.
func Classify(ctx context.Context, o Options) (*HierarchyTable, error) {
	sets, err := chosenSets(o.Cells)
	if err != nil {
		return nil, err
	}
	w := &hierarchyWorker{o: o, store: store{filepath.Join(o.Out, "units")}}
	if len(w.contenders()) == 0 {
		return nil, &NothingError{fmt.Sprintf("none of the contenders %v is among those of hierarchies: %s", o.Only, strings.Join(hierarchyContenders(), ", "))}
	}
	if err := o.open(); err != nil {
		return nil, err
	}
	for _, s := range sets {
		w.plan(&s)
	}
	out := &HierarchyTable{Rows: o.Rows, Settings: o.Settings}
	for _, s := range sets {
		r, err := w.set(ctx, &s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		out.Sets = append(out.Sets, r)
	}
	return out, nil
}

// bounded returns the first of a step's settings, no more than most where that is larger than 0.
func bounded[S any](most int, settings []S) []S {
	if most > 0 && most < len(settings) {
		return settings[:most]
	}
	return settings
}

// bounded returns the first settings of a step.
func (w *hierarchyWorker) bounded(s []HierarchySetting) []HierarchySetting {
	return bounded(w.o.Settings, s)
}

// contenders returns the contenders that are wanted.
func (w *hierarchyWorker) contenders() []string {
	return slices.DeleteFunc(hierarchyContenders(), func(c string) bool { return len(w.o.Only) > 0 && !slices.Contains(w.o.Only, c) })
}

// plan counts the units of a set.
func (w *hierarchyWorker) plan(s *hierarchySet) {
	expect := func(contender, step string, count int) {
		for k := range count {
			w.clock.expect((&hierarchyUnit{set: s, contender: contender, step: step, number: k, rows: w.o.Rows}).unit())
		}
	}
	expect(namePlain, kernelStep, len(w.bounded(kernelSettings())))
	for _, c := range w.contenders() {
		expect(c, choiceStep, len(w.bounded(refined(c, kernelSettings()[0]))))
		expect(c, runStep, 1)
	}
}

// set searches, then runs.
func (w *hierarchyWorker) set(ctx context.Context, s *hierarchySet) (*HierarchyResult, error) {
	files, err := hierarchyFilesOf(ctx, s, w.o.Data, w.o.Out)
	if err != nil {
		return nil, err
	}
	out := &HierarchyResult{Set: s.name, Published: s.published, Held: files.text}
	unit := hierarchyUnit{set: s, files: files, rows: w.o.Rows}
	if out.Kernels, err = w.compare(ctx, unit, namePlain, kernelStep, w.bounded(kernelSettings())); err != nil {
		return nil, err
	}
	kernel := preferred(out.Kernels)
	for _, c := range w.contenders() {
		e := &HierarchyEntry{Contender: c}
		if e.Choices, err = w.compare(ctx, unit, c, choiceStep, w.bounded(refined(c, kernel.Setting))); err != nil {
			return nil, err
		}
		first := e.Choices
		if c == namePlain {
			first = append([]*HierarchyRun{kernel}, first...)
		}
		e.Chosen = best(first).Setting
		runs, err := w.compare(ctx, unit, c, runStep, []HierarchySetting{e.Chosen})
		if err != nil {
			return nil, err
		}
		e.Run = runs[0]
		out.Entries = append(out.Entries, e)
	}
	return out, nil
}

// compare does the units of a step.
func (w *hierarchyWorker) compare(ctx context.Context, u hierarchyUnit, contender, step string, settings []HierarchySetting) ([]*HierarchyRun, error) {
	var out []*HierarchyRun
	for k, s := range settings {
		u.contender, u.step, u.number, u.setting = contender, step, k, s
		r, err := w.unit(ctx, &u)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", u.unit().Name(), err)
		}
		out = append(out, r)
	}
	return out, nil
}

// unit finds a unit done, or does it.
func (w *hierarchyWorker) unit(ctx context.Context, u *hierarchyUnit) (*HierarchyRun, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fingerprint, err := u.fingerprint()
	if err != nil {
		return nil, err
	}
	out, name := &HierarchyRun{}, u.unit().Name()
	found, broken, err := w.store.read(name, out)
	if err != nil {
		return nil, err
	}
	if found = found && out.Fingerprint == fingerprint; !found {
		if out, err = u.do(ctx, fingerprint, w.o.Stage); err != nil {
			return nil, err
		}
		if err := w.store.write(name, out); err != nil {
			return nil, err
		}
	}
	w.clock.took(u.unit(), out.Seconds)
	if w.o.Progress != nil {
		w.o.Progress(Progress{
			Unit: name, Done: w.clock.done, Total: w.clock.total, Seconds: out.Seconds, Found: found, Broken: broken, Left: w.clock.left(),
		})
	}
	return out, nil
}
