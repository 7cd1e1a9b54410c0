// Package pages holds the pages of the diagnostics: for each code what it means, why it is refused, a wrong and a right example,
// and how to mend it. README.md lists them.
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

// Page is the page of a code, in Markdown; false where the code has none.
func Page(code diag.Code) (string, bool) {
	page, err := files.ReadFile(string(code) + ".md")
	return string(page), err == nil
}

// Codes are the codes that have a page, errors first.
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

// Title is what a page is about: its heading without the code.
func Title(page string) string {
	heading, _, _ := strings.Cut(page, "\n")
	_, title, _ := strings.Cut(heading, ": ")
	return title
}
