package operator

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// held keeps numbers in memory.
type held map[[sha256.Size]byte][][]float64

func (h held) Restore(key [sha256.Size]byte, parts ...[]float64) (bool, error) {
	known := h[key]
	if len(known) != len(parts) {
		return false, nil
	}
	for i, part := range known {
		copy(parts[i], part)
	}
	return true, nil
}

func (h held) Keep(key [sha256.Size]byte, parts ...[]float64) error {
	var own [][]float64
	for _, part := range parts {
		own = append(own, slices.Clone(part))
	}
	h[key] = own
	return nil
}

func (held) Pause(time.Duration) time.Duration { return 1 }

// A pass that was stopped anywhere goes on with the same bits, whether its last block is full or not. Where something else is made of rows that have passed, and be
// it of the last alone, nothing of it is taken.
func TestPassesGoOn(t *testing.T) {
	for _, n := range []int{500, 1024, 2048, 2500} {
		rng := rand.New(rand.NewPCG(7, uint64(n)))
		x := mat.NewDense(n, 2, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
		k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 2})
		if err != nil {
			t.Fatal(err)
		}
		phi, err := embed.New(t.Context(), k, setting.Features{Landmarks: setting.CountLandmarks, Count: 10}, x, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := mat.NewDense(2, phi.Dim(), nil)
		v.Set(1, 0, 1)
		// pass makes another column of a row, and stops before another one; −1 stands for none.
		pass := func(keeper Keeper, other, stop int) (out *polar.Passage, seen []float64, first int) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			rows, first := &Passing{X: x, Features: phi}, -1
			if keeper != nil {
				rows.Keeping = &Keeping{Keeper: keeper}
			}
			rows.Progress = func(done, _ int) {
				if first < 0 {
					first = done
				}
			}
			seen = make([]float64, n)
			out, err := rows.Pass(ctx, v.RawMatrix(), 1, 1, 0, func(g *polar.Glance) {
				for k := range g.Sizes {
					i := g.First + k
					if i == stop {
						cancel()
					}
					seen[i] = g.Scores.Data[2*k] + g.Scores.Data[2*k+1] + g.Sizes[k]
					g.Columns.Data[k], g.Curves.Data[k] = float64(i%3), 1
					if i == other {
						g.Columns.Data[k] = 5
					}
				}
			})
			if (err != nil) != (stop >= 0 && stop < (n-1)/1024*1024) {
				t.Fatal(err)
			}
			return out, seen, first
		}
		for _, stop := range []int{-1, n / 2} {
			for _, other := range []int{-1, 0, n - 1} {
				want, all, _ := pass(nil, other, -1)
				keeper := held{}
				pass(keeper, -1, stop)
				got, seen, first := pass(keeper, other, -1)
				if !reflect.DeepEqual(lower(got.Grams[0]), lower(want.Grams[0])) || !reflect.DeepEqual(got.Sums, want.Sums) || !slices.Equal(seen, all) {
					t.Errorf("%d rows, stopped at %d, another row %d: other numbers", n, stop, other)
				}
				kept := n
				if stop >= 0 && stop < (n-1)/1024*1024 {
					kept = (stop/1024 + 1) * 1024
				}
				if other >= 0 && other < kept {
					kept = 0
				}
				if first != kept {
					t.Errorf("%d rows, stopped at %d, another row %d: it goes on at %d, want %d", n, stop, other, first, kept)
				}
			}
		}
	}
}
