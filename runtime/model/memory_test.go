package model

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A feature map is refused before it is made, whatever its kind.
func TestFeaturesAreForeseen(t *testing.T) {
	train := &dataset.Set{X: mat.NewDense(5000, 2, nil), Rows: make([]int, 5000)}
	ctx := limits.WithMemory(context.Background(), 300<<20)
	for want, features := range map[string]setting.Features{
		"is for 5000 landmarks; use fewer landmarks, or allow":                     {Kind: setting.Nystrom, Landmarks: setting.RowLandmarks},
		"is for 5000 landmarks; use fewer":                                         {Kind: setting.Exact},
		"is for 12000 landmarks; use fewer":                                        {Landmarks: setting.CountLandmarks, Count: 1 << 40},
		"is for 1000000 random features of 5000 rows; use fewer features, or":      {Kind: setting.Fourier, Count: 1e6},
		"is for 2^20 features of 5000 rows; use fewer features, or allow more by ": {Kind: setting.Hashing, Bits: 20},
	} {
		f := newFitter(ctx, train, &regularizer.Regularizer{}, Options{})
		if err := checkFeatures(f, features); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	f := newFitter(ctx, train, &regularizer.Regularizer{}, Options{})
	if err := checkFeatures(f, setting.Features{Landmarks: setting.CountLandmarks, Count: 500}); err != nil {
		t.Error(err)
	}
}
