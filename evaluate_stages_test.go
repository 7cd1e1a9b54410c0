package sipc_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Progress says what is done: only methods that make embeddings embed rows, and what is done for plain and for a rival bears their names.
func TestStagesNameWhatIsDone(t *testing.T) {
	spec, data := load(t, tossed+"evaluate under {move(u, 0.5)}\n"), toss(t, 60)
	beside := []string{
		"embed", "compute features of training rows", "fit svm", "score test rows of plain", "score test rows of svm",
		"score test rows under move(u, 0.5) of plain",
	}
	for method, own := range map[setting.Method][]string{
		setting.Risk:  {"score test rows", "score test rows under move(u, 0.5)"},
		setting.Embed: {"embed test rows", "embed test rows under move(u, 0.5)", "embed training rows"},
	} {
		told := map[string]bool{}
		_, err := sipc.Run(t.Context(), spec, sipc.RunOptions{
			Data: data, Method: method, Baseline: true, Rivals: []sipc.RivalOptions{{Name: rival.SVM, Setting: &rival.Setting{C: 1, Width: 1}}},
			Progress: func(stage string, _, _ int) { told[stage] = true },
		})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.DeleteFunc(slices.Sorted(maps.Keys(told)), func(s string) bool {
			return !slices.ContainsFunc([]string{"embed", "score", "fit s", "compu"}, func(start string) bool { return strings.HasPrefix(s, start) })
		})
		if want := slices.Sorted(slices.Values(slices.Concat(own, beside))); !slices.Equal(got, want) {
			t.Errorf("%s: progress says %q, want %q", method, got, want)
		}
	}
}
