package sipc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/page"
	"github.com/sipc-ml/sipc/runtime/picture"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

const (
	mostSwept     = 8 // columns of a page
	mostSums      = 12
	sweptRows     = 100
	sweptPoints   = 40
	widePicture   = 560 // pixels beyond which a picture takes a line of its own
	mostOutputs   = 5   // classes, labels or levels of a picture
	usualOutliers = 0.1
)

// effects returns pictures of what the columns do; nil of images, whose pixels say nothing each by itself.
func (p *pager) effects(ctx context.Context) (*page.Effects, error) {
	if p.of.rows.Train.Height > 0 {
		return nil, nil //nolint:nilnil // nil stands for no pictures
	}
	if limits.Over(ctx) {
		return &page.Effects{Note: "The time was over before columns were looked at."}, nil
	}
	if f := p.of.rows.Preparation.Features; len(f) <= mostDrawn && !slices.ContainsFunc(f, ofWords) {
		a, err := newAlbumOfSum(ctx, p.of.fitting.Model, DrawOptions{rows: model.Spread(p.of.rows.Train)})
		switch {
		case err == nil:
			return p.albumShown(a), nil
		case !errors.Is(err, errNoSum):
			return nil, err
		}
	}
	return p.sweeps(ctx)
}

// ofWords reports whether the words of a text are the features.
func ofWords(f dataset.Feature) bool { return len(f.Weights) > 0 }

// albumShown returns the pictures of a function that is a sum: of many curves and surfaces those that vary most.
func (p *pager) albumShown(a *album) *page.Effects {
	out := &page.Effects{Sum: true}
	content := map[string][]byte{}
	for _, f := range a.files {
		content[f.name] = f.content
	}
	drawn := map[string]int{}
	for _, s := range a.page.Sections {
		shown := s.Images[:min(len(s.Images), mostSums)]
		drawn[s.Title] = len(shown)
		for _, i := range shown {
			out.Pictures = append(out.Pictures, page.Picture{Title: i.Title, SVG: content[i.File], Wide: picture.Width(content[i.File]) > widePicture})
		}
	}
	slices.SortStableFunc(out.Pictures, func(a, b page.Picture) int { return cmp.Compare(picture.Width(a.SVG), picture.Width(b.SVG)) })
	out.Left = a.curves + a.surfaces - len(out.Pictures)
	out.Note = sumNote(a, drawn[curvesTitle], drawn[surfacesTitle])
	return out
}

// sumNote says what the pictures of a sum show, and which are drawn of many.
func sumNote(a *album, curves, surfaces int) string {
	note := "f is a constant and a sum of " + report.Counted(a.curves, "curve") + ", one for each column"
	if a.surfaces > 0 {
		note += ", and of " + report.Counted(a.surfaces, "surface") + " for pairs of columns"
	}
	if curves == a.curves && surfaces == a.surfaces {
		note += ". These pictures are all of it: at every row f is their sum."
	} else {
		var parts []string
		for _, part := range []struct {
			drawn, of int
			what      string
		}{{curves, a.curves, "curve"}, {surfaces, a.surfaces, "surface"}} {
			if part.of > 0 {
				parts = append(parts, fmt.Sprintf("%d of %s", part.drawn, report.Counted(part.of, part.what)))
			}
		}
		note += ". Drawn are " + strings.Join(parts, " and ") + ", those along which f varies most; f is the sum of all."
	}
	return note + " Effects are about their mean over the training rows. Grey beneath a curve shows where rows are; where there are few, the kernel guesses."
}

// declaredNames returns the names and texts in what the spec declares: invariances, measures and statements that are required, and what they call.
func (p *pager) declaredNames() []string {
	named := map[string]dsl.Decl{}
	var names []string
	var visit func(dsl.Node, string)
	visit = func(n dsl.Node, text string) {
		if _, isNumber := n.(*dsl.Number); isNumber || text == "" || slices.Contains(names, text) {
			return
		}
		if names = append(names, text); named[text] != nil {
			eachText(named[text], visit)
		}
	}
	for _, d := range p.of.rows.Spec.File.Decls {
		switch d := d.(type) {
		case *dsl.Def:
			named[d.Name.Name] = d
		case *dsl.Let:
			named[d.Name.Name] = d
		}
	}
	for _, d := range p.of.rows.Spec.File.Decls {
		switch d.(type) {
		case *dsl.Invariance, *dsl.Require:
			eachText(d, visit)
		}
	}
	return names
}

// A sweep moves one column of rows over its range.
type sweep struct {
	of      *pager
	rows    *mat.Dense
	outputs []int // the positions of what is shown
	free    *model.Model
}

// sweeps draws how predictions move with a column, all others as they are in rows.
func (p *pager) sweeps(ctx context.Context) (*page.Effects, error) {
	all := model.Spread(p.of.rows.Train)
	many, points := sweptRows, sweptPoints
	if r := p.of.fitting.Model.Represent; r.Method.Embeds() && r.Regularized() {
		many, points = partialRowsEmbedded, partialPointsEmbedded
	}
	s := &sweep{of: p, rows: fewer(all, many).X}
	if p.of.baseline != nil && p.of.differs() {
		s.free = p.of.baseline.fitting.Model
	}
	columns, cut, err := s.columns(ctx, all)
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	if err := s.chooseOutputs(ctx); err != nil {
		return nil, err
	}
	out := &page.Effects{Left: cut.left + cut.words, Note: s.note(cut)}
	for k, c := range columns {
		if limits.Over(ctx) {
			out.Left += len(columns) - k
			out.Note += " The time was over when " + report.Counted(k, "column") + " had been swept."
			break
		}
		tell(p.of.rows, "sweep the columns", k, len(columns))
		c.points = points
		svg, err := s.draw(ctx, c)
		if err != nil {
			return nil, err
		}
		out.Pictures = append(out.Pictures, page.Picture{Title: c.name, SVG: svg})
	}
	return out, nil
}

// note says what the pictures show, and which columns and functions are drawn of many.
func (s *sweep) note(cut *cut) string {
	_, m := s.of.of.scores.Dims()
	note := fmt.Sprintf("A column moves over its range, and all others stay as they are in %d training rows. A line is the mean of what is predicted", rowsIn(s.rows))
	if m == 1 {
		note += ", and its band holds eight tenths of the rows, each moved to the same mean: a wide one says that the column acts otherwise in other rows"
	}
	note += ". " + cut.sentence()
	if s.free != nil {
		note += "Free is the function of method plain, without the statements. "
	}
	if left := m - len(s.outputs); left > 0 && s.of.of.rows.Train.Task == setting.Quantiles {
		note += fmt.Sprintf("Of %d levels %d are drawn, at equal steps. ", m, len(s.outputs))
	} else if left > 0 {
		note += fmt.Sprintf("Of %d functions those %d are drawn that vary most over the rows. ", m, len(s.outputs))
	}
	return note + "A mean hides how columns act together, and rows so moved may be such as there are none."
}

// predicted returns what a model predicts at prepared rows (n × outputs): numbers, rates, probabilities, or else scores.
func (s *sweep) predicted(ctx context.Context, m *model.Model, x *mat.Dense) (*mat.Dense, error) {
	scores, _, err := m.Scores(ctx, x, nil, nil)
	if err != nil {
		return nil, err
	}
	all := scores
	task := s.of.of.rows.Train.Task
	switch probabilities := model.Probabilities(m, scores); {
	case task == setting.Counts:
		all = mat.NewDense(rowsIn(x), 1, learn.Decide(task, scores).Real)
	case probabilities != nil && task == setting.Binary:
		all = mat.NewDense(rowsIn(x), 1, mat.Col(nil, 1, probabilities))
	case probabilities != nil:
		all = probabilities
	}
	return all, nil
}

// moved returns the rows with the column at each number of a grid and then at each level, one place after the other.
func (s *sweep) moved(c *drawnColumn, grid []float64) *mat.Dense {
	places := len(grid) + len(c.seen())
	n, p := s.rows.Dims()
	x := mat.NewDense(places*n, p, nil)
	for at := range places {
		for i := range n {
			row := x.RawRowView(at*n + i)
			copy(row, s.rows.RawRowView(i))
			if at < len(grid) {
				c.set(row, grid[at], -1)
			} else {
				c.set(row, 0, at-len(grid))
			}
		}
	}
	return x
}

// A band is the mean of a function at each place, and the ends of what holds eight tenths of the rows there.
type band struct{ mean, low, high []float64 }

// draw draws one column.
func (s *sweep) draw(ctx context.Context, c *drawnColumn) ([]byte, error) {
	var grid []float64
	if !c.feature.Text {
		grid = c.grid(c.points)
	}
	x := s.moved(c, grid)
	functions, value := s.functions()
	var bands []band
	for _, m := range []*model.Model{s.of.of.fitting.Model, s.free} {
		if m == nil {
			continue
		}
		all, err := s.predicted(ctx, m, x)
		if err != nil {
			return nil, err
		}
		for _, y := range s.outputs {
			bands = append(bands, bandOf(mat.Col(nil, y, all), rowsIn(s.rows)))
		}
	}
	h := picture.Heading{Title: c.name, Note: "mean over rows, other columns as they are", Value: value}
	var levels []picture.Level
	for k, name := range c.seen() {
		l := picture.Level{Name: name, Rows: c.rows[k]}
		for f := range functions {
			l.Y = append(l.Y, bands[f].mean[len(grid)+k])
		}
		levels = append(levels, l)
	}
	if c.feature.Text {
		return sweptBars(h, functions, levels), nil
	}
	h.Desc = fmt.Sprintf("at the least value %s, at the greatest %s", picture.Number(bands[0].mean[0]), picture.Number(bands[0].mean[len(grid)-1]))
	curve := &picture.Curve{Heading: h, Functions: functions, X: grid, Levels: levels, Rows: c.counts, Whole: c.wholes(grid)}
	for f := range functions {
		curve.Y = append(curve.Y, bands[f].mean[:len(grid)])
		if len(s.outputs) == 1 && f == 0 {
			curve.Low, curve.High = append(curve.Low, bands[f].low[:len(grid)]), append(curve.High, bands[f].high[:len(grid)])
		}
	}
	return curve.Draw(), nil
}

// sweptBars draws a column of texts, the most frequent ones.
func sweptBars(h picture.Heading, functions []picture.Function, levels []picture.Level) []byte {
	slices.SortStableFunc(levels, func(a, b picture.Level) int { return cmp.Compare(b.Rows, a.Rows) })
	most := min(len(levels), mostLevels)
	h.Desc = fmt.Sprintf("a bar for each of %d values", most)
	return (&picture.Bars{Heading: h, Functions: functions, Levels: levels[:most], Left: len(levels) - most}).Draw()
}

// functions returns those of a picture, the free ones behind, and the name of what they predict.
func (s *sweep) functions() (out []picture.Function, value string) {
	t := &s.of.of.rows.Preparation.Target
	names := []string{"this run"}
	if _, m := s.of.of.scores.Dims(); m > 1 {
		names = nil
		for _, y := range s.outputs {
			names = append(names, t.LabelNames[y])
		}
	}
	for k, name := range names {
		out = append(out, picture.Function{Name: name, Colour: k})
	}
	if s.free != nil {
		for k, name := range names {
			if len(names) == 1 {
				out = append(out, picture.Function{Name: "free", Colour: 1, Free: true})
				break
			}
			out = append(out, picture.Function{Name: name + ", free", Colour: k, Free: true})
		}
	}
	value = "score"
	if model.Probabilities(s.of.of.fitting.Model, s.of.of.scores) != nil {
		value = "probability"
	}
	switch t.Task {
	case setting.Real, setting.Counts, setting.Quantiles:
		value = "predicted " + s.of.target()
	case setting.Binary:
		value += " of " + t.LabelNames[1]
	}
	return out, value
}

// bandOf returns the band of each n numbers, those of one place. The rows are moved to the same mean over all places. So the band shows how
// differently they change, and not how different they are.
func bandOf(all []float64, n int) (b band) {
	places := len(all) / n
	of := make([]float64, n) // mean of each row
	for k, v := range all {
		of[k%n] += v / float64(places)
	}
	overall := floats.Sum(of) / float64(n)
	for at := 0; at < len(all); at += n {
		part := slices.Clone(all[at : at+n])
		for i := range part {
			part[i] += overall - of[i]
		}
		slices.Sort(part)
		end := int(math.Round(usualOutliers * float64(n-1)))
		b.mean, b.low, b.high = append(b.mean, floats.Sum(part)/float64(n)), append(b.low, part[end]), append(b.high, part[n-1-end])
	}
	return b
}
