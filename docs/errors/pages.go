// Package pages holds the pages of the diagnostics. For each code a page says what it means, why it is refused, and
// how to mend it. It shows a wrong and a right example. README.md lists the pages.
package pages

import (
	"embed"
	"io/fs"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/dsl/diag"
)

//go:embed [EW]*.md
var files embed.FS

// Page returns the page of a code, in Markdown; false if the code has no page.
func Page(code diag.Code) (string, bool) {
	page, err := files.ReadFile(string(code) + ".md")
	return string(page), err == nil
}

// Title returns what a code means, as the heading of its page says.
func Title(code diag.Code) string {
	page, _ := Page(code)
	heading, _, _ := strings.Cut(page, "\n")
	return strings.TrimPrefix(heading, "# "+string(code)+": ")
}

// Codes returns the codes that have a page, errors first.
func Codes() []diag.Code {
	names, err := fs.Glob(files, "*.md")
	if err != nil {
		return nil // the pattern is well formed
	}
	codes := make([]diag.Code, len(names))
	for i, n := range names {
		codes[i] = diag.Code(strings.TrimSuffix(n, ".md"))
	}
	slices.Sort(codes)
	return codes
}
