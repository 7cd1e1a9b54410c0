package pagetest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

// A page that errs and asks for something is found out, so that a page of which nothing is found is sound.
func TestTheBrowserTellsOfErrorsAndRequests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.html")
	page := `<!DOCTYPE html><html lang="en"><title>bad</title><img alt="x" src="http://sipc.invalid/picture.png"><script>missing()</script></html>`
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := pagetest.InChromium(t, path)
	if len(seen.Console) == 0 || len(seen.Asked) == 0 {
		t.Errorf("the console says %q, and %q are asked for; both must be found", seen.Console, seen.Asked)
	}
}
