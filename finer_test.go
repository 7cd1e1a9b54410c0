package sipc

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// What features lose is never mended by what the spec says already.
func TestFinerFeaturesAreOthers(t *testing.T) {
	for _, c := range []struct {
		features setting.Features
		want     string
	}{
		{setting.Features{Kind: "nystrom", Landmarks: setting.AllLandmarks}, "features exact"},
		{setting.Features{Kind: "nystrom", Landmarks: setting.RowLandmarks}, "landmarks = all"},
		{setting.Features{Kind: "nystrom", Rank: 3}, "rank"},
		{setting.Features{Kind: "fourier", Count: 100}, "count"},
		{setting.Features{Kind: "hashing"}, "nystrom"},
	} {
		if got := finer(&c.features); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s, want %s", c.features, got, c.want)
		}
	}
}
