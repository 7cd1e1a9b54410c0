package sipc

import (
	"testing"

	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Embeddings that take much space are told with the way to leave them out. A run that writes none has nothing to tell.
func TestLargeEmbeddingsAreTold(t *testing.T) {
	for size, want := range map[int64]string{
		0: "", 255 << 20: "",
		557 << 20: "embeddings.npy and test-embeddings.npy hold 557 MiB of numbers; --embeddings none leaves them out",
	} {
		if got := tellLarge(npyEnding, size); got != want {
			t.Errorf("%d: %q, want %q", size, got, want)
		}
	}
	none := &represent.Representer{Method: setting.Risk, Labels: 3}
	for _, o := range []*outlet{nil, {}, {ext: npyEnding}} {
		if got := o.hintLarge(none, 1<<30); got != "" {
			t.Errorf("%v: %q", o, got)
		}
	}
}
