package sipc

import (
	"runtime/debug"
	"testing"
)

func TestRevisionOf(t *testing.T) {
	for want, settings := range map[string][]debug.BuildSetting{
		"":           {{Key: "vcs", Value: "git"}, {Key: "vcs.modified", Value: "true"}},
		"abcd":       {{Key: "vcs.revision", Value: "abcd"}, {Key: "vcs.modified", Value: "false"}},
		"abcd+dirty": {{Key: "vcs.modified", Value: "true"}, {Key: "vcs.revision", Value: "abcd"}},
	} {
		if got := revisionOf(settings); got != want {
			t.Errorf("%v: %q, want %q", settings, got, want)
		}
	}
}
