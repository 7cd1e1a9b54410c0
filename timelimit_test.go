package sipc_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// asked returns a context whose time is over after it was asked for so often.
func asked(t *testing.T, times int) context.Context {
	t.Helper()
	var now atomic.Int64
	return limits.WithClock(t.Context(), time.Duration(times)*time.Hour, func() time.Time { return time.Unix(0, 0).Add(time.Duration(now.Add(1)) * time.Hour) })
}

const limited = "data { target price : real; columns u, v; standardize }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\n" +
	"invariance up = max over x of hypot(pos(-d/d(u) f), |d/d(v) f|)\ninvariance even = sum over x of |d/d(v) f|\n"

// Wherever the time is over, a run gives an error that says so, or results with a certificate that are told to be unfinished.
func TestTimeIsLimited(t *testing.T) {
	data := drawn(24, 1).write(t)
	for name, c := range map[string]struct {
		spec string
		o    sipc.RunOptions
	}{
		"embed": {"regularize 10 * up, even\nlearn ridge(lambda = 0.01)\n", sipc.RunOptions{Method: setting.Embed}},
		"risk":  {"regularize 10 * up, even\nlearn ridge(lambda = 0.01)\n", sipc.RunOptions{Method: setting.Risk}},
		"dual":  {"regularize 10 * up, even\nlearn ridge(lambda = 0.01)\n", sipc.RunOptions{Method: setting.Dual}},
		"grid": {
			"regularize grid(1, 10) * up, even\nlearn ridge(lambda = grid(0.01, 0.1))\n",
			sipc.RunOptions{Method: setting.Risk, Baseline: true, Rivals: []sipc.RivalOptions{{Name: rival.Ridge}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.o.Data, c.o.Gap = data, 1e-7
			spec, ended, failed := specOf(t, limited+c.spec), 0, 0
			for _, times := range []int{0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89} {
				r, err := sipc.Run(asked(t, times), spec, c.o)
				switch {
				case limits.TimeOver(err):
					failed++
				case err != nil:
					t.Fatalf("after %d looks at the clock: %v", times, err)
				case r.Missed == "":
					t.Errorf("after %d looks at the clock the run is done", times)
				default:
					ended++
					unfinished(t, r)
				}
			}
			if ended == 0 || failed == 0 {
				t.Errorf("%d runs end with results, %d without", ended, failed)
			}
			if r, err := sipc.Run(asked(t, 1e5), spec, c.o); err != nil || r.Missed != "" || r.Certificate.Reached != r.Certificate.Count {
				t.Errorf("with all the time that it takes a run is not done: %v", err)
			}
		})
	}
}

// Where the time is over before any embedding reached its gap there is no result: embed writes no file, as predict gives no predictions.
func TestNothingIsWrittenBeforeAnyGapIsReached(t *testing.T) {
	dir := t.TempDir()
	data := drawn(24, 1).write(t)
	spec := specOf(t, limited+"regularize 10 * up, even\nlearn ridge(lambda = 0.01)\n")
	if _, err := sipc.Run(t.Context(), spec, sipc.RunOptions{Data: data, Method: setting.Embed, Out: dir, Gap: 1e-7}); err != nil {
		t.Fatal(err)
	}
	m, err := sipc.LoadModel(t.Context(), filepath.Join(dir, "model.sipc"))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for times := range 12 {
		out := filepath.Join(t.TempDir(), "rows.npy")
		rows, err := sipc.EmbedRows(asked(t, times), m, data, out, sipc.ApplyOptions{})
		_, missing := os.Stat(out)
		if err != nil {
			refused++
		} else if rows.Certificate.Reached == 0 {
			t.Errorf("after %d looks at the clock there are embeddings without any that reached its gap", times)
		}
		if (err != nil) != (missing != nil) {
			t.Errorf("after %d looks at the clock: %v, and the file: %v", times, err, missing)
		}
		if _, other := sipc.Predict(asked(t, times), m, data, sipc.ApplyOptions{}); (other != nil) != (err != nil) {
			t.Errorf("after %d looks at the clock embed says %v, and predict %v", times, err, other)
		}
	}
	if refused == 0 {
		t.Error("the time was never over too early")
	}
}

// unfinished checks that results which the end of the time cut off have what all results have.
func unfinished(t *testing.T, r *report.Report) {
	t.Helper()
	c := r.Certificate
	if c == nil || c.Count == 0 || len(r.Metrics.Figures) == 0 || r.Learner == nil {
		t.Error("a run that ended early lacks its certificate, its metrics or its learner")
	}
}

// More nodes never leave a wider gap: what fewer nodes of an interval came to stays where the time ends among more of them.
func TestMoreNodesLeaveNoWiderGap(t *testing.T) {
	data := drawn(24, 1).write(t)
	spec := specOf(t, "data { target price : real; columns u, v; standardize }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\n"+
		"invariance along = rms over pairs(count = n) of max over λ in [0, 1] of |d/dλ f|\nregularize along\nlearn ridge(lambda = 0.01)\n")
	coarser, gap, nodes := math.Inf(1), math.Inf(1), map[int]bool{}
	for _, times := range []int{13, 34, 55, 89, 144, 170, 200, 230, 300, 400, 500} {
		r, err := sipc.Run(asked(t, times), spec, sipc.RunOptions{Data: data, Method: setting.Risk, Gap: 1e-5})
		if err != nil {
			t.Fatal(err)
		}
		c := r.Certificate
		if !nodes[c.Nodes] {
			coarser = gap
		}
		if !(float64(c.MaxGap) <= coarser) {
			t.Errorf("after %d looks at the clock the gap is %g at %d nodes, and %g at fewer", times, float64(c.MaxGap), c.Nodes, coarser)
		}
		gap, nodes[r.Certificate.Nodes] = float64(r.Certificate.MaxGap), true
	}
	if len(nodes) < 3 {
		t.Errorf("the runs end at %d numbers of nodes", len(nodes))
	}
}

// Where the time is over among the draws of test rows, the page has the intervals of those that are done, and says how many they were.
func TestPagesSayHowManyDrawsWereDone(t *testing.T) {
	spec := specOf(t, "data { target price : real; columns u, v; standardize }\nkernel gaussian(width = 1)\nfeatures nystrom(landmarks = all)\nlearn ridge(lambda = 0.01)\n")
	data, cut := drawn(24, 1).write(t), 0
	for times := 10; times < 400; times += 10 {
		o := sipc.RunOptions{Data: data, Report: filepath.Join(t.TempDir(), "page.html")}
		r, err := sipc.Run(asked(t, times), spec, o)
		if limits.TimeOver(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(o.Report)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(page, []byte("The time was over when ")) && bytes.Contains(page, []byte("of 1\u202f000 draws were done.")) {
			if cut++; r.Missed == "" {
				t.Errorf("after %d looks at the clock a run whose page is cut is done", times)
			}
		} else if r.Missed == "" {
			break
		}
	}
	if cut == 0 {
		t.Error("no page says how many draws were done")
	}
}
