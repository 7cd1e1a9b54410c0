package docs_test

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

// The contract on the page is that of package plugins. (That the program on it is the example's is tested beside that.)
func TestContract(t *testing.T) {
	contract, shown := withoutComments(pagetest.Read(t, "../plugins/contract.go")), 0
	for _, b := range blocks(pagetest.Read(t, "plugins.md")) {
		if b.lang != "go" || strings.Contains(b.text, "package main") {
			continue
		}
		for _, decl := range strings.Split(b.text, "\n\n") {
			shown++
			if !strings.Contains(contract, strings.TrimSpace(decl)) {
				t.Errorf("plugins.md:%d: package plugins has no\n%s", b.line, decl)
			}
		}
	}
	if shown < 2 {
		t.Error("plugins.md does not show the contract")
	}
}

// withoutComments leaves the lines out that are comments.
func withoutComments(source string) string {
	var b strings.Builder
	for line := range strings.Lines(source) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}
