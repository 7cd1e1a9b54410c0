package docs_test

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/lab/bench/size"
)

// TestSize holds the table of runs as rows grow to the lines of its file.
func TestSize(t *testing.T) {
	const begin, end = "<!-- size: go test ./lab/docs -run Size -update -->\n", "<!-- end of size -->"
	var b strings.Builder
	size.Write(&b, fromLines[size.Line](t, "experiments/runs/size.jsonl"))
	held(t, begin, b.String(), end)
}
