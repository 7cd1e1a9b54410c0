package sipc

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/anova"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/picture"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// mostPanels is how many functions of a surface are drawn.
const mostPanels = 4

// The titles of sections of pictures.
const (
	curvesTitle   = "Curves"
	surfacesTitle = "Surfaces"
)

// mostListedParts is how many parts the table of a page has.
const mostListedParts = 60

// mostLines is how many categories have a line each in a picture of a category and a number.
const mostLines = 7

// drawSum draws a function that is taken apart.
func (a *album) drawSum(ctx context.Context, s *sum, o DrawOptions) error {
	table := s.table()
	a.curves, a.surfaces = table.Curves, table.Surfaces
	functions := functionsOf(a.model, s.free != nil, o.Against != nil)
	curves := picture.Section{Title: curvesTitle, Texts: []string{"Beneath a curve the grey parts show where rows are. Levels of gaps stand beside it, and beneath them the share of rows that have the gap."}}
	surfaces := picture.Section{Title: surfacesTitle, Texts: []string{"Points are rows. Where there are none, a surface is a guess that the kernel makes. Strips beside a map are gaps of its columns."}}
	most := o.Surfaces
	if most == 0 {
		most = usualSurfaces
	}
	components := s.model.Represent.Features.Kernel().Parts().Components
	for k, share := range s.shares {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &table.Parts[k]
		h := picture.Heading{Title: c.Name(), Note: noteOf(c), Of: effect(a.model)}
		if share.Part < len(components) {
			image, err := a.column(&components[share.Part]).draw(h, functions, s.curve(share.Part))
			if err != nil {
				return err
			}
			curves.Images = append(curves.Images, a.add("curve", h.Title, image))
			continue
		}
		if len(surfaces.Images) < most {
			p := s.own.Pairs[share.Part-len(components)]
			d := &surfaceDrawer{sum: s, pair: p, x: a.column(&components[p[0]]), y: a.column(&components[p[1]]), heading: h, functions: functions}
			surfaces.Images = append(surfaces.Images, a.add("surface", strings.Join(c.Columns, " and "), d.draw()))
		}
	}
	if left := table.Surfaces - len(surfaces.Images); left > 0 {
		surfaces.Notes = []string{fmt.Sprintf("%d further surfaces count less, and are not drawn; --surfaces %d draws all.", left, table.Surfaces)}
	}
	a.page = picture.Page{Title: "The curves and surfaces of f", Sections: []picture.Section{s.intro(table), curves}}
	if table.Surfaces > 0 {
		a.page.Sections = append(a.page.Sections, surfaces)
	}
	a.page.Sections = append(a.page.Sections, tableSection(table))
	if len(a.model.Requirements) > 0 {
		a.page.Sections = append(a.page.Sections, requiredSection(a.model))
	}
	return nil
}

// noteOf says how much a part counts.
func noteOf(c *report.Component) string {
	note := "deviation " + picture.Number(float64(c.Deviation))
	if c.Free != nil {
		note += ", free " + picture.Number(float64(*c.Free))
	}
	return note
}

// curve returns the curves of a component, one for each label, and the free ones behind them.
func (s *sum) curve(j int) shape {
	return func(x *mat.Dense) (*mat.Dense, error) {
		own := s.placed(s.own, s.own.Curve(s.own.Table(j, x)))
		if s.free == nil {
			return own, nil
		}
		var out mat.Dense
		out.Augment(own, s.placed(s.free.parts, s.free.parts.Curve(s.free.parts.Table(j, s.free.at(x)))))
		return &out, nil
	}
}

// placed adds the constants to curves of quantiles, n×m. They are means of f over all combinations of the other columns' values then. So they do not
// cross where f does not in the box of the rows.
func (s *sum) placed(of *anova.Decomposition, curves *mat.Dense) *mat.Dense {
	if s.model.About.Preparation.Target.Task != setting.Quantiles {
		return curves
	}
	curves.Apply(func(_, y int, v float64) float64 { return v + of.Constant[y] }, curves)
	return curves
}

// intro says what the pictures are, and what formulas make them.
func (s *sum) intro(t *report.Components) picture.Section {
	constants := make([]string, len(t.Constant))
	for y, c := range t.Constant {
		constants[y] = picture.Number(float64(c))
	}
	what := "These pictures are the whole model: at every row f is the constant and the sum of all curves and surfaces."
	switch model.ClosingOf(s.model) {
	case model.Lent:
		what += " Scores are then closed: a label takes the largest score of those that imply it."
	case model.Met:
		what += " Log odds of labels then meet half way where they contradict an implication."
	case model.Alone, model.Agreed:
	}
	out := picture.Section{
		Texts: []string{what, fmt.Sprintf("The constant is %s. Means are over %s.", strings.Join(constants, ", "), rowsText(t))},
		Formulas: []string{
			"f(x) = constant + Σ_j f_j(x_j) + Σ_{j<l} f_jl(x_j, x_l)",
			"f_j(x_j) = Σ_i a_i k̃_j(x_j, z_i) [c₁ + c₂ Σ_l μ_l(z_i)], of which the mean over the rows is 0",
			"f_jl(x_j, x_l) = c₂ Σ_i a_i k̃_j(x_j, z_i) k̃_l(x_l, z_i), of which the mean over the rows' values of either column is 0",
			"k̃_j = k_j − μ_j, where μ_j(z) is the mean over the rows r of k_j(r_j, z)",
		},
	}
	if s.model.About.Preparation.Target.Task == setting.Quantiles {
		out.Texts = append(out.Texts, "Curves of levels have their constants added. Each is then the mean of f over all combinations of the values of other columns, so that levels which do not cross do not seem to.")
	}
	if s.free != nil {
		out.Texts = append(out.Texts, "Broken lines are the function "+s.free.lacks+".")
	}
	return out
}

// tableSection lists columns and pairs by variance.
func tableSection(t *report.Components) picture.Section {
	s := picture.Section{Title: "Columns and pairs by variance", Table: [][]string{{"part", "deviation", "share", "together"}}}
	if t.FreeOf != "" {
		s.Table[0] = append(s.Table[0], "free")
	}
	shown := t.Top(mostListedParts)
	for i := range shown.Parts {
		p := &shown.Parts[i]
		row := []string{p.Name(), picture.Number(float64(p.Deviation)), report.Explained(p.Share), report.Explained(p.Together)}
		if p.Free != nil {
			row = append(row, picture.Number(float64(*p.Free)))
		}
		s.Table = append(s.Table, row)
	}
	if shown.Left > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d more parts are smaller; sipc explain --model --json lists all.", shown.Left))
	}
	s.Notes = append(s.Notes, "Deviation: the root of the variance over the rows. Together: 1 − Var(f − the parts so far)/Var(f). Share: what a part adds to that.")
	return s
}

// A surfaceDrawer draws a surface of two columns.
type surfaceDrawer struct {
	sum       *sum
	pair      [2]int
	x, y      *drawnColumn
	heading   picture.Heading
	functions []picture.Function
}

// draw draws lines where one column has few categories and the other numbers, and there is one label. Else it draws a map.
func (d *surfaceDrawer) draw() []byte {
	m := len(d.sum.own.Constant)
	if m == 1 && d.x.feature.Text != d.y.feature.Text {
		if len(d.x.seen()) <= mostLines && d.x.feature.Text || len(d.y.seen()) <= mostLines && d.y.feature.Text {
			return d.lines()
		}
	}
	p := &picture.Surface{Heading: d.heading, X: d.side(d.x), Y: d.side(d.y), Rows: d.rows()}
	for y := range min(m, mostPanels) {
		p.Panels = append(p.Panels, picture.Panel{Name: d.functions[y].Name, Z: d.values(d.sum.own, nil, p, y)})
	}
	if m == 1 && d.sum.free != nil {
		p.Panels = append(p.Panels, picture.Panel{Name: d.functions[1].Name, Z: d.values(d.sum.free.parts, d.sum.free, p, 0)})
	}
	if m > mostPanels {
		p.Note += fmt.Sprintf(", %d of %d functions", mostPanels, m)
	}
	return p.Draw()
}

// side returns the numbers of a column, or its categories.
func (d *surfaceDrawer) side(c *drawnColumn) picture.Side {
	s := picture.Side{Name: c.name, Whole: c.whole}
	if !c.feature.Text {
		s.At, s.Gaps = c.grid(surfacePoints), c.levels
		if len(s.At) == 1 {
			s.At = append(s.At, s.At[0]+1)
		}
		return s
	}
	s.Levels = c.seen()[:min(len(c.seen()), mostLevels)]
	for k := range s.Levels {
		s.At = append(s.At, float64(k))
	}
	return s
}

// points returns the prepared rows of a side, those of gaps behind the numbers.
func points(c *drawnColumn, s *picture.Side) *mat.Dense {
	if !c.feature.Text {
		return c.at(s.At)
	}
	return c.at(nil).Slice(0, len(s.At), 0, c.all).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
}

// values returns the values of a surface, a row for each place of Y and then for its gaps.
func (d *surfaceDrawer) values(of *anova.Decomposition, free *twin, p *picture.Surface, label int) [][]float64 {
	x, y := points(d.x, &p.X), points(d.y, &p.Y)
	if free != nil {
		x, y = free.at(x), free.at(y)
	}
	z := of.Surface(of.Table(d.pair[1], y), of.Table(d.pair[0], x), label)
	out := make([][]float64, rowsIn(z))
	for i := range out {
		out[i] = z.RawRowView(i)
	}
	return out
}

// rows returns where rows are. Those of a category stand at different places around it.
func (d *surfaceDrawer) rows() (out [][2]float64) {
	const golden = 0.6180339887498949
	at := func(c *drawnColumn, row []float64, around float64) (float64, bool) {
		if c.feature.Text {
			return float64(c.level(row)) + 0.7*(around-math.Floor(around)-0.5), true
		}
		return c.number(row)
	}
	for i := range rowsIn(d.sum.rows.X) {
		row := d.sum.rows.X.RawRowView(i)
		x, ok := at(d.x, row, golden*float64(i))
		y, ok2 := at(d.y, row, golden*golden*float64(i))
		if ok && ok2 {
			out = append(out, [2]float64{x, y})
		}
	}
	return out
}

// lines draws a line over the numbers of one column for each category of the other.
func (d *surfaceDrawer) lines() []byte {
	numbers, texts, j, l := d.x, d.y, d.pair[0], d.pair[1]
	if d.x.feature.Text {
		numbers, texts, j, l = d.y, d.x, d.pair[1], d.pair[0]
	}
	grid := numbers.grid(curvePoints)
	x, t := numbers.at(grid), texts.at(nil)
	h := d.heading
	p := &picture.Curve{Heading: h, X: grid, Rows: numbers.counts, Whole: numbers.wholes(grid), Axis: numbers.name}
	for k, name := range numbers.levels {
		p.Levels = append(p.Levels, picture.Level{Name: name, Rows: numbers.rows[k]})
	}
	add := func(of *anova.Decomposition, free *twin, suffix string) {
		x, t := x, t
		if free != nil {
			x, t = free.at(x), free.at(t)
		}
		z := of.Surface(of.Table(l, t), of.Table(j, x), 0)
		for k, name := range texts.seen() {
			p.Functions = append(p.Functions, picture.Function{Name: name + suffix, Colour: k, Free: free != nil})
			p.Y = append(p.Y, z.RawRowView(k)[:len(grid)])
			for i := range p.Levels {
				p.Levels[i].Y = append(p.Levels[i].Y, z.At(k, len(grid)+i))
			}
		}
	}
	add(d.sum.own, nil, "")
	if d.sum.free != nil {
		add(d.sum.free.parts, d.sum.free, ", "+d.functions[1].Name)
	}
	return p.Draw()
}
