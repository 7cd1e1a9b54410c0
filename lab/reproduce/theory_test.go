package reproduce

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/runtime/blas"
)

func TestMain(m *testing.M) {
	if err := blas.Select(""); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// What is said of every norm holds under both seminorms; what is said of differentiable ones does under the smooth one, and the other shows
// that it says something.
func TestLossless(t *testing.T) {
	exact, err := Lossless(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range exact.Properties {
		for r, deviation := range p.Deviation {
			if claimed := !p.Smooth || seminorm(r) == smooth; claimed != (deviation <= theoryLimit) || p.Trials < theoryTrials {
				t.Errorf("%s (%s) deviates by %g under R = %s in %d trials", p.Name, p.Statement, deviation, seminorm(r), p.Trials)
			}
		}
	}
	if a := exact.Asymmetry[smooth]; !(a > theoryLimit) {
		t.Errorf("G is symmetric to %g, which R is too quadratic for", a)
	}
}

// The bounds of the theorem hold at the worst pairs that are found, both vanish as landmarks grow, and no worse pair is to be had at random.
func TestInexact(t *testing.T) {
	losses, err := Inexact(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range losses {
		if root := math.Sqrt(l.Epsilon); l.Pairing.Worst > root || l.Linearity.Worst > root {
			t.Errorf("%d landmarks: %+v and %+v, √ε = %g", l.Landmarks, l.Pairing, l.Linearity, root)
		}
		if l.Linearity.Worst > 4*l.Epsilon*l.Epsilon {
			t.Errorf("%d landmarks: linearity is off by %g, ε² = %g", l.Landmarks, l.Linearity.Worst, l.Epsilon*l.Epsilon)
		}
		// f = g outside the span has this much of the pairing, and the search has to find it.
		if l.Pairing.Worst < l.Epsilon*l.Epsilon/2 || l.Pairing.Worst < l.Pairing.Random || l.Linearity.Worst < 2*l.Linearity.Random {
			t.Errorf("%d landmarks: the search found %+v and %+v, ε² = %g", l.Landmarks, l.Pairing, l.Linearity, l.Epsilon*l.Epsilon)
		}
	}
	first, last := losses[0], losses[len(losses)-1]
	if last.Epsilon > first.Epsilon/100 || last.Pairing.Worst > first.Pairing.Worst/1e3 || last.Linearity.Worst > first.Linearity.Worst/1e3 {
		t.Errorf("from %+v to %+v", first, last)
	}
	for name, of := range map[string]func(*Loss) float64{
		"pairing": func(l *Loss) float64 { return l.Pairing.Worst }, "linearity": func(l *Loss) float64 { return l.Linearity.Worst },
	} {
		if p := Slope(losses, of); !(p >= 1.5) {
			t.Errorf("%s falls as ε to the %g", name, p)
		}
	}
}

// searched is a search under some landmarks, with functions drawn for it.
func searched(t *testing.T, r seminorm, seed uint64) (*search, func() *seen) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, landmarksStream))
	s, err := newSpace(r, 40, landmarkDims, landmarkWidth, rng)
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.nystrom(t.Context(), rng.Perm(s.points)[:9])
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.search(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out, func() *seen {
		f := make([]float64, out.basis.RawMatrix().Cols)
		for i := range f {
			f[i] = rng.NormFloat64()
		}
		return out.within(f)
	}
}

// What search climbs along are gradients, those of deviations where functions have norm 1, and of those that lose ε along the border.
func TestSearchGradients(t *testing.T) {
	s, draw := searched(t, smooth, 3)
	border := s.epsilon
	for name, of := range map[string]bound{"pairing": (*search).pairing, "linearity": (*search).linearity} {
		for _, epsilon := range []float64{border, 10} {
			s.epsilon = epsilon
			for range 5 {
				f, g, way := draw(), draw(), draw().f
				if epsilon == border {
					stay(f, way)
				}
				at, err := s.stand(of, f, g)
				if err != nil {
					t.Fatal(err)
				}
				const h = 3e-3
				var ends [2]float64
				for k, h := range []float64{h, -h} {
					d, err := of(s, s.within(plus(f.f, h, way)), g)
					if err != nil {
						t.Fatal(err)
					}
					ends[k] = d.value
				}
				got, want := floats.Dot(at.df, way), (ends[0]-ends[1])/(2*h)
				if math.Abs(got-want) > 3e-3*floats.Norm(at.df, 2)*floats.Norm(way, 2) {
					t.Errorf("%s, ε = %g: %g along f, the difference is %g", name, epsilon, got, want)
				}
			}
		}
	}
}

// stay takes from a way what changes a function's norm and its loss.
func stay(f *seen, way []float64) {
	d := len(f.kept)
	floats.AddScaled(way[d:], -floats.Dot(way[d:], f.lost)/floats.Dot(f.lost, f.lost), f.lost)
	floats.AddScaled(way[:d], -floats.Dot(f.star, way)/floats.Dot(f.star[:d], f.kept), f.kept)
}

// The distance of ι(f) from Tf is within what the page and the mathematics claim, under both seminorms.
func TestEmbeddingNearFeatures(t *testing.T) {
	for r := range seminorm(seminorms) {
		s, draw := searched(t, r, 5)
		for range 20 {
			f := draw()
			v, err := s.embed(0, f)
			if err != nil {
				t.Fatal(err)
			}
			at := s.see(s.lifted(f.kept))
			value, kept := s.gauge.Value(f.differences), s.gauge.Value(at.differences)
			apart := floats.Distance(v, f.kept, 2)
			slope := plus(f.star, -1, f.f)
			if bregman := (kept*kept-value*value)/2 + floats.Dot(slope[len(f.kept):], f.lost); apart*apart > bregman+1e-10 {
				t.Errorf("R = %s: ‖ι(f) − Tf‖² is %g, above %g", r, apart*apart, bregman)
			}
			limit := s.epsilon * math.Sqrt(2+s.epsilon*s.epsilon/2)
			if r == smooth {
				limit = s.epsilon * s.epsilon
			}
			if apart > limit {
				t.Errorf("R = %s: ‖ι(f) − Tf‖ is %g, above %g", r, apart, limit)
			}
		}
	}
}
