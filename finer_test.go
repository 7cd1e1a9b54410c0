package sipc

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// What features lose is never mended by what the spec says already.
func TestFinerFeaturesAreOthers(t *testing.T) {
	for _, c := range []struct {
		features setting.Features
		choice   *embed.Choice
		method   setting.Method
		want     string
	}{
		{setting.Features{Kind: "nystrom", Landmarks: setting.AllLandmarks}, &embed.Choice{Landmarks: 100, Points: 100}, setting.Risk, "features exact"},
		{setting.Features{Kind: "nystrom", Landmarks: setting.AllLandmarks}, &embed.Choice{Landmarks: 90, Points: 100}, setting.Risk, "landmarks = 100"},
		{setting.Features{Kind: "nystrom", Landmarks: setting.AllLandmarks}, &embed.Choice{Landmarks: 9, Points: 100}, setting.Risk, "landmarks = 18"},
		{setting.Features{Kind: "nystrom", Landmarks: setting.AllLandmarks}, &embed.Choice{Landmarks: 9, Points: 100}, setting.Embed, "method risk"},
		{setting.Features{Kind: "nystrom", Landmarks: setting.RowLandmarks}, nil, setting.Risk, "landmarks = all"},
		{setting.Features{Kind: "nystrom", Landmarks: setting.CountLandmarks, Count: 7}, nil, setting.Risk, "more landmarks"},
		{setting.Features{Kind: "nystrom", Rank: 3}, nil, setting.Risk, "rank"},
		{setting.Features{Kind: "fourier", Count: 100}, nil, setting.Risk, "count"},
		{setting.Features{Kind: "hashing"}, nil, setting.Risk, "nystrom"},
	} {
		if got := finer(&c.features, c.choice, c.method); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s, want %s", c.features, got, c.want)
		}
	}
}
