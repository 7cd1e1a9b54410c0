// Package page writes what is known of a run as one page of HTML, and as a model card in Markdown.
//
// The page holds all itself: it has no script, asks for nothing from anywhere, and says so to the browser by its Content-Security-Policy. A
// section is a list of blocks, which are paragraphs, tables, figures and the like; one template shows them all. So whatever is escaped, named
// for screen readers or laid out for phones and printers is so everywhere. What comes from the user is always text, never markup. The same
// run gives the same bytes, but for the section of costs.
package page
