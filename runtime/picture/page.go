package picture

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
)

// A Page is HTML that shows pictures beside it. It holds all else itself, and no script.
type Page struct {
	Title    string
	Sections []Section
}

// A Section of a page shows, in this order, what it has.
type Section struct {
	Title    string // empty for the first
	Texts    []string
	Formulas []string
	Table    [][]string // the first row is its head
	Images   []Image
	Notes    []string
}

// An Image is a file beside the page.
type Image struct{ File, Title string }

// look is the style of a page, on light grounds and on dark ones.
const look = `:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;max-width:1120px;margin:2em auto;padding:0 1em}
img{max-width:100%;height:auto;margin:0 .5em 1em 0;vertical-align:top}
table{border-collapse:collapse;margin:1em 0}
th,td{padding:.2em .9em .2em 0;text-align:right;border-bottom:1px solid #8884;font-variant-numeric:tabular-nums}
th:first-child,td:first-child{text-align:left}
pre{overflow-x:auto}
small{opacity:.75}`

// Write returns the page.
func (p *Page) Write() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"+
		"<title>%s</title>\n<style>\n%s\n</style>\n</head>\n<body>\n<h1>%s</h1>\n", escape(p.Title), look, escape(p.Title))
	for i := range p.Sections {
		p.Sections[i].write(&b)
	}
	b.WriteString("</body>\n</html>\n")
	return b.Bytes()
}

func (s *Section) write(b *bytes.Buffer) {
	if s.Title != "" {
		fmt.Fprintf(b, "<h2>%s</h2>\n", escape(s.Title))
	}
	for _, t := range s.Texts {
		fmt.Fprintf(b, "<p>%s</p>\n", escape(t))
	}
	if len(s.Formulas) > 0 {
		fmt.Fprintf(b, "<pre>%s</pre>\n", escapeLines(s.Formulas))
	}
	for i, row := range s.Table {
		tag := "td"
		if i == 0 {
			tag = "th"
			b.WriteString("<table>\n")
		}
		b.WriteString("<tr>")
		for _, cell := range row {
			fmt.Fprintf(b, "<%s>%s</%s>", tag, escape(cell), tag)
		}
		b.WriteString("</tr>\n")
	}
	if len(s.Table) > 0 {
		b.WriteString("</table>\n")
	}
	for _, i := range s.Images {
		fmt.Fprintf(b, "<img src=\"%s\" alt=\"%s\">\n", (&url.URL{Path: i.File}).EscapedPath(), escape(i.Title))
	}
	for _, t := range s.Notes {
		fmt.Fprintf(b, "<p><small>%s</small></p>\n", escape(t))
	}
}

// escapeLines returns lines as HTML has them.
func escapeLines(lines []string) string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = escape(l)
	}
	return strings.Join(out, "\n")
}
