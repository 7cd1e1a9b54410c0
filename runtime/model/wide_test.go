package model

import (
	"testing"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// Folds of rows that pass by have as many features as they like.
func TestFoldsOfFewRowsOfManyFeatures(t *testing.T) {
	train := answered(60, setting.Binary)
	for _, f := range []setting.Features{{Kind: setting.Nystrom, Landmarks: setting.AllLandmarks}, {Kind: setting.Fourier, Count: 90}} {
		for _, kind := range []setting.LearnerKind{setting.Ridge, setting.Logistic, setting.SquaredSVM} {
			o := tellingOptions(setting.Risk)
			o.Features, o.MostHeld, o.Learner.Kind = f, 1, kind
			if _, err := Fit(t.Context(), train, apartR(train), o); err != nil {
				t.Fatal(kind, err)
			}
		}
	}
}
