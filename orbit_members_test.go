package sipc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// strokes writes images of 6 by 6 pixels, a lying or a standing stroke each, with noise.
func strokes(t *testing.T, rows int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 4))
	var b strings.Builder
	for k := range 36 {
		fmt.Fprintf(&b, "p%d,", k)
	}
	b.WriteString("kind\n")
	for i := range rows {
		standing, at := i%2 == 0, 1+r.IntN(4)
		for k := range 36 {
			v := 0.1 * r.Float64()
			if line, along := k/6, k%6; standing && along == at || !standing && line == at {
				v += 0.8 + 0.2*r.Float64()
			}
			fmt.Fprintf(&b, "%.3f,", v)
		}
		b.WriteString([]string{"standing", "lying"}[i%2] + "\n")
	}
	path := filepath.Join(t.TempDir(), "strokes.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const worstOrbit = "orbit {rotate([-30deg, 30deg]), shift(dx = [-1, 1], dy = [-1, 1])}"

const worstText = `
data { target kind : class; columns image(6, 6); split train = 24, test = 12 }
kernel gaussian(width = 2)
features nystrom(landmarks = all)
invariance steady = rms over x of max over t in ` + worstOrbit + ` of |f(t(x), standing) - f(x, standing)|
measure    moved  = rms over x of max over t in ` + worstOrbit + ` of |f(t(x), lying) - f(x, lying)|
regularize 2 * steady
learn svm
`

// checkedSpec returns a spec without errors.
func checkedSpec(t *testing.T, text string) *Spec {
	t.Helper()
	spec := NewSpec(t.Context(), "spec.inv", []byte(text), SpecOptions{})
	if err := spec.Err(); err != nil {
		t.Fatal(err)
	}
	return spec
}

// R of the fit and what the search after it finds are within 5 per cent of the largest values on a dense grid of moves, and the latter is at most that grid's but
// for moves between its points.
func TestWorstMovesAreFound(t *testing.T) {
	for _, method := range []string{"risk", "dual"} {
		f, s := fittedWorst(t, worstText+"method "+method+"\n")
		value, _ := worstValue(t, f, s, compiler.Sample{Members: sampleOf(s.hunt.members.Moves)})
		grid := make(compiler.Members, 24)
		for i := range 11 * 11 * 11 {
			for e := range grid {
				grid[e] = append(grid[e], float64(i%11)/10, float64(i/11%11)/10, float64(i/121)/10)
			}
		}
		dense, orbits := worstValue(t, f, s, compiler.Sample{Members: map[string]compiler.Members{orbitKey(s): grid}})
		if value < dense/1.05 {
			t.Errorf("method %s: R of the fit is %v, and on a dense grid %v", method, value, dense)
		}
		members, active, elements := s.hunt.members.Count(orbits)
		if s.hunt.fits < 2 || s.hunt.fits > mostFits || elements != 24 || active > members || active < elements || members <= 24*8 {
			t.Errorf("method %s: %d fits, %d members of %d elements, %d active", method, s.hunt.fits, members, elements, active)
		}
	}
}

// orbitKey returns the key of the one orbit that a problem's R takes a maximum over.
func orbitKey(s *settled) string {
	_, m := maximaOf(s.reg, "steady")
	return m.Orbits()[0].Key
}

// fittedWorst settles and fits a spec on strokes.
func fittedWorst(t *testing.T, text string) (*model.Fitting, *settled) {
	t.Helper()
	s, err := settle(t.Context(), checkedSpec(t, text), RunOptions{Data: strokes(t, 36)}, newJournal(nil))
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.fit(t.Context(), fitRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return f, s
}

// worstValue returns the value of steady at a fitted function with some moves, and its orbits.
func worstValue(t *testing.T, f *model.Fitting, s *settled, sample compiler.Sample) (float64, []regularizer.Orbit) {
	t.Helper()
	reg, err := seenBy(s.rows)(t.Context(), s.instance.Only("steady"), sample)
	if err != nil {
		t.Fatal(err)
	}
	values, err := f.ValuesAt(t.Context(), reg, 0, s.rows.seen)
	if err != nil {
		t.Fatal(err)
	}
	_, m := maximaOf(reg, "steady")
	return reg.Invariances[0].Gauge.Value(values), m.Orbits()
}

// With each round P of the minimum is at least that of the round before, as R over more members is at least R over fewer.
func TestRoundsDoNotFall(t *testing.T) {
	s, err := settle(t.Context(), checkedSpec(t, worstText), RunOptions{Data: strokes(t, 36)}, newJournal(nil))
	if err != nil {
		t.Fatal(err)
	}
	options := s.rows.Options(s.instance)
	options.Gap = 1e-6
	h := newHunt(s)
	var rounds []float64 // R of one and the same function, with the members of each round
	var first model.Values
	options.Exchange = func(ctx context.Context, nodes int, at model.Values) (*regularizer.Regularizer, error) {
		if first == nil {
			first = at
		}
		values, err := first(ctx, h.reg, 0)
		if err != nil {
			return nil, err
		}
		rounds = append(rounds, h.reg.Invariances[0].Gauge.Value(values))
		return h.next(ctx, nodes, at)
	}
	f, err := model.Fit(t.Context(), s.rows.Train, s.reg, options)
	if err != nil {
		t.Fatal(err)
	}
	if len(rounds) < 2 || f.Regularizer != h.reg {
		t.Fatalf("%d rounds; the fit has R of the last: %v", len(rounds), f.Regularizer == h.reg)
	}
	for i := range rounds[1:] {
		if rounds[i+1] < rounds[i]*(1-1e-12) {
			t.Errorf("R of one function falls from %v to %v in round %d", rounds[i], rounds[i+1], i+2)
		}
	}
}

// The report says how worst moves were searched: of R, of a measure, and of the function of method plain. It is the same on any number of processors.
func TestReportOfWorstMoves(t *testing.T) {
	path := strokes(t, 36)
	var reports [2]string
	for i, workers := range []int{runtime.GOMAXPROCS(0), 1} {
		before := runtime.GOMAXPROCS(workers)
		rep, err := Run(t.Context(), checkedSpec(t, worstText), RunOptions{Data: path, Baseline: true})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		s := rep.Regularizer[0]
		w := s.Searched
		if w == nil || w.Fits < 2 || w.Elements != 24 || w.Members < w.Active || w.Moves != checkDesign || !strings.Contains(w.Move, "rotate(") {
			t.Fatalf("searched: %+v", w)
		}
		if e := w.Excess(s.Value); e < 0 || e > 0.05 {
			t.Errorf("another search exceeds R by %v", e)
		}
		if s.Test == nil || s.Test.Unknown != "" || !(s.Test.Value > 0) {
			t.Errorf("at test rows: %+v", s.Test)
		}
		free := rep.Baseline.Regularizer[0]
		if free.Searched == nil || free.Searched.Fits != 0 || free.Value != free.Searched.Value || free.Value <= s.Value {
			t.Errorf("the free function has %v: %+v", free.Value, free.Searched)
		}
		if m := rep.Measures[0]; m.Searched == nil || m.Searched.Fits != 0 || !(m.Value > s.Value) { // as nothing asks for it
			t.Errorf("the measure is %v beside %v: %+v", m.Value, s.Value, m.Searched)
		}
		var table bytes.Buffer
		if err := rep.WriteTable(&table); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"steady: The fit has ", " were ever active. What is certified is of these.", "worst moves   steady: Another search, from 256 other moves of each element, comes to ", "moved: A search from 256 moves of each element found this value", "Nothing proves that no move is worse."} {
			if !strings.Contains(table.String(), want) {
				t.Errorf("the table lacks %q:\n%s", want, &table)
			}
		}
		reports[i] = fmt.Sprintf("%v %+v %v %+v", s.Value, *w, rep.Metrics.Figures, free.Searched)
	}
	if reports[0] != reports[1] {
		t.Errorf("another number of processors gives another report:\n%s\n%s", reports[0], reports[1])
	}
}

// A call that names a method which searches nothing is refused, and a run ends with its context.
func TestWorstMovesRefused(t *testing.T) {
	spec, path := checkedSpec(t, worstText), strokes(t, 36)
	_, err := Run(t.Context(), spec, RunOptions{Data: path, Method: "embed"})
	if err == nil || !strings.Contains(err.Error(), "--method embed searches no worst moves") {
		t.Errorf("method embed: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Run(ctx, spec, RunOptions{Data: path, Progress: func(stage string, _, _ int) {
		if strings.HasPrefix(stage, "search worst moves") {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}
