package sipc

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler"
)

// What features lose is never mended by what the spec says already.
func TestFinerFeaturesAreOthers(t *testing.T) {
	for _, c := range []struct {
		features compiler.Features
		want     string
	}{
		{compiler.Features{Name: "nystrom", Landmarks: compiler.Landmarks{Kind: compiler.AllLandmarks}}, "features exact"},
		{compiler.Features{Name: "nystrom", Landmarks: compiler.Landmarks{Kind: compiler.RowLandmarks}}, "landmarks = all"},
		{compiler.Features{Name: "nystrom", Rank: 3}, "rank"},
		{compiler.Features{Name: "fourier", Count: 100}, "count"},
		{compiler.Features{Name: "hashing"}, "nystrom"},
	} {
		if got := finer(&c.features); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s, want %s", c.features, got, c.want)
		}
	}
}
