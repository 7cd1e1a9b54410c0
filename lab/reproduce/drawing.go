package reproduce

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of a picture, and of what is in it.
const (
	pictureWidth  = 18 * vg.Centimeter
	pictureHeight = 11.5 * vg.Centimeter
	pictureMargin = 10 // points around all
	titleSize     = 12 // points
	labelSize     = 11
	tickSize      = 10
	// wider is how much wider than the font that is asked for a viewer's may be, where it lacks that.
	wider = 1.2
)

// A picture is a plot with its legend to the right of it, so that no text lies on the data.
type picture struct {
	*plot.Plot
	legend plot.Legend
	names  []string // in the legend
}

// newPicture returns a picture without data.
func newPicture(title, x, y string) *picture {
	p := &picture{Plot: plot.New(), legend: plot.NewLegend()}
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = 8, 4, 4
	p.TextHandler = anchored{text.Plain{Fonts: font.DefaultCache}}
	for style, size := range map[*text.Style]vg.Length{
		&p.Title.TextStyle: titleSize, &p.X.Label.TextStyle: labelSize, &p.Y.Label.TextStyle: labelSize,
		&p.X.Tick.Label: tickSize, &p.Y.Tick.Label: tickSize, &p.legend.TextStyle: labelSize,
	} {
		style.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
		style.Handler = p.TextHandler
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = rounds{}, rounds{}
	p.X.Padding, p.Y.Padding = 0, 0
	p.legend.Left, p.legend.Top, p.legend.Padding = true, true, 5
	p.legend.ThumbnailWidth = 24
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{Y: 225}, color.Gray{Y: 225}
	p.Add(grid)
	return p
}

// entry adds a line of the legend.
func (p *picture) entry(name string, thumbs ...plot.Thumbnailer) {
	p.legend.Add(name, thumbs...)
	p.names = append(p.names, name)
}

// areas returns the areas of the plot, its axes included, and of the legend.
func (p *picture) areas(c draw.Canvas) (data, legend draw.Canvas) {
	var width vg.Length
	for _, name := range p.names {
		width = max(width, p.legend.TextStyle.Width(name))
	}
	width = wider*width + p.legend.ThumbnailWidth + 2*pictureMargin
	whole := draw.Crop(c, pictureMargin, -pictureMargin, pictureMargin, -pictureMargin)
	return draw.Crop(whole, 0, -width, 0, 0), draw.Crop(whole, whole.Max.X-whole.Min.X-width+2*pictureMargin, 0, 0, -2*titleSize)
}

// widen leaves room between the labels of the y axis and its title, for viewers with wider fonts.
func (p *picture) widen() {
	var width vg.Length
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		width = max(width, p.Y.Tick.Label.Width(t.Label))
	}
	p.Y.Label.Padding = 4 + (wider-1)*width
}

// svg writes the picture as SVG; a viewer reads about aloud.
func (p *picture) svg(about string) ([]byte, error) {
	canvas := vgsvg.New(pictureWidth, pictureHeight)
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Path())
	p.widen()
	data, legend := p.areas(c)
	p.Draw(data)
	p.legend.Draw(legend)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	return []byte(withAnchors(b.String(), about)), nil
}

// The marks of text that is centred at its place, or ends there. They are of a private area of Unicode, and not in any text.
const (
	markMiddle = "\uE001"
	markEnd    = "\uE002"
)

// anchored hands on how text is aligned: the canvas would have text begin where it would if the viewer's font were ours.
type anchored struct{ text.Plain }

// Draw implements text.Handler.
func (a anchored) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	mark := ""
	switch style.XAlign {
	case text.XCenter:
		mark = markMiddle
	case text.XRight:
		mark = markEnd
	case text.XLeft:
	}
	if mark != "" && txt != "" {
		style.XAlign, txt = text.XLeft, mark+txt
	}
	a.Plain.Draw(c, txt, style, at)
}

var markedText = regexp.MustCompile("(<text [^>]*)>([" + markMiddle + markEnd + "])")

// withAnchors puts attributes for the marks, fonts that are as wide for viewers without ours, and a title.
func withAnchors(svg, about string) string {
	svg = markedText.ReplaceAllStringFunc(svg, func(s string) string {
		if start, ok := strings.CutSuffix(s, ">"+markMiddle); ok {
			return start + ` text-anchor="middle">`
		}
		return strings.TrimSuffix(s, ">"+markEnd) + ` text-anchor="end">`
	})
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")
	return strings.Replace(svg, "<g transform", fmt.Sprintf("<title>%s</title>\n<g transform", html.EscapeString(about)), 1)
}

// A look is how a contender is drawn, in every picture the same. Colours are those of Okabe and Ito, which the colour-blind tell apart.
type look struct {
	color  color.Color
	dashes []vg.Length
	shape  draw.GlyphDrawer
}

func black() color.Color      { return color.Gray{} }
func gray() color.Color       { return color.Gray{Y: 130} }
func blue() color.Color       { return color.RGBA{G: 114, B: 178, A: 255} }
func vermilion() color.Color  { return color.RGBA{R: 213, G: 94, A: 255} }
func sky() color.Color        { return color.RGBA{R: 86, G: 180, B: 233, A: 255} }
func green() color.Color      { return color.RGBA{G: 158, B: 115, A: 255} }
func orange() color.Color     { return color.RGBA{R: 230, G: 159, A: 255} }
func purple() color.Color     { return color.RGBA{R: 204, G: 121, B: 167, A: 255} }
func dashed() []vg.Length     { return []vg.Length{6, 3} }
func dotted() []vg.Length     { return []vg.Length{2, 2} }
func dashDotted() []vg.Length { return []vg.Length{6, 2, 2, 2} }

// lookOf returns the look of a contender: methods of semi-inner products have lines without gaps, controls are black, and rivals' lines have gaps.
func lookOf(contender string) look {
	switch contender {
	case nameEmbed:
		return look{blue(), nil, draw.CircleGlyph{}}
	case nameRisk:
		return look{vermilion(), nil, draw.BoxGlyph{}}
	case nameClosed:
		return look{purple(), nil, draw.PyramidGlyph{}}
	case nameDual:
		return look{sky(), nil, draw.PyramidGlyph{}}
	case nameWarp, nameMasking:
		return look{orange(), dashDotted(), draw.TriangleGlyph{}}
	case nameMixup, nameHR:
		return look{green(), dashed(), diamond{}}
	case nameOnline:
		return look{orange(), dotted(), draw.TriangleGlyph{}}
	case nameAnyPairs:
		return look{purple(), nil, draw.PyramidGlyph{}}
	case nameImplied:
		return look{sky(), nil, draw.PyramidGlyph{}}
	case namePlain:
		return look{gray(), dashDotted(), draw.RingGlyph{}}
	}
	return look{black(), dotted(), draw.RingGlyph{}}
}

// A diamond is a glyph that plot lacks.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	r := 1.2 * style.Radius
	c.SetColor(style.Color)
	var path vg.Path
	path.Move(vg.Point{X: at.X - r, Y: at.Y})
	path.Line(vg.Point{X: at.X, Y: at.Y + r})
	path.Line(vg.Point{X: at.X + r, Y: at.Y})
	path.Line(vg.Point{X: at.X, Y: at.Y - r})
	path.Close()
	c.Fill(path)
}

// line adds a line with glyphs.
func (p *picture) line(name string, points plotter.XYs, l look) error {
	line, glyphs, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.LineStyle = draw.LineStyle{Color: l.color, Width: 1.25, Dashes: l.dashes}
	glyphs.GlyphStyle = draw.GlyphStyle{Color: l.color, Radius: 2.25, Shape: l.shape}
	p.Add(line, glyphs)
	p.entry(name, line, glyphs)
	return nil
}

// dots adds glyphs.
func (p *picture) dots(name string, points plotter.XYs, l look, radius vg.Length) error {
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: l.color, Radius: radius, Shape: l.shape}
	p.Add(dots)
	p.entry(name, dots)
	return nil
}
