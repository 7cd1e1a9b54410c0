package host_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/familytest"
	"github.com/sipc-ml/sipc/plugins/host"
)

// Two processes that are asked the same have the same digests, in whatever order and however often they are asked. The digest of
// questions tells others apart.
func TestDigestsOfAnswers(t *testing.T) {
	s := newScene(t)
	data := images()
	digests := func(counts ...float64) [2]string {
		p := s.launch("sipc-family-mixup", s.options(host.Options{}, ""))
		var answers host.Answers
		var wait sync.WaitGroup
		for _, count := range counts {
			wait.Go(func() {
				call := &plugins.DomainCall{Name: "pairs", Args: []plugins.Value{{Name: "count", Number: count}}, Nodes: []float64{0, 1}}
				if _, err := familytest.Expand(answers.Of(t.Context()), t, p, data, call); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		asked, answered := answers.Digests(p)
		return [2]string{asked, answered}
	}
	want := digests(3, 4, 5)
	for _, counts := range [][]float64{{5, 4, 3}, {3, 4, 5, 4, 3}} {
		if got := digests(counts...); got != want {
			t.Errorf("asked for %v pairs the digests are %v, and for 3, 4 and 5 %v", counts, got, want)
		}
	}
	if got := digests(3, 4); slices.Contains(got[:], want[0]) || slices.Contains(got[:], want[1]) {
		t.Errorf("of other questions the digests are %v too", got)
	}
	if got := digests(); got != [2]string{} {
		t.Errorf("of no question the digests are %v", got)
	}
}
