package docs_test

import (
	"strings"
	"testing"
)

// What the user's guide tells to write is accepted: each statement of its table, and its specs.
func TestUserGuide(t *testing.T) {
	page, b := read(t, "guide.md"), newBench(t)
	for _, row := range rows(t, page, "| you know | you write |") {
		statement := strings.Split(row[1], "`")[1] // without what it is short for
		if !accepted(t, b, statement) {
			t.Errorf("no data of the examples take %q", statement)
		}
	}
	specs := 0
	for _, block := range blocks(page) {
		if block.lang != "inv" {
			continue
		}
		specs++
		if ex, list := b.check(t, block.text, block.options["data"]); ex == nil || len(list) != 0 {
			t.Errorf("%s\n%v", block.text, list)
		}
	}
	if specs == 0 {
		t.Error("the guide has no spec")
	}
}

// accepted reports whether some example's data take the statement.
func accepted(t *testing.T, b *bench, statement string) bool {
	t.Helper()
	for _, s := range settings {
		if ex, list := b.check(t, complete("invariance i = "+statement, s.statements), s.data); ex != nil && !list.HasErrors() {
			return true
		}
	}
	return false
}
