package picture

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Colours of grounds and texts.
const (
	ground = "#ffffff"
	frame  = "#d0d7de"
	ink    = "#24292f"
	muted  = "#57606a"
	rows   = "#b6c2cf" // where rows are
)

// palette is that of functions, in their order.
var palette = [...]string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#57606a"}

// colour returns that of a function.
func colour(k int) string { return palette[k%len(palette)] }

const (
	fontSize  = 12
	smallSize = 11
	titleSize = 14
	// glyph is about the mean width of a character, as a share of the size of its font.
	glyph = 0.56
)

// A canvas takes SVG.
type canvas struct{ bytes.Buffer }

// newCanvas begins a picture of so many pixels. An empty description is left out.
func newCanvas(width, height float64, title, description string) *canvas {
	c := &canvas{}
	c.addf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" `+
		`font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="%d" fill="%s">`,
		px(width), px(height), px(width), px(height), fontSize, ink)
	c.addf(`<title>%s</title>`, escape(title))
	if description != "" {
		c.addf(`<desc>%s</desc>`, escape(description))
	}
	c.addf(`<rect x="0.5" y="0.5" width="%s" height="%s" rx="8" fill="%s" stroke="%s"/>`, px(width-1), px(height-1), ground, frame)
	return c
}

// done ends a picture and returns it.
func (c *canvas) done() []byte {
	c.addf("</g>\n</svg>")
	return c.Bytes()
}

func (c *canvas) addf(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

// Where texts stand at their places; empty means that they begin there.
const (
	middle = "middle"
	end    = "end"
)

// A style says how a text is written. The zero value is ink of the usual size that begins at its place.
type style struct {
	anchor string
	size   int
	muted  bool
	bold   bool
	turned bool // it reads upwards
}

// text writes a text at a place.
func (c *canvas) text(x, y float64, s style, words string) {
	var b strings.Builder
	if s.turned {
		fmt.Fprintf(&b, ` transform="translate(%s %s) rotate(-90)"`, px(x), px(y))
	} else {
		fmt.Fprintf(&b, ` x="%s" y="%s"`, px(x), px(y))
	}
	if s.anchor != "" {
		fmt.Fprintf(&b, ` text-anchor="%s"`, s.anchor)
	}
	if s.size > 0 {
		fmt.Fprintf(&b, ` font-size="%d"`, s.size)
	}
	if s.bold {
		b.WriteString(` font-weight="600"`)
	}
	if s.muted {
		fmt.Fprintf(&b, ` fill="%s"`, muted)
	}
	c.addf(`<text%s>%s</text>`, b.String(), escape(words))
}

// line draws a straight line.
func (c *canvas) line(x1, y1, x2, y2 float64, colour string) {
	c.addf(`<path d="M%s %sL%s %s" stroke="%s"/>`, px(x1), px(y1), px(x2), px(y2), colour)
}

// box draws the outline of a rectangle.
func (c *canvas) box(x, y, width, height float64) {
	c.addf(`<rect x="%s" y="%s" width="%s" height="%s" fill="none" stroke="%s"/>`, px(x), px(y), px(width), px(height), frame)
}

// px writes a number of pixels.
func px(v float64) string {
	return strconv.FormatFloat(math.Round(10*v)/10+0, 'f', -1, 64)
}

// escape writes a text as XML has it. Control characters, which XML lacks, become spaces.
func escape(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, text)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(text)
}

// fit shortens a text to a width in pixels.
func fit(text string, width float64, size int) string {
	most := int(width / (glyph * float64(size)))
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:max(0, most-1)]) + "…"
}

// fitName shortens a name to a width in pixels. It keeps both ends, as names that begin alike are told apart by theirs.
func fitName(name string, width float64, size int) string {
	letters, most := []rune(name), int(width/(glyph*float64(size)))
	if len(letters) <= most || most < 3 {
		return fit(name, width, size)
	}
	last := (most - 1) / 2
	return string(letters[:most-1-last]) + "…" + string(letters[len(letters)-last:])
}

// breadth returns about how wide a text is.
func breadth(text string, size int) float64 {
	return glyph * float64(size) * float64(utf8.RuneCountInString(text))
}
