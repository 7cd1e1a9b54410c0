package sipc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/page"
	"github.com/sipc-ml/sipc/runtime/picture"
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

// albumShown returns the pictures of a function that is a sum.
func (p *pager) albumShown(a *album) *page.Effects {
	out := &page.Effects{Sum: true, Note: "f is a constant and a sum of curves, one for each column" +
		", and of surfaces for pairs of columns where the kernel has them. These pictures are all of it: at every row f is their sum. Effects are about their mean over the training rows. " +
		"Grey beneath a curve shows where rows are; where there are few, the kernel guesses."}
	content := map[string][]byte{}
	for _, f := range a.files {
		content[f.name] = f.content
	}
	for _, s := range a.page.Sections {
		for _, i := range s.Images {
			if len(out.Pictures) == mostSums+usualSurfaces {
				out.Left++
				continue
			}
			out.Pictures = append(out.Pictures, page.Picture{Title: i.Title, SVG: content[i.File], Wide: picture.Width(content[i.File]) > widePicture})
		}
	}
	slices.SortStableFunc(out.Pictures, func(a, b page.Picture) int { return cmp.Compare(picture.Width(a.SVG), picture.Width(b.SVG)) })
	return out
}

// declaredNames returns the names and texts in what the spec declares: invariances, measures and statements that are required, and what they call.
func (p *pager) declaredNames() []string {
	named := map[string]dsl.Decl{}
	var names []string
	var visit func(dsl.Node)
	visit = func(n dsl.Node) {
		dsl.Walk(n, func(n dsl.Node) bool {
			text := ""
			switch n := n.(type) {
			case *dsl.Ident:
				text = n.Name
			case *dsl.String:
				text = n.Value
			}
			if text != "" && !slices.Contains(names, text) {
				names = append(names, text)
				if named[text] != nil {
					visit(named[text])
				}
			}
			return true
		})
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
			visit(d)
		}
	}
	return names
}

// sweptColumns returns the columns to sweep: those that the spec declares something of, and then others in their order, and how many are left
// out.
func (p *pager) sweptColumns(rows *model.Rows) (out []*drawnColumn, declared, left int) {
	prep, names := p.of.rows.Preparation, p.declaredNames()
	isDeclared := func(name string) bool {
		return slices.ContainsFunc(names, func(pattern string) bool {
			ok, err := path.Match(pattern, name)
			return name == pattern || ok && err == nil
		})
	}
	var first, then []int
	for g := range prep.Features {
		switch {
		case ofWords(prep.Features[g]):
			left++
		case isDeclared(prep.Features[g].Name):
			first = append(first, g)
		default:
			then = append(then, g)
		}
	}
	all := slices.Concat(first, then)
	most := min(len(all), mostSwept)
	for _, g := range all[:most] {
		out = append(out, newDrawnColumn(prep, g, rows))
	}
	return out, min(len(first), most), left + len(all) - most
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
	columns, declared, left := p.sweptColumns(all)
	if len(columns) == 0 {
		return nil, nil //nolint:nilnil // nil stands for no pictures
	}
	many, points := sweptRows, sweptPoints
	if r := p.of.fitting.Model.Represent; r.Method.Embeds() && r.Regularized() {
		many, points = partialRowsEmbedded, partialPointsEmbedded
	}
	s := &sweep{of: p, rows: fewer(all, many).X}
	_, m := p.of.scores.Dims()
	for y := range min(m, mostOutputs) {
		s.outputs = append(s.outputs, y)
	}
	if p.of.baseline != nil {
		s.free = p.of.baseline.fitting.Model
	}
	out := &page.Effects{Left: left, Note: fmt.Sprintf("A column moves over its range, and all others stay as they are in %d training rows. A line is the mean of what is predicted", rowsIn(s.rows))}
	if m == 1 {
		out.Note += ", and its band holds eight tenths of the rows, each moved to the same mean: a wide one says that the column acts otherwise in other rows"
	}
	out.Note += ". "
	if declared > 0 {
		out.Note += fmt.Sprintf("The first %d are columns of which the spec declares something. ", declared)
	}
	if s.free != nil {
		out.Note += "Free is the function of method plain, without the statements. "
	}
	if m > mostOutputs {
		out.Note += fmt.Sprintf("Of %d functions the first %d are drawn. ", m, mostOutputs)
	}
	out.Note += "A mean hides how columns act together, and rows so moved may be such as there are none."
	for k, c := range columns {
		p.of.rows.stage("sweep the columns")(k, len(columns))
		c.points = points
		svg, err := s.draw(ctx, c)
		if err != nil {
			return nil, err
		}
		out.Pictures = append(out.Pictures, page.Picture{Title: c.name, SVG: svg})
	}
	return out, nil
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
		names = t.LabelNames[:len(s.outputs)]
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
