package pagetest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Accessible fails where a page cannot be read without eyes, by keyboard, or without a network. Pictures need names, tables captions and
// scopes, headings their order, and regions that scroll a label. Nothing may run, and nothing may be fetched.
func Accessible(t *testing.T, page []byte) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	c := &checker{T: t, ids: map[string]bool{}}
	c.walk(root)
	if c.headings == 0 || c.first != "h1" {
		t.Errorf("the first heading is %q, want h1", c.first)
	}
	if c.policy == "" {
		t.Error("no Content-Security-Policy")
	}
	for _, to := range c.links {
		if !c.ids[to] {
			t.Errorf("a link goes to #%s, which is nowhere", to)
		}
	}
}

// A checker looks at one page.
type checker struct {
	*testing.T
	ids           map[string]bool
	links         []string
	level         int // of the last heading
	headings      int
	first, policy string
}

func (c *checker) walk(n *html.Node) {
	if n.Type == html.ElementNode {
		c.element(n)
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		c.walk(k)
	}
}

// forbidden are elements that run, fetch or send.
var forbidden = []string{"script", "iframe", "object", "embed", "form", "base"}

// element checks one element.
func (c *checker) element(n *html.Node) {
	c.attributes(n)
	if slices.Contains(forbidden, n.Data) {
		c.Errorf("the page has <%s>", n.Data)
	}
	has := func(name string) bool { return attribute(n, name) != "" }
	named := func(by string) bool { k := child(n, by); return k != nil && text(k) != "" }
	switch n.Data {
	case "html":
		c.want(n, has("lang"), "a language")
	case "title":
		c.want(n, text(n) != "", "a text")
	case "meta":
		if attribute(n, "http-equiv") == "Content-Security-Policy" {
			c.policy = attribute(n, "content")
		}
	case "img":
		c.want(n, has("alt"), "a text in its place")
	case "svg":
		c.want(n, attribute(n, "role") == "img" && named("title"), "the role img and a title")
	case "table":
		c.want(n, named("caption"), "a caption")
	case "th":
		c.want(n, has("scope"), "a scope")
	case "h1", "h2", "h3", "h4", "h5", "h6":
		c.heading(n)
	case "nav", "section":
		c.want(n, has("aria-label") || has("aria-labelledby"), "a label")
	}
}

// attributes checks what an element says of itself.
func (c *checker) attributes(n *html.Node) {
	for _, a := range n.Attr {
		switch {
		case strings.HasPrefix(a.Key, "on"):
			c.Errorf("<%s> runs %s", n.Data, a.Key)
		case a.Key == "id" && c.ids[a.Val]:
			c.Errorf("two elements have the id %s", a.Val)
		case a.Key == "id":
			c.ids[a.Val] = true
		case a.Key == "src" || a.Key == "href" || a.Key == "action":
			c.link(n, a.Val)
		}
	}
	if attribute(n, "role") == "region" {
		c.want(n, attribute(n, "aria-label") != "" && attribute(n, "tabindex") == "0", "a label and a place among those that keys reach")
	}
}

// want says what an element lacks.
func (c *checker) want(n *html.Node, ok bool, what string) {
	c.Helper()
	if !ok {
		c.Errorf("<%s> lacks %s: %s", n.Data, what, text(n))
	}
}

// heading checks that no level is left out on the way down.
func (c *checker) heading(n *html.Node) {
	level := int(n.Data[1] - '0')
	if c.headings++; c.headings == 1 {
		c.first = n.Data
	}
	c.want(n, text(n) != "", "a text")
	if level > c.level+1 {
		c.Errorf("<%s> %q follows a heading of level %d", n.Data, text(n), c.level)
	}
	c.level = level
}

// link checks that an address is within the page.
func (c *checker) link(n *html.Node, to string) {
	switch {
	case strings.HasPrefix(to, "#"):
		c.links = append(c.links, to[1:])
	case strings.HasPrefix(to, "data:"):
	default:
		c.Errorf("<%s> leads to %s", n.Data, to)
	}
}

// attribute returns an attribute of an element; empty where there is none.
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// child returns the first child of a name; nil where there is none.
func child(n *html.Node, name string) *html.Node {
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		if k.Type == html.ElementNode && k.Data == name {
			return k
		}
	}
	return nil
}

// text returns the text of an element.
func text(n *html.Node) string {
	if n.Type == html.TextNode {
		return strings.TrimSpace(n.Data)
	}
	var out []string
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		if t := text(k); t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, " ")
}
